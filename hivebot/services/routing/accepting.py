"""Which decisions of a deliberation wait for a steward, and what did one make of them?

The outcome is held and whatever it would start; the rows of the deliberation stand.
Source: product.md 7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hivebot.hive.gate import GateKind, GateState
from hivebot.services.gating import (
    CORRECTED,
    not_released,
    raise_gate,
    released,
    waiting_times,
    waits_line,
)
from hivebot.services.recording import digest
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.gates import Draft, GateRow, NewGate
from hivebot.services.records.outgoing import Body
from hivebot.services.records.rows import ConversationRow
from hivebot.services.routing.passes import Pass


@dataclass(frozen=True, slots=True)
class Accepted:
    """The decision may be told, as it stands in `outcome`."""

    outcome: Body


@dataclass(frozen=True, slots=True)
class Fallen:
    """The decision does not stand."""

    why: str


async def hold_decision(
    here: Pass, episode: EpisodeRow, thread: ConversationRow, outcome: Body
) -> Body | None:
    """Let a converged decision wait where its desk says so: the line that says it waits, or None.

    Whether decisions wait is for the configuration the deliberation began with.
    """
    desk = here.configuration.desk(episode.desk_id)
    if episode.end is not EpisodeEnd.CONVERGED or desk is None or not desk.gates.decisions:
        return None
    remind_at, expires_at = waiting_times(desk, here.now)
    question = await here.tx.messages.get(episode.question_id)
    last = await here.tx.messages.window(episode.log_id, 1)
    artifact = _artifact(outcome)
    await raise_gate(
        here.tx,
        NewGate(
            kind=GateKind.DECISION_REVIEW,
            desk_id=desk.id,
            team_id=thread.team_id,
            conversation_id=thread.id,
            message_id=last[-1].id,
            question_id=episode.question_id,
            episode_id=episode.id,
            task_type=desk.id,
            question=question.content if question is not None else "",
            artifact=artifact,
            digest=digest(artifact),
            draft=Draft(artifact, artifact, (), outcome, None, ()),
            asker_user_id=episode.asker_user_id,
            revision=episode.revision,
            created_at=here.now,
            remind_at=remind_at,
            expires_at=expires_at,
        ),
    )
    return waits_line(desk.id, expires_at)


async def decided_gate(here: Pass, episode: EpisodeRow) -> GateRow | None:
    """The gate of an outcome about which somebody has decided and which nobody has told yet."""
    gates = await here.tx.gates.for_episode(episode.id)
    newest = gates[-1] if gates else None
    if newest is None or newest.state is GateState.OPEN or newest.settled_at is not None:
        return None
    return newest


async def judgement(
    here: Pass, episode: EpisodeRow, thread: ConversationRow, gate: GateRow, outcome: Body
) -> Accepted | Fallen | None:
    """What was made of a decision, once; None for an outcome that has changed: it waits again."""
    await here.tx.gates.settled(gate.id, here.now)
    if not released(gate, here.in_force):
        return Fallen(not_released(gate.state, gate.words))
    if gate.digest != digest(_artifact(outcome)):
        await hold_decision(here, episode, thread, outcome)
        return None
    if gate.state is GateState.CORRECTED:
        outcome = replace(outcome, text=gate.words, sources=(), small=CORRECTED)
    return Accepted(outcome)


def _artifact(outcome: Body) -> str:
    """All that would be told of a decision but how long it took."""
    sources = "; ".join(source.label for source in outcome.sources)
    return "\n\n".join(part for part in (outcome.heading, outcome.text, sources) if part)
