"""What does a client make of typed text, and what does a reader see of Slack's text?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.settings import Settings
from hivebot.sandbox.shapes import Json, as_maps
from hivebot.sandbox.text import (
    escape,
    formatted_texts,
    mentioned,
    plain,
    rich_text,
    stored,
    typed,
    unescape,
)
from hivebot.sandbox.world import default_world

WORLD = default_world()


def sent(text: str, user: str = "U0ANA", **switches: object) -> str:
    person = next(one for one in WORLD.people if one.id == user)
    return typed(text, person, WORLD, Settings().changed(switches))


def test_entities_are_escaped_and_decoded_once() -> None:
    assert escape("a < b && c > d") == "a &lt; b &amp;&amp; c &gt; d"
    assert unescape("&amp;lt;") == "&lt;"


def test_an_apps_stray_ampersand_is_escaped_and_its_entities_are_kept() -> None:
    assert stored("a & b &lt;c&gt; &amp;") == "a &amp; b &lt;c&gt; &amp;"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("literal", "ask @#platform"),
        ("labelled", "ask @<#C0PLAT|platform>"),
        ("bare", "ask @<#C0PLAT>"),
        ("empty", "ask @<#C0PLAT|>"),
    ],
)
def test_a_typed_desk_mention_takes_the_form_of_the_switch(form: str, expected: str) -> None:
    assert sent("ask @#platform", channel_form=form) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hi @hive, you", "hi <@U0BOT>, you"),
        ("ask @ana.", "ask <@U0ANA>."),
        ("@here and @channel", "<!here> and <!channel>"),
        ("@platform?", "<!subteam^S0PLAT|@platform>?"),
        ("see #data now", "see <#C0DATA|data> now"),
        ("see #nowhere @nobody", "see #nowhere @nobody"),
        ("mail a@ana b#data", "mail a@ana b#data"),
        ("https://x.test/a?b=1&c=2", "<https://x.test/a?b=1&amp;c=2>"),
        ("`@ana` and ```@hive```", "`@ana` and ```@hive```"),
        ("<@U0BEN> &", "&lt;@U0BEN&gt; &amp;"),
    ],
)
def test_typed_names_become_tokens_outside_of_code(text: str, expected: str) -> None:
    assert sent(text) == expected


def test_a_private_channel_is_linked_only_by_its_members() -> None:
    assert sent("#finance") == "<#C0FIN|finance>"
    assert sent("#finance", user="U0BEN") == "#finance"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@U0ANA> <@U0NONE>", "@ana @U0NONE"),
        ("<#C0PLAT|old> <#C0NONE|gone> <#C0NONE>", "#platform #gone #C0NONE"),
        ("<!here> <!subteam^S0PLAT> <!subteam^S9|@x> <!date^1|today>", "@here @platform @x today"),
        ("<https://x.test|label> <https://y.test>", "label https://y.test"),
        ("a &lt; b &amp;lt;", "a < b &lt;"),
    ],
)
def test_a_reader_sees_names_for_tokens(text: str, expected: str) -> None:
    assert plain(text, WORLD) == expected


def test_a_text_notifies_people_groups_and_the_everyone_mentions() -> None:
    text = "<@U0ANA> <!subteam^S0PLAT> <!channel> <#C0DATA> <!date^1|x> &lt;@U0STEW&gt; <@U0ANA>"
    assert mentioned(text, WORLD) == ["U0ANA", "U0BEN", "channel"]


def test_rich_text_holds_tokens_code_quotes_and_links_as_elements() -> None:
    lines = (
        "hi <@U0BOT> see <#C0DATA|data>, <!subteam^S0PLAT|@platform> <!here>",
        "&gt; quoted &amp; `code`",
        "<https://x.test?a&amp;b|go> <https://y.test>",
        "```",
        "SELECT 1",
        "```",
    )
    text = "\n".join(lines)
    [block] = rich_text(text)
    sections = as_maps(block["elements"])
    assert [one["type"] for one in sections] == [
        "rich_text_section",
        "rich_text_quote",
        "rich_text_section",
        "rich_text_preformatted",
    ]
    assert [one["type"] for one in as_maps(sections[0]["elements"])] == [
        "text",
        "user",
        "text",
        "channel",
        "text",
        "usergroup",
        "text",
        "broadcast",
    ]
    assert as_maps(sections[1]["elements"]) == [
        {"type": "text", "text": "quoted & "},
        {"type": "text", "text": "code", "style": {"code": True}},
    ]
    assert as_maps(sections[2]["elements"])[0] == {
        "type": "link",
        "url": "https://x.test?a&b",
        "text": "go",
    }


def test_rich_text_reads_back_as_the_text_it_stands_for() -> None:
    text = "hi <@U0BOT> see <#C0DATA> a &lt; b <!here> <!subteam^S0PLAT>"
    assert list(formatted_texts(rich_text(text))) == [("mrkdwn", text)]


def test_every_text_of_blocks_is_found_in_reading_order() -> None:
    blocks: list[Json] = [
        {"type": "header", "text": {"type": "plain_text", "text": "head"}},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "body"},
            "fields": [{"type": "mrkdwn", "text": "field"}],
            "accessory": {"type": "button", "text": {"type": "plain_text", "text": "press"}},
        },
        {"type": "markdown", "text": "# down"},
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_list",
                    "elements": [
                        {
                            "type": "rich_text_section",
                            "elements": [{"type": "emoji", "name": "owl"}],
                        }
                    ],
                },
                {"type": "rich_text_section", "elements": [{"type": "link", "url": "u"}]},
            ],
        },
        {"type": "table", "rows": [[{"type": "plain_text", "text": "cell"}]]},
        {"type": "input", "label": {"type": "plain_text", "text": "label"}},
    ]
    assert list(formatted_texts(blocks)) == [
        ("plain", "head"),
        ("mrkdwn", "body"),
        ("mrkdwn", "field"),
        ("plain", "press"),
        ("mrkdwn", "# down"),
        ("mrkdwn", ":owl:\n<u|u>"),
        ("plain", "cell"),
        ("plain", "label"),
    ]
