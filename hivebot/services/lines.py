"""Which sentences do people read? Every plain line hivebot says, in one place.

A line says what happened, what was kept, what to do, and a reference that finds it on the console.
Source: product.md 3 and 10, turns.md 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from hivebot.hive.crossing import NoCrossingReason
from hivebot.services.records.asking import ReplyFailureKind
from hivebot.services.records.outgoing import Body, Button, SendFailureKind

ASK_TOO = "ask_too"
"""Action id of the button that puts a question to a second desk."""

REMOVED = "removed by its author"

_MODEL_FAULTS: dict[ReplyFailureKind, str] = {
    "timed_out": "the model took too long",
    "declined": "the model declined",
    "malformed": "the model's answer could not be read",
    "empty": "the model said nothing",
    "rate_limited": "the model's provider is limiting us",
    "unavailable": "the model's provider cannot be reached",
    "misconfigured": "the model is not set up; an admin can see why on the console",
}

_SEND_FAULTS: dict[SendFailureKind, tuple[str, str]] = {
    "not_member": ("the bot is not in that channel", "invite the bot to the channel"),
    "archived": ("that channel is archived", "unarchive the channel or bind the desk to another"),
    "restricted": ("that channel restricts posting", "let the app post there"),
    "too_long": ("it is too long for Slack", "shorten the agent's answers in its brief"),
    "blocks": ("Slack could not show it", "report the reference to the maintainers"),
    "cannot_edit": ("Slack does not let it be edited", "check who may edit in this workspace"),
    "scope": ("the app lacks a permission", "reinstall the app with the manifest's scopes"),
}

_ASKER_REASONS: dict[NoCrossingReason, str] = {
    NoCrossingReason.ASKER_GUEST: "this desk does not take questions of guests",
    NoCrossingReason.ASKER_STRANGER: "this desk takes questions of its own organisation only",
    NoCrossingReason.ASKER_DEACTIVATED: "this account is deactivated",
}


def reference_of(decision_id: int) -> str:
    """What a person quotes and an operator finds: `D` and the decision's number."""
    return f"D{decision_id}"


def asked(desk: str, reference: str, unasked: Sequence[tuple[str, str]] = ()) -> Body:
    """The status line of a question that has just left.

    Args:
        desk: Name of the desk that was asked.
        reference: Reference of the decision.
        unasked: (desk name, button value) of desks that were named too and not asked.
    """
    left_out = (f"#{name} was not asked: one question per message" for name, _ in unasked)
    return Body(
        text=f"Asked #{desk} · waiting for its answer",
        small=_joined(*left_out, _reference(reference)),
        buttons=tuple(Button(ASK_TOO, f"Ask #{name} too", value) for name, value in unasked),
    )


def no_answer_yet(desk: str, waited_s: int, reference: str) -> Body:
    """The status line of a question whose answer is overdue."""
    return Body(
        text=f"Asked #{desk} · no answer after {waited_s} s; it is still waited for",
        small=_reference(reference),
    )


def held_there(desk: str, until: datetime, reference: str) -> Body:
    """The status line of a question whose answer waits for a steward of the desk that was asked."""
    return Body(
        text=f"Asked #{desk} · waiting for a steward there until {until:%Y-%m-%d %H:%M} UTC",
        small=_reference(reference),
    )


def answered(desk: str, reference: str) -> Body:
    """The status line of an answered question."""
    return Body(text=f"#{desk} has answered", small=_reference(reference))


def arrived_late(desk: str, reference: str) -> Body:
    """The status line of an answer that came when nobody waited for it any more."""
    return Body(text=f"#{desk} has answered, late", small=_reference(reference))


def not_answered(desk: str, why: str, reference: str) -> Body:
    """The status line of a question that ended without an answer."""
    return Body(
        text=f"#{desk} could not answer: {why}",
        small=_joined("The question is kept; ask again when you like", _reference(reference)),
    )


def not_asked(why: str, reference: str) -> Body:
    """The one line of a question that was refused. `why` gives away nothing about others."""
    return Body(
        text=f"Your question was not passed on: {why}.",
        small=_joined("It is kept here; an admin can look up why", _reference(reference)),
    )


def unknown_desk(name: str, nearest: str) -> Body:
    """Private: no desk has this name."""
    offer = f" Did you mean @#{nearest}?" if nearest else ""
    return Body(text=f"There is no desk called #{name}, so nobody was asked.{offer}")


def unbound(channel_id: str) -> Body:
    """Private: nobody answers in this channel, and how to change that."""
    return Body(
        text=(
            "No desk is bound to this channel, so nobody answers here. An admin can bind one by "
            f"writing this channel's id, {channel_id}, as the `channel` of a desk in the "
            "configuration."
        )
    )


def no_orchestrator() -> Body:
    """Nobody answers direct messages, and how to change that."""
    return Body(
        text=(
            "Nobody is set up to answer direct messages. Ask in a desk's channel, or have an admin "
            "name an agent as `orchestrator` in the configuration."
        )
    )


def nothing_asked() -> Body:
    """Private: the bot was mentioned and asked nothing."""
    return Body(text="Ask away: write your question in the same message as the mention.")


def paused(reason: str) -> Body:
    """Private: the desk is paused."""
    return Body(text=f"This desk is paused ({reason}). Your message is kept; ask again later.")


def not_for_you(reason: NoCrossingReason) -> Body:
    """Private: this person's questions are not taken here."""
    return Body(text=f"Nobody was asked: {_ASKER_REASONS.get(reason, 'you may not ask here')}.")


def crossing_sentence(reason: NoCrossingReason, withheld: str) -> str:
    """What the asking person is told about a refused crossing; most reasons are withheld."""
    if reason is NoCrossingReason.TOO_MANY_PER_HOUR:
        return "this desk has used up its questions to that desk for this hour"
    if reason is NoCrossingReason.RING:
        return "the question has been on that desk already"
    return withheld


def model_fault(kind: ReplyFailureKind) -> str:
    """Why a model gave no answer, in words for people."""
    return _MODEL_FAULTS[kind]


def could_not_answer(why: str, reference: str) -> Body:
    """The one line of a question nobody could answer here."""
    return Body(
        text=f"I could not answer: {why}.",
        small=_joined("Your question is kept; ask again when you like", _reference(reference)),
    )


def budget_spent(desk: str, reference: str) -> Body:
    """The one line of a question that would cost more than the desk may still spend today."""
    return Body(
        text=f"The desk #{desk} has used up its budget for today.",
        small=_joined("Your question is kept; ask again tomorrow", _reference(reference)),
    )


def send_fault(kind: SendFailureKind) -> str:
    """Why Slack did not take a message, in words for people."""
    return _SEND_FAULTS.get(kind, ("Slack refused it", ""))[0]


def send_remedy(kind: SendFailureKind) -> str:
    """What an admin can do about it."""
    return _SEND_FAULTS.get(kind, ("", "look the error up in Slack's documentation"))[1]


def answer_not_shown(why: str, reference: str) -> Body:
    """To the person who asked: there is an answer and it could not be posted."""
    return Body(
        text=f"Your question was answered, and the answer could not be posted: {why}.",
        small=_joined("The answer is kept", _reference(reference)),
    )


def answer_perhaps_shown(reference: str) -> Body:
    """To the person who asked: there is an answer, and nobody can say whether it stands there."""
    return Body(
        text=(
            "Your question was answered, but Slack did not say whether the answer was posted. It "
            "is not posted again, lest it stands there twice: look into the thread, and ask again "
            "if it is not there."
        ),
        small=_joined("The answer is kept", _reference(reference)),
    )


def for_admins(channel_id: str, code: str, detail: str, remedy: str) -> Body:
    """To the admin channel: Slack refused a post, and what to do."""
    said = f"{code} ({detail})" if detail else code
    return Body(text=f"Slack refused a post in {channel_id}: {said}. Remedy: {remedy}.")


def perhaps_posted(channel_id: str, reference: str) -> Body:
    """To the admin channel: a post, or a change to one, whose fate is unknown, and what to do."""
    return Body(
        text=(
            f"Slack did not say whether a message in {channel_id} went through, and it could not "
            "be found out. It is not tried again, lest it stands there twice. Look whether it is "
            "there."
        ),
        small=_joined("What it says is kept", _reference(reference)),
    )


def not_affordable(desk: str, needed: str, left: str, reference: str) -> Body:
    """The one line of a deliberation that could cost more than is left today."""
    return Body(
        text=(
            f"A deliberation of #{desk} may cost up to {needed}, and {left} are left for today, so "
            "it was not begun."
        ),
        small=_joined(
            "Ask again tomorrow, or have an admin raise the desk's budget", _reference(reference)
        ),
    )


def lead_answers(name: str, why: str) -> Body:
    """What the progress message becomes when there is nothing to deliberate."""
    return Body(text=f"{name} answers alone: {why}.")


def asked_by(origin_place: str, sponsor: str, person: str) -> str:
    """The heading of a far question: where it comes from and for whom."""
    for_whom = f" for {person}" if person else ""
    return f"Question from {origin_place} · {sponsor}{for_whom}"


def press_refused() -> Body:
    """Private: somebody else's button."""
    return Body(text="Only the person who asked can press this. Nothing has changed.")


def press_spent(desk: str) -> Body:
    """Private: a second press."""
    return Body(text=f"#{desk} has been asked already. Nothing has changed.")


def press_gone() -> Body:
    """Private: what the button was about is no more."""
    return Body(text="That question, or that desk, is gone. Nothing has changed.")


def help_here(desk: str, others: Sequence[str]) -> Body:
    """Private: what can be done here."""
    lines = [
        f"Ask #{desk} by mentioning the bot: @hive and your question.",
        "Options to decide between are written as #one or #two; @hive deliberate … asks for it.",
        "@hive stop ends a deliberation, @hive mute keeps the bot silent here.",
        "@hive why says why the last speaker here spoke.",
    ]
    if others:
        names = " or ".join(f"@#{name}" for name in others)
        lines.insert(1, f"Another desk is asked by its name: {names} and your question.")
    return Body(text="\n".join(lines))


def muted() -> Body:
    """Private: the bot keeps silent here."""
    return Body(text="I keep silent in this thread until I am mentioned.")


def nothing_to_stop() -> Body:
    """Private: no deliberation runs here."""
    return Body(text="Nothing runs in this thread that could be stopped.")


def press_for_stewards() -> Body:
    """Private: a decision of stewards."""
    return Body(text="Only a steward of this desk can decide this. Nothing has changed.")


def episode_over() -> Body:
    """Private: there is nothing left to stop."""
    return Body(text="The desk has finished already. Nothing has changed.")


def episode_decided() -> Body:
    """Private: a decision stands, or the desk is at work."""
    return Body(text="This has been decided, or the desk is at it again. Nothing has changed.")


def episode_again() -> Body:
    """Private: a second press of "Deliberate again"."""
    return Body(text="The desk has taken this up again already. Nothing has changed.")


def how_to_ask(desks: Sequence[str]) -> Body:
    """Private: which desks may be asked, and how."""
    if not desks:
        return Body(text="This desk may not ask any other desk. An admin can allow it.")
    names = " or ".join(f"@#{name}" for name in desks)
    return Body(text=f"Write {names} and your question in this thread; the answer comes back here.")


def question_removed(reference: str) -> Body:
    """The status line of a question its author has removed."""
    return Body(text=f"The question was {REMOVED}", small=_reference(reference))


def answer_removed(desk: str, reference: str) -> Body:
    """The status line of an answer that was removed before it could be passed on."""
    return Body(
        text=f"#{desk} has answered, and the answer was removed there",
        small=_joined("The question is kept; ask again when you like", _reference(reference)),
    )


def removed() -> Body:
    """What stands where a message was, once its author has removed what it was made from."""
    return Body(text=f"({REMOVED})")


def _reference(reference: str) -> str:
    return f"Reference {reference}"


def _joined(*parts: str | Iterable[str]) -> str:
    return " · ".join(part if isinstance(part, str) else " · ".join(part) for part in parts if part)
