"""What does the desk's memory keep of what a person decided?

Works inside the caller's transaction; vectors are made later, outside any, so that a slow embedder
holds no lock and a failing one loses no outcome. Source: memory.md 2, 3, 5.4 and 9.2, rights.md 3.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import unified_diff
from types import MappingProxyType
from typing import Final

from hivebot.hive.crossing import Audience
from hivebot.hive.gate import GateState
from hivebot.proxy.lesson import Act, Settlement, lesson
from hivebot.services.ports import Transaction
from hivebot.services.records.gates import GateRow
from hivebot.services.records.memories import NewChunk, PerceptTexts, Place, Scope, Sources

CONTENT_MAX: Final = 2_000
"""Characters of an interaction that are kept as its text, and of what was changed in it."""

_ACTS: Final = MappingProxyType(
    {
        GateState.APPROVED: Act.APPROVE,
        GateState.CORRECTED: Act.CORRECT,
        GateState.REJECTED: Act.REJECT,
    }
)


async def remember_gate(tx: Transaction, gate: GateRow) -> bool:
    """Keep what a person decided at a gate; False where there is nothing to learn.

    1. Nobody decided in time, or what was to be decided is gone: no outcome, no chunk.
    2. A gate leaves one chunk, one trace and one step of the clock, however often this is called.
    3. What the proxy had predicted is counted as right or wrong, and the memories it had cited
       gain a trace: then, and only then.
    4. It may be read where all that went into it may: the question, what waited, and the words.

    Source: memory.md 3.4, 5.4, 5.5, 7 (rule 4) and 9.2, rights.md 3.
    """
    act = _ACTS.get(gate.state)
    if act is None:
        return False
    corrected = act is Act.CORRECT
    chunk = lesson(
        f"gate:{gate.id}",
        Settlement(
            act=act,
            state=gate.kind.value,
            task_type=gate.task_type,
            words=gate.words,
            text_changed=corrected,
            difference=difference(gate.artifact, gate.words) if corrected else "",
            content=f"Asked: {gate.question}\nDecided on: {gate.artifact}"[:CONTENT_MAX],
        ),
        None,
    )
    if chunk is None:  # pragma: no cover - only an expiry has no lesson
        return False
    said = gate.prediction
    if said is not None:
        chunk = replace(
            chunk,
            prior_prediction=said.prior,
            prior_confidence=said.prior_confidence,
            posterior_prediction=said.posterior,
            posterior_confidence=said.posterior_confidence,
            prediction_delta=said.delta,
            salient_percepts=said.percepts,
        )
    memory = await tx.memories.ensure(gate.team_id, gate.desk_id)
    people = (gate.actor_user_id, gate.asker_user_id)
    recorded = await tx.memories.record(
        memory.id,
        NewChunk(
            chunk=chunk,
            scope=Scope.of(await _places(tx, gate)),
            sources=Sources(
                gate_id=gate.id,
                message_ids=tuple(dict.fromkeys((gate.message_id, gate.question_id))),
                user_ids=tuple(dict.fromkeys(one for one in people if one)),
            ),
            texts=PerceptTexts(question=gate.question, artifact=gate.artifact),
        ),
    )
    if recorded.new and said is not None and said.used:
        await tx.memories.reinforce(memory.id, said.used)
    return recorded.new


async def _places(tx: Transaction, gate: GateRow) -> tuple[Place, ...]:
    """Where the gate, what it is about and the question behind it were said."""
    found: list[Place] = []
    rows = [await tx.messages.get(one) for one in (gate.message_id, gate.question_id)]
    ids = [gate.conversation_id, *(row.conversation_id for row in rows if row is not None)]
    for conversation_id in dict.fromkeys(ids):
        place = await tx.conversations.get(conversation_id)
        if place is not None:
            found.append(Place(place.audience, place.channel_id))
    post = await tx.outbox.get(gate.post_id) if gate.post_id is not None else None
    if post is not None:
        channel_id = post.destination.channel_id
        channel = await tx.conversations.find(gate.team_id, channel_id, "")
        # a channel where nothing was ever said to us is believed to be closed
        found.append(Place(channel.audience if channel else Audience.PRIVATE, channel_id))
    return tuple(dict.fromkeys(found))


def difference(before: str, after: str) -> str:
    """Which lines went and which came, `-` and `+` before them."""
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    _, _, *rest = [*lines] or ["", ""]
    changed = [one for one in rest if not one.startswith("@@")]
    return "\n".join(changed)[:CONTENT_MAX]
