"""How does a gate look to a steward, and which replies decide it? Source: product.md 7."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.slack.blocks import render
from hivebot.hive.gate import GateAct, GateKind, GateState, NoGateReason
from hivebot.services.gates.moves import refusal
from hivebot.services.gating import (
    QUESTION_MAX,
    WHOLE_MAX,
    correctable,
    ended_body,
    ended_line,
    gate_body,
    not_released,
    order_of,
    parse_value,
    released,
    reminder,
    shown_whole,
    waiting_times,
    without_actor,
)
from hivebot.services.records.gates import Draft, GateRow
from hivebot.services.records.outgoing import Body
from hivebot.services.records.policy import OnExpiry
from tests.configurations import CONFIGURATION, desk_of, with_desk

NOW = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
DESK = desk_of(CONFIGURATION, "payments")
GATE = GateRow(
    id=7,
    kind=GateKind.ANSWER_REVIEW,
    state=GateState.OPEN,
    desk_id="payments",
    team_id="T0HIVE",
    conversation_id=1,
    message_id=2,
    question_id=2,
    turn_id=3,
    episode_id=None,
    task_type="payments",
    question="how long does a refund take?",
    artifact="Five days.",
    digest="d1",
    draft=None,
    asker_user_id="U0ANA",
    revision="r",
    post_id=None,
    status_id=None,
    created_at=NOW,
    remind_at=NOW,
    expires_at=NOW,
    reminded=False,
    act=None,
    actor_user_id="",
    words="",
    by_proxy=False,
    decided_at=None,
    settled_at=None,
)
LEAVES = replace(GATE, kind=GateKind.REFERRAL_REVIEW, task_type="payments>platform")
COMES = replace(LEAVES, desk_id="platform")

HARDEST = "&<>\n\t`*_~|a\u202e\u3164\u115f\u2800\U000e0100\ufe0f\u034f\u0300\U0001f600é…"


def labels(body: Body) -> list[str]:
    return [one.label for one in body.buttons]


def texts(body: Body) -> list[str]:
    return [quote.text for quote in body.quotes]


def test_a_gate_reminds_at_half_its_life() -> None:
    desk = desk_of(with_desk("payments", gates__expires_s=600), "payments")
    remind_at, expires_at = waiting_times(desk, NOW)
    assert ((remind_at - NOW).total_seconds(), (expires_at - NOW).total_seconds()) == (300, 600)


@pytest.mark.parametrize(
    ("state", "lets_go", "kept"),
    [
        (GateState.APPROVED, OnExpiry.DROP, True),
        (GateState.CORRECTED, OnExpiry.DROP, True),
        (GateState.REJECTED, OnExpiry.RELEASE, False),
        (GateState.EXPIRED, OnExpiry.RELEASE, True),
        (GateState.EXPIRED, OnExpiry.DROP, False),
        (GateState.VOID, OnExpiry.RELEASE, False),
        (GateState.OPEN, OnExpiry.RELEASE, False),
    ],
)
def test_what_may_go_out_hangs_on_how_the_gate_ended(
    state: GateState, lets_go: OnExpiry, *, kept: bool
) -> None:
    configuration = with_desk("payments", gates__on_expiry=lets_go)
    assert released(replace(GATE, state=state), configuration) is kept


def test_what_a_desk_that_is_gone_held_is_not_let_go() -> None:
    gone = replace(GATE, desk_id="gone", state=GateState.EXPIRED)
    assert not released(gone, with_desk("payments", gates__on_expiry=OnExpiry.RELEASE))


def test_it_mentions_users_and_groups_and_its_buttons_name_what_they_show() -> None:
    desk = replace(DESK, stewards=("U0STEW", "S0OPS"))
    body = gate_body(GATE, desk, "#payments")
    assert (body.mention_users, body.mention_groups) == (("U0STEW",), ("S0OPS",))
    assert {one.value for one in body.buttons} == {"7:d1"}
    assert labels(body) == ["Approve", "Correct", "Reject"]
    assert (body.heading, body.small) == (
        "An answer waits to be sent · #payments",
        "Waits until 2026-09-01 09:00 UTC",
    )
    assert all(quote.plain for quote in body.quotes)


def test_it_shows_invisible_and_bidirectional_characters_and_no_formatting() -> None:
    row = replace(GATE, artifact="pay \u202e*now*\u200b <@U0ANA>")
    (part,) = render(gate_body(row, DESK, "#payments"), tag="t", named=True)
    quoted = [block for block in part.blocks if block["type"] == "rich_text"]
    assert "pay ⟨U+202E⟩*now*⟨U+200B⟩ <@U0ANA>" in str(quoted[-1])
    assert "<@U0ANA>" not in part.text


def test_whoever_is_asked_sees_only_what_would_cross() -> None:
    row = replace(COMES, question="a secret beside it", artifact="To #platform: why?")
    body = gate_body(row, DESK, "a private desk")
    assert texts(body) == ["To #platform: why?"]
    assert body.heading == (
        "A question of another desk wants to come in · a private desk to #platform"
    )
    assert "payments" not in str(body)


def test_a_desk_that_asks_sees_the_message_and_what_would_cross() -> None:
    row = replace(LEAVES, question="@#platform why?", artifact="To #platform: why?")
    body = gate_body(row, DESK, "#payments")
    assert texts(body) == ["@#platform why?", "To #platform: why?"]
    assert body.heading == "A question wants to leave this desk · #payments to #platform"


def test_what_is_too_long_has_no_approve_and_says_so() -> None:
    row = replace(GATE, artifact="x" * (WHOLE_MAX + 1))
    body = gate_body(row, DESK, "#payments")
    assert not shown_whole(row)
    assert labels(body) == ["Correct", "Reject"]
    assert "too long" in body.text
    assert texts(body)[1] == "x" * WHOLE_MAX


def test_a_long_question_is_cut_and_costs_no_approval() -> None:
    body = gate_body(replace(GATE, question="y" * 3_000), DESK, "#payments")
    assert texts(body)[0] == "y" * QUESTION_MAX + "…"
    assert labels(body)[0] == "Approve"


@given(st.text(HARDEST, max_size=3_000), st.text(HARDEST, max_size=3_000))
def test_approve_stands_only_under_one_message_that_shows_the_whole(
    artifact: str, question: str
) -> None:
    row = replace(GATE, artifact=artifact, question=question)
    desk = replace(DESK, stewards=tuple(f"U{number:010}" for number in range(40)))
    body = gate_body(row, desk, "#payments")
    parts = render(body, tag="t", named=True)
    assert len(parts) == 1
    if "Approve" in labels(body):
        assert texts(body)[-1] == artifact


@pytest.mark.parametrize("character", HARDEST)
def test_the_longest_artifact_of_any_character_still_stands_in_one_message(
    character: str,
) -> None:
    row = replace(GATE, artifact=character * 3_000, question=character * 3_000)
    assert len(render(gate_body(row, DESK, "#payments"), tag="t", named=True)) == 1


def test_a_reminder_calls_again_and_repeats_nothing() -> None:
    body = reminder(GATE, DESK, "#payments")
    assert body.heading == "Reminder: An answer waits to be sent · #payments"
    assert body.mention_users == DESK.stewards
    assert (body.quotes, body.buttons) == ((), ())


def test_an_ended_gate_says_how_by_whom_and_what_they_said() -> None:
    row = replace(GATE, state=GateState.REJECTED, words="not *yet*")
    body = ended_body(row, "Stew", "#payments")
    assert body.heading == "Rejected by Stew · #payments"
    assert texts(body) == [GATE.question, GATE.artifact, "not *yet*"]
    assert body.buttons == ()
    assert ended_body(replace(row, words=""), "", "x").heading == "Rejected · #payments"


def test_a_message_without_its_steward_says_how_it_ended_and_shows_the_rest() -> None:
    row = replace(GATE, state=GateState.REJECTED, words="not yet")
    named = ended_body(row, "Stew · #1", "#payments")
    assert without_actor(named) == ended_body(replace(row, words=""), "", "#payments")
    unnamed = ended_body(replace(row, state=GateState.EXPIRED, words=""), "", "#payments")
    assert without_actor(unnamed) == unnamed


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (GateState.APPROVED, "Approved by a steward of #payments"),
        (GateState.EXPIRED, "No steward of #payments decided in time"),
        (
            GateState.VOID,
            "What was to be approved has changed; nobody has to decide it any more",
        ),
    ],
)
def test_the_line_that_said_it_waits_says_how_it_ended(state: GateState, said: str) -> None:
    assert ended_line("payments", state).text == said


@pytest.mark.parametrize(
    ("state", "words", "said"),
    [
        (GateState.REJECTED, "", "a steward did not approve it"),
        (GateState.REJECTED, "too early", "a steward did not approve it (too early)"),
        (GateState.EXPIRED, "", "no steward decided in time"),
        (GateState.VOID, "", "it has changed since"),
    ],
)
def test_whoever_asked_reads_why_it_was_not_let_through(
    state: GateState, words: str, said: str
) -> None:
    assert not_released(state, words) == said


def test_a_correction_starts_from_the_words_it_replaces() -> None:
    draft = Draft("row", "shown", (), Body(text="as posted"), None, ())
    assert correctable(replace(GATE, draft=draft)) == "as posted"
    assert correctable(replace(LEAVES, artifact="To #platform: why?")) == "why?"
    assert correctable(replace(GATE, kind=GateKind.DECISION_REVIEW, artifact="Decided: a")) == ""


@pytest.mark.parametrize("value", ["", ":d", "x:d", "-1:d", "१:d", "9" * 19 + ":d"])
def test_what_no_button_of_ours_carries_names_no_gate(value: str) -> None:
    assert parse_value(value) is None


def test_a_button_names_gate_and_digest() -> None:
    assert parse_value("7:d1") == (7, "d1")
    assert parse_value("7") == (7, "")


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("correct: three days", (GateAct.CORRECT, "three days")),
        ("Correct :\nthree\ndays ", (GateAct.CORRECT, "three\ndays")),
        ("correct:", (GateAct.CORRECT, "")),
        ("reject", (GateAct.REJECT, "")),
        ("Reject!", (GateAct.REJECT, "")),
        (" reject: too early", (GateAct.REJECT, "too early")),
        ("reject, too early", (GateAct.REJECT, "too early")),
        ("approve", (GateAct.APPROVE, "")),
        ("Approved.", (GateAct.APPROVE, "")),
        ("approved, go on", None),
        ("correct", None),
        ("Correct, that is so", None),
        ("reject rates are up", None),
        ("rejected", None),
        ("please correct: this", None),
        ("", None),
    ],
)
def test_a_reply_decides_only_in_so_many_words(
    text: str, order: tuple[GateAct, str] | None
) -> None:
    assert order_of(text) == order


def test_every_refusal_is_a_sentence() -> None:
    said = [refusal(reason) for reason in NoGateReason]
    assert all(one.endswith(".") for one in said)
    assert len(set(said)) == len(said)
