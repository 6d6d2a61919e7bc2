"""What would the desk's people decide here? The proxy's two passes, and the guards over them.

No transaction is open while a text is embedded or a model asked. A prediction writes nothing but
what was found: it adds no trace and moves no clock. Source: memory.md 4 to 6, datapath.md 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hivebot.proxy.accuracy import AccuracyRecord, accuracy_line
from hivebot.proxy.calibration import CalibrationInput, calibrate, grounded
from hivebot.proxy.chunks import Chunk, Outcome
from hivebot.proxy.conflict import Conflict, conflicts, has_tension
from hivebot.proxy.percepts import Percepts, asked_percepts, salience_question
from hivebot.proxy.prediction import (
    Part,
    PassContext,
    Prediction,
    needs_second_pass,
    parse_percepts,
    posterior_parts,
    prior_parts,
    settle,
)
from hivebot.proxy.prompt import PromptMemories, conflict_notes, memories
from hivebot.proxy.retrieval import Query, RetrievalPolicy
from hivebot.proxy.vote import Ballot
from hivebot.services.gates.showing import place_of
from hivebot.services.ports import Clock, Models, Transaction, UnitOfWork
from hivebot.services.ports.embedding import Embedder
from hivebot.services.recall import MemoryEmbedding
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.asking import Spent
from hivebot.services.records.gates import GateRow
from hivebot.services.records.memories import (
    MemoryRow,
    NewRecall,
    Place,
    RecallPurpose,
    Recollection,
)
from hivebot.services.records.policy import Configuration, DeskConfig, ProxyMode
from hivebot.services.records.predictions import GatePrediction, PredictionRequest
from hivebot.services.retrying import transact

Roll = Callable[[], float]
"""Uniform in [0, 1)."""

_ARTIFACT_MAX = 4_000


@dataclass(frozen=True, slots=True)
class _Found:
    """What came to mind for one pass.

    Attributes:
        chunks: Everything found, experience first.
        shown: The same as the prompt has it.
        clashing: Those of them that contradict each other.
    """

    experience: Recollection
    chunks: tuple[Chunk, ...]
    shown: PromptMemories
    clashing: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class _Case:
    """A gate with what its desk's memory is asked by."""

    gate: GateRow
    desk: DeskConfig
    configuration: Configuration
    memory: MemoryRow
    places: tuple[Place, ...]
    accuracy: AccuracyRecord | None
    depth: int


class Proxy:
    """Predicts at gates."""

    def __init__(
        self, work: UnitOfWork, models: Models, embedder: Embedder, clock: Clock, roll: Roll
    ) -> None:
        """Remember whom to ask.

        Args:
            work: Opens transactions.
            models: Whoever predicts.
            embedder: Gives texts their vectors.
            clock: The only source of now.
            roll: Decides which gates are asked although the proxy was sure.
        """
        self._work = work
        self._models = models
        self._embedding = MemoryEmbedding(work, embedder)
        self._clock = clock
        self._roll = roll

    async def predict(
        self, gate: GateRow, desk: DeskConfig, configuration: Configuration
    ) -> GatePrediction | None:
        """What the proxy says of a gate; None where it is switched off.

        1. It remembers without the artifact, and predicts.
        2. It remembers with it, and predicts again; the second is the decision.
        3. Where the artifact moved it much, it says what in it did.
        4. The first guard that fires caps its confidence.

        Raises:
            StoreUnavailableError: the database is away.
        """
        if desk.proxy.mode is ProxyMode.OFF:
            return None
        case = await transact(self._work, lambda tx: _case(tx, gate, desk, configuration))
        await self._embedding.embed_waiting(case.memory.id)
        found = await self._recall(case, "", RecallPurpose.PRIOR)
        asked = _request(case, found, prior_parts(_context(case, found)))
        first = await self._models.predict(asked)
        prior, posterior, spent = first.reply, None, first.spent
        if prior is not None and needs_second_pass(prior):
            found = await self._recall(case, gate.artifact, RecallPurpose.POSTERIOR)
            parts = posterior_parts(_context(case, found), prior, gate.artifact[:_ARTIFACT_MAX])
            asked = _request(case, found, parts)
            second = await self._models.predict(asked)
            posterior, spent = second.reply, _sum(spent, second.spent)
        settled = settle(prior, posterior)
        delta, percepts = "", tuple[str, ...]()
        if settled.surprise.surprised:
            # only the second pass surprises, so it is what was asked last
            said, more = await self._models.moved(asked)
            delta, percepts = parse_percepts(said)
            spent = _sum(spent, more)
        await self._count(case, spent)
        return self._judged(case, found, settled, delta, percepts)

    async def _recall(self, case: _Case, artifact: str, purpose: RecallPurpose) -> _Found:
        gate, memory_id, policy = case.gate, case.memory.id, case.desk.memory
        state = gate.kind.value
        asked = asked_percepts(state, gate.task_type, gate.question, artifact)
        embedded = await self._embedding.vectors(memory_id, asked)
        wanted = Percepts(salience=salience_question(state, gate.task_type, artifact))
        surprised = await self._embedding.vectors(memory_id, wanted)
        query = Query(
            state=state,
            task_type=gate.task_type,
            vectors=embedded.vectors,
            embedding_model=embedded.model,
        )

        async def read(tx: Transaction) -> tuple[Recollection, Recollection]:
            experience = await tx.memories.retrieve(memory_id, query, policy, case.places)
            salience = await tx.memories.retrieve_salience(
                memory_id, surprised.vectors.salience, surprised.model, policy, case.places
            )
            await tx.memories.keep_recall(memory_id, _kept(gate, experience, policy, purpose))
            return experience, salience

        experience, salience = await transact(self._work, read)
        by_likeness = [each.chunk for each in experience.chunks]
        by_surprise = [each.chunk for each in salience.chunks]
        chunks = (*by_likeness, *by_surprise)
        return _Found(
            experience=experience,
            chunks=chunks,
            shown=memories(by_likeness, by_surprise),
            clashing=conflicts(chunks, experience.clock),
        )

    def _judged(
        self,
        case: _Case,
        found: _Found,
        settled: Prediction,
        delta: str,
        percepts: tuple[str, ...],
    ) -> GatePrediction:
        last = settled.posterior or settled.prior
        known = {chunk.id: chunk for chunk in found.chunks}
        used = tuple(one for one in (last.used if last is not None else ()) if one in known)
        roll = self._roll()
        now = self._clock.now()
        calibrated = calibrate(
            CalibrationInput(
                confidence=settled.confidence,
                memory_depth=case.depth,
                genuine_tension=has_tension(found.clashing),
                accuracy=case.accuracy,
                today=now.date(),
                roll=roll,
            )
        )
        prior, posterior = settled.prior, settled.posterior
        return GatePrediction(
            prior=prior.prediction if prior is not None else Outcome.NONE.value,
            prior_confidence=float(prior.confidence) if prior is not None else 0.0,
            posterior=posterior.prediction if posterior is not None else Outcome.NONE.value,
            posterior_confidence=float(posterior.confidence) if posterior is not None else 0.0,
            used=used,
            confidence=float(calibrated.confidence),
            guard=calibrated.guard,
            roll=float(roll),
            grounded=grounded(
                [known[one] for one in used], case.gate.kind.value, case.gate.task_type
            ),
            clock=found.experience.clock,
            candidates=found.experience.candidates,
            survivors=found.experience.survivors,
            delta=delta,
            percepts=percepts,
        )

    async def _count(self, case: _Case, spent: Spent) -> None:
        """What predicting has cost is the desk's."""
        if not spent.requests:
            return
        day = self._clock.now().strftime("%Y-%m-%d")

        async def write(tx: Transaction) -> None:
            tokens = spent.tokens_in + spent.tokens_out
            await tx.usage.add(case.desk.id, day, 0, tokens, spent.cost_usd_micros)

        await transact(self._work, write)


async def _case(
    tx: Transaction, gate: GateRow, desk: DeskConfig, configuration: Configuration
) -> _Case:
    memory = await tx.memories.ensure(gate.team_id, gate.desk_id)
    return _Case(
        gate=gate,
        desk=desk,
        configuration=configuration,
        memory=memory,
        places=await _places(tx, gate, desk),
        accuracy=await tx.memories.accuracy(memory.id, gate.kind.value, gate.task_type),
        depth=await tx.memories.depth(memory.id),
    )


async def _places(tx: Transaction, gate: GateRow, desk: DeskConfig) -> tuple[Place, ...]:
    """Where the prediction is going to be seen: at the gate, and in what it is about."""
    thread = await tx.conversations.get(gate.conversation_id)
    if thread is None:  # pragma: no cover - a foreign key forbids it
        return ()
    channel_id = place_of(gate, desk, thread).channel_id
    shown = await tx.conversations.find(gate.team_id, channel_id, "")
    # a channel that nobody knows is anybody's
    audience = shown.audience if shown is not None else Audience.SHARED
    if channel_id == thread.channel_id:
        audience = thread.audience
    return tuple(
        dict.fromkeys((Place(thread.audience, thread.channel_id), Place(audience, channel_id)))
    )


def _context(case: _Case, found: _Found) -> PassContext:
    return PassContext(
        memories=found.shown.text,
        conflicts=conflict_notes(found.clashing, found.shown.handles),
        accuracy=accuracy_line(case.accuracy),
        knowledge=case.desk.description,
        dialog="",
        state=case.gate.kind.value,
        question=case.gate.question,
    )


def _request(case: _Case, found: _Found, parts: tuple[tuple[Part, str], ...]) -> PredictionRequest:
    scores = {one.chunk_id: one.score for one in found.experience.parts}
    named = case.desk.proxy.agent
    return PredictionRequest(
        agent=case.configuration.agent(named) if named else None,
        state=case.gate.kind.value,
        parts=parts,
        ballots=tuple(
            Ballot(each.chunk.id, each.chunk.outcome, scores[each.chunk.id])
            for each in found.experience.chunks
        ),
        handles=tuple(found.shown.handles.items()),
    )


def _kept(
    gate: GateRow, found: Recollection, policy: RetrievalPolicy, purpose: RecallPurpose
) -> NewRecall:
    return NewRecall(
        purpose,
        found.clock,
        found.candidates,
        found.survivors,
        policy,
        found.parts,
        gate_id=gate.id,
    )


def _sum(first: Spent, second: Spent) -> Spent:
    return replace(
        first,
        tokens_in=first.tokens_in + second.tokens_in,
        tokens_out=first.tokens_out + second.tokens_out,
        cost_usd_micros=first.cost_usd_micros + second.cost_usd_micros,
        requests=first.requests + second.requests,
    )
