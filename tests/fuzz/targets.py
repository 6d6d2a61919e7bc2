"""What is fuzzed, and what must hold of every input? No exception, and what is built is allowed."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

from hivebot.adapters.config_files import ConfigError, load
from hivebot.adapters.llm.lines import read_lines
from hivebot.adapters.llm.reply import render as render_reply
from hivebot.adapters.slack.blocks import render as render_blocks
from hivebot.adapters.slack.events import arrival
from hivebot.adapters.slack.limits import problems
from hivebot.adapters.slack.links import LinkRule
from hivebot.adapters.slack.mrkdwn import mrkdwn
from hivebot.adapters.slack.text import canonical, readable, rich_source
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.mention import MentionedByOther
from hivebot.hive.mention import resolve as mentions
from hivebot.hive.trace import resolve as traces
from hivebot.services.records.asking import Situation
from hivebot.services.records.outgoing import Body, Persona, Quote
from hivebot.services.snapshots import desks_of, roster_of
from tests.configurations import CONFIGURATION
from tests.unit.adapters.llm.requests import asked, floor, person
from tests.unit.adapters.slack.payloads import CONTEXT, callback

ROSTER: Final = roster_of(CONFIGURATION, ())
DESKS: Final = desks_of(CONFIGURATION)
RULE: Final = LinkRule.of(("docs.example.com",), ())
PERSONA: Final = Persona("Erin", ":bee:")
SITUATIONS: Final[tuple[Situation, ...]] = (
    "framing",
    "opening",
    "position",
    "deliberate",
    "commit",
    "answer",
    "consult",
)


def slack_text(given: str) -> None:
    """Slack's tokens become canonical text; what Slack shows of it is read back."""
    canonical(given, CONTEXT)
    mrkdwn(given, RULE)


def mention(given: str) -> None:
    """Every mention stands where it says, within the text."""
    size = len(given.encode())
    for one in mentions(given, None, MentionedByOther(), ROSTER, DESKS):
        assert 0 <= one.offset < size


def trace(given: str) -> None:
    """Every trace stands where it says."""
    size = len(given.encode())
    for one in traces(given, None, AgentAuthor("pia", "Pia"), 7):
        assert 0 <= one.offset < size


def reply(given: str) -> None:
    """Whatever a model writes is a reply of the situation, and can be shown."""
    for situation in SITUATIONS:
        request = asked(situation, rows=(person(1, "Which way?"),), floor=floor(""))
        found = read_lines(request, given)
        if situation not in {"framing", "consult"}:
            render_reply(request, found, 7)


def blocks(given: str) -> None:
    """Whatever an answer holds, each part of it is one that Slack takes."""
    body = Body(text=given, persona=PERSONA, quotes=(Quote("Ana", "#data", "", given),))
    for part in render_blocks(body, tag="o7.1", named=True):
        assert problems(part.text, part.blocks) == ()


def event(given: str) -> None:
    """Any JSON is an arrival or is ignored."""
    try:
        read = cast("object", json.loads(given))
    except (ValueError, RecursionError):
        read = given
    arrival(callback(read), CONTEXT)
    readable(read, read)
    rich_source(read)


def configuration(given: str) -> None:
    """A file is loaded, or refused with its places."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.yaml"
        path.write_text(given, encoding="utf-8", errors="replace", newline="")
        with contextlib.suppress(ConfigError):
            load(path)


TARGETS: Final[dict[str, Callable[[str], None]]] = {
    "slack_text": slack_text,
    "mention": mention,
    "trace": trace,
    "reply": reply,
    "blocks": blocks,
    "event": event,
    "configuration": configuration,
}


def any_of_them(given: str) -> None:
    """The first character says which."""
    if given:
        list(TARGETS.values())[ord(given[0]) % len(TARGETS)](given[1:])


SEEDS: Final[tuple[str, ...]] = (
    "",
    "<@U0BOT> ask <#C0PLAT|platform> &lt;b&gt; <!subteam^S0PLAT> <https://x.example|y> ```a``` `b`",
    "@#platform @pia @payments, (@Pia) `@pia` ```\n@pia\n```",
    "!propose #ship we are late\n!evidence #canary for(2): errors stay flat\n!object @3 (2): no",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n```python\nx\n```\n[a](https://x.example)",
    '{"type": "message", "channel": "C0PAY", "user": "U0ANA", "text": "x", "blocks": [{}]}',
    "agents:\n  pia: {model: briefed}\ndesks:\n  a:\n    channel: '#a'\n    members: [pia]\n",
)


def seeds(name: str) -> list[str]:
    """What a run begins with."""
    if name != "all":
        return list(SEEDS)
    return [f"{number}{seed}" for number in range(len(TARGETS)) for seed in SEEDS]
