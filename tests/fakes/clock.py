"""What time does a test want it to be?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)


class FakeClock:
    """A clock that stands still until it is set or moved on."""

    def __init__(self, now: datetime = START) -> None:
        self._now = _aware(now)

    def now(self) -> datetime:
        """Give the moment the test has chosen, in UTC."""
        return self._now

    def set(self, now: datetime) -> None:
        """Jump to a moment, backwards too: machines do that."""
        self._now = _aware(now)

    def advance(self, seconds: float) -> datetime:
        """Move on, and give the new moment."""
        self._now += timedelta(seconds=seconds)
        return self._now


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("the clock shows aware moments only")
    return moment.astimezone(UTC)
