"""How long may each text of a reply be? In characters.

Source: turns.md 3; lengths it leaves open are chosen here.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.hive.options import TEXT_MAX
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import (
    ANSWER_MAX,
    ASK_QUESTION_MAX,
    FACT_TEXT_MAX,
    SPONSOR_ADDS_MAX,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The longest texts a reply may hold."""

    fact: int = FACT_TEXT_MAX
    question: int = ASK_QUESTION_MAX
    answer: int = ANSWER_MAX
    reason: int = 400
    remark: int = 600
    option: int = TEXT_MAX

    def halved(self) -> Limits:
        """Give half of each, for a model that ran out of output.

        Source: turns.md 3, `IncompleteToolCall`, token limit.
        """
        return Limits(
            fact=self.fact // 2,
            question=self.question // 2,
            answer=self.answer // 2,
            reason=self.reason // 2,
            remark=self.remark // 2,
            option=self.option // 2,
        )

    @classmethod
    def of(cls, request: TurnRequest) -> Limits:
        """Give the limits of a turn; a sponsor adds little to what it quotes."""
        sponsors = request.situation == "answer" and (request.returned or request.returned_state)
        return cls(answer=SPONSOR_ADDS_MAX) if sponsors else cls()
