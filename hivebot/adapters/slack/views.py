"""How does a correction look before it is made? Modals, as Slack wants them. Pure.

Source: slack.md 4 and 6, product.md 7.
"""

from __future__ import annotations

from typing import Final

from hivebot.adapters.slack.plain import sendable
from hivebot.adapters.slack.shapes import Json, as_map, as_text

CORRECTION: Final = "gate_correction"
INPUT_MAX: Final = 3_000

_BLOCK: Final = "correction"
_ACTION: Final = "words"


def correction_view(value: str, text: str) -> Json:
    """The modal in which a steward writes what is to stand instead.

    Args:
        value: What the button carried; comes back with the submission.
        text: What stands now, to be changed; left out where the input does not hold all of it.
    """
    stands = sendable(text)
    filled = {"initial_value": stands} if stands and len(stands) <= INPUT_MAX else {}
    return {
        "type": "modal",
        "callback_id": CORRECTION,
        "private_metadata": value,
        "title": {"type": "plain_text", "text": "Correct"},
        "submit": {"type": "plain_text", "text": "Send"},
        "close": {"type": "plain_text", "text": "Cancel"},
        "blocks": [
            {
                "type": "input",
                "block_id": _BLOCK,
                "label": {"type": "plain_text", "text": "What should stand instead?"},
                "element": {
                    "type": "plain_text_input",
                    "action_id": _ACTION,
                    "multiline": True,
                    "max_length": INPUT_MAX,
                    **filled,
                },
            }
        ],
    }


def corrected_words(payload: Json) -> str:
    """What was written in the modal, from its submission; "" for nothing."""
    values = as_map(as_map(as_map(payload.get("view")).get("state")).get("values"))
    return as_text(as_map(as_map(values.get(_BLOCK)).get(_ACTION)).get("value"))


def submitted_value(payload: Json) -> str:
    """What the button carried, from the modal's submission."""
    return as_text(as_map(payload.get("view")).get("private_metadata"))


def refused_words(problem: str) -> Json:
    """The answer to a submission that cannot be taken: said beside the input."""
    return {"response_action": "errors", "errors": {_BLOCK: problem}}
