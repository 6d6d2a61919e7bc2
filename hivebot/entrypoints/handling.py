"""What does a job do? It calls its use case and writes one canonical line.

Source: datapath.md 3, architecture.md "Logs".
"""

from __future__ import annotations

import time
from collections.abc import Awaitable
from datetime import datetime
from typing import TypeVar

from opentelemetry.trace import SpanKind

from hivebot.entrypoints.tracing import span
from hivebot.errors import HivebotError
from hivebot.services.delivery import Delivery
from hivebot.services.gates import Gates
from hivebot.services.routing import Routing
from hivebot.services.turns import Turns
from hivebot.telemetry import Event, Metrics, get_logger

T = TypeVar("T")

logger = get_logger(__name__)


class JobHandlers:
    """The use cases behind the jobs."""

    def __init__(
        self,
        routing: Routing,
        turns: Turns,
        delivery: Delivery,
        gates: Gates,
        metrics: Metrics,
    ) -> None:
        self._routing = routing
        self._turns = turns
        self._delivery = delivery
        self._gates = gates
        self._metrics = metrics

    async def route(self, conversation_id: int) -> None:
        """Decide in this conversation."""
        await self._done(
            "route", self._routing.run(conversation_id), conversation_id=conversation_id
        )

    async def speak(self, turn_id: int) -> None:
        """Run a turn's model call."""
        await self._done("speak", self._turns.run(turn_id), turn_id=turn_id)

    async def deliver(self, team_id: str, channel_id: str) -> datetime | None:
        """Send the channel's queue; when to look again."""
        running = self._delivery.run(team_id, channel_id)
        return await self._done("deliver", running, channel_id=channel_id)

    async def open_gate(self, gate_id: int) -> None:
        """Show a gate to its stewards."""
        await self._done("open_gate", self._gates.open(gate_id), gate_id=gate_id)

    async def settle_gate(self, gate_id: int) -> None:
        """Carry out what was decided at a gate."""
        await self._done("settle_gate", self._gates.settle(gate_id), gate_id=gate_id)

    async def _done(self, task: str, running: Awaitable[T], **ids: object) -> T:
        began = time.monotonic()
        try:
            with span(f"job {task}", ids, kind=SpanKind.CONSUMER):
                result = await running
        except HivebotError as error:
            self._count(task, error.code, began)
            logger.warning(Event.JOB_FAILED, task=task, code=error.code, **ids)
            raise
        self._count(task, "done", began)
        logger.info(
            Event.JOB_DONE,
            task=task,
            outcome=str(result),
            took_ms=round((time.monotonic() - began) * 1000),
            **ids,
        )
        return result

    def _count(self, task: str, outcome: str, began: float) -> None:
        self._metrics.jobs.labels(task, outcome).inc()
        self._metrics.job_seconds.labels(task).observe(time.monotonic() - began)
