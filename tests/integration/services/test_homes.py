"""What stands on somebody's App Home? Source: product.md 9, rights.md 1."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.adapters.slack.home import DESKS_MAX, home_view
from hivebot.adapters.slack.limits import VIEW_BLOCKS_MAX
from hivebot.adapters.slack.shapes import as_list
from hivebot.entrypoints.homes import Homes
from hivebot.services.homes import home_of
from hivebot.services.ports import StoreUnavailableError
from hivebot.services.records.arrivals import HomeOpened
from hivebot.services.records.homes import Home, HomeDecision, HomeDesk
from tests.configurations import without_desk
from tests.fakes.clock import START
from tests.integration.services.stories import CANARY, ask, begin, reload
from tests.integration.services.test_commanding import Edge
from tests.integration.services.world import ANA, DATA, PAYMENTS, TEAM, World, key
from tests.unit.adapters.slack.stub import LIMITED, no, ok, slack

pytestmark = pytest.mark.integration

HERE = Edge(open={(ANA, DATA), (ANA, PAYMENTS)})


async def home(world: World, edge: Edge = HERE) -> Home:
    return await home_of(world.work, world.policies, edge, TEAM, ANA)


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

    found = await home(world, Edge(open={(ANA, PAYMENTS)}))
    assert [desk.id for desk in found.desks] == ["payments"]
    assert found.decisions == ()
    assert DATA not in str(home_view(found))
    assert await home(world, Edge()) == Home((), (), found.url)


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


def test_an_empty_home_says_so() -> None:
    view = str(home_view(Home((), ())))
    assert "no desk whose channel you can open" in view
    assert "Nothing has been decided yet" in view


def test_a_home_of_any_size_is_one_slack_takes_and_pings_nobody() -> None:
    desk = HomeDesk("d", "<!channel>", "C0D", "<@U0BEN> " * 2_000, ("A", "<!here>"))
    decision = HomeDecision("d", "C0D", "1.1", "<!everyone>", "decided", START)
    view = home_view(Home((desk,) * (DESKS_MAX + 5), (decision,) * 8, "https://x.slack.com/"))
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


class Shut(Edge):
    """Doors that nobody can say anything about."""

    async def may_open(self, team_id: str, user_id: str, channel_id: str) -> bool:
        raise StoreUnavailableError("away")


async def test_a_home_that_cannot_be_put_together_is_left_as_it_is(world: World) -> None:
    async with slack() as (stub, api):
        homes = Homes(world.work, world.policies, Shut(), api)
        homes.opened(opened())
        await homes.aclose()
        assert stub.made("views.publish") == []
