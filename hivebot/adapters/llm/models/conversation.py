"""How is one turn got from a model, in at most three requests?

The ladder: a schema that is not filled, or filled with a fault, is asked for once more, naming what
is legal; what is still faulty is mended; a reply cut off by the output limit is asked for once more
with half the lengths; plain text where a schema was due is read as lines. Source: turns.md 3.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from pydantic_ai import Agent, ModelRetry, RunContext, capture_run_messages
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import (
    ContentFilterError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.output import NativeOutput, OutputSpec, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from hivebot.adapters.llm.lines import read_lines
from hivebot.adapters.llm.models.failures import EXPECTED, failure, kind_of
from hivebot.adapters.llm.prompt import prompt_of
from hivebot.adapters.llm.schemas import Strict, schema_for, to_reply
from hivebot.adapters.llm.validate import Limits, Mended, first_fault, mend
from hivebot.services.records.asking import (
    ReplyFailure,
    Spent,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.policy import Output, Price
from hivebot.services.records.replies import AnswerTurn, Reply, Shape

REQUESTS_MAX: Final = 3
_MILLION: Final = 1_000_000
_STRUCTURED: Final = ("{", "[", "```json", "<")


@dataclass(slots=True)
class _Talk:
    """What is known of one turn while it is got.

    Attributes:
        usage: Tokens as the framework counts them, also when a run fails.
        requests: Sent so far, whatever came of them.
        messages: Of the last run, for what a model said where a schema was due.
    """

    request: TurnRequest
    model: Model
    limits: Limits
    usage: RunUsage = field(default_factory=RunUsage)
    requests: int = 0
    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])

    @property
    def left(self) -> int:
        """Requests that may still be made."""
        return REQUESTS_MAX - self.requests

    @property
    def spent(self) -> Spent:
        """What it has cost so far."""
        return Spent(
            tokens_in=self.usage.input_tokens,
            tokens_out=self.usage.output_tokens,
            cost_usd_micros=cost(self.request.agent.price, self.usage),
            requests=self.requests,
        )


async def converse(model: Model, request: TurnRequest) -> TurnReply | ReplyFailure:
    """Get one turn from a model. Never raises for what a model, a vendor or a network does.

    Args:
        model: Ready to be asked.
        request: What the turn may know; its agent's `timeout_s` bounds everything together.
    """
    talk = _Talk(request, model, Limits.of(request))
    try:
        async with asyncio.timeout(request.agent.timeout_s):
            return await _asked(talk)
    except EXPECTED as error:
        return failure(kind_of(error), talk.spent)


async def _asked(talk: _Talk) -> TurnReply | ReplyFailure:
    try:
        return await _usable(talk)
    except OutputTokenLimitExceeded:
        talk.limits = talk.limits.halved()
    return await _usable(talk)


async def _usable(talk: _Talk) -> TurnReply | ReplyFailure:
    try:
        reply = await _run(talk)
    except (ContentFilterError, OutputTokenLimitExceeded):
        raise
    except UnexpectedModelBehavior:
        said = _last_text(talk.messages)
        if said is None or said.lower().startswith(_STRUCTURED):
            raise
        return _read(talk, said)
    return _mended(talk, mend(talk.request, reply, talk.limits), clean=talk.requests == 1)


def _read(talk: _Talk, said: str) -> TurnReply | ReplyFailure:
    """Read what was said where a schema was due; nothing said is no reply."""
    if not said:
        return failure("empty", talk.spent)
    mended = mend(talk.request, read_lines(talk.request, said), talk.limits)
    if mended.empty:
        return failure("malformed", talk.spent)
    shape = Shape.UNCOUNTED if mended.uncounted else Shape.REPAIRED
    return TurnReply(mended.reply, shape, talk.spent, mended.notes)


def _mended(talk: _Talk, mended: Mended, *, clean: bool) -> TurnReply | ReplyFailure:
    if mended.empty and isinstance(mended.reply, AnswerTurn):
        return failure("empty", talk.spent)
    if mended.uncounted:
        shape = Shape.UNCOUNTED
    elif mended.faulty:
        shape = Shape.REPAIRED
    else:
        shape = Shape.CLEAN if clean else Shape.RETRIED
    return TurnReply(mended.reply, shape, talk.spent, mended.notes)


async def _run(talk: _Talk) -> Reply:
    """Let the framework ask, and once more if the reply has a fault."""
    request, limits = talk.request, talk.limits
    prompt = prompt_of(request, limits, lines=request.agent.output is Output.LINES)
    retries = max(0, min(1, talk.left - 1))
    agent = Agent[object, Strict | Reply](
        talk.model,
        output_type=_output(request),
        instructions=prompt.system,
        name=request.agent.id,
        retries={"output": retries, "tools": retries},
        model_settings=_settings(request),
        capabilities=[_counting(talk)],
    )

    def checked(context: RunContext[object], output: Strict | Reply) -> Strict | Reply:
        fault = first_fault(request, _reply(output), limits)
        if fault and not context.last_attempt and talk.left:
            raise ModelRetry(fault)
        return output

    agent.output_validator(checked)
    with capture_run_messages() as talk.messages:
        result = await agent.run(prompt.user, usage=talk.usage)
    return _reply(result.output)


def _counting(talk: _Talk) -> Hooks[object]:
    """Count and bound the requests, and see at once when a reply was cut off.

    The framework would ask again with the same lengths, which is cut off again.
    """

    async def before(
        _context: RunContext[object], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if not talk.left:
            message = "a turn takes a bounded number of requests"
            raise UsageLimitExceeded(message)
        talk.requests += 1
        return request_context

    async def after(
        _context: RunContext[object],
        *,
        request_context: ModelRequestContext,  # noqa: ARG001 - the framework passes it by name
        response: ModelResponse,
    ) -> ModelResponse:
        if response.finish_reason == "length" and talk.request.agent.output is not Output.LINES:
            message = "the output limit was reached"
            raise OutputTokenLimitExceeded(message)
        return response

    return Hooks(before_model_request=before, after_model_request=after)


def _reply(output: Strict | Reply) -> Reply:
    return to_reply(output) if isinstance(output, Strict) else output


def _output(request: TurnRequest) -> OutputSpec[Strict | Reply]:
    """Say how the model is made to answer in structure."""
    schema = schema_for(request)
    match request.agent.output:
        case Output.AUTO:
            return schema
        case Output.TOOL:
            return ToolOutput(schema)
        case Output.NATIVE:
            return NativeOutput(schema)
        case Output.PROMPTED:
            return PromptedOutput(schema)
        case Output.LINES:

            def read(text: str) -> Strict | Reply:
                return read_lines(request, text)

            return TextOutput(read)


def _settings(request: TurnRequest) -> ModelSettings:
    """Bound the output, and leave retrying to the queue."""
    return ModelSettings(max_tokens=request.output_tokens_max, max_retries=0)


def _last_text(messages: list[ModelMessage]) -> str | None:
    """Give what the model wrote last as plain text; None where it used a tool."""
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    if not responses or any(isinstance(part, ToolCallPart) for part in responses[-1].parts):
        return None
    texts = [part.content for part in responses[-1].parts if isinstance(part, TextPart)]
    return "".join(texts).strip()


def cost(price: Price | None, usage: RunUsage) -> int:
    """Give the cost in millionths of a US dollar, rounded up; without a price nothing is known."""
    if price is None:
        return 0
    paid = usage.input_tokens * price.input_usd_micros
    paid += usage.output_tokens * price.output_usd_micros
    return -(-paid // _MILLION)
