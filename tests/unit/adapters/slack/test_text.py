from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.slack.text import (
    READABLE_MAX,
    WORD_JOINER,
    canonical,
    decode,
    escape,
    readable,
    rich_source,
)
from tests.unit.adapters.slack.payloads import CONTEXT, within_a_tenth_of_a_second

ACTIVE = ("<@U", "<@W", "<!here", "<!channel", "<!everyone", "<!subteam^")


def read(text: str) -> str:
    return canonical(text, CONTEXT).text


def words(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    "typed",
    [
        "@#platform",
        "@<#C0PLAT|platform>",
        "@<#C0PLAT>",
        "@<#C0PLAT|>",
        "@<#C0PLAT|an-old-name>",
        "@&lt;#C0PLAT|platform&gt;",
        "@&lt;#C0PLAT&gt;",
        "<!subteam^S0PLAT|@platform>",
        "<!subteam^S0PLAT>",
    ],
)
def test_every_form_of_a_desk_mention_becomes_the_same_text(typed: str) -> None:
    assert read(f"ask {typed} please") == "ask @#platform please"


@pytest.mark.parametrize("typed", ["<#C0FIN|finance>", "<#C0FIN>", "<#C0FIN|>"])
def test_a_channel_without_a_desk_keeps_its_id(typed: str) -> None:
    assert read(f"ask {typed} please") == "ask #C0FIN please"
    assert read(f"ask @{typed} please") == "ask @#C0FIN please"


def test_a_bare_channel_reference_to_a_desk_is_no_mention() -> None:
    assert read("see <#C0PLAT|platform>") == "see #platform"


def test_an_escaped_channel_without_a_desk_stays_as_typed() -> None:
    assert read("ask @&lt;#C0FIN&gt;") == f"ask @<{WORD_JOINER}#C0FIN>"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("<@U0ANA>", "@U0ANA"),
        ("<@W0ANA|ana>", "@W0ANA"),
        ("<!subteam^S0X|@people>", "@S0X"),
        ("<!here>", "@here"),
        ("<!channel|channel>", "@channel"),
        ("<!everyone>", "@everyone"),
        ("<!date^1392734382^{date}|18 February>", "18 February"),
        ("<!unknown>", "<!unknown>"),
        ("<@nobody>", "<@nobody>"),
        ("<#nowhere>", "<#nowhere>"),
        ("a <b> c", "a <b> c"),
        ("<>", "<>"),
        ("a < b", "a < b"),
    ],
)
def test_tokens_become_text_with_ids(typed: str, text: str) -> None:
    assert read(typed) == text


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("<https://example.com/a?b=1&amp;c=2>", "https://example.com/a?b=1&c=2"),
        ("<https://example.com/a|the book>", "the book (https://example.com/a)"),
        ("<http://example.com|example.com>", "example.com"),
        ("<https://example.com/|https://example.com/>", "https://example.com/"),
        ("<mailto:ana@example.com|ana@example.com>", "ana@example.com"),
        ("<mailto:ana@example.com|Ana>", "Ana (mailto:ana@example.com)"),
        ("<tel:+100|+100>", "+100"),
    ],
)
def test_links_keep_their_address(typed: str, text: str) -> None:
    assert read(typed) == text


def test_entities_are_decoded_once() -> None:
    assert read("if a &lt; b &amp;&amp; c &gt; d") == "if a < b && c > d"
    assert read("&amp;lt;") == "&lt;"
    assert decode("&amp;amp;") == "&amp;"


@pytest.mark.parametrize(
    "typed",
    [
        "&lt;@U0BOT&gt;",
        "&lt;!channel&gt;",
        "&lt;#C0PLAT&gt;",
        "&lt;<@U0BEN>&gt;",
        "&lt;!here|x&gt;",
    ],
)
def test_a_decoded_token_is_no_token(typed: str) -> None:
    assert read(typed).startswith(f"<{WORD_JOINER}")


def test_only_the_token_of_the_bot_addresses_it() -> None:
    assert canonical("<@U0BOT> look", CONTEXT).addressed
    assert canonical("<@U0BOT> look", CONTEXT).text == "@U0BOT look"
    assert not canonical("@U0BOT &lt;@U0BOT&gt; <@U0ANA>", CONTEXT).addressed


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("@<#C0PLAT>and", "@#platform and"),
        ("@<#C0PLAT>, and", "@#platform, and"),
        ("@<#C0PLAT>&gt;", "@#platform >"),
        ("@<#C0PLAT><@U0ANA>", "@#platform @U0ANA"),
        ("@<#C0PLAT>\x1cx", "@#platform \x1cx"),
        ("<@U0ANA>2", "@U0ANA 2"),
        ("<@U0ANA>'s", "@U0ANA's"),
        ("<@U0ANA><@U0BEN>", "@U0ANA @U0BEN"),
        ("see:<!subteam^S0PLAT>", "see: @#platform"),
        ("see(<!subteam^S0PLAT>)", "see(@#platform)"),
        ("hey<!here>", "hey @here"),
    ],
)
def test_a_token_stays_apart_from_what_stands_beside_it(typed: str, text: str) -> None:
    assert read(typed) == text


def test_a_label_asks_nobody() -> None:
    assert read("<https://example.com|@#platform>") == (
        f"{WORD_JOINER}@#platform (https://example.com)"
    )
    assert read("<!date^1^{date}|so @here>") == f"so {WORD_JOINER}@here"


def test_a_quoted_line_asks_nobody() -> None:
    assert read("&gt; ask @#platform\nask @#platform") == (
        f"> ask {WORD_JOINER}@#platform\nask @#platform"
    )


def test_a_long_quote_runs_to_the_end() -> None:
    assert read("&gt;&gt;&gt; so\n@#platform") == f">>> so\n{WORD_JOINER}@#platform"


def test_code_is_left_as_it_was() -> None:
    code = "```\n&gt; a @decorator\n```\n&gt; @#platform"
    assert read(code) == f"```\n> a @decorator\n```\n> {WORD_JOINER}@#platform"


def test_rich_text_reads_like_the_text_slack_sends_beside_it() -> None:
    blocks = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "not this"}},
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [
                        {"type": "text", "text": "a < b "},
                        {"type": "user", "user_id": "U0BOT"},
                        {"type": "text", "text": " ask @"},
                        {"type": "channel", "channel_id": "C0PLAT"},
                        {"type": "text", "text": " "},
                        {"type": "usergroup", "usergroup_id": "S0PLAT"},
                        {"type": "text", "text": " "},
                        {"type": "broadcast", "range": "here"},
                        {"type": "emoji", "name": "wave"},
                        {"type": "text", "text": "x@y", "style": {"code": True}},
                        {"type": "link", "url": "https://e.com/?a&b", "text": "book"},
                        {"type": "link", "url": "https://e.com"},
                        {"type": "date", "fallback": "today"},
                        {"type": "mystery"},
                    ],
                },
                {
                    "type": "rich_text_list",
                    "indent": 1,
                    "elements": [{"type": "rich_text_section", "elements": [words("one")]}],
                },
                {"type": "rich_text_list", "elements": [{"elements": "nothing"}]},
                {
                    "type": "rich_text_quote",
                    "elements": [{"type": "text", "text": "old\n@#platform"}],
                },
                {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "@#x"}]},
            ],
        },
    ]
    found = canonical(rich_source(blocks), CONTEXT)
    assert found.addressed
    assert found.text == (
        "a < b @U0BOT ask @#platform @#platform @here:wave:`x@y`book (https://e.com/?a&b)"
        "https://e.comtoday\n  • one\n• \n"
        f"> old\n> {WORD_JOINER}@#platform\n```\n@#x\n```"
    )


def test_an_alert_is_readable_from_its_attachments_and_blocks() -> None:
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Disk <full>"}},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "on <https://e.com|db1>"},
            "fields": [{"type": "mrkdwn", "text": "*95*"}],
        },
        {"type": "image", "alt_text": "a graph", "title": {"type": "plain_text", "text": "g"}},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "cell"}], "no row"]},
        {"type": "rich_text", "elements": [{"elements": [{"type": "text", "text": "rich"}]}]},
        {"type": "divider"},
    ]
    attachments = [
        {"title": "t", "text": "body", "fields": [{"title": "k", "value": "v"}], "fallback": "no"},
        {"fallback": "only this"},
        "no attachment",
    ]
    assert readable(blocks, attachments).split("\n") == [
        "Disk &lt;full&gt;",
        "on <https://e.com|db1>",
        "*95*",
        "g",
        "a graph",
        "cell",
        "rich",
        "t",
        "body",
        "k: v",
        "only this",
    ]


def test_a_flood_of_attachments_is_cut() -> None:
    text = readable(None, [{"text": "x" * 20_000}])
    assert len(text) == READABLE_MAX
    assert text.endswith("…")


def test_blocks_nested_without_end_are_left() -> None:
    block: dict[str, object] = {"type": "section", "elements": []}
    for _ in range(200):
        block = {"type": "section", "elements": [block]}
    assert readable([block], None) == ""


@given(st.text(alphabet="<>@#!|&;lgtamp U0BOTC0PLAT^subteamhere\n`()https://x.y"))
def test_no_text_holds_an_active_token_once_it_is_canonical(text: str) -> None:
    for source in (text, escape(text)):
        found = read(source)
        assert not any(token in found for token in ACTIVE)


@given(st.text())
def test_what_is_escaped_comes_back_unless_it_would_be_a_token(text: str) -> None:
    assert decode(escape(text)) == text


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<a",
        "<a|",
        "<@U0ANA>",
        "@&lt;#C0PLAT|",
        "&lt;@U",
        "&amp;",
        "> @a\n",
        "```\n",
        "<!x|",
        "@",
    ],
)
def test_a_hundred_kilobytes_take_less_than_a_tenth_of_a_second(unit: str) -> None:
    source = (unit * 100_000)[:100_000]
    assert within_a_tenth_of_a_second(lambda: canonical(source, CONTEXT))
