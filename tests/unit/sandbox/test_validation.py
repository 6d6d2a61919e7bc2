"""Would Slack take these blocks, and if not, what would it say?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json, as_list, as_map
from hivebot.sandbox.validation import check_message_blocks, check_view

MOST_25 = "no more than 25 items allowed, and at least 1"
MOST_100 = "no more than 100 items allowed, and at least 1"


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def words(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def section(text: str = "x", **more: object) -> Json:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(action_id: str = "go", text: str = "Go", **more: object) -> Json:
    return {"type": "button", "action_id": action_id, "text": words(text), **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def select(count: int = 1, kind: str = "static_select", **more: object) -> Json:
    options = [{"text": words("o"), "value": str(index)} for index in range(count)]
    return {"type": kind, "action_id": "s", "options": options, **more}


def modal(*blocks: Json, **more: object) -> Json:
    frame: Json = {"type": "modal", "title": words("T"), "submit": words("Go")}
    return {**frame, "blocks": list(blocks), **more}


def field(**more: object) -> Json:
    element: Json = {"type": "plain_text_input", "action_id": "a"}
    return {"type": "input", "label": words("L"), "element": element, **more}


def problems(blocks: list[Json]) -> list[str]:
    with pytest.raises(SlackError) as refusal:
        check_message_blocks(blocks)
    assert refusal.value.error == "invalid_blocks"
    messages = as_list(as_map(refusal.value.details["response_metadata"])["messages"])
    assert len(messages) == len(as_list(refusal.value.details["errors"]))
    return [str(one) for one in messages]


def view_problems(view: Json) -> list[str]:
    with pytest.raises(SlackError) as refusal:
        check_view(view)
    assert refusal.value.error == "invalid_arguments"
    return [
        str(one) for one in as_list(as_map(refusal.value.details["response_metadata"])["messages"])
    ]


GOOD: list[Json] = [
    section("x" * 3000),
    {"type": "section", "fields": [mrkdwn("f" * 200)] * 10},
    section(accessory=select()),
    {"type": "header", "text": words("h" * 150)},
    {"type": "divider"},
    actions(*[button(f"a{index}", "t" * 75, value="v" * 20) for index in range(25)]),
    {
        "type": "context",
        "elements": [mrkdwn("c"), {"type": "image", "image_url": "u", "alt_text": "a"}],
    },
    {"type": "image", "slack_file": {"id": "F1"}, "alt_text": "a"},
    {"type": "markdown", "text": "m" * 2000},
    {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "f"}]},
    {"type": "rich_text", "elements": []},
    field(hint=words("h")),
    {
        "type": "table",
        "rows": [[{"type": "raw_text", "text": "c"}, {"type": "rich_text", "elements": []}]],
    },
    actions({"type": "users_select", "action_id": "u", "placeholder": words("Who?")}),
    actions(button(confirm={k: words("c") for k in ("title", "text", "confirm", "deny")})),
    actions(
        select(
            0,
            option_groups=[{"label": words("g"), "options": [{"text": words("o"), "value": "1"}]}],
        )
    ),
]


@pytest.mark.parametrize("block", GOOD, ids=lambda block: str(as_map(block)["type"]))
def test_a_block_within_the_limits_is_taken(block: Json) -> None:
    check_message_blocks([block])


@pytest.mark.parametrize(
    ("block", "what", "where"),
    [
        (section("x" * 3001), "must be less than 3001 characters", "/blocks/0/text/text"),
        (section(""), "must be more than 0 characters", "/blocks/0/text/text"),
        ({"type": "section"}, "missing required field: text", "/blocks/0"),
        (
            {"type": "section", "text": {"type": "x"}},
            "must be one of: plain_text, mrkdwn",
            "/blocks/0/text/type",
        ),
        ({"type": "section", "fields": []}, "no more than 10 items allowed", "/blocks/0/fields"),
        (
            {"type": "section", "fields": [mrkdwn("f" * 2001)]},
            "must be less than 2001 characters",
            "/blocks/0/fields/0/text",
        ),
        (
            {"type": "header", "text": words("h" * 151)},
            "must be less than 151 characters",
            "/blocks/0/text/text",
        ),
        ({"type": "header", "text": mrkdwn("h")}, "must be of type: plain_text", "/blocks/0/text"),
        (actions(), MOST_25, "/blocks/0/elements"),
        (actions(*[button(str(index)) for index in range(26)]), MOST_25, "/blocks/0/elements"),
        (
            actions(button(), button()),
            "`action_id` go already exists",
            "/blocks/0/elements/1/action_id",
        ),
        (
            actions(button(text="t" * 76)),
            "must be less than 76 characters",
            "/blocks/0/elements/0/text/text",
        ),
        (
            actions(button(value="v" * 2001)),
            "must be less than 2001 characters",
            "/blocks/0/elements/0/value",
        ),
        (
            actions(button(url="u" * 3001)),
            "must be less than 3001 characters",
            "/blocks/0/elements/0/url",
        ),
        (
            actions(button(style="loud")),
            "must be one of: primary, danger",
            "/blocks/0/elements/0/style",
        ),
        (
            actions(button("a" * 256)),
            "must be less than 256 characters",
            "/blocks/0/elements/0/action_id",
        ),
        (
            actions(
                button(
                    confirm={
                        "title": words("t" * 101),
                        "text": words("x"),
                        "confirm": words("y"),
                        "deny": words("n"),
                    }
                )
            ),
            "must be less than 101 characters",
            "/blocks/0/elements/0/confirm/title/text",
        ),
        (actions({"type": "lever"}), "unsupported type: lever", "/blocks/0/elements/0"),
        (actions(select(101)), MOST_100, "/blocks/0/elements/0/options"),
        (actions(select(0)), MOST_100, "/blocks/0/elements/0/options"),
        (
            actions(select(6, "overflow")),
            "no more than 5 items allowed, and at least 1",
            "/blocks/0/elements/0/options",
        ),
        (
            actions(select(placeholder=words("p" * 151))),
            "must be less than 151 characters",
            "/blocks/0/elements/0/placeholder/text",
        ),
        (
            actions(select(options=[{"text": words("o" * 76), "value": "1"}])),
            "must be less than 76 characters",
            "/blocks/0/elements/0/options/0/text/text",
        ),
        (
            actions(select(options=[{"text": words("o"), "value": "v" * 151}])),
            "must be less than 151 characters",
            "/blocks/0/elements/0/options/0/value",
        ),
        (
            {"type": "context", "elements": []},
            "no more than 10 items allowed, and at least 1",
            "/blocks/0/elements",
        ),
        (
            {"type": "context", "elements": [{"type": "image", "image_url": "u"}]},
            "missing required field: alt_text",
            "/blocks/0/elements/0",
        ),
        ({"type": "image", "alt_text": "a"}, "missing required field: image_url", "/blocks/0"),
        (
            actions({"type": "image", "alt_text": "a"}),
            "missing required field: image_url",
            "/blocks/0/elements/0",
        ),
        ({"type": "markdown", "text": ""}, "must be more than 0 characters", "/blocks/0/text"),
        (
            {"type": "markdown", "text": "m" * 12_001},
            "must be less than 12001 characters",
            "/blocks",
        ),
        (
            {"type": "context_actions", "elements": [{"type": "icon_button"}] * 6},
            "no more than 5 items allowed, and at least 1",
            "/blocks/0/elements",
        ),
        (
            {"type": "alert", "text": words("x")},
            "unsupported block type in a message: alert",
            "/blocks/0",
        ),
        ({"type": "wonder"}, "unsupported type: wonder", "/blocks/0"),
        (
            {"type": "divider", "block_id": "b" * 256},
            "must be less than 256 characters",
            "/blocks/0/block_id",
        ),
        (
            field(element=button()),
            "unsupported element in an input block: button",
            "/blocks/0/element",
        ),
        (field(label=mrkdwn("x")), "must be of type: plain_text", "/blocks/0/label"),
        ({"type": "divider", "text": "x"}, "invalid additional property: text", "/blocks/0"),
        (
            {"type": "header", "text": {**words("h"), "verbatim": True}},
            "invalid additional property: verbatim",
            "/blocks/0/text",
        ),
        (
            actions(button(label="x")),
            "invalid additional property: label",
            "/blocks/0/elements/0",
        ),
        ({"type": "table", "rows": []}, MOST_100, "/blocks/0/rows"),
        (
            {"type": "table", "rows": [[{"type": "raw_text", "text": "c"}] * 21]},
            "no more than 20 columns allowed",
            "/blocks/0/rows",
        ),
        (
            {"type": "table", "rows": [[{"type": "raw_text", "text": "c" * 10_001}]]},
            "must be less than 10001 characters",
            "/blocks/0/rows",
        ),
    ],
)
def test_a_block_beyond_a_limit_is_refused_with_its_place(
    block: Json, what: str, where: str
) -> None:
    assert problems([block]) == [f"[ERROR] {what} [json-pointer:{where}]"]


def test_a_message_takes_fifty_blocks() -> None:
    check_message_blocks([{"type": "divider"}] * 50)
    assert problems([{"type": "divider"}] * 51) == [
        "[ERROR] no more than 50 items allowed [json-pointer:/blocks]"
    ]


def test_a_block_id_is_taken_once() -> None:
    twice: list[Json] = [{"type": "divider", "block_id": "b"}] * 2
    assert problems(twice) == [
        "[ERROR] `block_id` b already exists [json-pointer:/blocks/1/block_id]"
    ]


def test_the_markdown_limit_counts_all_markdown_blocks() -> None:
    half: Json = {"type": "markdown", "text": "m" * 6000}
    check_message_blocks([half, half])
    assert problems([half, half, {"type": "markdown", "text": "m"}])


def test_legal_blocks_are_refused_together_above_the_whole_length() -> None:
    check_message_blocks([section("x" * 2640)] * 5)
    with pytest.raises(SlackError) as refusal:
        check_message_blocks([section("x" * 2641)] * 5)
    assert refusal.value.error == "msg_blocks_too_long"


def test_a_modal_within_the_limits_is_taken() -> None:
    alert: Json = {"type": "alert", "text": words("mind")}
    check_view(modal(section(), field(), alert, title=words("t" * 24), private_metadata="p" * 3000))
    check_view({"type": "home", "blocks": [section()] * 100})


@pytest.mark.parametrize(
    ("view", "what", "where"),
    [
        (modal(title=words("t" * 25)), "must be less than 25 characters", "/view/title/text"),
        (modal(submit=words("s" * 25)), "must be less than 25 characters", "/view/submit/text"),
        (
            modal(private_metadata="p" * 3001),
            "must be less than 3001 characters",
            "/view/private_metadata",
        ),
        (modal(callback_id="c" * 256), "must be less than 256 characters", "/view/callback_id"),
        ({"type": "modal", "title": words("t")}, "missing required field: blocks", "/view"),
        ({"type": "pane", "blocks": []}, "must be one of: modal, home", "/view/type"),
        (
            {"type": "modal", "title": words("t"), "blocks": [field()]},
            "a view with input blocks needs a submit button",
            "/view/submit",
        ),
        (modal(*[section()] * 101), "no more than 100 items allowed", "/view/blocks"),
        (
            modal({"type": "markdown", "text": "x"}),
            "unsupported block type in a modal: markdown",
            "/view/blocks/0",
        ),
        (
            {"type": "home", "blocks": [{"type": "alert"}]},
            "unsupported block type in a home: alert",
            "/view/blocks/0",
        ),
        (
            modal({"type": "alert"}),
            "must be one of: plain_text, mrkdwn",
            "/view/blocks/0/text/type",
        ),
    ],
)
def test_a_view_beyond_a_limit_is_refused_with_its_place(view: Json, what: str, where: str) -> None:
    assert view_problems(view) == [f"[ERROR] {what} [json-pointer:{where}]"]
