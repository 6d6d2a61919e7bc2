"""Does a provider's protocol come through? Real HTTP against a local server, never a live model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Unpack

import pytest
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel

from hivebot.adapters.llm.models import AgentModels, build_model
from hivebot.services.records.asking import ReplyFailure, Spent, TurnReply, TurnRequest
from hivebot.services.records.policy import Output, Price
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Known, Shape
from tests.fakes import openai_server as say
from tests.fakes.openai_server import OpenAIServer
from tests.unit.adapters.llm.requests import AgentFields, agent, asked

ANSWERED: dict[str, Any] = {
    "known": "known",
    "answer": "On Monday.",
    "cites": [1],
    "used_memories": [],
}
ANSWER = AnswerTurn(Known.KNOWN, "On Monday.", (1,), (), NO_ASK)
KEYS = {"OPENAI_API_KEY": "planted-key"}


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    """A server without a script."""
    async with OpenAIServer() as running:
        yield running


@pytest.fixture
async def models() -> AsyncIterator[AgentModels]:
    """The port, with a key for the server."""
    port = AgentModels(KEYS)
    yield port
    await port.aclose()


def request_to(server: OpenAIServer, **fields: Unpack[AgentFields]) -> TurnRequest:
    """A question to an agent whose model the server is."""
    filled: AgentFields = {
        "model": "openai:small",
        "base_url": server.base_url,
        "output": Output.TOOL,
        **fields,
    }
    return asked("answer", agent=agent(**filled))


async def replied(models: AgentModels, request: TurnRequest) -> TurnReply:
    """A usable reply."""
    reply = await models.reply(request)
    assert isinstance(reply, TurnReply), reply
    return reply


async def failed(models: AgentModels, request: TurnRequest) -> ReplyFailure:
    """No usable reply; nothing of what the server said is in it."""
    reply = await models.reply(request)
    assert isinstance(reply, ReplyFailure), reply
    assert "planted" not in repr(reply)
    return reply


async def test_a_tool_call_is_an_answer(server: OpenAIServer, models: AgentModels) -> None:
    server.script(say.tool_call(ANSWERED))
    reply = await replied(models, request_to(server, price=Price(10_000_000, 50_000_000)))
    assert (reply.reply, reply.shape) == (ANSWER, Shape.CLEAN)
    assert reply.spent == Spent(100, 20, 2000, 1)
    (body,) = server.requests
    assert body["model"] == "small"
    assert body["max_completion_tokens"] == 1500
    (tool,) = body["tools"]
    assert "used_memories" in tool["function"]["parameters"]["required"]
    system, user = body["messages"]
    assert system["content"].startswith("You are Anna (anna)")
    assert user["content"].startswith('<message number="1"')
    assert server.keys == ["Bearer planted-key"]


@pytest.mark.parametrize("output", [Output.NATIVE, Output.PROMPTED])
async def test_structured_text_is_an_answer(
    server: OpenAIServer, models: AgentModels, output: Output
) -> None:
    server.script(say.structured(ANSWERED))
    reply = await replied(models, request_to(server, output=output))
    assert (reply.reply, reply.shape) == (ANSWER, Shape.CLEAN)
    kind = "json_schema" if output is Output.NATIVE else "json_object"
    assert server.requests[0]["response_format"]["type"] == kind


async def test_lines_are_an_answer(server: OpenAIServer, models: AgentModels) -> None:
    server.script(say.text("On Monday [1]."))
    reply = await replied(models, request_to(server, output=Output.LINES))
    assert reply.reply == AnswerTurn(Known.KNOWN, "On Monday [1].", (1,), (), NO_ASK)
    assert "tools" not in server.requests[0]


async def test_a_fault_goes_back_to_the_model(server: OpenAIServer, models: AgentModels) -> None:
    server.script(say.tool_call({**ANSWERED, "cites": [7]}), say.tool_call(ANSWERED))
    reply = await replied(models, request_to(server))
    assert (reply.reply, reply.shape, reply.spent.requests) == (ANSWER, Shape.RETRIED, 2)
    assert "messages you see" in str(server.requests[1]["messages"][-1]["content"])


async def test_malformed_arguments_twice_are_malformed(
    server: OpenAIServer, models: AgentModels
) -> None:
    server.script(say.tool_call({"known": "perhaps"}), say.tool_call({}))
    assert (await failed(models, request_to(server))).kind == "malformed"


async def test_an_empty_message_twice_is_empty(server: OpenAIServer, models: AgentModels) -> None:
    server.script(say.empty(), say.empty())
    assert (await failed(models, request_to(server))).kind == "empty"


async def test_the_content_filter_is_a_refusal(server: OpenAIServer, models: AgentModels) -> None:
    server.script(say.filtered())
    result = await failed(models, request_to(server))
    assert (result.kind, result.line) == ("declined", "(declined)")


async def test_a_refusal_in_words_is_a_refusal(server: OpenAIServer, models: AgentModels) -> None:
    server.script(say.refusal("planted: I cannot help with that."))
    result = await failed(models, request_to(server))
    assert (result.kind, len(server.requests)) == ("declined", 1)


async def test_a_call_cut_off_is_asked_for_with_half_the_lengths(
    server: OpenAIServer, models: AgentModels
) -> None:
    server.script(say.cut_tool_call('{"known": "kno'), say.tool_call(ANSWERED))
    reply = await replied(models, request_to(server))
    assert (reply.reply, reply.shape) == (ANSWER, Shape.RETRIED)
    assert reply.spent.tokens_in == 200
    assert "at most 750 characters" in server.requests[1]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("answer", "kind", "again"),
    [
        (say.status(429, headers={"Retry-After": "30"}), "rate_limited", True),
        (say.status(429, "insufficient_quota"), "misconfigured", False),
        (say.status(503), "unavailable", True),
        (say.status(500), "unavailable", True),
        (say.status(401, "invalid_api_key"), "misconfigured", False),
        (say.status(404, "model_not_found"), "misconfigured", False),
        (say.status(400, "context_length_exceeded"), "misconfigured", False),
    ],
    ids=["rate", "quota", "away", "broken", "key", "name", "length"],
)
async def test_an_http_error_is_one_request_and_one_line(
    server: OpenAIServer, models: AgentModels, answer: say.Answer, kind: str, *, again: bool
) -> None:
    server.script(answer)
    result = await failed(models, request_to(server))
    assert (result.kind, result.again) == (kind, again)
    assert (len(server.requests), result.spent.requests) == (1, 1)


async def test_an_answer_that_is_no_json_is_no_answer(
    server: OpenAIServer, models: AgentModels
) -> None:
    server.script(say.garbage())
    assert (await failed(models, request_to(server))).kind in {"malformed", "unavailable"}


async def test_a_server_that_never_answers_times_out(
    server: OpenAIServer, models: AgentModels
) -> None:
    result = await failed(models, request_to(server, timeout_s=1))
    assert (result.kind, result.again) == ("timed_out", False)
    assert len(server.requests) == 1


async def test_a_server_that_is_not_there_is_unavailable(models: AgentModels) -> None:
    async with OpenAIServer() as gone:
        request = request_to(gone)
    result = await failed(models, request)
    assert (result.kind, result.again) == ("unavailable", True)


async def test_a_server_without_a_key_is_still_asked(server: OpenAIServer) -> None:
    server.script(say.tool_call(ANSWERED))
    keyless = AgentModels({})
    await replied(keyless, request_to(server))
    await keyless.aclose()
    assert server.keys == ["Bearer no-key"]


async def test_a_selector_is_asked_over_http(server: OpenAIServer) -> None:
    server.script(say.text("bert"))

    def source(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
        return build_model(name, base_url or server.base_url, environment)

    port = AgentModels(KEYS, source)
    assert await port.select("openai:small", "hello", (("bert", "Bert", "critic", ""),)) == "bert"
    await port.aclose()


async def test_a_vendors_own_server_is_found_by_the_providers_name() -> None:
    openai = build_model("openai:gpt-5", "", {"OPENAI_API_KEY": "k"})
    claude = build_model("anthropic:claude-sonnet-4-5", "", {"ANTHROPIC_API_KEY": "k"})
    behind = build_model("anthropic:claude", "http://127.0.0.1:9", {"ANTHROPIC_API_KEY": "k"})
    local = build_model("ollama:small", "http://127.0.0.1:9/v1", {})
    assert isinstance(openai, OpenAIResponsesModel)
    assert isinstance(claude, AnthropicModel)
    assert isinstance(behind, AnthropicModel)
    assert behind.base_url.startswith("http://127.0.0.1:9")
    assert isinstance(local, OpenAIChatModel)
    for model in (openai, claude, behind, local):
        async with model:
            pass


@pytest.mark.parametrize(
    ("name", "base_url", "environment"),
    [
        ("small", "", {}),
        ("nobody:small", "", {}),
        ("nobody:small", "http://127.0.0.1:9", {}),
        ("groq:small", "http://127.0.0.1:9", {"GROQ_API_KEY": "k", "DEEPSEEK_API_KEY": "k"}),
        ("deepseek:small", "http://127.0.0.1:9", {"DEEPSEEK_API_KEY": "k"}),
    ],
)
def test_a_name_that_is_no_models_is_refused(
    name: str, base_url: str, environment: dict[str, str]
) -> None:
    with pytest.raises((UserError, ImportError)):
        build_model(name, base_url, environment)


async def test_a_name_that_is_no_models_is_misconfigured() -> None:
    persona = agent(model="nobody:small")
    result = await failed(AgentModels({}), asked("answer", agent=persona))
    assert (result.kind, result.again) == ("misconfigured", False)
