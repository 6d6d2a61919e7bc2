from __future__ import annotations

import pytest

from hivebot.adapters.slack.limits import problems, view_problems


def mrkdwn(text: str) -> dict[str, object]:
    return {"type": "mrkdwn", "text": text}


def section(text: str = "x", **more: object) -> dict[str, object]:
    return {"type": "section", "text": mrkdwn(text), **more}


def button(action: str = "a", label: str = "Go", value: str = "1") -> dict[str, object]:
    text = {"type": "plain_text", "text": label}
    return {"type": "button", "action_id": action, "text": text, "value": value}


def actions(*buttons: dict[str, object], kind: str = "actions") -> dict[str, object]:
    return {"type": kind, "elements": list(buttons)}


def test_an_ordinary_message_has_no_problem() -> None:
    blocks = [
        section(block_id="a"),
        {"type": "section", "fields": [mrkdwn("x")]},
        {"type": "header", "text": {"type": "plain_text", "text": "h"}},
        {"type": "context", "elements": [mrkdwn("small")]},
        actions(button()),
        actions({"type": "users_select", "action_id": "u"}),
        {"type": "markdown", "text": "x"},
        {"type": "table", "rows": [[mrkdwn("x")]]},
        {"type": "divider"},
    ]
    assert problems("text", blocks) == ()


CASES: list[tuple[str, list[dict[str, object]], str]] = [
    (" ", [], "text: blank"),
    ("x" * 4_001, [], "text: over 4000"),
    ("x", [section("y" * 3_000)] * 5, "blocks: over 12000 characters"),
    ("x", [section()] * 51, "blocks: more than 50"),
    ("x", [section(block_id="a")] * 2, "block_id: repeated"),
    ("x", [section(block_id="a" * 256)], "blocks/0/block_id: over 255"),
    ("x", [{"type": "markdown", "text": "y" * 12_001}], "markdown: over 12000"),
    ("x", [section("y" * 3_001)], "blocks/0/text: over 3000"),
    ("x", [section("")], "blocks/0/text: empty"),
    ("x", [{"type": "section"}], "blocks/0/text: missing"),
    ("x", [section(fields=[mrkdwn("f")] * 11)], "blocks/0/fields: more than 10"),
    ("x", [section(fields=[mrkdwn("f" * 2_001)])], "blocks/0/fields: over 2000"),
    ("x", [{"type": "header", "text": mrkdwn("h" * 151)}], "blocks/0/text: over 150"),
    ("x", [{"type": "context", "elements": []}], "blocks/0/elements: not 1 to 10"),
    ("x", [actions(*[button()] * 26)], "blocks/0/elements: not 1 to 25"),
    ("x", [actions(kind="context_actions")], "blocks/0/elements: not 1 to 5"),
    ("x", [actions(button(), button())], "blocks/0/action_id: repeated"),
    ("x", [actions(button("a" * 256))], "blocks/0/action_id: over 255"),
    ("x", [actions(button(label="l" * 76))], "blocks/0/button: over 75"),
    ("x", [actions(button(value="v" * 2_001))], "blocks/0/value: over 2000"),
    ("x", [{"type": "table", "rows": []}], "blocks/0/rows: not 1 to 100"),
    ("x", [{"type": "table", "rows": [[{}] * 21]}], "blocks/0/rows: more than 20 columns"),
    (
        "x",
        [{"type": "table", "rows": [[mrkdwn("c" * 10_001)]]}],
        "blocks/0/rows: over 10000 characters",
    ),
    ("x", [{"type": "mystery"}], "blocks/0/type: unknown"),
]


@pytest.mark.parametrize(("text", "blocks", "found"), CASES)
def test_every_limit_is_named(text: str, blocks: list[dict[str, object]], found: str) -> None:
    assert found in problems(text, blocks)


@pytest.mark.parametrize(
    ("view", "found"),
    [
        ({"type": "modal", "title": {"text": "t" * 25}}, "title: over 24"),
        ({"type": "modal"}, "title: missing"),
        ({"type": "modal", "title": {"text": "t"}, "submit": {"text": ""}}, "submit: empty"),
        ({"type": "home", "private_metadata": "p" * 3_001}, "private_metadata: over 3000"),
        ({"type": "home", "blocks": [{"type": "divider"}] * 101}, "blocks: more than 100"),
    ],
)
def test_every_limit_of_a_view_is_named(view: dict[str, object], found: str) -> None:
    assert found in view_problems(view)


def test_an_ordinary_view_has_no_problem() -> None:
    assert view_problems({"type": "modal", "title": {"text": "t"}, "blocks": [section()]}) == ()
    assert view_problems({"type": "home", "blocks": []}) == ()
