from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.slack.links import LinkRule
from hivebot.adapters.slack.mrkdwn import WIDEST_TABLE, Fence, Prose, mrkdwn, pieces
from hivebot.adapters.slack.text import WORD_JOINER, canonical, escape
from tests.unit.adapters.slack.payloads import CONTEXT, within_a_tenth_of_a_second

RULE = LinkRule.of(("docs.example.com",), ())
JOINT = "\u200b"


def shown(markdown: str) -> str:
    return mrkdwn(markdown, RULE)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**bold**", "*bold*"),
        ("__bold__", "*bold*"),
        ("*it*", "_it_"),
        ("_it_", "_it_"),
        ("~~gone~~", "~gone~"),
        ("***both***", "*_both_*"),
        ("**a *b* c**", "*a _b_ c*"),
        ("**a _b** c_", "*a _b* c_"),
        ("这是**粗体**字", f"这是{JOINT}*粗体*{JOINT}字"),
        ("snake_case_name 2*3*4 5 * 6", "snake_case_name 2*3*4 5 * 6"),
        ("** not bold **", "** not bold **"),
        ("**open", "**open"),
        ("a **** b", "a **** b"),
        (r"\*literal\* \<", r"*literal* \&lt;"),
        ("# Title", "*Title*"),
        ("## A **b** c ##", "*A b c*"),
        ("#hashtag", "#hashtag"),
        ("- one\n  * two\n+ three", "• one\n  • two\n• three"),
        ("- [ ] open\n- [x] done", "• ☐ open\n• ☑ done"),
        ("1. first", "1. first"),
        ("> said\n>> twice", "&gt; said\n&gt; &gt; twice"),
        ("> # loud", "&gt; *loud*"),
        ("---", "———"),
        ("* * *", "———"),
        ("`a < b`", "`a &lt; b`"),
        ("``a ` b``", "`a ˋ b`"),
        ("` `", ""),
        ("a ` b", "a ˋ b"),
        ("``a` b", "ˋˋaˋ b"),
        ("a < b && c", "a &lt; b &amp;&amp; c"),
        ("one\n\n\ntwo", "one\n\ntwo"),
        ("# ##", ""),
    ],
)
def test_markdown_looks_as_slack_would_show_it(markdown: str, text: str) -> None:
    assert shown(markdown) == text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (
            "[docs](https://docs.example.com/a)",
            "<https://docs.example.com/a|docs (docs.example.com)>",
        ),
        (
            '[docs](https://docs.example.com/a_(b) "title")',
            "<https://docs.example.com/a_(b)|docs (docs.example.com)>",
        ),
        ("[docs](https://evil.com)", "docs (`evil.com` `https://evil.com`)"),
        ("<https://docs.example.com>", "<https://docs.example.com>"),
        ("see https://docs.example.com/a.", "see <https://docs.example.com/a>."),
        ("(https://docs.example.com/a_(b))", "(<https://docs.example.com/a_(b)>)"),
        ("www.evil.com", "`www.evil.com`"),
        ("nothttps://evil.com", "nothttps://evil.com"),
        ("![cat](https://docs.example.com/c.png)", ""),
        ("[empty]()", "empty"),
        ("![]()", "image"),
    ],
)
def test_links_follow_the_rule(markdown: str, text: str) -> None:
    if text:
        assert shown(markdown) == text
    else:
        assert shown(markdown).endswith("|image: cat (docs.example.com)>")


def test_a_picture_is_never_rendered() -> None:
    assert shown("![](https://evil.com/x.png)") == "image (`evil.com` `https://evil.com/x.png`)"


def test_tokens_a_model_writes_are_data() -> None:
    assert shown("<!channel> <@U0BEN> a < b @here") == (
        f"&lt;!channel&gt; &lt;@U0BEN&gt; a &lt; b @{WORD_JOINER}here"
    )


def test_fences_keep_their_language_and_their_content() -> None:
    assert pieces("a\n```sql title=x\nselect **1** < 2\n\n```\nb", RULE) == (
        Prose("a"),
        Fence("sql", ("select **1** &lt; 2", "")),
        Prose("b"),
    )


@pytest.mark.parametrize(
    ("markdown", "fence"),
    [
        ("~~~\na\n~~~", Fence("", ("a",))),
        ("````\n```\n````", Fence("", (f"`{JOINT}`{JOINT}`",))),
        ("```\nnever closed", Fence("", ("never closed",))),
        ("- x\n    ```py\n    a\n      b\n  c\n    ```", Fence("py", ("a", "  b", "c"))),
        ("```evil<!channel>\na\n```", Fence("evil", ("a",))),
    ],
)
def test_fences_of_every_kind_are_closed(markdown: str, fence: Fence) -> None:
    assert pieces(markdown, RULE)[-1] == fence


def test_ticks_on_one_line_are_no_fence() -> None:
    assert shown("```one``` two") == "`one` two"


def test_an_empty_fence_is_left_out() -> None:
    assert shown("```\n \n```") == ""


def test_a_table_becomes_aligned_code() -> None:
    assert shown("so:\n| a | b |\n|---|:-:|\n| 100 | 2 |\n| x |\nend") == (
        "so:\n\n```\na   | b\n----+--\n100 | 2\nx\n```\n\nend"
    )


def test_a_wide_table_is_not_padded() -> None:
    wide = "w" * WIDEST_TABLE
    assert shown(f"a | b\n--|--\n{wide} | c") == f"```\na | b\n{wide} | c\n```"


def test_a_bar_alone_makes_no_table() -> None:
    assert shown("a | b\nc | d") == "a | b\nc | d"
    assert shown("a | b") == "a | b"


TOKENS = re.compile(r"<([@#!])")
HOSTILE = st.text(
    alphabet="<>@#!|&;`*_~[]()\\ \nhere channel U0BEN https://docs.example.com evil^subteam-+.\"'",
    max_size=200,
)


@given(HOSTILE | st.text())
def test_no_output_of_a_model_can_ping(markdown: str) -> None:
    text = shown(markdown)
    assert TOKENS.search(text) is None
    assert (
        re.search(r"@(here|channel|everyone)\b", re.sub(r"`[^`\n]*`|```.*?```", "", text)) is None
    )


@given(HOSTILE | st.text())
def test_what_a_person_typed_comes_back_without_a_ping(typed: str) -> None:
    for source in (typed, escape(typed)):
        text = shown(canonical(source, CONTEXT).text)
        assert TOKENS.search(text) is None
        again = canonical(text, CONTEXT)
        assert not again.addressed


@given(HOSTILE | st.text())
def test_only_allowed_addresses_become_links(markdown: str) -> None:
    for token in re.findall(r"<([^>]*)>", shown(markdown)):
        assert re.match(r"https?://docs\.example\.com(?:[/?#|:]|$)", token, re.IGNORECASE)


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "* ",
        "*a ",
        "**a ",
        "_a_ ",
        "***a* ",
        "~~a",
        "` ",
        "`a",
        "[](a[](a",
        "[](a (",
        "![a](b) ",
        "https://",
        "www.a ",
        ")",
        ">",
        "> a\n",
        "a|b\n-|-\n",
        "a|b\n",
        "```\n",
        "# a\n",
        "- a\n",
        "\\*",
        "<https://",
    ],
)
def test_a_hundred_kilobytes_take_less_than_a_tenth_of_a_second(unit: str) -> None:
    markdown = (unit * 100_000)[:100_000]
    assert within_a_tenth_of_a_second(lambda: mrkdwn(markdown, RULE))
    assert within_a_tenth_of_a_second(lambda: mrkdwn(f"https://x{markdown}", RULE))
