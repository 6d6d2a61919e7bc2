"""Is everything counted that an answer costs, also where it fails?"""

from __future__ import annotations

from dataclasses import asdict

from hivebot.entrypoints.benches.deciding.voices import GIVEN_UP, Meter, Voices
from hivebot.services.records.asking import ReplyFailure, Spent, TurnReply, TurnRequest
from tests.fakes.models import FakeModels, by_rule
from tests.unit.adapters.llm.requests import asked


def busy(_request: TurnRequest) -> ReplyFailure:
    return ReplyFailure("rate_limited", "(no answer: busy)", again=True, spent=Spent(3, 0, 1, 1))


def broken(_request: TurnRequest) -> ReplyFailure:
    return ReplyFailure("malformed", "(no answer: malformed)", again=False, spent=Spent(3, 1, 1, 2))


async def test_a_reply_is_counted_and_rendered() -> None:
    voices = Voices(FakeModels())
    request = asked("opening")
    assert await voices.said(request, 2) == "I hold nothing beyond the shared brief."
    assert asdict(voices.meter) == {
        "replies": 1,
        "requests": 1,
        "tokens_in": 10,
        "tokens_out": 2,
        "cost_usd_micros": 5,
        "failed": 0,
    }


async def test_what_may_help_later_is_tried_three_times_with_growing_pauses() -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    models = FakeModels(busy)
    voices = Voices(models, pause)
    assert await voices.said(asked("opening"), 2) == "(no answer: busy)"
    assert (len(models.asked), pauses) == (3, [2, 4])
    assert (voices.meter.replies, voices.meter.requests, voices.meter.failed) == (1, 3, 1)


async def test_a_second_try_that_helps_is_no_failure() -> None:
    async def no_pause(_seconds: float) -> None:
        return

    answers = iter([busy, by_rule])

    def answer(request: TurnRequest) -> TurnReply | ReplyFailure:
        return next(answers)(request)

    voices = Voices(FakeModels(answer), no_pause)
    assert await voices.reply(asked("opening")) is not None
    assert voices.meter.failed == 0


async def test_a_model_that_failed_twice_is_not_called_again() -> None:
    models = FakeModels(broken)
    voices = Voices(models)
    request = asked("opening")
    assert await voices.reply(request) is None
    assert voices.answering("anna")
    assert await voices.said(request, 3) == "(no answer: malformed)"
    assert not voices.answering("anna")
    assert voices.answering("bert")
    assert await voices.said(request, 4) == GIVEN_UP
    assert len(models.asked) == 2


def test_meters_add_up() -> None:
    meter = Meter(1, 2, 3, 4, 5, 6)
    meter.add(Meter(1, 1, 1, 1, 1, 1))
    assert meter == Meter(2, 3, 4, 5, 6, 7)
