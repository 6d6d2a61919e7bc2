"""Can a decision be taken again from the rows, and is it told why? datapath.md 6, product.md 7."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import typer
from sqlalchemy.ext.asyncio import AsyncEngine
from typer.testing import CliRunner, Result

from hivebot.adapters.config_files import from_canonical
from hivebot.entrypoints.replay_command import replay
from hivebot.hive.crossing import Reach, ReachKind
from hivebot.hive.referral import Reach as ReferralReach
from hivebot.hive.referral import ReferralPolicy
from hivebot.services.audit import Audit, Compared, Replay
from hivebot.services.policy import RunningPolicy
from hivebot.services.records.policy import Consult, DeskMode
from hivebot.services.records.replies import Ask, ConsultTurn
from tests.configurations import CONFIGURATION, with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels
from tests.integration.services.stories import (
    CANARY,
    answers,
    ask,
    begin,
    episode,
    finish,
    reload,
    speak_next,
    turns_of,
    until_spoken,
)
from tests.integration.services.world import DATA, PAYMENTS, PLATFORM, TEAM, World, edited, said

pytestmark = pytest.mark.integration

EXAMPLE = Path("config") / "hivebot.yaml"


def audit(world: World) -> Audit:
    return Audit(world.work, world.policies)


async def replayed(world: World) -> Replay:
    found = await audit(world).replay((await episode(world)).id)
    assert found is not None
    return found


async def why(world: World, kind: str, number: int = 0) -> str:
    turn = (await turns_of(world, kind))[number]
    said = await audit(world).why(turn.id)
    assert said is not None
    return said


# Replay.


async def test_every_step_comes_out_as_it_is_recorded(world: World) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)

    found = await replayed(world)
    assert found.verdict is Compared.EQUAL
    assert [step.verdict for step in found.steps] == [Compared.EQUAL] * 13
    assert [step.speaker_id for step in found.steps[:6]] == [
        "anna",
        "bert",
        "carl",
        "dora",
        "eva",
        "anna",
    ]
    assert found.steps[-1].speaker_id == ""


async def test_it_is_taken_again_under_the_revision_of_then(world: World) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)
    await reload(world, with_desk("data", episode__policy__dominance_cap=1))

    assert (await replayed(world)).verdict is Compared.EQUAL


async def test_a_revision_that_is_not_kept_makes_it_different(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    world = World(engine, clock)
    await ask(world, CANARY, DATA)
    changed = with_desk("data", episode__policy__dominance_cap=1)
    world.policies = RunningPolicy(world.work, clock, changed, from_canonical)

    found = await replayed(world)
    assert found.verdict is Compared.DIFFERENT
    assert "is not kept any more" in found.steps[0].parts[0]


async def test_an_edit_changes_nothing_of_what_was_decided_before_it(world: World) -> None:
    message = said(CANARY, DATA, addressed=True)
    await world.hear(message)
    await until_spoken(world, 7)
    await world.hear(edited(message, f"{CANARY} please", addressed=True))
    await finish(world)

    found = await replayed(world)
    assert found.verdict is Compared.EQUAL
    assert len(found.steps) == 13


async def test_a_row_that_was_erased_is_no_failure(world: World) -> None:
    await ask(world, CANARY, DATA)
    log = (await episode(world)).log_id
    await world.rows(
        "update message set deleted_at = now(), content = '' where conversation_id = :log"
        " and seq = 5 returning id",
        log=log,
    )

    found = await replayed(world)
    assert found.verdict is Compared.ERASED
    verdicts = [step.verdict for step in found.steps]
    assert verdicts == [Compared.EQUAL] * 4 + [Compared.ERASED] * 9


async def test_a_row_that_was_changed_behind_its_back_is_different(world: World) -> None:
    await ask(world, CANARY, DATA)
    log = (await episode(world)).log_id
    await world.rows(
        "update message set content = '!evidence #ship for(5): x' where conversation_id = :log"
        " and seq = 2 returning id",
        log=log,
    )

    found = await replayed(world)
    assert found.verdict is Compared.DIFFERENT
    assert found.steps[0].verdict is Compared.EQUAL
    assert found.steps[1].parts == ("row 2 has other words than it had",)


async def test_a_record_that_was_changed_is_different_in_that_part(world: World) -> None:
    await ask(world, CANARY, DATA)
    await world.rows(
        "update decision set result = jsonb_set(result, '{at}', '99') where fold = 'step'"
        " and id = (select min(id) from decision where fold = 'step') returning id"
    )

    found = await replayed(world)
    assert [step.verdict for step in found.steps[:2]] == [Compared.DIFFERENT, Compared.EQUAL]
    assert found.steps[0].parts == ("at",)


async def test_a_record_that_cannot_be_read_is_different(world: World) -> None:
    await ask(world, CANARY, DATA)
    await world.rows(
        "update decision set input = '{}', result = '{}' where fold = 'step' returning id"
    )

    found = await replayed(world)
    assert found.verdict is Compared.DIFFERENT
    assert found.steps[0].recorded is None
    assert found.steps[0].parts[0].startswith("unreadable: ")


async def test_an_episode_that_is_not_there_is_nothing_to_replay(world: World) -> None:
    assert await audit(world).replay(77) is None


async def test_one_that_never_came_to_a_step_is_equal(
    scripted: World, models: ScriptedModels
) -> None:
    await ask(scripted, "@hive when are the dashboards refreshed?", DATA)

    found = await replayed(scripted)
    assert (found.verdict, found.steps) == (Compared.EQUAL, ())


# Why this speaker.


async def test_why_a_member_had_the_floor_names_the_runner_up(world: World) -> None:
    await ask(world, CANARY, DATA)

    assert await why(world, "episode") == (
        "Anna had the floor because nothing was on the floor yet: 0 above the threshold (pull 0). "
        "Bert wanted it as much and comes later on the desk. It was turn 1, while members did not "
        "see one another. (D2)"
    )
    seventh = await why(world, "episode", 6)
    assert seventh.startswith(
        "Bert had the floor because somebody else had answered or cited what Bert said: "
    )
    assert "2,000 for being addressed" in seventh
    assert "Carl wanted it as much and comes later on the desk." in seventh
    eighth = await why(world, "episode", 7)
    assert "Next was Bert with 22,711 (addressed). It was turn 8." in eighth
    assert "to put on record what the desk agreed on" in await why(world, "episode", 11)


async def test_why_a_lead_answered(world: World) -> None:
    await ask(world, "@hive how long does a refund take?")

    assert await why(world, "answer") == (
        "Pia answered because Pia leads the desk. Next on the desk is Otto. (D1)"
    )


async def test_why_a_named_member_answered(world: World) -> None:
    await ask(world, "@otto what about chargebacks?")

    assert await why(world, "answer") == (
        "Otto answered because Otto was named in the question. (D1)"
    )


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("otto", "Otto answered because the desk's selector picked Otto for this question."),
        ("x", "Pia answered because Pia leads the desk; the selector named nobody of the desk."),
        (None, "Pia answered because Pia leads the desk; no selector said who should answer"),
    ],
)
async def test_why_the_selector_picked(
    engine: AsyncEngine,
    clock: FakeClock,
    models: ScriptedModels,
    output: str | None,
    told: str,
) -> None:
    configuration = with_desk("payments", mode=DeskMode.SELECT, selector_model="openai:gpt-5-nano")
    world = World(engine, clock, configuration, models=models)
    models.pick(output)
    await ask(world, "@hive what about chargebacks?")

    assert (await why(world, "answer")).startswith(told)


async def test_why_a_far_agent_answered_and_who_told_it(world: World) -> None:
    await ask(world, "@#platform does the gateway retry on 503?")

    assert await why(world, "referred") == (
        "#payments put a question to #platform, and Lasse is the first there who may answer. "
        "Exactly one agent answers a far question (D1)."
    )
    assert await why(world, "sponsor") == (
        "Pia had the question put to #platform and tells what came of it (D1)."
    )


async def test_why_an_agent_that_was_named_answered_from_afar(world: World) -> None:
    await ask(world, "@greta how long does failover take?")

    assert "Greta was asked by name" in await why(world, "referred")


async def test_why_the_lead_answers_instead_of_the_desk(world: World) -> None:
    await ask(world, "@hive when are the dashboards refreshed?", DATA)

    assert await why(world, "framing") == (
        "Anna leads the desk, and the lead says between what the desk decides."
    )
    assert await why(world, "answer") == (
        "The desk did not deliberate (there is nothing to decide between), and Anna leads it. "
        "Next on the desk is Bert."
    )


async def test_why_the_lead_asks_and_passes_on_what_came_late(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    crossing = ReferralPolicy(enabled=True, max_hops=2, reach=ReferralReach.DESKS, returns=True)
    configuration = with_desk(
        "data",
        CONFIGURATION,
        asks=Reach(ReachKind.DESKS, ("platform",)),
        referral__policy=crossing,
        episode__consult=Consult.BEFORE_PROPOSALS,
    )
    configuration = with_desk("platform", configuration, answers=Reach(ReachKind.DESKS, ("data",)))
    world = World(engine, clock, configuration, models=models)
    models.will("anna", "consult", ConsultTurn((Ask("platform", "Does it retry a 503?"),)))
    await world.hear(said(CANARY, DATA, addressed=True))
    await world.work_off("route")
    await speak_next(world)
    await world.work_off("route", "deliver")
    clock.advance(61)
    await world.upkeep.run()
    await finish(world)

    assert await why(world, "consult") == (
        "Anna leads the desk, and the lead asks other desks before anybody has proposed."
    )
    assert (await why(world, "relay")).startswith(
        "Anna had the question put to #platform, and its answer came after the desk had begun"
    )


async def test_why_is_asked_of_a_message_by_its_place(world: World) -> None:
    asked = await ask(world, "@#platform does the gateway retry on 503?")
    (told,) = await answers(world, PAYMENTS, asked.ts)
    question, far = await answers(world, PLATFORM)

    looked = audit(world)
    assert "tells what came of it" in str(await looked.why_at(TEAM, PAYMENTS, told.ts[0]))
    assert "Lasse" in str(await looked.why_at(TEAM, PLATFORM, far.ts[0]))
    assert await looked.why_at(TEAM, PLATFORM, question.ts[0]) is None
    assert await looked.why_at(TEAM, PAYMENTS, asked.ts) is None


async def test_a_turn_that_is_not_there_has_no_why(world: World) -> None:
    assert await audit(world).why(77) is None


# The command.


async def run(url: str, *arguments: object) -> Result:
    app = typer.Typer()
    app.command()(replay)
    environment = {"DATABASE_URL": url, "HIVEBOT_CONFIG": str(EXAMPLE), "NO_COLOR": "1"}
    given = [str(argument) for argument in arguments]
    return await asyncio.to_thread(CliRunner().invoke, app, given, env=environment)


@pytest.mark.usefixtures("logging_as_it_was")
async def test_the_command_prints_each_step_with_bids_and_standings(
    world: World, database_url: str
) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)
    found = await episode(world)

    result = await run(database_url, found.id)

    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.rstrip("\n").split("\n")
    assert lines[0] == (
        f"Episode {found.id} of #data (converged on canary): 13 steps, configuration "
        f"{CONFIGURATION.revision}"
    )
    assert "  1. Anna speaks: salience, blind, deliberate  equal  (D2)" in lines
    assert " 12. Anna speaks: addressed, sees all, commit  equal  (D13)" in lines
    assert " 13. converged on canary  equal  (D14)" in lines
    assert any(line.startswith("     #revert: 0 from nobody, silenced Anna") for line in lines)
    heads = next(line for line in lines if "member" in line).split()
    assert heads == [
        "member",
        "pull",
        "bonus",
        "penalty",
        "urge",
        "threshold",
        "bid",
        "share",
        "reason",
    ]
    assert sum(line.startswith("  →  ") for line in lines) == 12
    assert lines[-1] == "equal: every step comes out as it is recorded"
    assert max(len(line) for line in lines) <= 120


@pytest.mark.usefixtures("logging_as_it_was")
async def test_the_command_ends_with_1_where_something_is_different(
    world: World, database_url: str
) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)
    await world.rows(
        "update decision set result = :broken where fold = 'step' and reason = 'converged'"
        " returning id",
        broken=json.dumps({}),
    )

    result = await run(database_url, (await episode(world)).id)

    assert result.exit_code == 1
    assert " 13. the record cannot be read  different" in result.stdout
    assert "     differs: unreadable: " in result.stdout
    assert result.stdout.rstrip().endswith("some step comes out otherwise than it is recorded")


@pytest.mark.usefixtures("logging_as_it_was")
async def test_the_command_ends_with_2_where_there_is_no_such_episode(
    world: World, database_url: str
) -> None:
    result = await run(database_url, 77)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "hivebot: there is no episode 77\n"
