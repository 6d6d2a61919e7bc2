"""What is said about a choice from an answer's menu? Every refusal says that nothing has changed.

Source: product.md 7 and 10 ("one line").
"""

from __future__ import annotations

from typing import Final

from hivebot.services.answer_menu import DISMISS, TAKE, menu_buttons
from hivebot.services.records.outgoing import Body, Button, Quote
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.suggestions import SuggestionState
from hivebot.services.stewards import called

SHOWN_MAX: Final = 1_000
"""Characters of an answer, or of a suggestion, that a line about them shows."""

GONE: Final = "This answer is gone, or it was not given here. Nothing has changed."
CHANGED: Final = (
    "The answer has changed since you opened this. Nothing was changed. Close this and choose "
    "Correct again to see what stands now."
)
NO_WORDS: Final = "A correction needs words."
SAME: Final = "This is what stands already."
NO_STEWARDS: Final = (
    "There is no steward here who could take a suggestion, so nothing was kept. An admin can "
    "name stewards in the desk's configuration."
)
SUGGESTED_BEFORE: Final = (
    "You have suggested a correction of this answer, and a steward has not decided yet. This one "
    "was not kept."
)
NOT_REMOVABLE: Final = (
    "Only the person who asked, or a steward of the desk, can remove an answer. Nothing has "
    "changed. You can suggest a correction."
)
NOT_YOUR_QUESTION: Final = (
    "Only the person who asked can put their question to another desk. Nothing has changed."
)
MORE_BEFORE: Final = "You have asked for more already. Nothing has changed."
MORE_IN_THREAD: Final = (
    "Reply in a thread under this answer and mention the agent to hear more. Nothing has changed."
)
DECIDED: Final = "This suggestion has been decided already. Nothing has changed."
OUTDATED: Final = (
    "The answer has changed since this was suggested, so it was not taken. Choose Correct under "
    "the answer to change what stands now."
)
ONLY_STEWARDS: Final = "Only a steward of this desk can decide this. Nothing has changed."
WHAT_IS_WRONG: Final = "What is wrong with this answer?"

_ENDS: Final = {
    SuggestionState.TAKEN: "Taken",
    SuggestionState.DISMISSED: "Dismissed",
    SuggestionState.VOID: "Not taken: the answer has changed",
}


def menu_for_one(about: str) -> Body:
    """The menu as buttons, for whoever put a thumb down."""
    return Body(text="", heading=WHAT_IS_WRONG, buttons=menu_buttons(about))


def suggestion_body(
    suggestion_id: int, name: str, answer: str, words: str, desk: DeskConfig
) -> Body:
    """A suggested correction, for the stewards."""
    users, groups = called(desk)
    value = str(suggestion_id)
    return Body(
        text="",
        heading=f"{name} suggests a correction · #{desk.id}",
        mention_users=users,
        mention_groups=groups,
        quotes=_quotes(answer, words),
        small="Nothing changes until a steward takes it",
        buttons=(Button(TAKE, "Take it", value, "primary"), Button(DISMISS, "Dismiss", value)),
    )


def suggestion_ended(state: SuggestionState, actor: str, answer: str, words: str) -> Body:
    """What that line becomes."""
    by = f" by {actor}" if actor else ""
    return Body(text="", heading=f"{_ENDS[state]}{by}", quotes=_quotes(answer, words))


def suggested(desk_id: str) -> Body:
    """Private: what became of a suggestion."""
    return Body(text=f"Your suggestion waits for a steward of #{desk_id}. The answer stands.")


def corrected_small(name: str, day: str) -> str:
    """Small print under words that are a steward's."""
    return f"Corrected by {name} on {day}"


def removed_by(name: str) -> Body:
    """What stands where an answer was."""
    return Body(text=f"(this answer was removed by {name})")


def _quotes(answer: str, words: str) -> tuple[Quote, ...]:
    return (
        Quote("The answer", "", "", _cut(answer), plain=True),
        Quote("Suggested instead", "", "", _cut(words), plain=True),
    )


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[: SHOWN_MAX - 1]}…"
