"""Which texts of an interaction are embedded, and how much of each?"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.vectors import Dimension

ARTIFACT_CHARS = 4000
STIMULUS_CHARS = 500
SALIENCE_ARTIFACT_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Percepts:
    """The texts to embed, one per dimension; an empty text has no vector.

    The same record serves storing and asking, so that both sides embed the same kind of text: the
    stimulus is the gate's question on both.

    Source: memory.md 2 (texts that are embedded) and 9.1.
    """

    situation: str = ""
    artifact: str = ""
    stimulus: str = ""
    response: str = ""
    salience: str = ""
    blended: str = ""

    def texts(self) -> tuple[tuple[Dimension, str], ...]:
        """List the texts that need a vector, in the order of `Dimension`."""
        every = ((dimension, getattr(self, dimension.value)) for dimension in Dimension)
        return tuple((dimension, text) for dimension, text in every if text)


def situation_text(state: str, task_type: str, situation: str = "") -> str:
    """Say where the decision stands: `state task_type`, unless a text of one's own is given."""
    return situation or f"{state} {task_type}".strip()


def stored_percepts(chunk: Chunk, *, question: str, artifact: str, situation: str = "") -> Percepts:
    """Give the texts embedded when a chunk is stored.

    Limits: artifact 4000, stimulus 500 characters. The salience text is the sentence of a surprise
    and so is empty without one.

    Source: memory.md 2.
    """
    return Percepts(
        situation=situation_text(chunk.state, chunk.task_type, situation),
        artifact=artifact[:ARTIFACT_CHARS],
        stimulus=question[:STIMULUS_CHARS],
        response=chunk.human_response,
        salience=chunk.prediction_delta,
        blended=blended_text(chunk),
    )


def asked_percepts(
    state: str, task_type: str, question: str, artifact: str = "", situation: str = ""
) -> Percepts:
    """Give the texts embedded when a gate asks the memory.

    The first pass gives no artifact: it must be blind to it. The response is never known yet.

    Source: memory.md 9.1 and 5.1.
    """
    return Percepts(
        situation=situation_text(state, task_type, situation),
        artifact=artifact[:ARTIFACT_CHARS],
        stimulus=question[:STIMULUS_CHARS],
    )


def salience_question(state: str, task_type: str, artifact: str = "") -> str:
    """Give the text that asks "when was the proxy surprised by something like this?".

    With an artifact: its first 2000 characters, a blank line, `state task_type`; without: only the
    latter. The query of the first pass MUST be made without the artifact.

    Source: memory.md 4.6.
    """
    situation = situation_text(state, task_type)
    return f"{artifact[:SALIENCE_ARTIFACT_CHARS]}\n\n{situation}" if artifact else situation


def blended_text(chunk: Chunk) -> str:
    """Join what a single vector would hold, for the one-or-five ablation. Source: memory.md 2."""
    parts = (
        chunk.state,
        chunk.task_type,
        chunk.content,
        chunk.human_response,
        chunk.prediction_delta,
    )
    return " ".join(part for part in parts if part)
