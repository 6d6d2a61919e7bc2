"""How do the use cases reach whoever answers for an agent?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic_ai.models import Model

from hivebot.adapters.llm import briefed
from hivebot.adapters.llm.models.conversation import converse
from hivebot.adapters.llm.models.failures import EXPECTED, failure, kind_of
from hivebot.adapters.llm.models.predicting import moved, predicted
from hivebot.adapters.llm.models.provider import ModelSource, build_model
from hivebot.adapters.llm.models.selector import selected
from hivebot.adapters.llm.reply import render
from hivebot.services.records.asking import (
    RenderedTurn,
    ReplyFailure,
    Spent,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.predictions import Predicted, PredictionRequest
from hivebot.services.records.replies import Reply, Shape

BRIEFED: Final = "briefed"
SELECTOR_TIMEOUT_S: Final = 15


class AgentModels:
    """The port `Models`: provider models by their names, and the rule-based member.

    Models are built once for each name and address and kept, so that connections are reused;
    `aclose` gives them back.
    """

    def __init__(self, environment: Mapping[str, str], source: ModelSource = build_model) -> None:
        """Nothing is built yet.

        Args:
            environment: Where keys are looked up.
            source: Makes a model of its name.
        """
        self._environment = environment
        self._source = source
        self._built: dict[tuple[str, str], Model] = {}

    async def reply(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        """Ask once; retries, validation and repair are inside. Never raises for a model's fault.

        Source: turns.md 3 and 5.
        """
        if request.agent.rule_based:
            return TurnReply(briefed.speak(request), Shape.CLEAN, Spent())
        try:
            model = self._model(request.agent.model, request.agent.base_url)
        except EXPECTED as error:
            return failure(kind_of(error), Spent())
        return await converse(model, request)

    def render(self, request: TurnRequest, reply: Reply, sequence: int) -> RenderedTurn:
        """Make the committed row of a reply. Pure."""
        return render(request, reply, sequence)

    async def select(
        self, agent: str, message: str, candidates: Sequence[tuple[str, str, str, str]]
    ) -> str | None:
        """Raw output of the selector model over (id, label, role, description); None on failure.

        Args:
            agent: The model's name, or `briefed`.
            message: What was asked.
            candidates: In desk order.
        """
        if agent in {BRIEFED, ""}:
            return briefed.choose(message, candidates)
        try:
            model = self._model(agent, "")
        except EXPECTED:
            return None
        return await selected(model, message, candidates, SELECTOR_TIMEOUT_S)

    async def predict(self, asked: PredictionRequest) -> Predicted:
        """One pass at a gate. Never raises for a model's fault.

        Source: memory.md 5.1 and 5.2.
        """
        agent = asked.agent
        if agent is None or agent.rule_based:
            return Predicted(briefed.vote(asked), Spent())
        try:
            model = self._model(agent.model, agent.base_url)
        except EXPECTED:
            return Predicted(None, Spent())
        return await predicted(model, agent, asked)

    async def moved(self, asked: PredictionRequest) -> tuple[str, Spent]:
        """What moved the prediction, as a model says it; "" where there is none.

        Source: memory.md 5.3.
        """
        agent = asked.agent
        if agent is None or agent.rule_based:
            return "", Spent()
        try:
            model = self._model(agent.model, agent.base_url)
        except EXPECTED:
            return "", Spent()
        return await moved(model, agent, asked)

    async def aclose(self) -> None:
        """Close every connection; the models are built anew if they are asked again."""
        built, self._built = self._built, {}
        for model in built.values():
            async with model:
                pass

    def _model(self, name: str, base_url: str) -> Model:
        key = name, base_url
        if key not in self._built:
            self._built[key] = self._source(name, base_url, self._environment)
        return self._built[key]
