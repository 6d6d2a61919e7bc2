"""Is a slash command answered in time, and privately, whatever it takes?"""

from __future__ import annotations

import asyncio

import pytest

from hivebot.adapters.slack.api import SlackApi
from hivebot.entrypoints.commands import AWAY, LATER, Commands, SlackVoice, private
from hivebot.services.commanding import Commanding
from hivebot.services.knowing import Knowing
from hivebot.services.ports import StoreUnavailableError
from hivebot.services.records.outgoing import Body, OutboxKind, SendFailure
from hivebot.services.records.reloads import KeptOld, Reloaded
from tests.integration.services.test_commanding import Edge
from tests.integration.services.world import ANA, DATA, STEWARD, TEAM, World
from tests.unit.adapters.slack.payloads import CONTEXT
from tests.unit.adapters.slack.stub import StubSlack, no, ok, slack

pytestmark = pytest.mark.integration


class Slow(Edge):
    """Files that take a while to read."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.away = fails
        self.go_on = asyncio.Event()

    async def reload(self) -> Reloaded | KeptOld:
        await self.go_on.wait()
        if self.away:
            raise StoreUnavailableError("away")
        return self.reloads


def commands(world: World, edge: Edge, within_s: float) -> Commands:
    commanding = Commanding(
        work=world.work,
        policies=world.policies,
        directory=world.directory,
        doors=edge,
        voice=edge,
        reload=edge.reload,
        who_knew=Knowing(world.work, world.policies).who_knows,
    )
    return Commands(world.work, world.policies, commanding, within_s=within_s)


def typed(words: str, user_id: str = STEWARD) -> dict[str, object]:
    return {"team_id": TEAM, "channel_id": DATA, "user_id": user_id, "text": words}


async def finished() -> None:
    """Wait for what goes on behind the answer."""
    going_on = [task for task in asyncio.all_tasks() if task.get_name() == "command later"]
    async with asyncio.timeout(10):
        await asyncio.gather(*going_on)


async def test_what_takes_longer_than_slack_waits_is_answered_by_a_message(world: World) -> None:
    edge = Slow()
    told = await commands(world, edge, 0.001).command(typed("reload"), CONTEXT)
    assert told == private(LATER)
    assert await world.outbox() == []

    edge.go_on.set()
    await finished()
    (row,) = await world.outbox(DATA)
    assert row.kind is OutboxKind.EPHEMERAL
    assert row.destination.user_id == STEWARD
    assert "Nothing has changed" in row.body.text


async def test_what_fails_behind_the_answer_fails_quietly(world: World) -> None:
    edge = Slow(fails=True)
    await commands(world, edge, 0.001).command(typed("reload"), CONTEXT)
    edge.go_on.set()
    await finished()
    assert await world.outbox() == []


async def test_while_the_database_is_away_it_says_that_nothing_was_done(world: World) -> None:
    edge = Slow(fails=True)
    edge.go_on.set()
    assert await commands(world, edge, 5).command(typed("reload"), CONTEXT) == private(AWAY)


async def test_what_is_done_in_time_is_the_answer(world: World) -> None:
    told = await commands(world, Edge(), 5).command(typed("help", ANA), CONTEXT)
    assert told["response_type"] == "ephemeral"
    assert "/hive ask" in str(told["text"])


async def test_an_answer_of_any_length_is_one_message() -> None:
    told = private(Body(text="word " * 20_000))
    assert len(str(told["blocks"])) < 20_000


@pytest.mark.parametrize("payload", [{}, {"team": {"id": TEAM}, "message": "none"}])
async def test_a_shortcut_that_points_at_nothing_is_unknown(
    world: World, payload: dict[str, object]
) -> None:
    assert await commands(world, Edge(), 5).shortcut(payload) == "unknown"


async def said(stub: StubSlack, api: SlackApi) -> str | SendFailure:
    return await SlackVoice(api).say(TEAM, DATA, "Ana asks: <!channel> & <@U0BEN>?")


async def test_a_posted_question_pings_nobody() -> None:
    async with slack() as (stub, api):
        stub.will_say("chat.postMessage", ok(ts="1.1"), no("not_in_channel"))
        assert await said(stub, api) == "1.1"
        (made,) = stub.made("chat.postMessage")
        assert "<" not in str(made["text"])
        refused = await said(stub, api)
    assert isinstance(refused, SendFailure)
    assert refused.kind == "not_member"
