"""In which order, and within which bound, is a prompt put together?

Fixed part, then the transcript, then what changes with every turn, so that a provider's prompt
cache holds as long as possible. Source: turns.md 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.prompt.closing import closing_part
from hivebot.adapters.llm.prompt.fitting import tokens, transcript
from hivebot.adapters.llm.prompt.fixed import fixed_part
from hivebot.adapters.llm.sight import sight_of
from hivebot.adapters.llm.validate.limits import Limits
from hivebot.services.records.asking import TurnRequest

SCHEMA_TOKENS: Final = 600
"""Kept free for the schema a provider is sent beside the text, and for the gaps."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent.

    Attributes:
        system: Rules, brief, how to answer. No row's text is in it.
        user: The transcript, then floor and legal moves.
    """

    system: str
    user: str


def prompt_of(request: TurnRequest, limits: Limits | None = None, *, lines: bool = False) -> Prompt:
    """Write the prompt of one turn.

    At most `prompt_tokens_max` tokens, the schema's share included, unless brief, options and
    desks alone are longer than that.

    Args:
        request: Everything the turn may know.
        limits: Lengths to keep to; None is the turn's own.
        lines: The model writes lines instead of filling a schema.
    """
    system = fixed_part(request, limits or Limits.of(request), lines=lines)
    closing = closing_part(request, sight_of(request))
    room = request.prompt_tokens_max - tokens(system) - tokens(closing) - SCHEMA_TOKENS
    return Prompt(system, f"{transcript(request, room)}\n\n{closing}")
