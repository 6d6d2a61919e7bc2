"""What stands on somebody's App Home? Source: product.md 9, rights.md 1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.slack.home import DESKS_MAX, home_view
from hivebot.adapters.slack.limits import VIEW_BLOCKS_MAX
from hivebot.adapters.slack.shapes import as_list
from hivebot.entrypoints.homes import Homes
from hivebot.hive.gate import GateAct
from hivebot.services.homes import Surroundings, home_of
from hivebot.services.ports import StoreUnavailableError
from hivebot.services.records.arrivals import HomeOpened
from hivebot.services.records.homes import Home, HomeDecision, HomeDesk, HomeGate
from tests.configurations import without_desk
from tests.fakes.clock import START, FakeClock
from tests.fakes.poster import FakeDirectory, home_person
from tests.integration.services.stewards import gates, holding, post_of, press, world_of
from tests.integration.services.stories import CANARY, ask, begin, reload
from tests.integration.services.test_commanding import Edge
from tests.integration.services.world import ANA, DATA, PAYMENTS, STEWARD, TEAM, World, key, said
from tests.unit.adapters.slack.stub import LIMITED, no, ok, slack

pytestmark = pytest.mark.integration


class Around(FakeDirectory, Edge):
    """Home people, who can open what a test says."""

    def __init__(self, *opened: tuple[str, str], people: tuple[str, ...] = (ANA, STEWARD)) -> None:
        FakeDirectory.__init__(self, [home_person(one) for one in people])
        Edge.__init__(self, open=set(opened))


HERE = Around((ANA, DATA), (ANA, PAYMENTS))


async def home(world: World, around: Surroundings = HERE, user_id: str = ANA) -> Home:
    return await home_of(world.work, world.policies, around, TEAM, user_id)


async def test_desks_that_can_be_opened_and_what_they_decided_are_shown(world: World) -> None:
    await begin(world)
    asked = await ask(world, CANARY, DATA)

    found = await home(world)
    assert [desk.id for desk in found.desks] == ["payments", "data"]
    assert found.desks[0].members[0] == "Pia"
    (decision,) = found.decisions
    assert (decision.desk_id, decision.said, decision.how) == ("data", "canary", "decided")
    assert decision.thread_ts == asked.ts
    view = str(home_view(found))
    assert f"<#{DATA}>" in view
    assert f"https://hive.slack.com/archives/{DATA}/p" in view


async def test_nothing_of_a_desk_that_cannot_be_opened_is_shown(world: World) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)

    found = await home(world, Around((ANA, PAYMENTS)))
    assert [desk.id for desk in found.desks] == ["payments"]
    assert found.decisions == ()
    assert DATA not in str(home_view(found))
    assert await home(world, Around()) == Home((), (), (), found.url)


async def test_a_desk_that_is_bound_elsewhere_now_keeps_what_it_decided_to_itself(
    world: World,
) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)
    moved = without_desk("payments")
    desks = tuple(
        replace(one, channel=PAYMENTS) if one.id == "data" else one for one in moved.desks
    )
    await reload(world, replace(moved, desks=desks))
    assert (await home(world)).decisions == ()


@pytest.fixture
async def held(engine: AsyncEngine, clock: FakeClock) -> World:
    """A world in which an answer of #payments waits."""
    world = await world_of(engine, clock, holding("payments"))
    await ask(world, "@hive how long does a refund take?")
    return world


async def test_what_waits_for_a_steward_is_listed_and_linked_without_its_words(
    held: World,
) -> None:
    found = await home(held, Around((STEWARD, PAYMENTS)), STEWARD)
    (waits,) = found.gates
    assert (waits.desk_id, waits.what) == ("payments", "An answer waits to be sent")
    (ts,) = (await post_of(held)).ts
    view = str(home_view(found))
    assert f"https://hive.slack.com/archives/{PAYMENTS}/p{ts.replace('.', '')}|open" in view
    assert "Waits for you" in view
    assert "five working days" not in view
    await press(held, GateAct.APPROVE)
    assert (await home(held, Around((STEWARD, PAYMENTS)), STEWARD)).gates == ()


@pytest.mark.parametrize(
    ("around", "user_id"),
    [
        (Around((ANA, PAYMENTS)), ANA),
        (Around((STEWARD, DATA)), STEWARD),
        (Around((STEWARD, PAYMENTS), people=()), STEWARD),
    ],
    ids=["no steward", "cannot open it", "nobody Slack knows"],
)
async def test_nobody_else_sees_that_it_waits(held: World, around: Around, user_id: str) -> None:
    assert (await home(held, around, user_id)).gates == ()


async def test_what_nobody_was_shown_yet_is_on_nobodys_home(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = await world_of(engine, clock, holding("payments"))
    await world.hear(said("@hive how long does a refund take?", addressed=True))
    await world.work_off("route", "speak")
    assert len(await gates(world)) == 1
    assert (await home(world, Around((STEWARD, PAYMENTS)), STEWARD)).gates == ()
    await world.work_off("open_gate")
    (waits,) = (await home(world, Around((STEWARD, PAYMENTS)), STEWARD)).gates
    assert waits.ts == ""


def test_an_empty_home_says_so() -> None:
    view = str(home_view(Home((), ())))
    assert "no desk whose channel you can open" in view
    assert "Nothing has been decided yet" in view


def test_a_home_of_any_size_is_one_slack_takes_and_pings_nobody() -> None:
    desk = HomeDesk("d", "<!channel>", "C0D", "<@U0BEN> " * 2_000, ("A", "<!here>"))
    decision = HomeDecision("d", "C0D", "1.1", "<!everyone>", "decided", START)
    gate = HomeGate("<!here>", "<@U0BEN>", "C0D", "1.1", START)
    view = home_view(
        Home((desk,) * (DESKS_MAX + 5), (decision,) * 8, (gate,) * 20, "https://x.slack.com/")
    )
    assert len(as_list(view["blocks"])) < VIEW_BLOCKS_MAX
    assert "and 5 more" in str(view)
    assert "<!channel" not in str(view)
    assert "<@U" not in str(view)
    assert "<!here" not in str(view)
    assert "<!everyone" not in str(view)


def opened(tab: str = "home") -> HomeOpened:
    return HomeOpened(key(), ANA, tab)


async def test_an_opened_home_is_published_to_whoever_opened_it(world: World) -> None:
    async with slack() as (stub, api):
        stub.will_say("views.publish", ok())
        homes = Homes(world.work, world.policies, HERE, api)
        homes.opened(opened())
        homes.opened(opened("messages"))
        await homes.aclose()
        (made,) = stub.made("views.publish")
        assert made["user_id"] == ANA
        assert "Desks" in str(made["view"])


async def test_where_the_app_has_no_home_it_is_tried_once(world: World) -> None:
    async with slack() as (stub, api):
        stub.will_say("views.publish", LIMITED, no("not_enabled"), ok())
        homes = Homes(world.work, world.policies, HERE, api)
        for _ in range(4):
            homes.opened(opened())
            await homes.aclose()
        assert len(stub.made("views.publish")) == 2


class Shut(Around):
    """Doors that nobody can say anything about."""

    async def may_open(self, team_id: str, user_id: str, channel_id: str) -> bool:
        raise StoreUnavailableError("away")


async def test_a_home_that_cannot_be_put_together_is_left_as_it_is(world: World) -> None:
    async with slack() as (stub, api):
        homes = Homes(world.work, world.policies, Shut(), api)
        homes.opened(opened())
        await homes.aclose()
        assert stub.made("views.publish") == []
