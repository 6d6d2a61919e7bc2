"""Does each job reach its use case, and is each counted once, done or failed?"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

import pytest

from hivebot.entrypoints.handling import JobHandlers
from hivebot.services.delivery import Delivery
from hivebot.services.gates import Gates
from hivebot.services.ports import StoreUnavailableError
from hivebot.services.routing import Routing
from hivebot.services.turns import Turns
from hivebot.telemetry import Metrics

LATER = datetime(2026, 12, 1, tzinfo=UTC)


@dataclass
class Told:
    """Stands for every use case: it keeps what it was called with."""

    calls: list[tuple[str, tuple[object, ...]]] = field(
        default_factory=list[tuple[str, tuple[object, ...]]]
    )
    away: bool = False

    async def run(self, *ids: object) -> object:
        return self._took("run", ids, LATER)

    async def open(self, *ids: object) -> object:
        return self._took("open", ids, "opened")

    async def settle(self, *ids: object) -> object:
        return self._took("settle", ids, "settled")

    def _took(self, name: str, ids: tuple[object, ...], result: object) -> object:
        self.calls.append((name, ids))
        if self.away:
            raise StoreUnavailableError
        return result


def handlers(told: Told) -> tuple[JobHandlers, Metrics]:
    metrics = Metrics()
    made = JobHandlers(
        cast("Routing", told),
        cast("Turns", told),
        cast("Delivery", told),
        cast("Gates", told),
        metrics,
    )
    return made, metrics


def counted(metrics: Metrics, task: str, outcome: str) -> float | None:
    labels = {"task": task, "outcome": outcome}
    return metrics.registry.get_sample_value("hivebot_jobs_total", labels)


async def test_each_job_calls_its_use_case_with_its_row() -> None:
    told = Told()
    made, metrics = handlers(told)
    await made.route(1)
    await made.speak(2)
    assert await made.deliver("T1", "C1") == LATER
    await made.open_gate(3)
    await made.settle_gate(4)
    assert told.calls == [
        ("run", (1,)),
        ("run", (2,)),
        ("run", ("T1", "C1")),
        ("open", (3,)),
        ("settle", (4,)),
    ]
    for task in ("route", "speak", "deliver", "open_gate", "settle_gate"):
        assert counted(metrics, task, "done") == 1


async def test_a_failed_job_is_counted_by_its_code_and_fails() -> None:
    made, metrics = handlers(Told(away=True))
    with pytest.raises(StoreUnavailableError):
        await made.route(1)
    assert counted(metrics, "route", "store_unavailable") == 1
    assert counted(metrics, "route", "done") is None
