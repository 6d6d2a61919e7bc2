"""What does the App Home look like as a view of Slack's? Pure.

Source: slack.md 4 and 6, rights.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from hivebot.adapters.slack.limits import SECTION_MAX
from hivebot.adapters.slack.plain import cut, plain
from hivebot.adapters.slack.shapes import Json
from hivebot.services.records.homes import Home, HomeDecision, HomeDesk

DESKS_MAX: Final = 40
"""Desks shown; with the gates and decisions they stay below the hundred blocks of a view."""


def home_view(home: Home) -> Json:
    """The view to publish. Every text is data; only channels and dates are made by us."""
    parts = (*_gates(home), *_desks(home), *_decisions(home), _footer())
    return {"type": "home", "blocks": list(parts)}


def _gates(home: Home) -> Iterator[Json]:
    """Only for whom something waits; the gate itself is where its desk's people are."""
    if home.gates:
        yield _header("Waits for you")
    for gate in home.gates:
        link = _link(home.url, gate.channel_id, gate.ts)
        yield _section(
            f"*{plain(gate.what)}*\n#{plain(gate.desk_id)} in <#{gate.channel_id}> · "
            f"until {_moment(gate.until)}{link}"
        )


def _desks(home: Home) -> Iterator[Json]:
    yield _header("Desks")
    if not home.desks:
        yield _section("There is no desk whose channel you can open.")
    for desk in home.desks[:DESKS_MAX]:
        yield _section(_desk(desk))
    if len(home.desks) > DESKS_MAX:
        yield _section(f"and {len(home.desks) - DESKS_MAX} more; `/hive desks` lists them")


def _desk(desk: HomeDesk) -> str:
    about = f"\n{plain(desk.description)}" if desk.description else ""
    members = plain(", ".join(desk.members))
    return f"*{plain(desk.name)}* in <#{desk.channel_id}>{about}\n{members}"


def _decisions(home: Home) -> Iterator[Json]:
    yield _header("Recent decisions")
    if not home.decisions:
        yield _section("Nothing has been decided yet where you can read it.")
    for decision in home.decisions:
        yield _section(_decision(decision, home.url))


def _decision(decision: HomeDecision, url: str) -> str:
    link = _link(url, decision.channel_id, decision.thread_ts)
    return (
        f"*{plain(decision.said)}*\n{plain(decision.how)} in <#{decision.channel_id}> · "
        f"{_moment(decision.at)}{link}"
    )


def _moment(at: datetime) -> str:
    day = f"{at:%Y-%m-%d %H:%M} UTC"
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{day}>"


def _link(url: str, channel_id: str, ts: str) -> str:
    if not url or not ts:
        return ""
    return f" · <{url.rstrip('/')}/archives/{channel_id}/p{ts.replace('.', '')}|open>"


def _footer() -> Json:
    said = "Only what you can open is shown. `/hive help` lists what can be typed."
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": said}]}


def _header(text: str) -> Json:
    return {"type": "header", "text": {"type": "plain_text", "text": text}}


def _section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": cut(text, SECTION_MAX)}}
