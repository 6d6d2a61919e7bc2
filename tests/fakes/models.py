"""What does whoever answers for an agent say when a test decides it?"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from hivebot.adapters.llm import briefed
from hivebot.adapters.llm.briefed import speak
from hivebot.adapters.llm.reply import render
from hivebot.proxy.prediction import PassReply
from hivebot.services.records.asking import (
    RenderedTurn,
    ReplyFailure,
    ReplyFailureKind,
    Situation,
    Spent,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.predictions import Predicted, PredictionRequest
from hivebot.services.records.replies import Reply, Shape


def failing(kind: ReplyFailureKind = "timed_out", *, again: bool = False) -> ReplyFailure:
    """A model that gives nothing."""
    return ReplyFailure(kind, f"(no answer: {kind})", again, Spent(tokens_in=7, requests=1))


class ScriptedModels:
    """The port `Models`, with replies by agent and situation; whoever has no script is rule-based.

    Attributes:
        requests: What was asked, in order.
        most_at_once: The largest number of calls that ran at the same time.
        predictions: What was asked at gates, in order.
        predicts: What a pass says; None lets the memories vote.
        moves: What is said to have moved a prediction.
    """

    def __init__(self) -> None:
        self.requests: list[TurnRequest] = []
        self.selections: list[tuple[str, str, tuple[str, ...]]] = []
        self.most_at_once = 0
        self._running = 0
        self._script: dict[tuple[str, Situation], deque[Reply | ReplyFailure]] = {}
        self.predictions: list[PredictionRequest] = []
        self.predicts: Callable[[PredictionRequest], PassReply | None] | None = None
        self.moves = ""
        self._picks: deque[str | None] = deque()
        self._meanwhile: Callable[[], Awaitable[None]] | None = None

    # What a test does.

    def will(self, agent_id: str, situation: Situation, *replies: Reply | ReplyFailure) -> None:
        """Let an agent reply so, one reply a call; the last one stays."""
        self._script[agent_id, situation] = deque(replies)

    def pick(self, *outputs: str | None) -> None:
        """Let the selector say so, one output a call."""
        self._picks.extend(outputs)

    def meanwhile(self, happens: Callable[[], Awaitable[None]]) -> None:
        """Let something happen while the next call is answered."""
        self._meanwhile = happens

    def asked(self, agent_id: str, *situations: Situation) -> list[TurnRequest]:
        """What an agent was asked, in order."""
        return [
            request
            for request in self.requests
            if request.agent.id == agent_id and (not situations or request.situation in situations)
        ]

    # The port.

    async def reply(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        """Give what is next for this agent, after everybody else who is asked now was asked."""
        self.requests.append(request)
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        await asyncio.sleep(0)
        happens, self._meanwhile = self._meanwhile, None
        if happens is not None:
            await happens()
        self._running -= 1
        said = self._next(request)
        if isinstance(said, ReplyFailure):
            return said
        return TurnReply(said, Shape.CLEAN, Spent(100, 20, 3, 1))

    def render(self, request: TurnRequest, reply: Reply, sequence: int) -> RenderedTurn:
        """As the real one renders."""
        return render(request, reply, sequence)

    async def select(
        self, agent: str, message: str, candidates: Sequence[tuple[str, str, str, str]]
    ) -> str | None:
        """Give the next pick."""
        self.selections.append((agent, message, tuple(one[0] for one in candidates)))
        return self._picks.popleft()

    async def predict(self, asked: PredictionRequest) -> Predicted:
        """Give what the test says of this pass; else the memories vote."""
        self.predictions.append(asked)
        said = self.predicts(asked) if self.predicts is not None else briefed.vote(asked)
        return Predicted(said, Spent(50, 10, 2, 1))

    async def moved(self, asked: PredictionRequest) -> tuple[str, Spent]:
        """Give the test's own sentence."""
        return self.moves, Spent(50, 10, 2, 1)

    def _next(self, request: TurnRequest) -> Reply | ReplyFailure:
        replies = self._script.get((request.agent.id, request.situation))
        if not replies:
            return briefed.speak(request)
        return replies.popleft() if len(replies) > 1 else replies[0]


def by_rule(request: TurnRequest) -> TurnReply | ReplyFailure:
    """What the rule-based member would say, as if a model had been asked for it."""
    return TurnReply(speak(request), Shape.CLEAN, Spent(10, 2, 5, 1))


@dataclass
class FakeModels:
    """The port `Models` with an answer of the test's own; keeps what it was asked."""

    answer: Callable[[TurnRequest], TurnReply | ReplyFailure] = by_rule
    asked: list[TurnRequest] = field(default_factory=list[TurnRequest])

    async def reply(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        self.asked.append(request)
        return self.answer(request)

    def render(self, request: TurnRequest, reply: Reply, sequence: int) -> RenderedTurn:
        return render(request, reply, sequence)

    async def select(
        self, agent: str, message: str, candidates: Sequence[tuple[str, str, str, str]]
    ) -> str | None:
        raise AssertionError((agent, message, candidates))

    async def predict(self, asked: PredictionRequest) -> Predicted:
        return Predicted(briefed.vote(asked), Spent())

    async def moved(self, asked: PredictionRequest) -> tuple[str, Spent]:
        return "", Spent()
