"""Does every plain line say what happened, what was kept, what to do, and where to find it?"""

from __future__ import annotations

from typing import get_args

import pytest

from hivebot.hive.crossing import NoCrossingReason
from hivebot.services import lines
from hivebot.services.records.asking import ReplyFailureKind
from hivebot.services.records.outgoing import Body, Button, SendFailureKind

WITHHELD = "that desk cannot be asked"


@pytest.mark.parametrize(
    ("line", "said", "kept"),
    [
        (lines.no_answer_yet("data", 120, "D7"), "Asked #data · no answer after 120 s", ""),
        (lines.answered("data", "D7"), "#data has answered", ""),
        (lines.arrived_late("data", "D7"), "#data has answered, late", ""),
        (lines.not_answered("data", "it slept", "D7"), "could not answer: it slept", "is kept"),
        (lines.not_asked("it slept", "D7"), "was not passed on: it slept", "is kept"),
        (lines.could_not_answer("it slept", "D7"), "could not answer: it slept", "is kept"),
        (lines.budget_spent("data", "D7"), "used up its budget for today", "ask again tomorrow"),
        (lines.answer_not_shown("it slept", "D7"), "could not be posted: it slept", "is kept"),
        (lines.perhaps_posted("C0PAY", "D7"), "a message in C0PAY", "is kept"),
        (lines.not_affordable("Data", needed="9", left="3", reference="D7"), "up to 9", "tomorrow"),
        (lines.question_removed("D7"), "The question was removed by its author", ""),
        (lines.answer_removed("data", "D7"), "the answer was removed there", "is kept"),
    ],
)
def test_a_line_with_a_reference_says_what_happened_and_what_was_kept(
    line: Body, said: str, kept: str
) -> None:
    assert said in line.text
    assert kept in line.small
    assert line.small.endswith("Reference D7")


def test_a_reference_names_the_decision() -> None:
    assert lines.reference_of(7) == "D7"


def test_a_question_that_has_left_names_what_was_not_asked_and_offers_it() -> None:
    line = lines.asked("platform", "D7", [("data", "11:data"), ("legal", "11:legal")])

    assert line.text == "Asked #platform · waiting for its answer"
    assert line.small == (
        "#data was not asked: one question per message · "
        "#legal was not asked: one question per message · Reference D7"
    )
    assert line.buttons == (
        Button("ask_too", "Ask #data too", "11:data"),
        Button("ask_too", "Ask #legal too", "11:legal"),
    )
    assert lines.asked("platform", "D7").small == "Reference D7"


def test_a_name_nobody_has_offers_the_nearest_where_there_is_one() -> None:
    near, far = lines.unknown_desk("plattform", "platform"), lines.unknown_desk("xyz", "")

    assert near.text.endswith("nobody was asked. Did you mean @#platform?")
    assert far.text == "There is no desk called #xyz, so nobody was asked."


def test_where_nobody_answers_it_is_said_how_to_change_that() -> None:
    assert "this channel's id, C0LOST, as the `channel` of a desk" in lines.unbound("C0LOST").text
    assert "name an agent as `orchestrator`" in lines.no_orchestrator().text
    assert "write your question" in lines.nothing_asked().text


def test_a_paused_desk_gives_its_reason() -> None:
    assert lines.paused("it was archived").text == (
        "This desk is paused (it was archived). Your message is kept; ask again later."
    )


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (NoCrossingReason.ASKER_GUEST, "does not take questions of guests"),
        (NoCrossingReason.ASKER_STRANGER, "of its own organisation only"),
        (NoCrossingReason.ASKER_DEACTIVATED, "this account is deactivated"),
        (NoCrossingReason.RING, "you may not ask here"),
    ],
)
def test_whoever_may_not_ask_is_told_why(reason: NoCrossingReason, said: str) -> None:
    assert said in lines.not_for_you(reason).text


@pytest.mark.parametrize("reason", list(NoCrossingReason))
def test_only_what_says_nothing_about_the_other_desk_is_given_as_a_reason(
    reason: NoCrossingReason,
) -> None:
    own = {
        NoCrossingReason.TOO_MANY_PER_HOUR: "used up its questions",
        NoCrossingReason.RING: "has been on that desk already",
    }

    assert own.get(reason, WITHHELD) in lines.crossing_sentence(reason, WITHHELD)


@pytest.mark.parametrize("kind", get_args(ReplyFailureKind))
def test_every_fault_of_a_model_has_words_of_its_own(kind: ReplyFailureKind) -> None:
    others = [one for one in get_args(ReplyFailureKind) if one != kind]

    assert lines.model_fault(kind) not in map(lines.model_fault, others)


@pytest.mark.parametrize("kind", get_args(SendFailureKind))
def test_every_refusal_of_slack_has_a_fault_and_a_remedy(kind: SendFailureKind) -> None:
    assert lines.send_fault(kind)
    assert lines.send_remedy(kind)


def test_admins_are_told_place_error_and_remedy() -> None:
    told = lines.for_admins("C0PAY", "missing_scope", "chat:write", "reinstall the app")

    assert told.text == (
        "Slack refused a post in C0PAY: missing_scope (chat:write). Remedy: reinstall the app."
    )
    assert "C0PAY: no_text. Remedy" in lines.for_admins("C0PAY", "no_text", "", "see").text


def test_a_far_question_says_whose_it_is() -> None:
    assert lines.asked_by("#payments", "Pia", "Ana") == "Question from #payments · Pia for Ana"
    assert lines.asked_by("#payments", "Pia", "") == "Question from #payments · Pia"


def test_help_names_the_desks_that_may_be_asked() -> None:
    alone, among = lines.help_here("data", []), lines.help_here("data", ["platform", "legal"])

    assert "by its name" not in alone.text
    assert "@#platform or @#legal and your question" in among.text
    assert "may not ask any other desk" in lines.how_to_ask([]).text
    assert lines.how_to_ask(["legal"]).text.startswith("Write @#legal and your question")


@pytest.mark.parametrize(
    "line",
    [
        lines.press_refused(),
        lines.press_spent("data"),
        lines.press_gone(),
        lines.press_for_stewards(),
        lines.episode_over(),
        lines.episode_decided(),
        lines.episode_again(),
    ],
)
def test_a_press_that_does_nothing_says_so(line: Body) -> None:
    assert line.text.endswith("Nothing has changed.")


def test_the_rest_is_said_in_one_sentence() -> None:
    assert lines.lead_answers("Pia", "so be it").text == "Pia answers alone: so be it."
    assert lines.muted().text.startswith("I keep silent")
    assert lines.nothing_to_stop().text.startswith("Nothing runs")
    assert lines.removed().text == "(removed by its author)"
