"""Where do the figures come from? Counted around models and Slack, and read from the stored rows.

Source: architecture.md "Logs", rights.md 6.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from opentelemetry.trace import SpanKind, Status, StatusCode
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.counting import SPENT, Totals, totals
from hivebot.adapters.db.waiting import waiting
from hivebot.entrypoints.tracing import span
from hivebot.services.ports import Models, Poster
from hivebot.services.records.asking import (
    RenderedTurn,
    ReplyFailure,
    Spent,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.outgoing import Destination, SendFailure, SendResult
from hivebot.services.records.policy import Configuration
from hivebot.services.records.predictions import Predicted, PredictionRequest
from hivebot.services.records.replies import Reply
from hivebot.services.records.rows import OutboxRow
from hivebot.telemetry import Event, Metrics, get_logger

logger = get_logger(__name__)


class MeteredModels:
    """Models whose time, tokens and money are counted, by the model's name."""

    def __init__(self, models: Models, metrics: Metrics) -> None:
        self._models = models
        self._metrics = metrics

    async def reply(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        """Ask once, and count what it took and cost, failed or not."""
        began = time.monotonic()
        with span("ask model", {"model": request.agent.model}, kind=SpanKind.CLIENT) as asked:
            reply = await self._models.reply(request)
            if isinstance(reply, ReplyFailure):
                asked.set_status(Status(StatusCode.ERROR, reply.kind))
        model, metrics, spent = request.agent.model, self._metrics, reply.spent
        metrics.turn_seconds.labels(model).observe(time.monotonic() - began)
        metrics.tokens.labels(model, "prompt").inc(spent.tokens_in)
        metrics.tokens.labels(model, "output").inc(spent.tokens_out)
        metrics.cost.labels(model).inc(spent.cost_usd_micros)
        outcome = reply.kind if isinstance(reply, ReplyFailure) else reply.shape.value
        metrics.replies.labels(model, outcome).inc()
        return reply

    def render(self, request: TurnRequest, reply: Reply, sequence: int) -> RenderedTurn:
        """Make the committed row."""
        return self._models.render(request, reply, sequence)

    async def select(
        self, agent: str, message: str, candidates: Sequence[tuple[str, str, str, str]]
    ) -> str | None:
        """Ask the selector."""
        began = time.monotonic()
        try:
            return await self._models.select(agent, message, candidates)
        finally:
            self._metrics.turn_seconds.labels(agent).observe(time.monotonic() - began)

    async def predict(self, asked: PredictionRequest) -> Predicted:
        """Predict, and count what it took and cost."""
        began = time.monotonic()
        found = await self._models.predict(asked)
        self._count(asked, found.spent, began)
        return found

    async def moved(self, asked: PredictionRequest) -> tuple[str, Spent]:
        """Ask what moved a prediction, and count what it took and cost."""
        began = time.monotonic()
        said, spent = await self._models.moved(asked)
        self._count(asked, spent, began)
        return said, spent

    def _count(self, asked: PredictionRequest, spent: Spent, began: float) -> None:
        model = asked.agent.model if asked.agent is not None else "briefed"
        self._metrics.turn_seconds.labels(model).observe(time.monotonic() - began)
        self._metrics.tokens.labels(model, "prompt").inc(spent.tokens_in)
        self._metrics.tokens.labels(model, "output").inc(spent.tokens_out)
        self._metrics.cost.labels(model).inc(spent.cost_usd_micros)


class MeteredPoster:
    """A poster whose sends and refusals are counted, by what was tried."""

    def __init__(self, poster: Poster, metrics: Metrics) -> None:
        self._poster = poster
        self._metrics = metrics

    def parts(self, row: OutboxRow) -> int:
        """How many messages the row comes to."""
        return self._poster.parts(row)

    async def post(self, row: OutboxRow, thread_ts: str, done: tuple[str, ...] = ()) -> SendResult:
        """Post a row."""
        with span("post", {"outbox_id": row.id, "kind": row.kind.value}, kind=SpanKind.CLIENT):
            sent = await self._poster.post(row, thread_ts, done)
        return self._counted(row.kind.value, sent)

    async def edit(self, row: OutboxRow, ts: tuple[str, ...]) -> SendResult:
        """Edit what a row has posted."""
        return self._counted("edit", await self._poster.edit(row, ts))

    async def delete(self, destination: Destination, ts: tuple[str, ...]) -> SendResult:
        """Remove posts."""
        return self._counted("delete", await self._poster.delete(destination, ts))

    async def lookup(
        self, row: OutboxRow, thread_ts: str, since: datetime
    ) -> tuple[str, ...] | SendFailure | None:
        """Look for what a lost answer left behind."""
        return await self._poster.lookup(row, thread_ts, since)

    def _counted(self, kind: str, result: SendResult) -> SendResult:
        if not isinstance(result, SendFailure):
            self._metrics.posts.labels(kind, "sent").inc()
            return result
        self._metrics.posts.labels(kind, result.kind).inc()
        self._metrics.slack_errors.labels(kind, result.code).inc()
        if result.kind == "wait":
            self._metrics.slack_waits.labels(kind).inc(result.retry_after_s)
        return result


class StoredFigures(Collector):
    """What the rows say: read anew for each page, the same in every process."""

    def __init__(
        self,
        engine: AsyncEngine,
        metrics: Metrics,
        configuration: Callable[[], Configuration] | None = None,
    ) -> None:
        """Nothing is read before it is asked for.

        Args:
            engine: Where the rows are.
            metrics: Whose page they are shown on.
            configuration: Gives the one in force, for what each desk may spend.
        """
        self._engine = engine
        self._metrics = metrics
        self._configuration = configuration
        self._totals = Totals({}, {}, {}, {}, {}, {}, {}, {})
        metrics.registry.register(self)

    async def refresh(self) -> None:
        """Read the rows; while the database is away, what was read last stays."""
        try:
            self._totals = await totals(self._engine)
            waits = await waiting(self._engine)
        except (SQLAlchemyError, OSError) as error:
            logger.warning(Event.DATABASE_AWAY, cause=type(error).__name__)
            return
        for queue, count in (
            ("jobs", waits.jobs),
            ("turns", waits.turns),
            ("posts", waits.posts),
            ("referrals", waits.referrals),
        ):
            self._metrics.waiting.labels(queue).set(count)
        for queue, age_s in self._totals.oldest_s.items():
            self._metrics.oldest.labels(queue).set(age_s)

    def collect(self) -> Iterable[Metric]:
        """The totals, as counters, and what waits for stewards."""
        found = self._totals
        for name, says, labels, counts in (
            ("turns", "Turns closed", ("desk", "kind", "outcome"), found.turns),
            ("episodes", "Deliberations ended", ("desk", "end"), found.episodes),
            ("referrals", "Questions between desks ended", ("state",), found.referrals),
            ("gates", "Gates ended", ("desk", "kind", "outcome", "by"), found.gates),
        ):
            family = CounterMetricFamily(f"hivebot_{name}", says, labels=labels)
            for values, count in sorted(counts.items()):
                family.add_metric(values, count)
            yield family
        for name, says, labels, counts in (
            ("gates_open", "Gates that wait", ("desk",), found.open_gates),
            ("unposted", "Posts refused, or of unknown fate", ("state",), found.unposted),
            ("spent", "Spent on this UTC day", ("desk", "what"), found.spent),
            ("budget", "May be spent on a day", ("desk", "what"), self._budgets()),
        ):
            gauge = GaugeMetricFamily(f"hivebot_{name}", says, labels=labels)
            for values, count in sorted(counts.items()):
                gauge.add_metric(values, count)
            yield gauge

    def _budgets(self) -> dict[tuple[str, ...], int]:
        """(desk, what) to what it may spend a day; without what has no bound."""
        if self._configuration is None:
            return {}
        return {
            (desk.id, what): allowed
            for desk in self._configuration().desks
            for what, allowed in zip(
                SPENT,
                (
                    desk.budget.turns_per_day,
                    desk.budget.tokens_per_day,
                    desk.budget.usd_micros_per_day,
                ),
                strict=True,
            )
            if allowed
        }
