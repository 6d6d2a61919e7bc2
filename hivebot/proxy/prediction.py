"""What are the two passes asked, what did they say, and did the artifact surprise the proxy?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from hivebot.proxy.chunks import Outcome

PRIOR_EXCERPT_CHARS = 500
SURPRISE_THRESHOLD = 0.3
SURPRISE_MAGNITUDE = 0.5
CONFIDENCE_LINES = 4
PERCEPTS_MAX = 5

_DECIMALS = 9
_CONFIDENCE = re.compile(
    r"\s*confidence:\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?![0-9A-Za-z]|[.,][0-9]|\s*[%/])",
    re.IGNORECASE,
)


class Part(StrEnum):
    """One part of a pass's prompt. Source: memory.md 5.1."""

    MEMORIES = "memories"
    CONFLICTS = "conflicts"
    ACCURACY = "accuracy"
    KNOWLEDGE = "knowledge"
    DIALOG = "dialog"
    GATE = "gate"
    PRIOR = "prior"
    ARTIFACT = "artifact"


@dataclass(frozen=True, slots=True)
class PassContext:
    """What both passes see. There is no room for the artifact: the first pass must be blind to it.

    Attributes:
        memories: Serialised memories; those of the first pass are retrieved without the artifact.
        conflicts: One short block per conflict.
        accuracy: One line about earlier predictions here.
        knowledge: What the desk knows.
        dialog: What was said at this gate so far.
        state: Kind of gate.
        question: What is asked of the person.

    Source: memory.md 5.1.
    """

    memories: str
    conflicts: str
    accuracy: str
    knowledge: str
    dialog: str
    state: str
    question: str


@dataclass(frozen=True, slots=True)
class PassReply:
    """What one pass said.

    Attributes:
        text: The answer in the person's voice.
        confidence: 0..1.
        prediction: An outcome of the gate's vocabulary, or empty.
        used: Ids of the memories it relied on.

    Source: memory.md 5.2.
    """

    text: str
    confidence: float
    prediction: str = ""
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surprise:
    """What the artifact did to the confidence.

    Attributes:
        surprised: The shift exceeds the threshold, or the action changed where that counts.
        delta: Absolute shift, to 9 decimals.
        magnitude: 0.5 for a surprise, else 0.

    Source: memory.md 5.3.
    """

    surprised: bool
    delta: float
    magnitude: float


NO_SURPRISE = Surprise(surprised=False, delta=0.0, magnitude=0.0)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the proxy would say, and how it came to it.

    Attributes:
        text: Decision text; empty when the person has to be asked.
        confidence: Confidence before the guards, 0 when there is no text.
        prediction: Categorical decision, or empty.
        prior: First pass, or None if it failed or said nothing.
        posterior: Second pass, or None if it failed or said nothing.
        surprise: What the artifact changed; none unless both passes answered.

    Source: memory.md 5.1.
    """

    text: str
    confidence: float
    prediction: str
    prior: PassReply | None
    posterior: PassReply | None
    surprise: Surprise

    @property
    def from_model(self) -> bool:
        """Say whether a pass produced the text (memory.md 6.2)."""
        return bool(self.text)


def prior_parts(context: PassContext) -> tuple[tuple[Part, str], ...]:
    """List the parts of the first pass in order, empty ones left out.

    Source: memory.md 5.1.
    """
    parts = (
        (Part.MEMORIES, context.memories),
        (Part.CONFLICTS, context.conflicts),
        (Part.ACCURACY, context.accuracy),
        (Part.KNOWLEDGE, context.knowledge),
        (Part.DIALOG, context.dialog),
        (Part.GATE, f"{context.state}\n{context.question}".strip()),
    )
    return tuple((part, text) for part, text in parts if text)


def posterior_parts(
    context: PassContext, prior: PassReply, artifact: str
) -> tuple[tuple[Part, str], ...]:
    """List the parts of the second pass: the first's, 500 characters of what it said, the artifact.

    Args:
        context: As for the first pass; its memories may be retrieved with the artifact.
        prior: What the first pass said.
        artifact: The artifact with its upstream documents.

    Source: memory.md 5.1.
    """
    more = ((Part.PRIOR, prior.text[:PRIOR_EXCERPT_CHARS]), (Part.ARTIFACT, artifact))
    return prior_parts(context) + tuple((part, text) for part, text in more if text)


def needs_second_pass(prior: PassReply | None) -> bool:
    """Say whether a second pass is made: only after a first one that said something.

    Source: memory.md 5.1.
    """
    return _spoke(prior) is not None


def settle(
    prior: PassReply | None,
    posterior: PassReply | None,
    *,
    on_action_change: bool = False,
    threshold: float = SURPRISE_THRESHOLD,
) -> Prediction:
    """Turn two passes into one prediction.

    1. the first said nothing: empty, confidence 0, the person is asked; 2. the second said nothing:
    the first stands, without surprise; 3. otherwise the second is the decision.

    Source: memory.md 5.1 and 5.3.
    """
    first = _spoke(prior)
    if first is None:
        return Prediction("", 0.0, "", None, None, NO_SURPRISE)
    second = _spoke(posterior)
    if second is None:
        return Prediction(first.text, first.confidence, first.prediction, first, None, NO_SURPRISE)
    moved = surprise(
        first.confidence,
        second.confidence,
        threshold=threshold,
        actions=(first.prediction, second.prediction) if on_action_change else None,
    )
    return Prediction(second.text, second.confidence, second.prediction, first, second, moved)


def surprise(
    prior_confidence: float,
    posterior_confidence: float,
    *,
    threshold: float = SURPRISE_THRESHOLD,
    actions: tuple[str, str] | None = None,
) -> Surprise:
    """Say whether the confidence moved by more than the threshold, decided on decimals.

    Exactly the threshold is no surprise, so the difference is rounded to 9 decimals before it is
    compared.

    Args:
        prior_confidence: 0..1.
        posterior_confidence: 0..1.
        threshold: Strict.
        actions: Both predicted actions where a change of action counts too; both must be known.

    Source: memory.md 5.3.
    """
    delta = round(abs(posterior_confidence - prior_confidence), _DECIMALS)
    changed = actions is not None and all(actions) and actions[0] != actions[1]
    surprised = delta > threshold or changed
    return Surprise(surprised, delta, SURPRISE_MAGNITUDE if surprised else 0.0)


def parse_confidence(output: str) -> tuple[str, float]:
    """Split a model's free text from the confidence it ends with.

    Searched from the end, at most the last four lines after trailing blank ones: a line that begins
    with `confidence:` in any case and a number without sign. The text is everything before that
    line. Without such a line the whole output is the text and the confidence 0, so that the person
    is asked; a value above 1 counts as 0.

    Source: memory.md 5.2 and 0 (row 13).
    """
    lines = output.rstrip().split("\n")
    for place in range(len(lines) - 1, max(len(lines) - 1 - CONFIDENCE_LINES, -1), -1):
        match = _CONFIDENCE.match(lines[place])
        if match:
            value = float(match.group(1))
            return "\n".join(lines[:place]).strip(), value if value <= 1 else 0.0
    return output.strip(), 0.0


def parse_percepts(reply: str) -> tuple[str, tuple[str, ...]]:
    """Read what a model says moved the prediction: one sentence and up to five phrases.

    Lines that start with a dash and a space are phrases; the first other line is the sentence.

    Returns:
        The sentence and the phrases; both empty for an empty reply.

    Source: memory.md 5.3.
    """
    lines = [line.strip() for line in reply.split("\n")]
    phrases = tuple(line[2:].strip() for line in lines if line.startswith("- "))
    others = (line for line in lines if line and line != "-" and not line.startswith("- "))
    return next(others, ""), tuple(each for each in phrases if each)[:PERCEPTS_MAX]


def vocabulary(state: str) -> tuple[Outcome, ...]:
    """List what a prediction may be at that kind of gate.

    Source: memory.md 2, 5.2 and 9.2.
    """
    if state.startswith("DISCOVERY_"):
        return (Outcome.PROMOTE, Outcome.DISMISS, Outcome.DISCUSS)
    return (
        Outcome.APPROVE,
        Outcome.CORRECT,
        Outcome.REJECT,
        Outcome.WITHDRAW,
        Outcome.CLARIFY,
    )


def categorical(word: str, state: str) -> str:
    """Give the outcome a pass named, or nothing if it is not in the gate's vocabulary.

    Source: memory.md 5.2 (hivebot MUST obtain a categorical prediction).
    """
    plain = word.strip().lower()
    return plain if plain in vocabulary(state) else Outcome.NONE


def _spoke(reply: PassReply | None) -> PassReply | None:
    return None if reply is None or not reply.text.strip() else reply
