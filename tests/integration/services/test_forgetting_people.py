"""Is a person who leaves gone from every table? `hivebot forget`. Source: datapath.md 7."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner, Result

from hivebot.entrypoints.forget_command import forget
from hivebot.hive.crossing import Audience as MemoryAudience
from hivebot.services.leaving import Leaving
from hivebot.services.lines import REMOVED
from hivebot.services.menus import Words
from hivebot.services.records.arrivals import Audience, MessageArrived
from hivebot.services.records.memories import Place, Sources
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Known
from tests.fakes.models import ScriptedModels
from tests.integration.memory.seeds import new
from tests.integration.services.test_erasure import WORD, found
from tests.integration.services.test_who_knows_command import EXAMPLE
from tests.integration.services.world import (
    ANA,
    BEN,
    PAYMENTS,
    PLATFORM,
    STEWARD,
    TEAM,
    World,
    edited,
    person,
    said,
)

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("logging_as_it_was")]

DIRECT = "D0ANA"


def by_ana(words: str, channel_id: str = PAYMENTS, **more: object) -> MessageArrived:
    message = said(words, channel_id, by=person(ANA))
    return replace(message, **more)  # pyright: ignore[reportArgumentType] - named by tests


async def hear(world: World, message: MessageArrived) -> None:
    """Let it arrive with everything of it in the payload, as Slack sends it."""
    event = {"channel": message.channel_id, "ts": message.ts, "text": message.text}
    payload: dict[str, object] = {"event": {**event, "user": message.speaker.user_id}}
    await world.intake.receive(message, payload)
    await world.work_off()


async def lived(world: World) -> MessageArrived:
    """Ana asks, is edited, crosses, writes privately and is remembered; the word is everywhere."""
    models = ScriptedModels()
    world.models = models
    told = AnswerTurn(Known.KNOWN, f"About your {WORD}: ask again.", (), (), NO_ASK)
    models.will("pia", "answer", told)
    question = by_ana(f"@#platform why does the {WORD} charge time out?")
    await hear(world, question)
    await world.hear(edited(question, f"@#platform why does the {WORD} charge fail?"))
    await hear(world, by_ana(f"is the {WORD} safe with you?", DIRECT, audience=Audience.DM))
    await hear(world, said("I think so too.", by=person(BEN), thread_ts=question.ts))
    async with world.work.begin() as tx:
        memory = await tx.memories.ensure(TEAM, "payments")
        (row, *_) = await tx.messages.find(TEAM, PAYMENTS, question.ts)
        place = (Place(MemoryAudience.PUBLIC, PAYMENTS),)
        sources = {"c1": Sources(message_ids=(row.id,)), "c2": Sources(user_ids=(ANA, BEN))}
        for name, source in sources.items():
            chunk = replace(new(name, places=place, sources=source).chunk, content=f"the {WORD}")
            await tx.memories.record(memory.id, new(chunk, places=place, sources=source))
    return question


def leaving(world: World) -> Leaving:
    return Leaving(world.work, world.erasure.receive, world.erasure.suggestions_of)


async def gone(world: World) -> Mapping[str, int]:
    counts = await leaving(world).forget(ANA)
    await world.work_off()
    return counts


async def test_no_word_of_theirs_is_in_any_table(world: World) -> None:
    question = await lived(world)
    assert await found(world) >= {
        "inbox_event.payload",
        "message.content",
        "message_revision.content",
        "outbox.body",
        "chunk.content",
        "turn.reply",
    }

    await gone(world)

    # what Pia has told Ben's thread is hers; it was in Ana's thread, and is her word
    holding = await world.rows(
        "select distinct desk_id, role from message join conversation on conversation.id ="
        " conversation_id where content like :word or shown like :word",
        word=f"%{WORD}%",
    )
    assert holding == [("payments", "speech")]
    assert await found(world) == {"message.content", "message.shown", "outbox.body", "turn.reply"}
    assert world.poster.texts(PLATFORM)[0] == f"({REMOVED})"
    assert [row.seq for row in await world.log(PAYMENTS, question.ts)] == [1, 2, 3, 4]


async def test_nothing_is_left_under_their_id(world: World) -> None:
    await lived(world)
    assert len(await found(world, ANA)) > 5

    await gone(world)

    assert await found(world, ANA) == set()


async def test_what_others_have_said_stays_and_names_them(world: World) -> None:
    await hear(world, said(f"@{ANA} knows", by=person(BEN)))
    await hear(world, by_ana("I do not"))

    await gone(world)

    assert await world.texts(PAYMENTS) == [f"@{ANA} knows", ""]


async def test_an_id_that_only_begins_like_theirs_is_left_alone(world: World) -> None:
    other = f"{ANA}B"
    await hear(world, said("mine", by=person(other)))
    await hear(world, by_ana("hers"))

    await gone(world)

    rows = await world.rows("select user_id, content from message order by id")
    assert rows == [(other, "mine"), ("", "")]
    assert f"{other}" in str(await world.rows("select author from message"))


async def test_a_second_time_there_is_nothing_left(world: World) -> None:
    await lived(world)
    first = await gone(world)
    assert (first["messages"], first["memories"]) == (3, 1)

    assert set((await gone(world)).values()) == {0}


async def test_what_they_have_suggested_goes_with_them(world: World) -> None:
    await hear(world, said("@pia how long does a refund take?", by=person(BEN)))
    (turn,) = await world.all_turns()
    words = Words(TEAM, ANA, f"{turn.id}:1", f"Ask the {WORD}.", teach=True)
    assert await world.menus.submit(words) == ""
    await world.work_off()
    assert await found(world) == {"suggestion.words", "outbox.body"}

    await gone(world)

    assert await found(world) == set()
    assert await found(world, ANA) == set()
    assert f"({REMOVED})" in world.poster.texts(PAYMENTS, said_in(world))


def said_in(world: World) -> str:
    return next(one.thread_ts for one in world.poster.shown if one.thread_ts)


async def test_whoever_was_forgotten_may_come_again(world: World) -> None:
    await lived(world)
    await gone(world)

    await hear(world, by_ana("@pia how long does a refund take?"))

    assert (await world.texts(PAYMENTS))[-1] == "@pia how long does a refund take?"
    assert (await leaving(world).look(ANA))["messages"] == 1


# --- the command ----------------------------------------------------------------------------------


async def run(url: str, *arguments: str, answer: str = "") -> Result:
    app = typer.Typer()
    app.command()(forget)
    environment = {"DATABASE_URL": url, "HIVEBOT_CONFIG": str(EXAMPLE)}
    return await asyncio.to_thread(
        CliRunner().invoke, app, list(arguments), input=answer, env=environment
    )


async def test_a_dry_run_says_what_would_go_and_changes_nothing(
    world: World, database_url: str
) -> None:
    await lived(world)
    before = await found(world)

    result = await run(database_url, ANA, "--dry-run")

    assert result.exit_code == 0, result.stderr
    assert "3 messages with all copies" in result.stdout
    assert "Nothing was changed." in result.stdout
    assert await found(world) == before


async def test_nothing_goes_before_it_was_confirmed(world: World, database_url: str) -> None:
    await lived(world)
    refused = await run(database_url, ANA, answer="n\n")
    assert (refused.exit_code, "Erased" in refused.stdout) == (0, False)

    done = await run(database_url, ANA, answer="y\n")

    assert "Erased: 3 messages with all copies" in done.stdout
    again = await run(database_url, ANA, "--yes")
    assert again.stdout == f"There is nothing of {ANA}.\n"


async def test_where_the_configuration_names_them_is_said(world: World, database_url: str) -> None:
    result = await run(database_url, STEWARD, "--yes")
    assert "admins, desks[payments].stewards" in result.stdout


@pytest.mark.parametrize("user", ["ana", "", "u0ana", "U0ANA'--", "<@U0ANA>"])
async def test_what_is_no_user_id_is_refused(database_url: str, user: str) -> None:
    result = await run(database_url, user, "--yes")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no user id" in result.stderr
