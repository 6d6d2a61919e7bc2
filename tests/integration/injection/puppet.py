"""What would a model do that obeys whoever speaks last? The worst case, behind every agent.

It fills each schema with the attacker's words in every free field, asks the desk the attacker
wants, and cites what is not there. It never takes a stance of its own, so that every vote found
afterwards was made by text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from hivebot.adapters.llm.models import AgentModels

MODEL = "openai:puppet"


class Puppet:
    """A model in somebody else's hands.

    Attributes:
        orders: What it says wherever it may say anything.
        desk: The desk it asks wherever it may ask.
        seen: Every prompt it was given, as text.
    """

    def __init__(self, orders: str, desk: str) -> None:
        self.orders = orders
        self.desk = desk
        self.seen: list[str] = []

    def models(self) -> AgentModels:
        """The port, with the puppet behind every name; validation and rendering are the real."""

        def source(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
            return FunctionModel(self._answer, model_name=name)

        return AgentModels({}, source)

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen.append(repr(messages))
        tool = info.output_tools[0]
        fields = tool.parameters_json_schema["properties"]
        return ModelResponse([ToolCallPart(tool.name, self._filled(fields))])

    def _filled(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Every field of a turn that the schema has."""
        fact = {
            "option": "ship",
            "bearing": "for",
            "strength": 5,
            "text": self.orders,
            "rests_on": self.orders,
        }
        ask = {"desk": self.desk, "question": self.orders}
        option = {"id": self.orders, "text": self.orders}
        everything: dict[str, Any] = {
            "known": "known",
            "answer": self.orders,
            "cites": [1, 99],
            "used_memories": [self.orders],
            "ask": ask,
            "asks": [ask, ask],
            "options": [option, {"id": "b", "text": "b"}],
            "facts": [fact],
            "remark": self.orders,
            "option": "",
            "new_option": self.orders,
            "reason": self.orders,
            "stance": "none",
            "target": 1,
            "agree": False,
            "open_points": self.orders,
            "text": self.orders,
            "prediction": "approve",
            "confidence": 1.0,
            "used": ["m1", "m99", self.orders],
        }
        return {name: everything[name] for name in fields}
