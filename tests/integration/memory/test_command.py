"""What `hivebot memory` shows, takes along, recommends and deletes, on a real database."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from typer.testing import CliRunner, Result

from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.entrypoints import memory_command
from hivebot.entrypoints.memory_command import app
from hivebot.proxy.chunks import ChunkType
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.services.ports import Transaction
from hivebot.services.records.memories import NewRecall, PerceptTexts, RecallPurpose, Sources
from hivebot.settings import EXIT_CONFIG
from tests.fakes.clock import FakeClock
from tests.integration.memory.seeds import (
    DESK,
    GATE,
    PRIVATE,
    PUBLIC,
    SHARED,
    everywhere,
    gate_outcome,
    memory,
    new,
    remembered,
)

pytestmark = pytest.mark.integration

EXAMPLE = Path(__file__).parents[3] / "config" / "hivebot.yaml"

T = TypeVar("T")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("HIVEBOT_CONFIG", str(EXAMPLE))
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def stored(database_url: str) -> Callable[[Callable[[Transaction], Awaitable[T]]], T]:
    """Do something in one transaction of the test's database."""

    def run(use: Callable[[Transaction], Awaitable[T]]) -> T:
        async def opened() -> T:
            engine = create_engine(DatabaseUrl.of(database_url))
            try:
                async with PostgresUnitOfWork(engine, FakeClock()).begin() as tx:
                    return await use(tx)
            finally:
                await engine.dispose()

        return asyncio.run(opened())

    return run


Stored = Callable[[Callable[[Transaction], Awaitable[object]]], object]


def said(*arguments: str, confirm: str = "") -> Result:
    return CliRunner().invoke(app, arguments, input=confirm)


async def two_memories(tx: Transaction) -> None:
    row = await remembered(
        tx,
        gate_outcome(
            "gate-1",
            "correct",
            content="a draft \x1b[31mwith a colour\nand a line",
            vectors=everywhere(1, 0),
            embedding_model="m",
            prior_prediction="approve",
            prior_confidence=0.5,
            posterior_prediction="correct",
            posterior_confidence=0.9,
        ),
        gate_outcome("gate-2", type=ChunkType.DIALOG_TURN),
        gate_outcome("gate-3", task_type="a>b"),
    )
    await tx.memories.soft_delete(row.id, ["gate-2"])
    await remembered(tx, "far", proxy="mobile")


# -- list and show -------------------------------------------------------------------------------


def test_every_memory_is_listed_with_its_clock_and_counts(stored: Stored) -> None:
    stored(two_memories)
    result = said("list")
    assert result.exit_code == 0
    _, heading, first, second = result.stdout.splitlines()
    assert heading.split() == [
        "proxy",
        "workspace",
        "clock",
        "chunks",
        "hidden",
        "contexts",
        "no",
        "vectors",
    ]
    assert first.split() == [DESK, "T1", "3", "2", "1", "2", "1"]
    assert second.split() == ["mobile", "T1", "1", "1", "0", "1", "1"]


def test_the_chunks_of_one_memory_are_listed_with_their_strength(stored: Stored) -> None:
    stored(two_memories)
    lines = said("list", DESK).stdout.splitlines()
    assert lines[0].strip() == "What the proxy of payments remembers at 3"
    assert "a draft \ufffd[31mwith a colour and a line" in lines[2]
    assert lines[2].split()[0] == "gate-1"
    assert lines[2].split()[-2:] == ["1", "-0.35"]
    assert "gate-2 (hidden)" in lines[3]
    assert any("0 of 1" in line and "1 of 1" in line for line in lines[5:])


def test_a_memory_without_predictions_has_no_table_of_them(stored: Stored) -> None:
    stored(two_memories)
    assert "Predictions" not in said("list", "mobile").stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("list", "nobody"), "there is no memory of nobody; there are: payments, mobile"),
        (("show", DESK, "gate-9"), "the memory of payments holds no chunk gate-9"),
        (("list", DESK, "--team", "T9"), "there is no memory of payments"),
    ],
)
def test_what_there_is_not_is_said_with_what_there_is(
    stored: Stored, arguments: tuple[str, ...], problem: str
) -> None:
    stored(two_memories)
    result = said(*arguments)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_without_any_memory_nothing_is_known() -> None:
    assert "there are: none yet" in said("list", DESK).stderr
    assert len(said("list").stdout.splitlines()) == 2


def test_two_workspaces_with_a_desk_of_one_name_are_told_apart(stored: Stored) -> None:
    async def two_teams(tx: Transaction) -> None:
        await remembered(tx, "here")
        other = await tx.memories.ensure("T2", DESK)
        await tx.memories.record(other.id, new("there"))

    stored(two_teams)
    refused = said("list", DESK)
    assert refused.exit_code == 2
    assert "name one by --team (T1, T2)" in refused.stderr
    assert "there" in said("list", DESK, "--team", "T2").stdout


def test_one_chunk_is_shown_with_its_life_and_its_last_scores(stored: Stored) -> None:
    async def recalled(tx: Transaction) -> None:
        await two_memories(tx)
        row = await tx.memories.ensure("T1", DESK)
        await tx.memories.rehearse(row.id, "gate-1")
        policy = RetrievalPolicy(retrieval_threshold=-2.0)
        query = Query(state=GATE, vectors=everywhere(1, 0), embedding_model="m")
        got = await tx.memories.retrieve(row.id, query, policy, None)
        for purpose, gate_id in ((RecallPurpose.POSTERIOR, 7), (RecallPurpose.TURN, None)):
            await tx.memories.keep_recall(
                row.id,
                NewRecall(
                    purpose, got.clock, got.candidates, got.survivors, policy, got.parts, gate_id
                ),
            )

    stored(recalled)
    result = said("show", DESK, "gate-1")
    assert result.exit_code == 0
    text = result.stdout
    assert text.startswith("gate-1: gate_outcome, 2026-09-01 09:00\n")
    for line in (
        "context     answer_review / payments",
        "outcome     correct",
        "readable    in every channel of the workspace",
        "vectors     situation 2, artifact 2, stimulus 2, response 2, salience 2 (m)",
        "traces      1, 4",
        "predicted   approve (0.50) without the artifact, correct (0.90) with it",
        "the person  fine",
        "question    may it be sent?",
    ):
        assert f"\n{line}\n" in text
    assert "threshold" in text
    assert "interaction 4" in text
    assert "posterior, gate 7" in text
    assert "turn" in text.splitlines()[-3]
    assert "2 of 2" in text
    assert "score = 0.5 x scaled (minmax) + 0.5 x similarity + noise" in text


def test_a_chunk_that_never_came_to_mind_has_no_scores(stored: Stored) -> None:
    stored(two_memories)
    text = said("show", DESK, "gate-2", "--remember-single-for", "20").stdout
    assert "hidden since 3" in text
    assert "last scores" not in text
    assert "vectors     none yet" in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--tau", "-1", "--remember-single-for", "3"), "two ways to write one number"),
        (("--tau", "nan"), "must be finite"),
    ],
)
def test_a_threshold_that_is_none_is_refused(arguments: tuple[str, ...], problem: str) -> None:
    result = said("calibrate", DESK, *arguments)
    assert result.exit_code == 2
    assert problem in result.stderr


# -- export --------------------------------------------------------------------------------------


def test_every_chunk_is_exported_as_one_line(stored: Stored, tmp_path: Path) -> None:
    stored(two_memories)
    lines = [json.loads(line) for line in said("export", DESK).stdout.splitlines()]
    assert [line["id"] for line in lines] == ["gate-1", "gate-2", "gate-3"]
    assert lines[0]["content"] == "a draft \x1b[31mwith a colour\nand a line"
    assert (lines[0]["traces"], lines[0]["audience"], lines[0]["user_ids"]) == (
        [1],
        "public",
        ["U1"],
    )
    assert (lines[1]["deleted_at"], lines[1]["hidden_first"]) == (3, None)
    assert "embeddings" not in lines[0]
    file = tmp_path / "memory.jsonl"
    result = said("export", DESK, "--vectors", "--out", str(file))
    assert result.stdout == f"3 chunks written to {file}\n"
    first, second, _ = file.read_text(encoding="utf-8").splitlines()
    assert json.loads(first)["embeddings"]["artifact"] == [1.0, 0.0]
    assert json.loads(second)["embeddings"] == {}


# -- forget --------------------------------------------------------------------------------------


def left(stored: Stored) -> list[str]:
    names: list[str] = []

    async def read(tx: Transaction) -> None:
        for row in await tx.memories.every():
            names.extend(each.chunk.id for each in await tx.memories.chunks(row.id))

    stored(read)
    return names


def test_chunks_are_forgotten_once_it_is_confirmed(stored: Stored) -> None:
    stored(two_memories)
    assert said("forget", DESK, "gate-1", confirm="n\n").exit_code == 1
    assert left(stored) == ["gate-1", "gate-2", "gate-3", "far"]
    result = said("forget", DESK, "gate-1", "gate-9", confirm="y\n")
    assert result.stdout.endswith("forgotten: 1 chunk; unknown: gate-9\n")
    assert left(stored) == ["gate-2", "gate-3", "far"]


def test_all_of_a_person_and_whole_memories_are_forgotten(stored: Stored) -> None:
    async def with_another(tx: Transaction) -> None:
        await two_memories(tx)
        row = await memory(tx)
        await tx.memories.record(row.id, new("hers", sources=Sources(user_ids=("U2",))))

    stored(with_another)
    assert said("forget", "--user", "U1", "--yes").stdout == "forgotten: 4 chunks\n"
    assert left(stored) == ["hers"]
    assert said("forget", DESK, "--all", "--yes").stdout == "forgotten: 1 chunk\n"
    assert said("list", DESK).exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (DESK,),
        (DESK, "--user", "U1"),
        (DESK, "gate-1", "--all"),
        ("--all",),
        ("--user", "U1", "--all"),
    ],
)
def test_what_to_forget_has_to_be_said_in_one_way(
    stored: Stored, arguments: tuple[str, ...]
) -> None:
    stored(two_memories)
    assert said("forget", *arguments, "--yes").exit_code == 2
    assert len(left(stored)) == 4


# -- calibrate -----------------------------------------------------------------------------------


async def forgetful(tx: Transaction) -> None:
    """Five contexts in turn: when one comes again the seed's threshold has forgotten it."""
    outcomes = ["approve", "reject", "correct", "approve", "reject"]
    await remembered(
        tx,
        *(
            gate_outcome(f"g{place}", outcomes[place % 5], task_type=f"desk {place % 5}")
            for place in range(40)
        ),
    )


def test_a_threshold_is_recommended_and_nothing_is_written(stored: Stored) -> None:
    stored(forgetful)
    before = said("export", DESK).stdout
    result = said("calibrate", DESK)
    assert result.exit_code == 0
    assert "40 gates of its own, replayed" in result.stdout
    assert "-0.5 (in force)" in result.stdout
    assert "Try tau -1 instead of -0.5: " in result.stdout
    assert "Nothing was changed." in result.stdout
    assert said("export", DESK).stdout == before


def test_a_threshold_that_is_good_enough_is_kept(stored: Stored) -> None:
    stored(forgetful)
    result = said("calibrate", DESK, "--remember-single-for", "8", "--normalization", "tanh")
    assert "Keep tau -1.03972: no other does better on these gates." in result.stdout


def test_few_gates_show_nothing(stored: Stored) -> None:
    async def few(tx: Transaction) -> None:
        await remembered(
            tx,
            *(gate_outcome(f"g{place}", task_type=f"desk {place % 5}") for place in range(12)),
        )

    stored(few)
    assert "Keep tau -0.5: 12 gates do not show that tau -1 does better" in (
        said("calibrate", DESK).stdout
    )
    data = json.loads(said("calibrate", DESK, "--json").stdout)
    assert (data["gates"], data["recommended"]) == (12, None)
    assert [each["tau"] for each in data["tried"]][:2] == [-0.5, -1.0]
    assert data["tried"][1]["coverage"] == pytest.approx(7 / 12)


def test_recommended_data_names_the_threshold(stored: Stored) -> None:
    stored(forgetful)
    assert json.loads(said("calibrate", DESK, "--json").stdout)["recommended"] == -1.0


# -- reembed -------------------------------------------------------------------------------------


def test_every_chunk_is_embedded_by_the_model_in_the_wheel(stored: Stored) -> None:
    stored(two_memories)
    assert said("reembed", DESK).stdout == "2 chunks embedded by wordllama\n"
    assert said("reembed").stdout == "1 chunk embedded by wordllama\n"
    assert said("reembed").stdout == "0 chunks embedded by wordllama\n"
    line = json.loads(said("export", "mobile", "--vectors").stdout)
    assert line["embedding_model"] == "wordllama:l2_supercat_256"
    assert len(line["embeddings"]["artifact"]) == 256


def test_without_a_name_the_configurations_embedder_is_taken(
    stored: Stored, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored(two_memories)
    written = EXAMPLE.read_text(encoding="utf-8").replace("model: wordllama ", "model: openai:x ")
    other = tmp_path / "hivebot.yaml"
    other.write_text(written, encoding="utf-8")
    monkeypatch.setenv("HIVEBOT_CONFIG", str(other))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "no vectors: misconfigured" in said("reembed").stderr
    assert said("reembed", "--embedder", "wordllama").stdout == "3 chunks embedded by wordllama\n"


def test_an_embedder_that_is_none_is_refused(stored: Stored) -> None:
    stored(two_memories)
    result = said("reembed", "--embedder", "nonsense")
    assert result.exit_code == EXIT_CONFIG
    assert "no vectors: misnamed" in result.stderr


def test_a_provider_without_its_key_leaves_the_chunks_alone(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stored(two_memories)
    result = said("reembed", "--embedder", "openai:small")
    assert result.exit_code == EXIT_CONFIG
    assert "no vectors: misconfigured" in result.stderr
    assert said("reembed", DESK).stdout == "2 chunks embedded by wordllama\n"


# -- where a chunk may be read -------------------------------------------------------------------


def test_a_closed_chunk_says_where_it_may_be_read(stored: Stored) -> None:
    async def closed(tx: Transaction) -> None:
        row = await memory(tx)
        for name, places in (("one", [PRIVATE, PUBLIC]), ("two", [PRIVATE, SHARED])):
            await tx.memories.record(row.id, new(name, places=places, texts=PerceptTexts()))

    stored(closed)
    assert "readable    in G1 alone (private)" in said("show", DESK, "one").stdout
    assert "readable    nowhere" in said("show", DESK, "two").stdout


def test_an_environment_that_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://nowhere")
    result = said("list")
    assert result.exit_code == EXIT_CONFIG
    assert "DATABASE_URL must begin with postgresql://" in result.stderr
    assert memory_command.app.info.name == "memory"
