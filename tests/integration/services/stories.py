"""How is a whole story told in a test? What people say, and what it left behind."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import cast

from hivebot.adapters.config_files.canonical import canonical
from hivebot.services.ports import StoreConflictError, Transaction, UnitOfWork
from hivebot.services.records.arrivals import Audience, MessageArrived, Speaker
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.outgoing import OutboxKind
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import DecisionRow, MessageRow, OutboxRow, TurnRow
from hivebot.services.turns import TurnAgainError
from tests.integration.services.world import (
    PAYMENTS,
    World,
    said,
)

CANARY = "@hive the new ingest is ready: #canary, #revert or #ship?"


async def reload(world: World, configuration: Configuration) -> None:
    """Put another configuration in force."""
    await world.policies.adopt(configuration, canonical(configuration))


async def begin(world: World) -> None:
    """Store the configuration in force, as a process does when it starts."""
    await reload(world, world.configuration)


async def ask(
    world: World,
    words: str,
    channel_id: str = PAYMENTS,
    *,
    thread_ts: str = "",
    by: Speaker | None = None,
    addressed: bool | None = None,
    audience: Audience = Audience.PUBLIC,
) -> MessageArrived:
    """Let somebody say something, and carry out everything it leads to.

    `@hive` at the beginning addresses the bot, as the edge of the process finds out.
    """
    message = said(
        words,
        channel_id,
        thread_ts=thread_ts,
        by=by,
        addressed=words.startswith("@hive") if addressed is None else addressed,
        audience=audience,
    )
    await world.hear(message)
    await finish(world)
    return message


async def finish(world: World) -> None:
    """Carry out what waits, and try again what asks for it, until nothing is due."""
    while True:
        try:
            await world.work_off()
        except TurnAgainError:
            name, arguments = world.ran[-1]
            assert name == "speak"
            await _again(world, cast("int", arguments["turn_id"]))
        else:
            return


async def _again(world: World, turn_id: int) -> None:
    async with world.work.begin() as tx:
        turn = await tx.turns.get(turn_id)
        assert turn is not None
        await tx.jobs.speak(turn_id, turn.conversation_id)


async def until_spoken(world: World, turns: int) -> None:
    """Carry out jobs until so many turns were spoken, and what follows up to the next one."""
    await world.work_off("route", "deliver")
    for _ in range(turns):
        await speak_next(world)
        await world.work_off("route", "deliver")


async def speak_next(world: World) -> TurnRow:
    """Let the next turn be spoken and nothing else; the turn as it was before."""
    (taken,) = await world.rows(
        "delete from procrastinate_jobs where id = (select min(id) from procrastinate_jobs"
        " where status = 'todo' and task_name = 'speak') returning args"
    )
    (arguments,) = taken
    async with world.work.begin() as tx:
        turn = await tx.turns.get(arguments["turn_id"])
    assert turn is not None
    await world.turns.run(turn.id)
    return turn


async def decisions(world: World, fold: str = "") -> list[DecisionRow]:
    """Every decision, or those of a fold, in order."""
    ids = await world.rows("select id from decision order by id")
    async with world.work.begin() as tx:
        found = [await tx.decisions.get(one) for (one,) in ids]
    return [row for row in found if row is not None and fold in ("", row.fold)]


async def lines(world: World, channel_id: str, thread_ts: str = "") -> list[OutboxRow]:
    """Status and progress lines of a place, in order."""
    return [
        row
        for row in await world.outbox(channel_id)
        if row.kind is OutboxKind.LINE and row.destination.thread_ts == thread_ts
    ]


async def line(world: World, channel_id: str, thread_ts: str = "") -> OutboxRow:
    """The one line of a place."""
    (row,) = await lines(world, channel_id, thread_ts)
    return row


async def private(world: World, channel_id: str) -> list[str]:
    """What single people were told in a channel."""
    return [
        row.body.text for row in await world.outbox(channel_id) if row.kind is OutboxKind.EPHEMERAL
    ]


async def answers(world: World, channel_id: str, thread_ts: str = "") -> list[OutboxRow]:
    """What agents posted in a place, in order."""
    return [
        row
        for row in await world.outbox(channel_id)
        if row.kind is OutboxKind.POST and row.destination.thread_ts == thread_ts
    ]


async def episodes(world: World) -> list[EpisodeRow]:
    """Every deliberation, in order."""
    ids = await world.rows("select id from episode order by id")
    async with world.work.begin() as tx:
        found = [await tx.episodes.get(one) for (one,) in ids]
    return [row for row in found if row is not None]


async def episode(world: World) -> EpisodeRow:
    """The one deliberation."""
    (found,) = await episodes(world)
    return found


async def episode_log(world: World) -> tuple[MessageRow, ...]:
    """The rows of the one deliberation's own log."""
    found = await episode(world)
    async with world.work.begin() as tx:
        return await tx.messages.since(found.log_id, 0)


async def turns_of(world: World, *kinds: str) -> list[TurnRow]:
    """Turns of these kinds, in order of arrival."""
    return [turn for turn in await world.all_turns() if turn.kind.value in kinds]


class Flaky:
    """A unit of work of which so many transactions end in a conflict, after so many go well."""

    def __init__(self, work: UnitOfWork, conflicts: int, *, well: int = 0) -> None:
        self._work = work
        self._conflicts = conflicts
        self._well = well

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        """A transaction, perhaps in vain."""
        return self._begin()

    @asynccontextmanager
    async def _begin(self) -> AsyncGenerator[Transaction]:
        async with self._work.begin() as tx:
            yield tx
            if self._well:
                self._well -= 1
            elif self._conflicts:
                self._conflicts -= 1
                raise StoreConflictError("40001")
