"""How do memories and their conflicts look in a prompt, so that their text stays data?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from hivebot.proxy.chunks import Chunk
from hivebot.proxy.conflict import Cause, Conflict

CHARS_PER_TOKEN = 4
EXPERIENCE_TOKENS = 5000
SALIENCE_TOKENS = 2000
CONTENT_CHARS = 500

EXPERIENCE_HEADING = "## What you remember of decisions like this"
SALIENCE_HEADING = "## What surprised you in something like this"

_ADVICE: Final = MappingProxyType(
    {
        Cause.RETRIEVAL_NOISE: "drop the weaker match from consideration",
        Cause.PREFERENCE_DRIFT: "the preference changed: trust {newer}, the newer one",
        Cause.GENUINE_TENSION: "both are recent and sure: leave this to the person",
        Cause.CONTEXT_SENSITIVITY: "both may hold, each in its own context",
    }
)


@dataclass(frozen=True, slots=True)
class PromptMemories:
    """Memories as text.

    Attributes:
        text: The sections; empty when there is nothing to show.
        handles: Handle shown for each chunk, `m1` to `mN`, to the chunk's id.

    Source: memory.md 4.7.
    """

    text: str
    handles: Mapping[str, str]

    def resolve(self, named: Sequence[str]) -> tuple[str, ...]:
        """Map the handles a model returned to ids; what was not in the prompt is passed through.

        Source: memory.md 3.4.
        """
        return tuple(self.handles.get(each.strip(), each) for each in named)


def memories(
    experience: Sequence[Chunk],
    salience: Sequence[Chunk] = (),
    *,
    experience_tokens: int = EXPERIENCE_TOKENS,
    salience_tokens: int = SALIENCE_TOKENS,
) -> PromptMemories:
    """Write retrieved chunks into a prompt, experience first, each list in rank order.

    A section is present only if a chunk of it fits. Its budget is four characters per token,
    heading included; the first block that would exceed it ends the section. Never the vectors,
    never the score. A chunk found by both retrievals has one handle.

    Source: memory.md 4.7.
    """
    handles: dict[str, str] = {}
    sections = (
        _section(EXPERIENCE_HEADING, experience, experience_tokens, handles),
        _section(SALIENCE_HEADING, salience, salience_tokens, handles),
    )
    text = "\n".join(section for section in sections if section)
    return PromptMemories(text.rstrip("\n"), {handle: each for each, handle in handles.items()})


def conflict_notes(found: Sequence[Conflict], handles: Mapping[str, str]) -> str:
    """Write one short block per conflict: cause, both handles, what to do; empty without any.

    Pairs of which one is not in the prompt are left out. The last line says how many pairs were
    judged by rule alone although a model was asked.

    Args:
        found: Conflicts among the retrieved chunks.
        handles: As in `PromptMemories`.

    Source: memory.md 8.2.
    """
    names = {chunk_id: handle for handle, chunk_id in handles.items()}
    shown = [each for each in found if each.first.id in names and each.second.id in names]
    lines = [
        f"- {names[each.first.id]} and {names[each.second.id]} differ "
        f"({each.cause.value.replace('_', ' ')}): "
        f"{_ADVICE[each.cause].format(newer=names.get(each.newer_id, ''))}"
        for each in shown
    ]
    by_rule = sum(each.by_rule for each in shown)
    if by_rule:
        lines.append(f"{by_rule} of these were judged by rule alone.")
    return "\n".join(lines)


def quoted(text: str, limit: int | None = None) -> str:
    """Write text as data: one line in double quotes that can open neither section nor marker.

    Everything that does not print, line breaks and invisible characters included, becomes a space,
    runs of spaces one; quotes, backslashes and angle brackets are escaped. The limit, in
    characters, counts before escaping.

    Source: memory.md 4.7 (untrusted text MUST be delimited as data).
    """
    plain = "".join(char if char.isprintable() else " " for char in text[:limit])
    line = " ".join(plain.split())
    for char, safe in (("\\", "\\\\"), ('"', '\\"'), ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        line = line.replace(char, safe)
    return f'"{line}"'


def _section(heading: str, chunks: Sequence[Chunk], tokens: int, handles: dict[str, str]) -> str:
    left = tokens * CHARS_PER_TOKEN - len(heading) - 1
    blocks: list[str] = []
    for chunk in chunks:
        handle = handles.get(chunk.id, f"m{len(handles) + 1}")
        block = _block(handle, chunk)
        left -= len(block)
        if left < 0:
            break
        handles[chunk.id] = handle
        blocks.append(block)
    return f"{heading}\n{''.join(blocks)}" if blocks else ""


def _block(handle: str, chunk: Chunk) -> str:
    return "\n".join((f"### {handle}", *told(chunk))) + "\n\n"


def told(chunk: Chunk) -> tuple[str, ...]:
    """Write what one chunk remembers, a line each; texts are data, never vectors nor scores.

    Source: memory.md 4.7 (2 to 6).
    """
    lines = [
        (
            f"State {quoted(chunk.state)}, task type {quoted(chunk.task_type)}, "
            f"outcome {quoted(chunk.outcome)}"
        )
    ]
    for label, predicted, confidence in (
        ("Predicted without the artifact", chunk.prior_prediction, chunk.prior_confidence),
        ("Predicted with the artifact", chunk.posterior_prediction, chunk.posterior_confidence),
    ):
        if predicted:
            lines.append(f"{label}: {quoted(predicted)} ({confidence:.2f})")
    for label, text, limit in (
        ("What moved the prediction", chunk.prediction_delta, None),
        ("What the person said", chunk.human_response, None),
        ("How the prediction missed", chunk.delta, None),
        ("What it was about", chunk.content, CONTENT_CHARS),
    ):
        if text:
            lines.append(f"{label}: {quoted(text, limit)}")
    return tuple(lines)
