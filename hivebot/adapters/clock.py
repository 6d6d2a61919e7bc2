"""What time is it? The only place that asks the machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The machine's clock, as the port wants it."""

    def now(self) -> datetime:
        """Give the current moment, aware, in UTC."""
        return datetime.now(UTC)
