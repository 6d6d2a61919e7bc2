"""How does a model do in ten situations?"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from hivebot.adapters.llm.models import AgentModels
from hivebot.adapters.llm.prompt import prompt_of
from hivebot.adapters.llm.try_model import Tried, canned, try_model
from hivebot.services.records.policy import Output, Price
from tests.fakes import openai_server as say
from tests.fakes.openai_server import OpenAIServer
from tests.unit.adapters.llm.requests import agent


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    """A server without a script."""
    async with OpenAIServer() as running:
        yield running


def test_ten_situations_are_named_and_can_be_asked() -> None:
    situations = canned(agent())
    assert len({name for name, _ in situations}) == 10
    for _, request in situations:
        assert prompt_of(request).user
        assert "queue down for two hours" in prompt_of(request).system


async def test_the_rule_based_member_gets_through_all_of_them() -> None:
    tried = await try_model(AgentModels({}), agent())
    assert [each.outcome for each in tried] == ["clean"] * 10
    assert all(each.usable and each.content for each in tried)
    assert [each.tokens for each in tried] == [0] * 10


async def test_a_table_holds_what_came_of_each(server: OpenAIServer) -> None:
    lines = ["Four minutes.", "I do not know."]
    server.script(*(say.text(line) for line in lines), *[say.status(503)] * 8)
    models = AgentModels({})
    persona = agent(
        model="openai:small",
        base_url=server.base_url,
        output=Output.LINES,
        price=Price(10_000_000, 50_000_000),
    )
    tried = await try_model(models, persona)
    await models.aclose()
    assert tried[0] == Tried(
        name="answer from the brief",
        situation="answer",
        outcome="clean",
        usable=True,
        requests=1,
        tokens=120,
        cost_usd_micros=2000,
        content="Four minutes.",
    )
    assert tried[1].content == "I do not know."
    assert {each.outcome for each in tried[2:]} == {"unavailable"}
    assert not tried[2].usable
    assert tried[2].content == "(no answer: the model cannot be reached)"
