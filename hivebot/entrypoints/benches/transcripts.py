"""Does a decision cost more in a long conversation? The store path at several lengths.

What is timed is what the bot does for one question in a thread: `route` decides who speaks, `speak`
reads what that turn may see, asks a rule-based agent and writes its reply. Rows outside the window
are not loaded, so the length of the transcript must not show. Source: hive.md 10.1, datapath.md 2.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.config_files import canonical, from_canonical, load
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.adapters.embeddings import embedder
from hivebot.adapters.llm.models import AgentModels
from hivebot.entrypoints.benches.timing import Times, times_of
from hivebot.hive.conversation import PersonAuthor
from hivebot.hive.transcript import SESSION_WINDOW
from hivebot.services.policy import RunningPolicy
from hivebot.services.ports import ChannelFacts, NewMessage, PersonFacts
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.policy import Budget, Configuration
from hivebot.services.records.rows import ConversationRow, MessageRole
from hivebot.services.routing import Routed, Routing
from hivebot.services.sessions import read_session
from hivebot.services.turns import Spoken, Turns

TEAM: Final = "T0HIVE"
ASKER: Final = "U0ANA"
CHANNEL: Final = "C0PAY"
DESK: Final = "payments"
QUESTION: Final = "@hive how many days does a refund take?"
TALK: Final = "the morning shift has looked at order {}, and nothing was wrong with it"
LENGTHS: Final = (10, 100, 1_000, 10_000)
ROWS_MAX: Final = 1_000_000
RATIO_MAX: Final = 1.5
SHORTEST: Final = 100
"""Rows below which a window is not full, so that a shorter transcript costs less."""

PLENTY: Final = Budget(turns_per_day=1_000_000_000)

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one question cost in a conversation of some length.

    Attributes:
        rows: Rows the transcript had before the first question.
        read: To read the window of a turn.
        route: To decide who speaks.
        speak: To run the turn.
    """

    rows: int
    read: Times
    route: Times
    speak: Times

    @property
    def decision_ms(self) -> float:
        """Deciding and speaking together, by their medians."""
        return self.route.median + self.speak.median

    def as_json(self) -> dict[str, object]:
        """The same as data."""
        steps = {"read": self.read, "route": self.route, "speak": self.speak}
        return {"rows": self.rows, **{name: times.as_json() for name, times in steps.items()}}


def ratio(costs: Sequence[Cost]) -> float:
    """How many times what the shortest transcript with a full window costs the longest costs."""
    full = [cost for cost in costs if cost.rows >= SHORTEST] or list(costs)
    return full[-1].decision_ms / full[0].decision_ms


async def measure(
    place: DatabaseUrl,
    config: Path,
    lengths: Sequence[int],
    *,
    rounds: int,
    progress: Progress = lambda _done: None,
) -> tuple[Cost, ...]:
    """Ask in threads of several lengths, in turn, so that whatever else goes on meets all alike.

    Args:
        place: A migrated database, to which everything is added.
        config: A configuration whose desk `payments` has an agent that answers.
        lengths: Rows of each thread, rising.
        rounds: Questions in each thread; one more is asked before and not counted.
        progress: Told of each question.

    Raises:
        ConfigError: the configuration cannot be used.
        PortError: the database is away.
    """
    async with _bench(place, config) as bench:
        threads = [await bench.thread(length) for length in lengths]
        await bench.analyse()
        clocks = [_Clocks([], [], []) for _ in threads]
        for turn in range(rounds + 1):
            for thread, clock in zip(threads, clocks, strict=True):
                await bench.ask(thread, clock if turn else _Clocks([], [], []))
                progress(1)
    return tuple(
        Cost(length, times_of(clock.read), times_of(clock.route), times_of(clock.speak))
        for length, clock in zip(lengths, clocks, strict=True)
    )


@dataclass(slots=True)
class _Clocks:
    read: list[float]
    route: list[float]
    speak: list[float]


class _Everybody:
    """The directory without Slack: everybody is a member of the workspace, and stays one."""

    def forget_person(self, team_id: str, user_id: str) -> None:
        """Nothing is kept."""

    def forget_channel(self, team_id: str, channel_id: str) -> None:
        """Nothing is kept."""

    async def person(self, team_id: str, user_id: str) -> PersonFacts:
        """A full member."""
        return PersonFacts(
            user_id=user_id,
            name=user_id,
            team_id=team_id,
            guest=False,
            stranger=False,
            deactivated=False,
            bot=False,
        )

    async def channel(self, team_id: str, channel_id: str) -> ChannelFacts | None:
        """Nothing crosses here."""
        raise AssertionError(team_id, channel_id)

    async def members_of_group(self, team_id: str, group_id: str) -> frozenset[str]:
        """No group is asked for here."""
        raise AssertionError(team_id, group_id)

    async def root_text(self, team_id: str, channel_id: str, ts: str) -> str:
        """Every root is stored here."""
        raise AssertionError(team_id, channel_id, ts)


@dataclass(frozen=True, slots=True)
class _Bench:
    engine: AsyncEngine
    work: PostgresUnitOfWork
    routing: Routing
    turns: Turns

    async def thread(self, rows: int) -> ConversationRow:
        """A thread of so many rows, written by the statement that is fastest."""
        async with self.work.begin() as tx:
            made = await tx.conversations.ensure(
                TEAM,
                CHANNEL,
                f"1700000000.{rows:06}",
                desk_id=DESK,
                audience=Audience.PUBLIC,
                root_seq=1,
            )
            await tx.messages.append(_said(made.id, TALK.format(0), judged=True))
        async with self.engine.begin() as connection:
            values = {"id": made.id, "rows": rows, "talk": TALK.format("")}
            await connection.execute(_FILL, values)
            await connection.execute(_NUMBER, values)
        return replace(made, last_seq=rows)

    async def analyse(self) -> None:
        """Let the planner know the tables, as autovacuum does in time."""
        async with self.engine.begin() as connection:
            await connection.execute(text("analyze"))

    async def ask(self, thread: ConversationRow, clocks: _Clocks) -> None:
        """Ask once and time each step."""
        async with self.work.begin() as tx:
            await tx.messages.append(_said(thread.id, QUESTION, judged=False))
            at = time.perf_counter()
            await read_session(tx.messages, thread, SESSION_WINDOW)
            clocks.read.append(time.perf_counter() - at)
        at = time.perf_counter()
        routed = await self.routing.run(thread.id)
        clocks.route.append(time.perf_counter() - at)
        async with self.work.begin() as tx:
            turn = await tx.turns.open_turn(thread.id)
        if routed is not Routed.OPENED or turn is None:
            raise AssertionError(routed)
        at = time.perf_counter()
        spoken = await self.turns.run(turn.id)
        clocks.speak.append(time.perf_counter() - at)
        if spoken is not Spoken.COMMITTED:
            raise AssertionError(spoken)
        # the job that closing the turn defers: it judges the reply, and finds nothing more to do
        await self.routing.run(thread.id)


_FILL: Final = text(
    """
    insert into message (conversation_id, seq, role, author, ts, user_id, user_team_id, content,
        shown, addressed, wakes, mentions, traces, turn_id, referral_id, copy_of, judged, files,
        created_at)
    select conversation_id, n, role, author, '17000' || n || '.' || conversation_id, user_id,
        user_team_id, :talk || n, shown, addressed, wakes, mentions, traces, turn_id, referral_id,
        copy_of, judged, files, created_at
    from message, generate_series(2, :rows) as n
    where conversation_id = :id and seq = 1
    """
)
_NUMBER: Final = text("update conversation set last_seq = :rows where id = :id and :talk <> ''")


def _said(conversation_id: int, words: str, *, judged: bool) -> NewMessage:
    return NewMessage(
        conversation_id=conversation_id,
        role=MessageRole.SPEECH,
        author=PersonAuthor(ASKER, ""),
        content=words,
        user_id=ASKER,
        user_team_id=TEAM,
        addressed=not judged,
        wakes=True,
        judged=judged,
    )


@asynccontextmanager
async def _bench(place: DatabaseUrl, config: Path) -> AsyncGenerator[_Bench]:
    configuration = _generous(load(config).configuration)
    engine = create_engine(place)
    clock = SystemClock()
    work = PostgresUnitOfWork(engine, clock)
    policy = RunningPolicy(work, clock, configuration, from_canonical)
    directory = _Everybody()
    models = AgentModels({})
    try:
        await policy.adopt(configuration, canonical(configuration))
        yield _Bench(
            engine,
            work,
            Routing(work, policy, directory, clock),
            Turns(work, policy, models, directory, clock, embedder()),
        )
    finally:
        await engine.dispose()


def _generous(configuration: Configuration) -> Configuration:
    """The same desks without a budget that would end the run."""
    desks = tuple(replace(desk, budget=PLENTY) for desk in configuration.desks)
    return replace(configuration, desks=desks)
