"""What is asked before a correction, a removal or a question elsewhere? Modals. Pure.

Source: slack.md 4 and 6, product.md 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hivebot.adapters.slack.limits import OPTION_TEXT_MAX
from hivebot.adapters.slack.plain import cut, sendable
from hivebot.adapters.slack.shapes import Json, as_map, as_maps, as_text

CORRECTION: Final = "gate_correction"
ANSWER_CORRECTION: Final = "answer_correction"
ELSEWHERE: Final = "answer_elsewhere"
REMOVAL: Final = "answer_removal"
INPUT_MAX: Final = 3_000

_BLOCK: Final = "correction"
_ACTION: Final = "words"
_TEACH_BLOCK: Final = "teaching"
_TEACH: Final = "teach"
_DESK_BLOCK: Final = "elsewhere"
_DESK: Final = "desk"
_DESKS_MAX: Final = 100


def correction_view(value: str, text: str) -> Json:
    """The modal in which a steward writes what is to stand instead.

    Args:
        value: What the button carried; comes back with the submission.
        text: What stands now, to be changed; left out where the input does not hold all of it.
    """
    return _modal(CORRECTION, value, ("Correct", "Send"), [_words(text)])


def answer_correction_view(value: str, text: str, *, decides: bool) -> Json:
    """The modal in which an answer is corrected, or a correction suggested.

    Args:
        value: What comes back with the submission.
        text: What stands now, as in `correction_view`.
        decides: The person corrects, and says whether it is to be taught.
    """
    if not decides:
        return _modal(ANSWER_CORRECTION, value, ("Suggest a correction", "Suggest"), [_words(text)])
    taught = {
        "text": _plain("Teach this: it is remembered as if it had been said five times"),
        "value": _TEACH,
    }
    teaching: Json = {
        "type": "input",
        "block_id": _TEACH_BLOCK,
        "optional": True,
        "label": _plain("For the next time"),
        "element": {
            "type": "checkboxes",
            "action_id": _TEACH,
            "options": [taught],
            "initial_options": [taught],
        },
    }
    return _modal(ANSWER_CORRECTION, value, ("Correct", "Correct"), [_words(text), teaching])


def elsewhere_view(value: str, desks: Sequence[tuple[str, str]]) -> Json:
    """The modal in which another desk is chosen for a question, by (id, name)."""
    options = [
        {"text": _plain(cut(f"#{name}", OPTION_TEXT_MAX)), "value": desk_id}
        for desk_id, name in desks[:_DESKS_MAX]
    ]
    chosen: Json = {
        "type": "input",
        "block_id": _DESK_BLOCK,
        "label": _plain("Which desk should be asked?"),
        "element": {"type": "static_select", "action_id": _DESK, "options": options},
    }
    return _modal(ELSEWHERE, value, ("Ask another desk", "Ask"), [chosen])


def removal_view(value: str) -> Json:
    """The modal that asks whether an answer is really to go."""
    said = (
        "The answer goes from here and from wherever it was quoted, and with it what was "
        "remembered of it. This cannot be undone."
    )
    block: Json = {"type": "section", "text": _plain(said)}
    return _modal(REMOVAL, value, ("Remove this answer?", "Remove"), [block])


def notice_view(problem: str) -> Json:
    """What a modal without an input becomes when it cannot be carried out: one line, no button."""
    return {
        "type": "modal",
        "title": _plain("Nothing has changed"),
        "close": _plain("Close"),
        "blocks": [{"type": "section", "text": _plain(problem)}],
    }


def _modal(callback: str, value: str, words: tuple[str, str], blocks: list[Json]) -> Json:
    title, submit = words
    return {
        "type": "modal",
        "callback_id": callback,
        "private_metadata": value,
        "title": _plain(title),
        "submit": _plain(submit),
        "close": _plain("Cancel"),
        "blocks": blocks,
    }


def _words(text: str) -> Json:
    stands = sendable(text)
    filled = {"initial_value": stands} if stands and len(stands) <= INPUT_MAX else {}
    return {
        "type": "input",
        "block_id": _BLOCK,
        "label": _plain("What should stand instead?"),
        "element": {
            "type": "plain_text_input",
            "action_id": _ACTION,
            "multiline": True,
            "max_length": INPUT_MAX,
            **filled,
        },
    }


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def submitted_as(payload: Json) -> str:
    """Which modal was submitted."""
    return as_text(as_map(payload.get("view")).get("callback_id"))


def is_taught(payload: Json) -> bool:
    """Whether the box that teaches was ticked."""
    return bool(as_maps(_entered(payload, _TEACH_BLOCK, _TEACH).get("selected_options")))


def chosen_desk(payload: Json) -> str:
    """Which desk was chosen; "" for none."""
    chosen = as_map(_entered(payload, _DESK_BLOCK, _DESK).get("selected_option"))
    return as_text(chosen.get("value"))


def _entered(payload: Json, block: str, action: str) -> Json:
    values = as_map(as_map(as_map(payload.get("view")).get("state")).get("values"))
    return as_map(as_map(values.get(block)).get(action))


def corrected_words(payload: Json) -> str:
    """What was written in the modal, from its submission; "" for nothing."""
    return as_text(_entered(payload, _BLOCK, _ACTION).get("value"))


def submitted_value(payload: Json) -> str:
    """What the button carried, from the modal's submission."""
    return as_text(as_map(payload.get("view")).get("private_metadata"))


def refused_words(problem: str) -> Json:
    """The answer to a submission that cannot be taken: said beside the input."""
    return {"response_action": "errors", "errors": {_BLOCK: problem}}
