"""What came of a question, and why: is it told of both ends, in order, and to nobody else?"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import aiohttp
import pytest
from sqlalchemy import text

from hivebot.entrypoints.why import Accounts, serve_why
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.policy import Configuration
from tests.integration.services.stories import CANARY, answers, ask, begin, until_spoken
from tests.integration.services.world import (
    CONFIGURATION,
    DATA,
    PAYMENTS,
    PLATFORM,
    TEAM,
    World,
    deleted,
    said,
)

pytestmark = pytest.mark.integration

FAR = "@#platform does the gateway retry on 503?"
TOKEN = "a-token-of-the-test"
Told = dict[str, object]


def accounts(world: World) -> Accounts:
    return Accounts(world.work, world.policies, TEAM)


def parts(told: Mapping[str, object], name: str) -> list[Told]:
    return cast("list[Told]", told[name])


async def one(world: World, channel: str, thread_ts: str = "", ts: str = "") -> Told:
    (told,) = await accounts(world).of(channel, thread_ts, ts)
    return told


async def test_a_far_question_is_told_with_its_path_and_both_turns(world: World) -> None:
    asked = await ask(world, FAR)
    told = await one(world, PAYMENTS, asked.ts)
    (referral,) = parts(told, "referrals")
    assert referral["path"] == ["Payments", "Platform"]
    assert (referral["asker"], referral["target"], referral["state"]) == (
        "Pia",
        "Lasse",
        "answered",
    )
    assert [(turn["kind"], turn["name"]) for turn in parts(told, "turns")] == [
        ("referred", "Lasse"),
        ("sponsor", "Pia"),
    ]
    assert [each["fold"] for each in parts(told, "decisions")] == ["referral"]
    assert told["text"] == FAR


async def test_both_ends_and_each_message_lead_to_the_same_question(world: World) -> None:
    asked = await ask(world, FAR)
    (home,) = await answers(world, PAYMENTS, asked.ts)
    question, far = await answers(world, PLATFORM)
    here = await one(world, PAYMENTS, asked.ts)
    for channel, ts in (
        (PAYMENTS, asked.ts),
        (PAYMENTS, home.ts[0]),
        (PLATFORM, question.ts[0]),
        (PLATFORM, far.ts[0]),
    ):
        assert (await one(world, channel, ts=ts))["id"] == here["id"]
    assert (await one(world, PLATFORM))["id"] == here["id"]
    assert (await one(world, PAYMENTS))["id"] == here["id"]


async def test_words_said_elsewhere_are_not_told_at_the_far_end(world: World) -> None:
    await ask(world, FAR)
    told = await one(world, PLATFORM)
    assert (told["text"], len(parts(told, "referrals"))) == ("", 1)


async def test_a_question_of_a_private_channel_shows_others_their_own_turns_only(
    world: World,
) -> None:
    asked = await ask(world, FAR)
    await world.rows(
        "update conversation set audience = 'private' where channel_id = :c returning id",
        c=PAYMENTS,
    )
    there, here = await one(world, PLATFORM), await one(world, PAYMENTS, asked.ts)
    assert [turn["name"] for turn in parts(there, "turns")] == ["Lasse"]
    assert (there["referrals"], there["decisions"], there["episodes"]) == ([], [], [])
    assert (there["text"], there["user"], there["channel"]) == ("", "", "")
    assert len(parts(here, "turns")) == 2


async def test_a_deliberation_is_told_step_by_step_with_bids_and_standings(world: World) -> None:
    await begin(world)
    asked = await ask(world, CANARY, DATA)
    told = await one(world, DATA, asked.ts)
    (episode,) = parts(told, "episodes")
    steps = parts(episode, "steps")
    assert (episode["end"], episode["topic"], episode["verdict"]) == (
        "converged",
        "canary",
        "equal",
    )
    assert (episode["threshold"], episode["budget"]) == (3, 15)
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    first, last = steps[0], steps[-1]
    assert (first["what"], first["name"], first["visibility"]) == ("speak", "Anna", "blind")
    assert [bid["name"] for bid in parts(first, "bids")] == ["Anna", "Bert", "Carl", "Dora", "Eva"]
    assert first["text"]
    assert (last["what"], last["topics"], last["bids"]) == ("converged", ["canary"], [])
    (canary,) = [each for each in parts(last, "standings") if each["topic"] == "canary"]
    assert canary["supporters"] == ["Anna", "Bert", "Carl"]
    bids = [bid for step in steps for bid in parts(step, "bids")]
    assert all(
        bid["surplus"] == cast("int", bid["urge"]) - cast("int", bid["threshold"]) for bid in bids
    )
    turns = parts(told, "turns")
    for step in steps[:-1]:
        assert any(f"({step['reference']})" in str(turn["why"]) for turn in turns)


async def test_a_deliberation_is_told_while_it_runs(world: World) -> None:
    await begin(world)
    asked = said(CANARY, DATA, addressed=True)
    await world.hear(asked)
    await until_spoken(world, 2)
    looked = accounts(world)
    (told,) = await looked.of(DATA, asked.ts)
    (episode,) = parts(told, "episodes")
    before = len(parts(episode, "steps"))
    assert episode["end"] == ""
    assert [turn["state"] for turn in parts(told, "turns")][-1] == "authorised"
    await until_spoken(world, 1)
    (told,) = await looked.of(DATA, asked.ts)
    (episode,) = parts(told, "episodes")
    assert len(parts(episode, "steps")) == before + 1


async def test_what_has_ended_is_read_once_and_told_alike(world: World) -> None:
    await begin(world)
    asked = await ask(world, CANARY, DATA)
    looked = accounts(world)
    assert await looked.of(DATA, asked.ts) == await looked.of(DATA, asked.ts)


async def test_an_erased_question_is_told_without_its_words(world: World) -> None:
    asked = await ask(world, "@hive when does a refund reach the customer?")
    await world.hear(deleted(asked))
    told = await one(world, PAYMENTS, asked.ts)
    assert (told["erased"], told["text"]) == (True, "")


async def test_what_woke_nobody_and_what_is_not_there_is_no_question(world: World) -> None:
    asked = await ask(world, "good morning everybody")
    assert await accounts(world).of(PAYMENTS, asked.ts) == []
    assert await accounts(world).of(PAYMENTS, "", "1.1") == []
    assert await accounts(world).of("C0NONE", "") == []


async def test_the_latest_questions_of_a_channel_come_last(world: World) -> None:
    first = await ask(world, "@hive when does a refund reach the customer?")
    second = await ask(world, "@hive what about a chargeback?")
    told = await accounts(world).of(PAYMENTS, "")
    assert [each["thread_ts"] for each in told] == [first.ts, second.ts]


async def test_a_question_by_direct_message_is_told_there(world: World) -> None:
    asked = await ask(
        world, "when does a refund arrive?", "D0ANA", addressed=True, audience=Audience.DM
    )
    assert (await one(world, "D0ANA"))["ts"] == asked.ts


def test_desks_are_offered_with_their_agents(world: World) -> None:
    retired = tuple(replace(each, retired=each.id == "otto") for each in CONFIGURATION.agents)
    configuration: Configuration = replace(CONFIGURATION, agents=retired)
    offered = Accounts(
        world.work, World(world.engine, world.clock, configuration).policies, TEAM
    ).desks()
    assert [desk["id"] for desk in offered] == ["payments", "platform", "data"]
    assert [agent["id"] for agent in parts(offered[0], "agents")] == ["pia"]


# Over HTTP.


@asynccontextmanager
async def served(world: World) -> AsyncGenerator[tuple[str, aiohttp.ClientSession]]:
    async with serve_why(accounts(world), TOKEN) as url, aiohttp.ClientSession() as http:
        yield url, http


async def status(http: aiohttp.ClientSession, url: str, **headers: str) -> int:
    async with http.get(url, headers=headers) as response:
        return response.status


async def test_reasons_are_served_to_whoever_has_the_token(world: World) -> None:
    asked = await ask(world, "@hive when does a refund reach the customer?")
    given = {"Authorization": f"Bearer {TOKEN}"}
    async with served(world) as (url, http):
        assert url.startswith("http://127.0.0.1:")
        query = {"channel": PAYMENTS, "thread_ts": asked.ts}
        async with http.get(f"{url}/why", params=query, headers=given) as response:
            body = cast("dict[str, object]", await response.json())
        assert len(parts(body, "questions")) == 1
        async with http.get(f"{url}/desks", headers=given) as response:
            body = cast("dict[str, object]", await response.json())
        assert len(parts(body, "desks")) == 3


@pytest.mark.parametrize("given", ["", "Bearer wrong", "Bearer ü"])
async def test_reasons_are_refused_without_the_token(world: World, given: str) -> None:
    async with served(world) as (url, http):
        assert await status(http, f"{url}/desks", Authorization=given) == 401


@pytest.mark.parametrize("header", ["Host", "Origin"])
async def test_reasons_are_refused_to_web_pages(world: World, header: str) -> None:
    given = {"Authorization": f"Bearer {TOKEN}", header: "http://evil.test"}
    async with served(world) as (url, http):
        assert await status(http, f"{url}/desks", **given) == 403


async def test_without_a_token_nobody_is_served(world: World) -> None:
    async with serve_why(accounts(world), "") as url, aiohttp.ClientSession() as http:
        assert await status(http, f"{url}/desks", Authorization="Bearer ") == 403


async def test_reasons_that_cannot_be_read_are_said_to_be_away(world: World) -> None:
    given = {"Authorization": f"Bearer {TOKEN}"}
    async with world.engine.begin() as connection:
        await connection.execute(text("alter table conversation rename to elsewhere"))
    async with served(world) as (url, http):
        assert await status(http, f"{url}/why?channel={PAYMENTS}", **given) == 503
