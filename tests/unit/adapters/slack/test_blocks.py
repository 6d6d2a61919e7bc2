from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.slack.blocks import (
    CUT_NOTICE,
    EMPTY_NOTICE,
    PART_ROOM,
    RenderedPart,
    RenderError,
    render,
    render_into,
    shown_name,
)
from hivebot.adapters.slack.limits import problems
from hivebot.adapters.slack.shapes import as_list, as_map, as_maps, as_text
from hivebot.services.records.outgoing import (
    Body,
    Button,
    Choice,
    Menu,
    Persona,
    Quote,
    SourceLink,
)

ERIN = Persona("Erin", ":bee:")
PERMALINK = "https://hive.slack.com/archives/C0OPS/p1700000100000100"


def rendered(body: Body, *, named: bool = True) -> tuple[RenderedPart, ...]:
    parts = render(body, tag="o7.1", named=named)
    for part in parts:
        assert problems(part.text, part.blocks) == ()
    return parts


def only(body: Body, *, named: bool = True) -> RenderedPart:
    (part,) = rendered(body, named=named)
    return part


def kinds(part: RenderedPart) -> list[str]:
    return [as_text(block.get("type")) for block in part.blocks]


def mrkdwn(part: RenderedPart) -> Iterator[str]:
    """Every text of a part that Slack reads tokens in."""
    yield part.text
    for block in part.blocks:
        for item in [as_map(block.get("text")), *as_maps(block.get("elements"))]:
            if item.get("type") == "mrkdwn":
                yield as_text(item.get("text"))


def test_an_answer_is_one_section_and_its_own_fallback() -> None:
    part = only(Body("It is **green**.", ERIN))
    assert part.text == "It is *green*."
    assert part.blocks == (
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "It is *green*.", "verbatim": True},
            "expand": True,
            "block_id": "o7.1-0-0",
        },
    )


def test_the_name_is_a_bold_prefix_where_slack_does_not_show_it() -> None:
    assert only(Body("Yes.", ERIN), named=False).text == "*Erin*\nYes."
    assert only(Body("```\ncode\n```", ERIN), named=False).text == "*Erin*\n```\ncode\n```"
    assert only(Body("```\ncode\n```", ERIN)).text == "```\ncode\n```"
    assert only(Body("Yes."), named=False).text == "Yes."


def test_a_rule_based_persona_is_labelled_wherever_its_name_is_shown() -> None:
    persona = replace(ERIN, rule_based=True)
    assert shown_name(persona) == "Erin (rule-based)"
    assert only(Body("Yes.", persona), named=False).text.startswith("*Erin (rule-based)*\n")


def test_a_name_is_one_short_line_that_hides_nothing() -> None:
    assert shown_name(Persona("Er\nin\u202e")) == "Er in⟨U+202E⟩"
    assert shown_name(Persona(" ")) == "agent"
    assert len(shown_name(Persona("x" * 200))) == 80
    assert len(shown_name(Persona("x" * 200, rule_based=True))) == 80


def test_heading_and_mentions_stand_above_the_text() -> None:
    body = Body(
        "Text", heading="Decide *now*\n", mention_users=("U0ANA",), mention_groups=("S0PLAT",)
    )
    assert only(body).text == "*Decide *now**\n<@U0ANA> <!subteam^S0PLAT>\nText"


@pytest.mark.parametrize("forged", ["", "U0> <!channel", "C0OPS", "U0ana", "U0ÄÄ"])
def test_only_ids_are_mentioned(forged: str) -> None:
    assert only(Body("x", mention_users=(forged,), mention_groups=(forged,))).text == "x"


def test_a_returned_answer_is_quoted_with_author_place_and_link() -> None:
    quote = Quote("Max", "#platform", PERMALINK, "It is **up**.\n\n```py\na `b`\n\n```\n> said")
    assert only(Body("So it works.", quotes=(quote,))).text == (
        f"*Max*, #platform · <{PERMALINK}|open>\n"
        "&gt; It is *up*.\n&gt;\n&gt; `a ˋbˋ`\n&gt;\n&gt;\n&gt; said\nSo it works."
    ).replace("said\nSo", "said\n\nSo")


@pytest.mark.parametrize("link", ["", "outbox:7"])
def test_a_quote_without_a_link_names_its_place_alone(link: str) -> None:
    quote = Quote("", "", link, "words")
    assert only(Body("", quotes=(quote,))).text == "*somebody*\n&gt; words"


def test_a_plain_quote_shows_everything_as_it_is() -> None:
    quote = Quote("Max", "here", "", "*a* <@U0BEN>\u202e", plain=True)
    part = only(Body("", quotes=(quote,)))
    assert part.text == "*Max*, here\n&gt; *a* &lt;@U0BEN&gt;⟨U+202E⟩"
    element = {"type": "text", "text": "*a* <@U0BEN>⟨U+202E⟩"}
    assert part.blocks[1]["elements"] == [{"type": "rich_text_quote", "elements": [element]}]


def test_a_plain_quote_of_any_length_is_shown_whole() -> None:
    words = "\n".join(f"line {number} <" for number in range(700))
    parts = rendered(Body("", quotes=(Quote("Max", "", "", words, plain=True),)))
    shown = [
        as_text(element.get("text"))
        for part in parts
        for block in part.blocks
        if block["type"] == "rich_text"
        for element in as_maps(as_maps(block["elements"])[0]["elements"])
    ]
    assert "\n".join(shown) == words


def test_small_print_and_sources_are_one_context_block() -> None:
    sources = (SourceLink("Ana, 14:02", PERMALINK), SourceLink("brief <x>"))
    part = only(Body("Yes.", small="decided by 3 of 5", sources=sources))
    assert kinds(part) == ["section", "context"]
    assert part.text == (
        f"Yes.\ndecided by 3 of 5\nFrom: <{PERMALINK}|Ana, 14:02>, brief &lt;x&gt;"
    )


def test_more_sources_than_fit_are_counted() -> None:
    sources = tuple(SourceLink("x" * 250, PERMALINK) for _ in range(40))
    text = only(Body("Yes.", sources=sources)).text
    assert re.search(r" and 3\d more$", text)
    huge = (SourceLink("<" * 300), *[SourceLink("y" * 2_000)] * 2)
    assert only(Body("Yes.", sources=(SourceLink("&" * 2_000), *huge))).text.endswith("more")


def test_long_small_print_is_cut() -> None:
    text = only(Body("Yes.", small="<" * 3_000)).text
    assert text.endswith("&lt;…")


def test_buttons_stand_in_rows_in_which_no_action_repeats() -> None:
    buttons = (
        Button("ask", "Ask #data", "data", "primary"),
        Button("stop", " ", ""),
        Button("ask", "l" * 100, "platform", "danger"),
    )
    part = only(Body("Yes.", buttons=buttons))
    rows = [as_maps(block["elements"]) for block in part.blocks if block["type"] == "actions"]
    assert [[one["action_id"] for one in row] for row in rows] == [["ask", "stop"], ["ask"]]
    assert rows[0][0]["style"] == "primary"
    assert "style" not in rows[0][1]
    assert "value" not in rows[0][1]
    assert as_map(rows[0][1]["text"])["text"] == "…"


def test_no_row_holds_more_buttons_than_slack_takes() -> None:
    buttons = tuple(Button(f"a{number}", "Go", "") for number in range(60))
    part = only(Body("Yes.", buttons=buttons))
    assert [len(as_list(block["elements"])) for block in part.blocks[1:]] == [25, 25, 10]


@pytest.mark.parametrize("button", [Button("a", "Go", "v" * 2_001), Button("a" * 256, "Go", "")])
def test_a_button_that_breaks_its_contract_is_an_error(button: Button) -> None:
    with pytest.raises(RenderError):
        render(Body("x", buttons=(button,)), tag="t", named=True)


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "```\n```"])
def test_an_empty_answer_says_so(text: str) -> None:
    assert only(Body(text, ERIN)).text == EMPTY_NOTICE


def test_a_heading_alone_is_enough() -> None:
    assert only(Body("", heading="Stopped")).text == "*Stopped*"


MENU = Menu("answer_menu", (Choice("Correct", "correct:7"), Choice("Remove", "remove:7")))


def test_a_menu_stands_behind_the_last_button() -> None:
    part = only(Body("Done.", buttons=(Button("again", "Again", "7"),), menu=MENU))
    elements = as_maps(part.blocks[-1]["elements"])
    assert [one["type"] for one in elements] == ["button", "overflow"]
    options = as_maps(elements[1]["options"])
    assert [one["value"] for one in options] == ["correct:7", "remove:7"]
    assert elements[1]["action_id"] == "answer_menu"


def test_a_menu_has_a_row_of_its_own_where_there_are_no_buttons_or_too_many() -> None:
    many = tuple(Button(f"a{number}", "A", "1") for number in range(25))
    for buttons in ((), many):
        part = only(Body("Done.", buttons=buttons, menu=MENU))
        assert [one["type"] for one in as_maps(part.blocks[-1]["elements"])] == ["overflow"]


def test_a_menu_that_breaks_its_contract_is_an_error() -> None:
    with pytest.raises(RenderError):
        rendered(Body("x", menu=Menu("m", (Choice("A", "v" * 76), Choice("B", "b")))))


def test_a_menu_alone_is_named_in_the_fallback() -> None:
    fences = "\n".join("```\nx\n```" for _ in range(40))
    last = rendered(
        Body(fences, menu=MENU, buttons=tuple(Button("a", "A", "1") for _ in range(12)))
    )
    assert last[-1].text


def test_what_no_longer_stands_is_struck_below_the_text() -> None:
    struck = Quote("No longer stands", "", "", "two days <!here>", plain=True, struck=True)
    part = only(Body("Three days.", quotes=(struck, Quote("Erin", "", "", "so it is"))))
    assert part.text.index("so it is") < part.text.index("Three days.")
    assert part.text.index("Three days.") < part.text.index("two days")
    (quote,) = as_maps(part.blocks[-1]["elements"])
    assert as_maps(quote["elements"]) == [
        {"type": "text", "text": "two days <!here>", "style": {"strike": True}}
    ]


def test_every_revision_has_block_ids_of_its_own() -> None:
    body = Body("Yes.", buttons=(Button("a", "Go", ""),))
    (one,), (other,) = (render(body, tag=tag, named=True) for tag in ("o7.1", "o7.2"))
    ids = [block["block_id"] for part in (one, other) for block in part.blocks]
    assert len(set(ids)) == 4


def test_a_long_answer_is_parted_between_paragraphs_in_order() -> None:
    paragraphs = [f"{number} " + "word " * 150 for number in range(12)]
    parts = rendered(Body("\n\n".join(paragraphs), ERIN))
    assert len(parts) > 1
    together = "\n\n".join(part.text for part in parts)
    assert re.findall(r"^(\d+) ", together, re.MULTILINE) == [str(n) for n in range(12)]


def test_the_parts_are_the_same_with_and_without_the_name() -> None:
    body = Body("\n\n".join("word " * 150 for _ in range(12)), ERIN)
    without, with_name = rendered(body), rendered(body, named=False)
    assert [part.text for part in without[1:]] == [part.text for part in with_name[1:]]
    assert with_name[0].text == f"*Erin*\n{without[0].text}"


def test_a_torn_fence_is_whole_in_every_part() -> None:
    sql = "\n".join(f"update table_{number} -- where x < {number};" for number in range(220))
    parts = rendered(Body(f"Here:\n```sql\n{sql}\n```\nDone."))
    assert len(parts) > 2
    for part in parts:
        for block in part.blocks:
            text = as_text(as_map(block["text"])["text"])
            assert text.count("```") in {0, 2}
            assert text.count("```sql") == text.count("```") // 2


def test_buttons_and_sources_stand_in_the_last_part_alone() -> None:
    body = Body("word " * 2_000, buttons=(Button("a", "Go", ""),), sources=(SourceLink("b"),))
    *others, last = rendered(body)
    assert kinds(last)[-2:] == ["context", "actions"]
    assert all("actions" not in kinds(part) and "context" not in kinds(part) for part in others)


def test_what_stands_at_the_end_gets_a_part_of_its_own_where_there_is_no_room() -> None:
    body = Body(
        "x" * 2_900 + "\n\n" + "y" * 900, small="small " * 20, buttons=(Button("a", "Go", ""),)
    )
    parts = rendered(body)
    assert kinds(parts[-1]) == ["context", "actions"]
    assert parts[-1].text.startswith("small")


def test_buttons_alone_are_named_in_the_fallback() -> None:
    buttons = tuple(Button("a", f"Go {number}", "") for number in range(20))
    body = Body("\n\n".join(f"```\n{number}\n```" for number in range(40)), buttons=buttons)
    parts = rendered(body)
    assert parts[-1].text.startswith("[Go 0] [Go 1]")


def test_many_small_fences_keep_below_the_number_of_blocks() -> None:
    parts = rendered(Body("\n\n".join(f"```\n{number}\n```" for number in range(130))))
    assert len(parts) == 4


def test_what_fits_is_rendered_into_one_message_as_ever() -> None:
    body = Body("Yes.", ERIN)
    assert render_into(body, 1, tag="o7.1", named=True) == rendered(body)


def test_a_longer_revision_makes_one_message_wider() -> None:
    body = Body("\n\n".join("word " * 150 for _ in range(10)), buttons=(Button("a", "Go", ""),))
    (part,) = render_into(body, 1, tag="t", named=True)
    assert problems(part.text, part.blocks) == ()
    assert part.text.endswith("…")
    assert sum(len(text) for text in mrkdwn(replace(part, text=""))) > PART_ROOM
    assert kinds(part)[-1] == "actions"


def test_the_notice_of_a_cut_takes_the_place_of_words_where_it_must() -> None:
    body = Body("\n\n".join("x" * 2_747 for _ in range(6)))
    (part,) = render_into(body, 1, tag="t", named=True)
    assert problems(part.text, part.blocks) == ()
    shown = "".join(mrkdwn(replace(part, text="")))
    assert shown.endswith(CUT_NOTICE)
    assert shown.count("x") == 3 * 2_747


def test_what_fits_no_message_is_cut_with_a_notice() -> None:
    body = Body("\n\n".join("word " * 150 for _ in range(60)), buttons=(Button("a", "Go", ""),))
    parts = render_into(body, 2, tag="t", named=True)
    assert len(parts) == 2
    assert kinds(parts[-1])[-1] == "actions"
    assert list(mrkdwn(parts[-1]))[-1].endswith(CUT_NOTICE)
    for part in parts:
        assert problems(part.text, part.blocks) == ()


ALPHABET = (
    "<>@#!|&;`*_~[]()\\ \n here channel U0BEN https://docs.example.com evil^subteam-+.\"'\u202e"
)
HOSTILE = st.text(alphabet=ALPHABET, max_size=300)


def repeated(unit: str, times: int) -> str:
    return unit * times


BODIES = st.builds(
    Body,
    text=HOSTILE | st.builds(repeated, HOSTILE, st.integers(1, 60)),
    persona=st.none() | st.builds(Persona, HOSTILE, st.just(""), st.booleans()),
    heading=HOSTILE,
    mention_users=st.just(("U0MINTED",)),
    quotes=st.lists(
        st.builds(Quote, HOSTILE, HOSTILE, HOSTILE, HOSTILE, st.booleans()), max_size=2
    ).map(tuple),
    sources=st.lists(st.builds(SourceLink, HOSTILE, HOSTILE), max_size=2).map(tuple),
    small=HOSTILE,
    buttons=st.lists(st.builds(Button, st.just("a"), HOSTILE, HOSTILE), max_size=3).map(tuple),
    link_hosts=st.just(("docs.example.com",)),
)
ACTIVE = re.compile(r"<[@#!](?!U0MINTED>)")


@given(BODIES, st.booleans())
def test_every_part_of_any_body_is_valid_alone_and_pings_nobody_else(
    body: Body,
    named: bool,  # noqa: FBT001 - drawn by hypothesis
) -> None:
    for part in rendered(body, named=named):
        for text in mrkdwn(part):
            assert ACTIVE.search(text) is None
            assert text.count("```") % 2 == 0
    (one,) = render_into(body, 1, tag="t", named=named)
    assert problems(one.text, one.blocks) == ()
