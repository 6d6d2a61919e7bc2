"""How do stewards act in a test? What waits for them, and what they do about it."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.hive.gate import GateAct, GateState, GateWay, NoGateReason
from hivebot.services.gates import GateMove, GateStep
from hivebot.services.records.arrivals import ReactionChanged
from hivebot.services.records.gates import GateRow
from hivebot.services.records.outgoing import OutboxKind
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import OutboxRow
from tests.configurations import CONFIGURATION, with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.integration.services.stories import finish
from tests.integration.services.world import STEWARD, TEAM, World, key


def holding(
    desk_id: str, configuration: Configuration = CONFIGURATION, **changes: object
) -> Configuration:
    """A desk whose answers wait; `gates__expires_s` and the like are set beside."""
    return with_desk(desk_id, configuration, **{"gates__answers": True, **changes})


async def world_of(
    engine: AsyncEngine,
    clock: FakeClock,
    configuration: Configuration,
    models: ScriptedModels | None = None,
) -> World:
    """A world with another configuration."""
    made = (
        World(engine, clock, configuration)
        if models is None
        else World(engine, clock, configuration, models)
    )
    await made.install()
    return made


async def gates(world: World) -> list[GateRow]:
    """Every gate, in order."""
    ids = await world.rows("select id from gate order by id")
    async with world.work.begin() as tx:
        found = [await tx.gates.get(one) for (one,) in ids]
    return [row for row in found if row is not None]


async def gate(world: World) -> GateRow:
    """The newest gate."""
    return (await gates(world))[-1]


async def post_of(world: World, row: GateRow | None = None) -> OutboxRow:
    """The message of a gate, the newest unless it is named."""
    row = row or await gate(world)
    assert row.post_id is not None
    async with world.work.begin() as tx:
        found = await tx.outbox.get(row.post_id)
    assert found is not None
    return found


async def press(
    world: World,
    act: GateAct,
    words: str = "",
    *,
    by: str = STEWARD,
    row: GateRow | None = None,
    digest: str = "",
) -> NoGateReason | GateState | None:
    """Press a button under a gate, and carry out what it leads to."""
    row = row or await gate(world)
    post = await post_of(world, row)
    outcome = await world.gates.move(
        GateMove(
            TEAM,
            by,
            row.id,
            act,
            GateWay.BUTTON,
            words=words,
            shown_digest=digest or row.digest,
            channel_id=post.destination.channel_id,
            thread_ts=post.destination.thread_ts,
        )
    )
    await finish(world)
    return outcome


async def react(
    world: World, name: str, *, by: str = STEWARD, added: bool = True, event_id: str = ""
) -> GateStep:
    """Put a reaction under the newest gate, or take it away."""
    post = await post_of(world)
    arrival = ReactionChanged(
        key(event_id), post.destination.channel_id, post.ts[0], by, name, added
    )
    step = await world.gates.react(arrival)
    await finish(world)
    return step


async def told_privately(world: World) -> list[tuple[str, str, str]]:
    """(person, thread, text) of what single people were told, in order."""
    return [
        (row.destination.user_id, row.destination.thread_ts, row.body.text)
        for row in await world.outbox()
        if row.kind is OutboxKind.EPHEMERAL
    ]
