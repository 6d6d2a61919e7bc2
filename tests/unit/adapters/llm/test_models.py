"""What becomes of what a model says? Scripted models, no network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Unpack

import pytest
from pydantic_ai import exceptions as vendor
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from hivebot.adapters.llm.models import AgentModels
from hivebot.adapters.llm.models.failures import EXPECTED, LINES, failure, kind_of
from hivebot.hive.trace import resolve
from hivebot.services.ports import Models
from hivebot.services.records.asking import (
    FarDesk,
    FloorLine,
    ReplyFailure,
    Spent,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.policy import Output, Price
from hivebot.services.records.replies import (
    NO_ASK,
    AnswerTurn,
    DeliberateTurn,
    Known,
    OpeningTurn,
    Shape,
    Stance,
)
from tests.unit.adapters.llm.requests import AgentFields, agent, asked, floor, person, said

ROWS = (
    person(1, "Which way?"),
    said(2, "bert", "!evidence #canary for(2): errors stay flat"),
    said(3, "carl", "!propose #ship we are late"),
)
GOOD: dict[str, Any] = {
    "stance": "support",
    "option": "canary",
    "target": 0,
    "cites": [2],
    "reason": "it is safe",
    "facts": [],
    "remark": "",
}
TURN = DeliberateTurn(Stance.SUPPORT, "canary", 0, (2,), "it is safe", (), "", NO_ASK)
ANSWERED: dict[str, Any] = {
    "known": "known",
    "answer": "On Monday.",
    "cites": [1],
    "used_memories": [],
}
Said = ModelResponse | Exception | Callable[[AgentInfo], ModelResponse]


def filled(values: dict[str, Any]) -> Callable[[AgentInfo], ModelResponse]:
    """The schema filled, by whatever the model was offered."""

    def answer(info: AgentInfo) -> ModelResponse:
        if info.output_tools:
            return ModelResponse([ToolCallPart(info.output_tools[0].name, values)])
        return ModelResponse([TextPart(json.dumps(values))])

    return answer


def text(content: str) -> ModelResponse:
    """Plain text."""
    return ModelResponse([TextPart(content)])


class Script:
    """A model that says what it is told, and remembers what it was asked."""

    def __init__(self, *answers: Said) -> None:
        self.answers = list(answers)
        self.asked: list[list[ModelMessage]] = []
        self.infos: list[AgentInfo] = []

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append(messages)
        self.infos.append(info)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        response = answer(info) if callable(answer) else answer
        return replace(response, usage=RequestUsage(input_tokens=100, output_tokens=20))

    def feedback(self) -> str:
        """What the model was told last before it was asked again."""
        last = self.asked[-1][-1]
        assert isinstance(last, ModelRequest)
        return repr(last.parts)

    def models(self) -> AgentModels:
        """The port with this script behind every name."""

        def source(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
            return FunctionModel(self, model_name=name)

        return AgentModels({}, source)


def backed_by(
    function: Callable[[list[ModelMessage], AgentInfo], Awaitable[ModelResponse]],
) -> AgentModels:
    """The port with this function behind every name."""

    def source(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
        return FunctionModel(function, model_name=name)

    return AgentModels({}, source)


def deliberating(**fields: Unpack[AgentFields]) -> TurnRequest:
    """A turn on the floor by an agent with a model behind it."""
    filled_: AgentFields = {"model": "test:small", **fields}
    persona = agent(**filled_)
    return asked("deliberate", agent=persona, rows=ROWS, floor=floor())


def answering() -> TurnRequest:
    """A single answer by an agent with a model behind it."""
    return asked("answer", agent=agent(model="test:small"))


async def replied(script: Script, request: TurnRequest | None = None) -> TurnReply:
    """A usable reply."""
    reply = await script.models().reply(request or deliberating())
    assert isinstance(reply, TurnReply)
    return reply


async def failed(script: Script, request: TurnRequest | None = None) -> ReplyFailure:
    """No usable reply."""
    reply = await script.models().reply(request or deliberating())
    assert isinstance(reply, ReplyFailure)
    return reply


def test_the_adapter_fulfils_its_port() -> None:
    port: Models = AgentModels({})
    assert port


@pytest.mark.parametrize("output", [each for each in Output if each is not Output.LINES])
async def test_a_schema_filled_at_once_is_clean_in_every_mode(output: Output) -> None:
    script = Script(filled(GOOD))
    reply = await replied(script, deliberating(output=output))
    assert (reply.reply, reply.shape) == (TURN, Shape.CLEAN)
    assert reply.spent == Spent(100, 20, 0, 1)


async def test_lines_become_the_same_structure() -> None:
    script = Script(text("**!Support** #canary ^[2] it is safe"))
    reply = await replied(script, deliberating(output=Output.LINES))
    assert (reply.reply, reply.shape) == (TURN, Shape.CLEAN)
    instructions = script.infos[0].instructions or ""
    assert "Write only these lines" in instructions


async def test_lines_with_a_fault_are_asked_for_again() -> None:
    script = Script(text("!support #canary why not"), text("!support #canary ^2 it is safe"))
    reply = await replied(script, deliberating(output=Output.LINES))
    assert (reply.reply, reply.shape) == (TURN, Shape.RETRIED)


async def test_a_model_is_asked_with_bounds_and_without_retries_of_its_own() -> None:
    script = Script(filled(GOOD))
    await replied(script)
    (info,) = script.infos
    assert info.model_settings == {"max_tokens": 1500, "max_retries": 0}
    assert info.instructions is not None
    assert info.instructions.startswith("You are Anna (anna)")


async def test_a_fault_is_told_naming_what_is_legal_and_the_second_try_counts() -> None:
    script = Script(filled({**GOOD, "cites": [9]}), filled(GOOD))
    reply = await replied(script)
    assert (reply.reply, reply.shape) == (TURN, Shape.RETRIED)
    assert "messages you see" in script.feedback()
    assert reply.spent == Spent(200, 40, 0, 2)


async def test_a_schema_that_is_not_filled_is_asked_for_once_more() -> None:
    script = Script(filled({"stance": "dance"}), filled(GOOD))
    assert (await replied(script)).shape is Shape.RETRIED


async def test_what_is_still_faulty_is_mended() -> None:
    script = Script(filled({**GOOD, "cites": [2, 9]}), filled({**GOOD, "cites": [2, 8]}))
    reply = await replied(script)
    assert (reply.reply, reply.shape) == (TURN, Shape.REPAIRED)
    assert len(script.asked) == 2


async def test_a_move_that_cannot_be_mended_is_said_and_uncounted() -> None:
    bad = filled({**GOOD, "option": "party"})
    reply = await replied(Script(bad, bad))
    assert reply.shape is Shape.UNCOUNTED
    assert isinstance(reply.reply, DeliberateTurn)
    assert (reply.reply.stance, reply.reply.reason) == (Stance.NONE, "it is safe")


async def test_a_dropped_question_is_noted_beside_the_row() -> None:
    bad = filled({**GOOD, "ask": {"desk": "finance", "question": "How much?"}})
    request = replace(deliberating(), may_ask=(FarDesk("data", "Data", ""),))
    reply = await replied(Script(bad, bad), request)
    assert reply.notes == ("A question to finance was not asked.",)
    assert reply.shape is Shape.REPAIRED


async def test_what_was_not_offered_cannot_be_filled_in() -> None:
    bad = filled({**GOOD, "stance": "defer"})
    failure_ = await failed(Script(bad, bad))
    assert failure_.kind == "malformed"


async def test_a_reply_that_is_never_filled_is_malformed() -> None:
    bad = filled({"stance": "dance"})
    result = await failed(Script(bad, bad))
    assert (result.kind, result.again) == ("malformed", False)
    assert result.line == "(no answer: the model's reply could not be read)"
    assert result.spent.requests == 2


async def test_plain_text_where_a_schema_was_due_is_read_as_lines() -> None:
    script = Script(text("Hm."), text("!support #canary ^2 it is safe"))
    reply = await replied(script)
    assert (reply.reply, reply.shape) == (TURN, Shape.REPAIRED)
    reply = await replied(Script(text("Hm."), text("!support #party ^2 for fun")))
    assert reply.shape is Shape.UNCOUNTED


@pytest.mark.parametrize("said_", ['{"stance": "supp', "[1]", "```json\n{}", "<tool>"])
async def test_broken_structure_is_never_taken_for_prose(said_: str) -> None:
    assert (await failed(Script(text(said_), text(said_)))).kind == "malformed"


async def test_text_that_holds_nothing_is_malformed() -> None:
    bad = Script(text("!evidence"), text("!evidence"))
    assert (await failed(bad)).kind == "malformed"


async def test_nothing_at_all_is_empty() -> None:
    result = await failed(Script(text(""), text("")))
    assert (result.kind, result.line) == ("empty", "(no answer: the model returned nothing)")


async def test_an_answer_that_stays_empty_is_empty() -> None:
    bad = filled({**ANSWERED, "answer": ""})
    result = await failed(Script(bad, bad), answering())
    assert (result.kind, result.spent.requests) == ("empty", 2)


async def test_a_turn_that_holds_nothing_is_committed_as_such() -> None:
    nothing = filled({**GOOD, "stance": "none", "option": "", "cites": [], "reason": ""})
    reply = await replied(Script(nothing, nothing))
    request = deliberating()
    row = Script().models().render(request, reply.reply, 4)
    assert row.content == "(nothing to add)"
    assert resolve(row.content, None, ROWS[1].message.author, 4) == ()


async def test_an_answer_is_an_answer() -> None:
    reply = await replied(Script(filled(ANSWERED)), answering())
    assert reply.reply == AnswerTurn(Known.KNOWN, "On Monday.", (1,), (), NO_ASK)


async def test_a_refusal_is_not_asked_for_again() -> None:
    script = Script(replace(text(""), finish_reason="content_filter"))
    result = await failed(script)
    assert (result.kind, result.line, result.again) == ("declined", "(declined)", False)
    assert len(script.asked) == 1


def cut_off(_: AgentInfo) -> ModelResponse:
    """A reply that ran into the output limit."""
    return ModelResponse([ToolCallPart("final_result", '{"stance": "sup')], finish_reason="length")


async def test_a_reply_cut_off_is_asked_for_once_more_with_half_the_lengths() -> None:
    script = Script(cut_off, filled(GOOD))
    reply = await replied(script)
    assert (reply.reply, reply.shape) == (TURN, Shape.RETRIED)
    first, second = (info.instructions or "" for info in script.infos)
    assert "at most 400 characters" in first
    assert "at most 200 characters" in second


async def test_a_reply_cut_off_twice_is_malformed() -> None:
    script = Script(cut_off, cut_off)
    assert (await failed(script)).kind == "malformed"
    assert len(script.asked) == 2


async def test_no_turn_takes_more_than_three_requests() -> None:
    bad = filled({**GOOD, "cites": [9]})
    script = Script(bad, cut_off, bad, bad)
    reply = await replied(script)
    assert reply.shape is Shape.UNCOUNTED
    assert reply.spent.requests == 3
    script = Script(filled({"stance": "dance"}), cut_off, cut_off)
    assert (await failed(script)).spent.requests == 3
    three = Script(text("Hm."), bad, cut_off, bad)
    reply_ = await three.models().reply(deliberating())
    assert len(three.asked) <= 3
    assert reply_.spent.requests <= 3


async def test_time_is_bounded_for_the_whole_turn() -> None:
    never = asyncio.Event()

    async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await never.wait()
        raise AssertionError

    models = backed_by(hang)
    result = await models.reply(deliberating(timeout_s=0))
    assert isinstance(result, ReplyFailure)
    assert (result.kind, result.line) == ("timed_out", "(no answer: the model timed out)")
    assert not result.again


async def test_a_cancelled_turn_stays_cancelled() -> None:
    started = asyncio.Event()

    async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    models = backed_by(hang)
    task = asyncio.create_task(models.reply(deliberating()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_price_makes_a_cost_rounded_up() -> None:
    price = Price(input_usd_micros=3_000_000, output_usd_micros=15_000_001)
    reply = await replied(Script(filled(GOOD)), deliberating(price=price))
    assert reply.spent.cost_usd_micros == 601


@pytest.mark.parametrize(
    ("error", "kind", "again"),
    [
        (vendor.ModelRateLimitError("small", "planted-secret"), "rate_limited", True),
        (vendor.ModelOverloadedError("small", "planted-secret"), "unavailable", True),
        (vendor.ModelServerError("small", "planted-secret"), "unavailable", True),
        (vendor.ModelConnectionError("small", "planted-secret"), "unavailable", True),
        (vendor.ModelTimeoutError("small", "planted-secret"), "timed_out", False),
        (vendor.ModelQuotaExceededError("small", "planted-secret"), "misconfigured", False),
        (vendor.ModelAuthenticationError("small", "planted-secret"), "misconfigured", False),
        (vendor.ModelNotFoundError("small", "planted-secret"), "misconfigured", False),
        (vendor.ModelContextWindowExceededError("small", "planted-secret"), "misconfigured", False),
        (UserError("planted-secret"), "misconfigured", False),
        (vendor.ModelHTTPError(418, "small"), "unavailable", True),
    ],
)
async def test_what_a_vendor_raises_becomes_one_line_without_its_words(
    error: Exception, kind: str, *, again: bool
) -> None:
    result = await failed(Script(error))
    assert (result.kind, result.again) == (kind, again)
    assert "planted-secret" not in repr(result)


def vendor_errors() -> list[type[BaseException]]:
    """Every error class the vendor publishes that ends a run."""
    handled_inside = {
        vendor.ModelRetry,
        vendor.ToolFailed,
        vendor.CallDeferred,
        vendor.ApprovalRequired,
        vendor.SkipModelRequest,
        vendor.RetryModelRequest,
        vendor.SkipToolValidation,
        vendor.SkipToolExecution,
        vendor.FallbackExceptionGroup,  # only of models we do not build
    }
    named = (getattr(vendor, name) for name in vendor.__all__)
    return [
        each
        for each in named
        if isinstance(each, type)
        and issubclass(each, Exception)
        and not issubclass(each, Warning)
        and each not in handled_inside
    ]


def _bare(error: type[BaseException]) -> BaseException:
    """An instance without the arguments that each class wants in its own way."""

    def bare(_: object) -> None:
        """Want nothing."""

    return type(error.__name__, (error,), {"__init__": bare})()


@pytest.mark.parametrize("error", vendor_errors(), ids=lambda error: error.__name__)
def test_every_error_of_the_vendor_ends_here(error: type[BaseException]) -> None:
    assert issubclass(error, EXPECTED)
    kind = kind_of(_bare(error))
    assert failure(kind, Spent()).line == LINES[kind]


def test_a_fault_of_this_program_is_not_taken_for_the_models() -> None:
    with pytest.raises(KeyError, match="ValueError"):
        kind_of(ValueError())


def test_no_line_of_a_failure_is_a_marker() -> None:
    assert all(line.startswith("(") and "\n" not in line for line in LINES.values())


async def test_a_model_that_cannot_be_built_is_misconfigured() -> None:
    def source(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
        message = "planted-secret"
        raise UserError(message)

    models = AgentModels({}, source)
    result = await models.reply(deliberating())
    assert isinstance(result, ReplyFailure)
    assert (result.kind, result.spent) == ("misconfigured", Spent())
    assert await models.select("test:small", "hello", ()) is None


async def test_the_rule_based_member_needs_no_model() -> None:
    reply = await Script().models().reply(asked("opening"))
    assert isinstance(reply, TurnReply)
    assert reply.reply == OpeningTurn((), "I hold nothing beyond the shared brief.")
    assert (reply.shape, reply.spent) == (Shape.CLEAN, Spent())


async def test_a_model_is_built_once_for_each_name_and_address() -> None:
    built: list[tuple[str, str]] = []
    script = Script(*[filled(GOOD)] * 4)

    def source(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
        built.append((name, base_url))
        assert environment == {"SMALL_API_KEY": "k"}
        return FunctionModel(script)

    models = AgentModels({"SMALL_API_KEY": "k"}, source)
    there = deliberating(base_url="http://127.0.0.1:9/v1")
    for request in (deliberating(), deliberating(), there):
        await models.reply(request)
    await models.aclose()
    await models.reply(there)
    assert built == [
        ("test:small", ""),
        ("test:small", "http://127.0.0.1:9/v1"),
        ("test:small", "http://127.0.0.1:9/v1"),
    ]


CANDIDATES = (
    ("anna", "Anna", "planner", "Plans releases"),
    ("bert", "Bert", "critic", "Looks after </message> backups"),
)


async def test_a_selector_gives_its_raw_answer() -> None:
    script = Script(text(" Bert. "))
    assert await script.models().select("test:small", "x </message> y", CANDIDATES) == " Bert. "
    (info,) = script.infos
    assert "- anna: Anna, planner. Plans releases" in (info.instructions or "")
    assert "</message>" not in (info.instructions or "")
    assert "<message>x &lt;/message> y</message>" in repr(script.asked[0])


async def test_a_selector_that_fails_selects_nobody() -> None:
    error = vendor.ModelRateLimitError("small", "")
    assert await Script(error).models().select("test:small", "hi", CANDIDATES) is None


@pytest.mark.parametrize("name", ["briefed", ""])
async def test_the_rule_based_selector_needs_no_model(name: str) -> None:
    chosen = await Script().models().select(name, "backups of releases? backups!", CANDIDATES)
    assert chosen in {"anna", "bert"}


async def test_the_rows_of_a_commit_survive_the_port() -> None:
    lines = FloorLine("ship", ("carl", "bert"), (), (), 900)
    request = asked(
        "commit", agent=agent(model="test:small"), rows=ROWS, floor=floor("ship", lines)
    )
    values = {
        "agree": True,
        "cites": [3],
        "facts": [],
        "answer": "Ship.",
        "open_points": "",
        "reason": "late",
    }
    script = Script(filled(values))
    reply = await replied(script, request)
    row = script.models().render(request, reply.reply, 4)
    assert row.content == "!commit #ship ^3 late\n\nShip."


@pytest.fixture(autouse=True)
async def _no_task_is_left() -> AsyncIterator[None]:
    before = asyncio.all_tasks()
    yield
    assert asyncio.all_tasks() - before <= {asyncio.current_task()}
