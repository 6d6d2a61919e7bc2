"""How is a memory shown? As tables, as a small plot of a chunk's life, and as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from hivebot.bench.proxy.own_gates import Advice, Tried
from hivebot.bench.proxy.resampling import Interval
from hivebot.bench.proxy.scores import NOT_ENOUGH_ACTS
from hivebot.entrypoints.benches.reporting import Sheet
from hivebot.entrypoints.terminal import printable
from hivebot.proxy.accuracy import AccuracyRecord
from hivebot.proxy.activation import TraceTable, activations, last_surviving_age
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.metrics import Ratio
from hivebot.proxy.parts import ScoreParts
from hivebot.proxy.retrieval import RetrievalPolicy
from hivebot.services.records.memories import MemoryRow, RecallRow, RememberedChunk

EXCERPT_CHARS: Final = 60
PLOT_WIDTH: Final = 60
PLOT_HEIGHT: Final = 9

_POINT, _LINE = "•", "·"


def memory_rows(
    memories: Iterable[tuple[MemoryRow, Sequence[RememberedChunk], int]],
) -> list[tuple[str, ...]]:
    """One row per memory: live and hidden chunks, contexts known, chunks without vectors."""
    rows: list[tuple[str, ...]] = []
    for memory, chunks, depth in memories:
        live = [each for each in chunks if each.chunk.live]
        bare = sum(not each.chunk.embedding_model for each in live)
        counts = (memory.clock, len(live), len(chunks) - len(live), depth, bare)
        rows.append((memory.proxy, memory.team_id, *map(str, counts)))
    return rows


def chunk_sheet(memory: MemoryRow, chunks: Sequence[RememberedChunk]) -> Sheet:
    """The chunks of one memory, newest last."""
    table = _traces([each.chunk for each in chunks])
    strengths: list[float] = activations(table, memory.clock).tolist()
    return Sheet(
        title=f"What the proxy of {printable(memory.proxy)} remembers at {memory.clock}",
        columns=("chunk", "kind", "state", "task type", "outcome", "about", "traces", "activation"),
        rows=[
            (
                printable(each.chunk.id) + ("" if each.chunk.live else " (hidden)"),
                each.chunk.type,
                printable(each.chunk.state),
                printable(each.chunk.task_type),
                printable(each.chunk.outcome),
                excerpt(each.chunk.content),
                str(len(each.chunk.traces)),
                written(strength),
            )
            for each, strength in zip(chunks, strengths, strict=True)
        ],
        words=6,
    )


def accuracy_sheet(found: dict[tuple[str, str], AccuracyRecord]) -> Sheet:
    """How often the passes were right, context by context."""
    return Sheet(
        title="Predictions that named what a person decided",
        columns=("state", "task type", "without the artifact", "with it", "last"),
        rows=[
            (
                printable(state),
                printable(task_type),
                f"{record.prior_correct} of {record.prior_total}",
                f"{record.posterior_correct} of {record.posterior_total}",
                f"{record.last_updated:%Y-%m-%d}" if record.last_updated else "",
            )
            for (state, task_type), record in found.items()
        ],
        words=2,
    )


def chunk_lines(remembered: RememberedChunk, clock: int, policy: RetrievalPolicy) -> list[str]:
    """A chunk for people, its text as data and its activation as a plot."""
    chunk = remembered.chunk
    hidden = "" if chunk.live else f", hidden since {chunk.deleted_at}"
    facts = [
        f"{printable(chunk.id)}: {chunk.type}, {remembered.created_at:%Y-%m-%d %H:%M}{hidden}",
        f"context     {printable(chunk.state)} / {printable(chunk.task_type)}",
        f"outcome     {printable(chunk.outcome) or '(none)'}",
        f"readable    {readable(remembered)}",
        f"vectors     {_vectors(chunk)}",
        f"traces      {_written_traces(chunk)}",
    ]
    for label, text in (
        ("predicted", _predicted(chunk)),
        ("surprise", chunk.prediction_delta),
        ("the person", chunk.human_response),
        ("missed by", chunk.delta),
        ("question", remembered.texts.question),
        ("about", chunk.content),
    ):
        if text:
            facts.append(f"{label:<12}{printable(' '.join(text.split()))}")
    return [*facts, "", *activation_plot(chunk, clock, policy)]


def activation_plot(
    chunk: Chunk,
    clock: int,
    policy: RetrievalPolicy,
    width: int = PLOT_WIDTH,
    height: int = PLOT_HEIGHT,
) -> list[str]:
    """Draw activation over interactions, from the first trace to now, and the threshold.

    Source: memory.md 3.3 and 4.3.
    """
    if not chunk.traces:
        return ["no traces: it never comes to mind"]
    first = min((*chunk.traces, *((chunk.hidden.first,) if chunk.hidden else ())))
    moments = np.linspace(first, max(clock, first), width).round().astype(np.int64)
    table = _traces([chunk])
    each = (activations(table.until(int(at)), int(at), policy.decay)[0] for at in moments)
    values = np.array([float(value) for value in each])
    drawn = np.where(np.isfinite(values), values, policy.retrieval_threshold)
    top = max(float(drawn.max()), policy.retrieval_threshold)
    low = min(float(drawn.min()), policy.retrieval_threshold)
    step = (top - low) / (height - 1) or 1.0
    rows = ((top - drawn) / step).round().astype(np.int64)
    level = round((top - policy.retrieval_threshold) / step)
    lines: list[str] = []
    for row in range(height):
        cells = "".join(
            _POINT if at == row else _LINE if row == level else " " for at in rows.tolist()
        )
        mark = " threshold" if row == level else ""
        lines.append(f"{top - row * step:7.2f} │{cells.rstrip()}{mark}")
    lines.append(f"        └{'─' * width}")
    last = f"interaction {max(clock, first)}"
    lines.append(f"         {first}{last:>{width - len(str(first))}}")
    return lines


def parts_sheet(kept: Sequence[tuple[RecallRow, ScoreParts]]) -> Sheet:
    """What the last scores of a chunk were made of."""
    dimensions = [dimension.value for dimension, _ in kept[0][1].cosines] if kept else []
    return Sheet(
        title="Its last scores",
        columns=(
            "for",
            "at",
            "rank",
            "score",
            "activation",
            "scaled",
            "similarity",
            *dimensions,
            "noise",
            "above",
        ),
        rows=[
            (
                f"{row.recall.purpose}, gate {row.recall.gate_id}"
                if row.recall.gate_id is not None
                else str(row.recall.purpose),
                str(row.recall.clock),
                str([hit.chunk_id for hit in row.recall.hits].index(parts.chunk_id) + 1),
                written(parts.score),
                written(parts.activation),
                written(parts.scaled),
                written(parts.similarity),
                *(written(_cosine(parts, name)) for name in dimensions),
                written(parts.noise),
                f"{row.recall.survivors} of {row.recall.candidates}",
            )
            for row, parts in kept
        ],
        notes=[
            f"score = {policy.activation_weight:g} x scaled ({policy.normalization}) + "
            f"{policy.semantic_weight:g} x similarity + noise, the newest's weights"
            for policy in [row.recall.policy for row, _ in kept[:1]]
        ],
    )


def advice_sheet(advice: Advice) -> Sheet:
    """What the replay found, one row per threshold."""
    gates = len(advice.best.gates)
    return Sheet(
        title=f"{gates} gates of its own, replayed",
        columns=(
            "tau",
            "once is kept for",
            "survivors",
            "coverage",
            "accuracy",
            "95%",
            "balanced",
            "95%",
            "acted",
            "false approvals",
            "upper bound",
        ),
        rows=[_advice_row(each, current=each is advice.tried[0]) for each in advice.tried],
        notes=[*advice_lines(advice)],
    )


def advice_lines(advice: Advice) -> Iterable[str]:
    """Say what follows from it; nothing is written."""
    yield "Accuracy counts a gate without a memory above the threshold as wrong."
    current = advice.tried[0].policy.retrieval_threshold
    if advice.gain is None:
        yield f"Keep tau {current:g}: no other does better on these gates. Nothing was changed."
        return
    best = advice.best.policy.retrieval_threshold
    gain = advice.gain.interval
    found = f"{100 * gain.value:+.1f} points, 95% {100 * gain.low:.1f} to {100 * gain.high:.1f}"
    if advice.recommended is None:
        yield (
            f"Keep tau {current:g}: {len(advice.best.gates)} gates do not show that tau {best:g} "
            f"does better ({found}). Nothing was changed."
        )
        return
    yield f"Try tau {best:g} instead of {current:g}: {found}. Nothing was changed."


def advice_data(advice: Advice) -> dict[str, object]:
    """The same as data."""
    recommended = advice.recommended
    return {
        "gates": len(advice.best.gates),
        "tried": [
            {
                "tau": each.policy.retrieval_threshold,
                "survivors": each.scores.survivors.share,
                "coverage": each.scores.coverage.share,
                "accuracy": _interval(each.accuracy),
                "balanced_accuracy": _interval(each.balanced),
                "acts": each.scores.false_approvals.total,
                "false_approvals": each.scores.false_approvals.hits,
            }
            for each in advice.tried
        ],
        "recommended": None if recommended is None else recommended.policy.retrieval_threshold,
    }


def exported(remembered: RememberedChunk, *, vectors: bool) -> str:
    """A chunk as one line of JSON with everything that is stored of it."""
    chunk = remembered.chunk
    line: dict[str, object] = {
        "id": chunk.id,
        "sequence": chunk.sequence,
        "type": str(chunk.type),
        "state": chunk.state,
        "task_type": chunk.task_type,
        "outcome": str(chunk.outcome),
        "lens": chunk.lens,
        "prior_prediction": chunk.prior_prediction,
        "prior_confidence": chunk.prior_confidence,
        "posterior_prediction": chunk.posterior_prediction,
        "posterior_confidence": chunk.posterior_confidence,
        "prediction_delta": chunk.prediction_delta,
        "salient_percepts": list(chunk.salient_percepts),
        "human_response": chunk.human_response,
        "delta": chunk.delta,
        "content": chunk.content,
        "situation": remembered.texts.situation,
        "artifact": remembered.texts.artifact,
        "question": remembered.texts.question,
        "traces": list(chunk.traces),
        "hidden_traces": chunk.hidden.count if chunk.hidden else 0,
        "hidden_first": chunk.hidden.first if chunk.hidden else None,
        "deleted_at": chunk.deleted_at,
        "by_human": remembered.by_human,
        "audience": remembered.scope.audience.value,
        "channel_id": remembered.scope.channel_id,
        "gate_id": remembered.sources.gate_id,
        "message_ids": list(remembered.sources.message_ids),
        "user_ids": list(remembered.sources.user_ids),
        "created_at": remembered.created_at.isoformat(),
        "embedding_model": chunk.embedding_model,
    }
    if vectors:
        held = {each.value: values.tolist() for each, values in chunk.vectors.present()}
        line["embeddings"] = held
    return json.dumps(line, ensure_ascii=False)


def excerpt(text: str) -> str:
    """The first words of a text, on one line."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= EXCERPT_CHARS else f"{line[: EXCERPT_CHARS - 1]}…"


def readable(remembered: RememberedChunk) -> str:
    """Say where a chunk may be read."""
    scope = remembered.scope
    if scope.audience.value == "public":
        return "in every channel of the workspace"
    if not scope.channel_id:
        return "nowhere: it was made of several closed conversations"
    return f"in {printable(scope.channel_id)} alone ({scope.audience.value})"


def written(value: float) -> str:
    """A figure; minus infinity as a word."""
    return f"{value:.2f}" if np.isfinite(value) else "never"


def _advice_row(each: Tried, *, current: bool) -> tuple[str, ...]:
    found, policy = each.scores, each.policy
    age = last_surviving_age(1, policy.retrieval_threshold, policy.decay)
    acts = found.false_approvals
    return (
        f"{policy.retrieval_threshold:g}{' (in force)' if current else ''}",
        "ever" if age is None else str(age),
        _share(found.survivors),
        _share(found.coverage),
        _share(found.accuracy),
        f"{100 * each.accuracy.low:.0f} to {100 * each.accuracy.high:.0f}",
        f"{100 * each.balanced.value:.1f}%",
        f"{100 * each.balanced.low:.0f} to {100 * each.balanced.high:.0f}",
        _share(found.acted),
        f"{acts.hits} of {acts.total}",
        f"{100 * found.false_approvals_upper:.1f}%" if found.enough_acts else NOT_ENOUGH_ACTS,
    )


def _interval(found: Interval) -> list[float]:
    return [round(each, 4) for each in (found.value, found.low, found.high)]


def _share(found: Ratio) -> str:
    return "-" if found.share is None else f"{100 * found.share:.1f}%"


def _traces(chunks: Sequence[Chunk]) -> TraceTable:
    return TraceTable.of([each.traces for each in chunks], [each.hidden for each in chunks])


def _cosine(parts: ScoreParts, name: str) -> float:
    return next((value for dimension, value in parts.cosines if dimension == name), 0.0)


def _predicted(chunk: Chunk) -> str:
    passes = [
        f"{prediction} ({confidence:.2f}) {how}"
        for prediction, confidence, how in (
            (chunk.prior_prediction, chunk.prior_confidence, "without the artifact"),
            (chunk.posterior_prediction, chunk.posterior_confidence, "with it"),
        )
        if prediction
    ]
    return ", ".join(passes)


def _vectors(chunk: Chunk) -> str:
    present = [f"{each.value} {values.size}" for each, values in chunk.vectors.present()]
    if not present:
        return "none yet" if not chunk.embedding_model else f"none ({chunk.embedding_model})"
    return f"{', '.join(present)} ({printable(chunk.embedding_model) or 'unnamed model'})"


def _written_traces(chunk: Chunk) -> str:
    listed = ", ".join(map(str, sorted(chunk.traces)))
    if chunk.hidden is None:
        return listed or "none"
    return f"{chunk.hidden.count} from {chunk.hidden.first} on, then {listed}"
