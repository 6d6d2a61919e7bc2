"""Who answers, how often is it tried, and what has it cost? The port `Models` with a meter."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from typing import Final

from hivebot.services.ports import Models
from hivebot.services.records.asking import ReplyFailure, TurnReply, TurnRequest
from hivebot.services.records.replies import Reply

ATTEMPTS: Final = 3
"""Tries of one turn where trying later may help. Source: datapath.md 3."""

FAILURES_MAX: Final = 2
"""Failed turns after which a member's model is not called again in a decision. turns.md 5."""

GIVEN_UP: Final = "(no answer: its model has failed twice here)"

Pause = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Meter:
    """What one decision has cost so far.

    Attributes:
        replies: Turns somebody was asked for, in whatever situation.
        requests: Calls of a provider's model; a rule-based member makes none.
        failed: Turns without a usable reply.
    """

    replies: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd_micros: int = 0
    failed: int = 0

    def add(self, more: Meter) -> None:
        """Count what something else has cost."""
        for count in fields(self):
            setattr(self, count.name, getattr(self, count.name) + getattr(more, count.name))


class Voices:
    """The members of one decision, whoever answers for them."""

    def __init__(self, models: Models, pause: Pause = asyncio.sleep) -> None:
        self.meter = Meter()
        self._models = models
        self._pause = pause
        self._failures: dict[str, int] = {}

    def answering(self, agent_id: str) -> bool:
        """Whether a member's model is still called."""
        return self._failures.get(agent_id, 0) < FAILURES_MAX

    async def reply(self, request: TurnRequest) -> Reply | None:
        """What a member replies; None where it fails."""
        answer = await self._asked(request)
        return answer.reply if isinstance(answer, TurnReply) else None

    async def said(self, request: TurnRequest, sequence: int) -> str:
        """The text of a turn's row; of a failed turn, the line that is committed instead."""
        if not self.answering(request.agent.id):
            return GIVEN_UP
        answer = await self._asked(request)
        if isinstance(answer, ReplyFailure):
            return answer.line
        return self.rendered(request, answer.reply, sequence)

    def rendered(self, request: TurnRequest, reply: Reply, sequence: int) -> str:
        """The text of a row."""
        return self._models.render(request, reply, sequence).content

    async def _asked(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        self.meter.replies += 1
        attempt = 1
        while True:
            answer = await self._models.reply(request)
            self._count(answer)
            if not isinstance(answer, ReplyFailure):
                return answer
            if not answer.again or attempt == ATTEMPTS:
                break
            await self._pause(2**attempt)
            attempt += 1
        self.meter.failed += 1
        name = request.agent.id
        self._failures[name] = self._failures.get(name, 0) + 1
        return answer

    def _count(self, answer: TurnReply | ReplyFailure) -> None:
        spent = answer.spent
        self.meter.requests += spent.requests
        self.meter.tokens_in += spent.tokens_in
        self.meter.tokens_out += spent.tokens_out
        self.meter.cost_usd_micros += spent.cost_usd_micros
