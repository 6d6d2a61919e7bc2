"""What do tests of the use cases stand on? Everything real but Slack, the clock and the queue.

The jobs a use case defers are rows of the real queue; `work_off` carries them out, one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.config_files import from_canonical, load
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.adapters.llm.models import AgentModels
from hivebot.services.delivery import Delivery
from hivebot.services.erasure import Erased, Erasure
from hivebot.services.gates import Gates, GateStep, Proxy
from hivebot.services.intake import Intake, Receipt
from hivebot.services.menus import AnswerMenus
from hivebot.services.policy import RunningPolicy
from hivebot.services.ports import Models
from hivebot.services.ports.embedding import Embedder
from hivebot.services.presses import Presses
from hivebot.services.records.arrivals import (
    Arrival,
    Audience,
    EventKey,
    MessageArrived,
    MessageChanged,
    MessageDeleted,
    Speaker,
    SpeakerKind,
)
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRow,
    OutboxRow,
    ReferralRow,
    TurnRow,
    WorkspaceRow,
)
from hivebot.services.routing import Routing
from hivebot.services.turns import Turns
from hivebot.services.upkeep import Upkeep
from tests.fakes.clock import FakeClock
from tests.fakes.embedders import BagEmbedder
from tests.fakes.poster import FakeDirectory, FakePoster, home_person, public_channel

TEAM = "T0HIVE"
ANA, BEN, STEWARD, BOT = "U0ANA", "U0BEN", "U0STEW", "U0BOT"
PAYMENTS, PLATFORM, DATA, ADMINS = "C0PAY", "C0PLAT", "C0DATA", "C0OPS"
WORKSPACE = WorkspaceRow(TEAM, "https://hive.slack.com", BOT, "B0BOT", "A0HIVE")
CONFIGURATION: Configuration = load(Path("config") / "hivebot.yaml").configuration

_numbers = count(1)


def next_ts() -> str:
    """A ts nothing else has, earlier than anything the fake poster posts."""
    return f"1700000050.{next(_numbers):06}"


def key(event_id: str = "", team_id: str = TEAM) -> EventKey:
    """An event's key; a new one each time unless it is named."""
    return EventKey(team_id, event_id or f"Ev{next(_numbers)}", 1_700_000_050)


def person(user_id: str = ANA, team_id: str = TEAM) -> Speaker:
    return Speaker(SpeakerKind.PERSON, user_id, team_id)


def said(
    words: str,
    channel_id: str = PAYMENTS,
    *,
    ts: str = "",
    thread_ts: str = "",
    by: Speaker | None = None,
    event_id: str = "",
    addressed: bool = False,
    audience: Audience = Audience.PUBLIC,
) -> MessageArrived:
    """A message of Ana's, unless told otherwise; `dataclasses.replace` for what is rarer."""
    return MessageArrived(
        key=key(event_id),
        channel_id=channel_id,
        audience=audience,
        ts=ts or next_ts(),
        thread_ts=thread_ts,
        speaker=by or person(),
        text=words,
        addressed=addressed,
    )


def edited(
    message: MessageArrived, words: str, *, event_id: str = "", addressed: bool = False
) -> MessageChanged:
    """The same message with other words."""
    return MessageChanged(
        key=key(event_id),
        channel_id=message.channel_id,
        audience=message.audience,
        ts=message.ts,
        thread_ts=message.thread_ts,
        speaker=message.speaker,
        text=words,
        addressed=addressed,
        edited_ts=next_ts(),
    )


def deleted(message: MessageArrived, *, event_id: str = "") -> MessageDeleted:
    """The same message, gone."""
    return MessageDeleted(key(event_id), message.channel_id, message.ts, message.thread_ts)


def payload_of(arrival: Arrival) -> dict[str, object]:
    """The event as Slack would have sent it, as far as storing it matters."""
    event: dict[str, object] = {"type": type(arrival).__name__}
    for name in ("channel_id", "ts", "thread_ts", "text"):
        value = getattr(arrival, name, "")
        if value:
            event["channel" if name == "channel_id" else name] = value
    return {"team_id": arrival.key.team_id, "event_id": arrival.key.event_id, "event": event}


@dataclass(slots=True)
class World:
    """The use cases on one database.

    Attributes:
        directory: Ana, Ben and the steward are home people; all desks' channels are public.
        ran: Names and arguments of the jobs carried out, in order.
    """

    engine: AsyncEngine
    clock: FakeClock
    configuration: Configuration = CONFIGURATION
    models: Models = field(default_factory=lambda: AgentModels({}))
    poster: FakePoster = field(default_factory=FakePoster)
    directory: FakeDirectory = field(
        default_factory=lambda: FakeDirectory(
            people=[home_person(ANA, "Ana"), home_person(BEN, "Ben"), home_person(STEWARD, "Stew")],
            channels=[
                public_channel(PAYMENTS, "payments"),
                public_channel(PLATFORM, "platform"),
                public_channel(DATA, "data"),
                public_channel(ADMINS, "ops"),
            ],
        )
    )
    embedder: Embedder = field(default_factory=BagEmbedder)
    roll: float = 0.5
    ran: list[tuple[str, dict[str, object]]] = field(
        default_factory=list[tuple[str, dict[str, object]]]
    )
    work: PostgresUnitOfWork = field(init=False)
    policies: RunningPolicy = field(init=False)

    def __post_init__(self) -> None:
        self.work = PostgresUnitOfWork(self.engine, self.clock)
        self.policies = RunningPolicy(self.work, self.clock, self.configuration, from_canonical)

    # The use cases.

    @property
    def intake(self) -> Intake:
        return Intake(self.work, self.policies, self.clock)

    @property
    def erasure(self) -> Erasure:
        return Erasure(self.work, self.clock)

    @property
    def gates(self) -> Gates:
        proxy = Proxy(self.work, self.models, self.embedder, self.clock, lambda: self.roll)
        return Gates(self.work, self.policies, self.directory, self.clock, proxy)

    @property
    def menus(self) -> AnswerMenus:
        return AnswerMenus(self.work, self.policies, self.directory, self.clock)

    @property
    def presses(self) -> Presses:
        return Presses(self.work, self.policies)

    @property
    def routing(self) -> Routing:
        return Routing(self.work, self.policies, self.directory, self.clock)

    @property
    def turns(self) -> Turns:
        return Turns(
            self.work, self.policies, self.models, self.directory, self.clock, self.embedder
        )

    @property
    def delivery(self) -> Delivery:
        return Delivery(self.work, self.policies, self.poster, self.directory, self.clock)

    @property
    def upkeep(self) -> Upkeep:
        return Upkeep(self.work, self.policies, self.clock)

    # What a test does.

    async def install(self, workspace: WorkspaceRow = WORKSPACE) -> None:
        """Store an installation."""
        async with self.work.begin() as tx:
            await tx.workspaces.put(workspace)

    async def hear(self, arrival: Arrival) -> Receipt | Erased:
        """Let something arrive, as the edge of the process does."""
        if isinstance(arrival, MessageDeleted):
            return await self.erasure.receive(arrival)
        heard = (
            isinstance(arrival, MessageArrived)
            and await self.gates.reply(arrival) is not GateStep.NOTHING
        )
        return await self.intake.receive(arrival, payload_of(arrival), heard=heard)

    async def work_off(self, *names: str) -> None:
        """Carry out waiting jobs in order until none is due; with names, only such jobs."""
        while (job := await self._take(names)) is not None:
            name, arguments = job
            self.ran.append(job)
            await self._carry_out(name, arguments)

    async def jobs(self) -> list[tuple[str, dict[str, object]]]:
        """Name and arguments of every job that waits, in order."""
        found = await self.rows(
            "select task_name, args from procrastinate_jobs where status = 'todo' order by id"
        )
        return [(str(name), arguments) for name, arguments in found]

    # What a test looks at.

    async def rows(self, statement: str, **values: object) -> list[Sequence[Any]]:
        """What a query gives."""
        async with self.engine.begin() as connection:
            return list((await connection.execute(text(statement), values)).all())

    async def place(self, channel_id: str, thread_ts: str = "") -> ConversationRow:
        """A conversation that must be there."""
        async with self.work.begin() as tx:
            found = await tx.conversations.find(TEAM, channel_id, thread_ts)
        assert found is not None, f"no conversation {channel_id} {thread_ts}"
        return found

    async def log(self, channel_id: str, thread_ts: str = "") -> tuple[MessageRow, ...]:
        """Every row of a conversation, oldest first; () when there is none."""
        async with self.work.begin() as tx:
            found = await tx.conversations.find(TEAM, channel_id, thread_ts)
            return await tx.messages.since(found.id, 0) if found is not None else ()

    async def texts(self, channel_id: str, thread_ts: str = "") -> list[str]:
        """What a conversation's rows say, oldest first."""
        return [row.content for row in await self.log(channel_id, thread_ts)]

    async def outbox(self, channel_id: str = "") -> list[OutboxRow]:
        """Wanted messages of a channel, or of all, in order."""
        ids = await self.rows("select id, channel_id from outbox order by id")
        async with self.work.begin() as tx:
            found = [await tx.outbox.get(one) for one, place in ids if channel_id in ("", place)]
        return [row for row in found if row is not None]

    async def all_turns(self) -> list[TurnRow]:
        """Every turn, in order of arrival."""
        ids = await self.rows("select id from turn order by id")
        async with self.work.begin() as tx:
            found = [await tx.turns.get(one) for (one,) in ids]
        return [row for row in found if row is not None]

    async def all_referrals(self) -> list[ReferralRow]:
        """Every referral, in order of arrival."""
        ids = await self.rows("select id from referral order by id")
        async with self.work.begin() as tx:
            found = [await tx.referrals.get(one) for (one,) in ids]
        return [row for row in found if row is not None]

    # How jobs are carried out.

    async def _take(self, names: tuple[str, ...]) -> tuple[str, dict[str, object]] | None:
        found = await self.rows(
            "delete from procrastinate_jobs where id = (select min(id) from"
            " procrastinate_jobs where status = 'todo' and (scheduled_at is null or"
            " scheduled_at <= :now) and (task_name = any(:names) or cardinality(:names) = 0))"
            " returning task_name, args",
            now=self.clock.now(),
            names=list(names),
        )
        return (str(found[0][0]), found[0][1]) if found else None

    async def _carry_out(self, name: str, arguments: dict[str, object]) -> None:
        match name, arguments:
            case "route", {"conversation_id": int(conversation_id)}:
                await self.routing.run(conversation_id)
            case "speak", {"turn_id": int(turn_id)}:
                await self.turns.run(turn_id)
            case "deliver", {"team_id": str(team_id), "channel_id": str(channel_id)}:
                again = await self.delivery.run(team_id, channel_id)
                if again is not None:
                    await self._deliver_again(team_id, channel_id, again)
            case "open_gate", {"gate_id": int(gate_id)}:
                await self.gates.open(gate_id)
            case "settle_gate", {"gate_id": int(gate_id)}:
                await self.gates.settle(gate_id)
            case _:
                raise AssertionError(f"no such job: {name} {arguments}")

    async def _deliver_again(self, team_id: str, channel_id: str, at: datetime) -> None:
        async with self.work.begin() as tx:
            await tx.jobs.deliver(team_id, channel_id, at)
