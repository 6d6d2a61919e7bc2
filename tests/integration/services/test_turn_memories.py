"""What does an agent know of what its desk's people decided before? turns.md 2, rights.md 3.

Memories are planted; the words of the model are the test's.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.llm.prompt.assembly import prompt_of
from hivebot.hive.crossing import Reach, ReachKind
from hivebot.hive.gate import GateAct
from hivebot.proxy.retrieval import RetrievalPolicy
from hivebot.proxy.vectors import Vector
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.memories import (
    Place,
    RecallPurpose,
)
from hivebot.services.records.policy import Configuration
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Known
from tests.configurations import CONFIGURATION, with_desk
from tests.fakes.clock import FakeClock
from tests.fakes.embedders import BagEmbedder
from tests.fakes.models import ScriptedModels
from tests.fakes.poster import public_channel
from tests.integration.services.remembered import HERE, REFUND, plant
from tests.integration.services.stewards import holding, press, world_of
from tests.integration.services.stories import CANARY, answers, ask
from tests.integration.services.world import (
    ANA,
    DATA,
    PAYMENTS,
    PLATFORM,
    STEWARD,
    TEAM,
    World,
)

pytestmark = pytest.mark.integration

CLOSED = Place(Audience.PRIVATE, "G0FIN")
SECRET = "zebrafish"


def shown(request: TurnRequest) -> list[str]:
    return [each.id for each in request.memories]


async def clock_and_traces(world: World) -> list[tuple[object, ...]]:
    return [
        tuple(row)
        for row in await world.rows(
            "select m.clock, c.chunk_key, c.traces from memory m join chunk c"
            " on c.memory_id = m.id order by c.id"
        )
    ]


async def test_an_answer_sees_its_desks_memories_and_neither_reinforces_nor_ages_them(
    scripted: World, models: ScriptedModels
) -> None:
    """memory.md 3.1 and 3.4: retrieval writes no trace and moves no clock."""
    await plant(scripted, "g1", "Three days, not two.", by=STEWARD)
    await plant(scripted, "far", "of another desk", proxy="platform")
    before = await clock_and_traces(scripted)
    await ask(scripted, REFUND)
    await ask(scripted, REFUND)

    requests = models.asked("pia")
    assert [shown(one) for one in requests] == [["g1"], ["g1"]]
    assert "Three days, not two." in prompt_of(requests[0]).user
    assert await clock_and_traces(scripted) == before


async def test_what_a_turn_found_is_kept_in_numbers(scripted: World) -> None:
    """memory.md 3.6: survivors and candidates of each retrieval are logged."""
    await plant(scripted, "old", "Long ago.")
    await plant(scripted, "new", "Lately.", by=STEWARD)
    await plant(scripted, "newer", "Lately too.", by=STEWARD)
    await plant(scripted, "newest", "Just now.", by=STEWARD)
    await ask(scripted, REFUND)

    async with scripted.work.begin() as tx:
        memory = await tx.memories.find(TEAM, "payments")
        assert memory is not None
        (row,) = await tx.memories.recalls(memory.id)
    assert (row.recall.purpose, row.recall.candidates, row.recall.survivors) == (
        RecallPurpose.TURN,
        4,
        3,
    )


@pytest.mark.parametrize(("tau", "seen"), [(-0.5, []), (-2.0, ["g1"])])
async def test_a_desks_own_threshold_says_what_comes_to_mind(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels, tau: float, seen: list[str]
) -> None:
    """memory.md 3.6: what was used once is gone at the third interaction, or later."""
    bounds = RetrievalPolicy(retrieval_threshold=tau)
    world = await world_of(
        engine, clock, with_desk("payments", CONFIGURATION, memory=bounds), models
    )
    await plant(world, "g1", "fine")
    for number in range(3):
        await plant(world, f"far{number}", "elsewhere", places=(CLOSED,))
    await ask(world, REFUND)
    assert shown(models.asked("pia")[0]) == seen


async def test_at_most_five_are_shown(scripted: World, models: ScriptedModels) -> None:
    for number in range(7):
        await plant(scripted, f"g{number}", f"Lesson {number}.", by=STEWARD)
    await ask(scripted, REFUND)
    assert len(models.asked("pia")[0].memories) == 5


async def test_a_desk_without_a_memory_asks_no_embedder(
    scripted: World, models: ScriptedModels
) -> None:
    await ask(scripted, REFUND)
    assert models.asked("pia")[0].memories == ()
    assert isinstance(scripted.embedder, BagEmbedder)
    assert scripted.embedder.calls == []


class Watching(BagEmbedder):
    """Looks, while it embeds, whether a transaction is held open meanwhile."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.open: list[int] = []
        self._world = world

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        ((held,),) = await self._world.rows(
            "select count(*) from pg_stat_activity where state = 'idle in transaction'"
            " and datname = current_database()"
        )
        self.open.append(held)
        return await super().embed(texts)


async def test_no_transaction_is_open_while_a_text_is_embedded(scripted: World) -> None:
    """memory.md 2: a slow embedder must not hold locks."""
    await plant(scripted, "g1", "Three days.", by=STEWARD)
    await scripted.rows("update chunk set embedding_model = '' returning id")
    scripted.embedder = watching = Watching(scripted)
    await ask(scripted, REFUND)
    assert len(watching.open) >= 2
    assert set(watching.open) == {0}


async def test_an_embedder_that_fails_leaves_activation_to_decide(
    scripted: World, models: ScriptedModels
) -> None:
    await plant(scripted, "g1", "Three days.", by=STEWARD)
    assert isinstance(scripted.embedder, BagEmbedder)
    scripted.embedder.broken = True
    await ask(scripted, REFUND)
    assert shown(models.asked("pia")[0]) == ["g1"]


async def test_vectors_of_another_model_are_never_compared(
    scripted: World, models: ScriptedModels
) -> None:
    """memory.md 4.2: the chunk still competes, by activation alone."""
    await plant(scripted, "g1", "Three days.", by=STEWARD)
    scripted.embedder = BagEmbedder(model="another:24")
    models.will("pia", "answer", says())
    await ask(scripted, REFUND)

    (request,) = models.asked("pia")
    assert shown(request) == ["g1"]
    assert not request.memories[0].near, "the very same question, and yet it is not compared"
    async with scripted.work.begin() as tx:
        memory = await tx.memories.find(TEAM, "payments")
        assert memory is not None
        (row,) = await tx.memories.recalls(memory.id)
        (chunk,) = await tx.memories.chunks(memory.id)
    assert row.recall.hits[0].similarity == 0.0
    assert chunk.chunk.embedding_model == "bag:24", "it is left to `hivebot memory reembed`"


async def test_what_the_embedder_would_not_take_waits_for_the_next_turn(
    scripted: World, models: ScriptedModels
) -> None:
    """memory.md 2: a failed embedder never loses the outcome; its vectors are made later."""
    await plant(scripted, "g1", "Three days.", by=STEWARD)
    await scripted.rows("update chunk set embedding_model = '' returning id")
    embedder = scripted.embedder
    assert isinstance(embedder, BagEmbedder)
    seen: list[str] = []
    for broken in (True, False):
        embedder.broken = broken
        await ask(scripted, REFUND)
        ((model,),) = await scripted.rows("select embedding_model from chunk")
        seen.append(model)
    assert seen == ["", "bag:24"]


async def test_members_of_a_deliberation_remember_the_same_and_the_framing_nothing(
    scripted: World, models: ScriptedModels
) -> None:
    await plant(scripted, "g1", "Canary first.", proxy="data", question=CANARY, by=STEWARD)
    await ask(scripted, CANARY, DATA)
    asked = [one for one in models.requests if one.situation != "framing"]
    assert len(asked) > 3
    assert {tuple(shown(one)) for one in asked} == {("g1",)}
    openings = [one for one in asked if one.situation == "opening"]
    assert len(openings) == 5, "a kept reply is used, since its prompt has not changed"


# --- who may read it ------------------------------------------------------------------------------


async def test_a_private_memory_never_reaches_a_wider_audience(
    scripted: World, models: ScriptedModels
) -> None:
    """rights.md 3: a chunk is read only where every reader could read what it was made of."""
    await plant(scripted, "private", SECRET, places=(HERE, CLOSED), by=STEWARD)
    await plant(scripted, "nowhere", SECRET, places=(), by=STEWARD)
    await plant(scripted, "public", "for all", by=STEWARD)
    await ask(scripted, REFUND)

    (request,) = models.asked("pia")
    assert shown(request) == ["public"]
    assert SECRET not in prompt_of(request).user
    assert all(SECRET not in str(post.body) for post in await scripted.outbox())


def in_private(**changes: object) -> Configuration:
    return with_desk("payments", CONFIGURATION, **changes)


@pytest.mark.parametrize(
    ("configuration", "seen"),
    [
        pytest.param(in_private(asks=Reach(ReachKind.NONE)), ["p"], id="asks nobody"),
        pytest.param(CONFIGURATION, ["p"], id="a steward sees what would cross"),
        pytest.param(in_private(asks_wider="allow"), [], id="its questions cross by themselves"),
        pytest.param(
            in_private(asks_wider="allow", asks=Reach(ReachKind.GATE)), ["p"], id="a gate for all"
        ),
        pytest.param(
            in_private(gates__decisions=True, gates__channel="C0GATES"), [], id="gates elsewhere"
        ),
        pytest.param(in_private(gates__decisions=True), ["p"], id="gates in its own thread"),
    ],
)
async def test_a_private_desk_reads_its_own_memories_unless_its_words_go_elsewhere(
    engine: AsyncEngine,
    clock: FakeClock,
    models: ScriptedModels,
    configuration: Configuration,
    seen: list[str],
) -> None:
    world = await world_of(engine, clock, configuration, models)
    world.directory.channels["C0GATES"] = public_channel("C0GATES", "gates")
    await plant(world, "p", SECRET, places=(Place(Audience.PRIVATE, PAYMENTS),), by=STEWARD)
    await ask(world, REFUND, audience=Audience.PRIVATE)
    assert shown(models.asked("pia")[0]) == seen


async def test_a_far_desk_reads_for_everybody_on_the_way_home(
    scripted: World, models: ScriptedModels
) -> None:
    own = Place(Audience.PRIVATE, PLATFORM)
    await plant(scripted, "own", SECRET, proxy="platform", places=(own,), by=STEWARD)
    await plant(scripted, "all", "open", proxy="platform", by=STEWARD)
    await ask(scripted, "@#platform why do we get a 503?")
    asked = [one for one in models.requests if one.desk_id == "platform"]
    assert [shown(one) for one in asked] == [["all"]]


async def test_where_the_words_go_and_nobody_knows_who_reads_there_nothing_is_remembered(
    engine: AsyncEngine, clock: FakeClock, models: ScriptedModels
) -> None:
    world = await world_of(
        engine, clock, in_private(gates__decisions=True, gates__channel="C0LOST"), models
    )
    await plant(world, "g1", "for all", by=STEWARD)
    await ask(world, REFUND)
    assert models.asked("pia")[0].memories == ()


# --- what readers are told ------------------------------------------------------------------------


def says(*used: str) -> AnswerTurn:
    return AnswerTurn(Known.KNOWN, "It takes three days.", (0,), used, NO_ASK)


async def small(world: World) -> str:
    thread = str((await world.rows("select max(thread_ts) from outbox"))[0][0])
    return (await answers(world, PAYMENTS, thread))[-1].body.small


@pytest.mark.parametrize(
    ("question", "used", "said"),
    [
        (REFUND, ["c1"], "Corrected by Stew on 2023-11-14"),
        (REFUND, [], 'Corrected by Stew on 2023-11-14: "Three days."'),
        ("@hive who owns ingest?", ["c1"], "Corrected by Stew on 2023-11-14"),
        ("@hive who owns ingest?", [], ""),
    ],
)
async def test_the_next_answer_about_the_matter_says_who_corrected_the_last(
    scripted: World, models: ScriptedModels, question: str, used: list[str], said: str
) -> None:
    """product.md 7 and issue 4: "corrected by … on …"; the words too, unless it follows them."""
    await plant(scripted, "c1", "Three days.", by=STEWARD)
    models.will("pia", "answer", says(*used))
    await ask(scripted, question)
    assert [one for one in (await small(scripted)).split(" · ") if "Corrected" in one] == (
        [said] if said else []
    )


async def test_long_words_of_a_correction_are_cut(scripted: World, models: ScriptedModels) -> None:
    await plant(scripted, "c1", "word " * 90, by=ANA)
    models.will("pia", "answer", says())
    await ask(scripted, REFUND)
    assert (await small(scripted)).endswith('word…"')


async def test_what_was_approved_is_no_correction(scripted: World, models: ScriptedModels) -> None:
    await plant(scripted, "g1", "fine")
    models.will("pia", "answer", says("g1"))
    await ask(scripted, REFUND)
    assert "Corrected" not in await small(scripted)


async def test_what_a_steward_corrected_at_a_gate_is_said_beside_the_next_answer(
    engine: AsyncEngine, clock: FakeClock
) -> None:
    """memory.md 9.2: a gate's correction is a memory of the desk as any other."""
    world = await world_of(engine, clock, holding("payments"))
    await ask(world, REFUND)
    await press(world, GateAct.CORRECT, "Three days.")
    await ask(world, REFUND)
    await press(world, GateAct.APPROVE)
    assert 'Corrected by Stew on 2023-11-14: "Three days."' in await small(world)
