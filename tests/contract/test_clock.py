"""Do the real clock and the settable one keep the same port?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hivebot.adapters.clock import SystemClock
from hivebot.services.ports import Clock
from tests.fakes.clock import START, FakeClock


@pytest.fixture(params=[SystemClock, FakeClock])
def clock(request: pytest.FixtureRequest) -> Clock:
    made: Clock = request.param()
    return made


def test_now_is_aware_and_in_utc(clock: Clock) -> None:
    assert clock.now().utcoffset() == timedelta(0)


def test_now_never_goes_back_by_itself(clock: Clock) -> None:
    assert clock.now() <= clock.now()


def test_the_system_clock_shows_the_machines_time() -> None:
    before = datetime.now(UTC)

    shown = SystemClock().now()

    assert before <= shown <= datetime.now(UTC)


def test_the_settable_clock_moves_only_when_told() -> None:
    clock = FakeClock()

    assert clock.now() == clock.now() == START
    assert clock.advance(1.5) == START + timedelta(seconds=1.5)
    clock.set(START - timedelta(days=1))
    assert clock.now() == START - timedelta(days=1)


def test_the_settable_clock_shows_utc_whatever_zone_it_is_given() -> None:
    clock = FakeClock(datetime(2026, 9, 1, 11, 0, tzinfo=timezone(timedelta(hours=2))))

    assert clock.now() == START
    assert clock.now().utcoffset() == timedelta(0)


def test_the_settable_clock_refuses_a_moment_without_a_zone() -> None:
    clock = FakeClock()

    with pytest.raises(ValueError, match="aware"):
        clock.set(datetime(2026, 9, 1))  # noqa: DTZ001 - the naive moment is the case
