"""Do decay, similarity, their sum and the guards earn their place? Tables, losses included.

Source: memory.md 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hivebot.bench.proxy.decisions import DecisionStream
from hivebot.bench.proxy.experiment import SEED
from hivebot.bench.proxy.features import Embed, Embeddings, features
from hivebot.bench.proxy.tables import Table
from hivebot.bench.proxy.walk import Walked, walk
from hivebot.proxy.ablation import (
    Composition,
    Recency,
    decay_or_recency,
    minmax_or_tanh,
    score_composition,
)
from hivebot.proxy.calibration import CalibrationPolicy, Guard
from hivebot.proxy.metrics import Ratio, metrics, surprise_calibration, trace_distribution
from hivebot.proxy.retrieval import RetrievalPolicy


def ablations(
    streams: Sequence[DecisionStream], embed: Embed, policy: RetrievalPolicy
) -> tuple[Table, ...]:
    """Walk every person's gates, and ablate the memories that are left.

    Source: memory.md 11 (hivebot MUST implement).
    """
    embeddings = Embeddings(embed)
    walked = [
        walk(stream, features(stream, embeddings), policy, CalibrationPolicy(), SEED)
        for stream in streams
    ]
    return (_chain(walked), _composed(walked, policy), _recency(walked, policy))


def _chain(walked: Sequence[Walked]) -> Table:
    found = metrics([gate for each in walked for gate in each.gates])
    chunks = [chunk for each in walked for chunk in each.chunks]
    spread = trace_distribution(chunks)
    rows = [
        ("action match (posterior names the outcome)", found.action_match),
        ("prior accuracy, of those that named one", found.prior_accuracy),
        ("posterior accuracy, of those that named one", found.posterior_accuracy),
        ("a person was asked", found.escalated),
        *((f"  of all, by guard {guard}", found.escalated_by[guard]) for guard in Guard),
        ("false approvals, of acts", found.false_approvals),
        ("surprises", found.surprises),
        ("surprising chunks a person answered", surprise_calibration(chunks)),
        ("survivors, of candidates", found.survivors),
        ("chunks with a single trace", spread.single),
    ]
    cells = [(name, _counts(share), _percent(share)) for name, share in rows]
    more = ("traces per chunk", f"at most {spread.most}", f"{spread.mean:.2f}")
    return Table("Two passes, guards and the decision", ("measure", "of", ""), (*cells, more))


def _composed(walked: Sequence[Walked], policy: RetrievalPolicy) -> Table:
    arms = [
        *_pooled([score_composition(each.chunks) for each in walked]).items(),
        *_pooled([minmax_or_tanh(each.chunks, policy) for each in walked]).items(),
    ]
    rows = tuple(
        (
            f"{'scaling' if '/' not in name else 'seed, activation/similarity'} {name}",
            _percent(matched),
            _percent(covered),
            _counts(matched),
        )
        for name, (matched, covered) in arms
    )
    return Table(
        "Held-out chunks foretold by the majority of what is retrieved",
        ("arm", "matched", "covered", "of"),
        rows,
    )


def _recency(walked: Sequence[Walked], policy: RetrievalPolicy) -> Table:
    found = [decay_or_recency(each.chunks, policy) for each in walked]
    halves = (
        ("all", [each.activation for each in found], [each.recency for each in found]),
        ("early half", [each.early[0] for each in found], [each.early[1] for each in found]),
        ("late half", [each.late[0] for each in found], [each.late[1] for each in found]),
    )
    rows = tuple(
        (name, _percent(_sum(decay)), _percent(_sum(recent)), _counts(_sum(decay)))
        for name, decay, recent in halves
    )
    return Table(
        "Activation against the most recent N by similarity",
        ("chunks", "activation", "recency", "of"),
        (*rows, ("people for whom decay may go", *_verdict(found))),
    )


def _verdict(found: Sequence[Recency]) -> tuple[str, str, str]:
    said = [each.drop_decay for each in found if each.drop_decay is not None]
    return (f"{sum(said)} of {len(said)}", f"overlap {_mean(found):.2f}", "")


def _mean(found: Sequence[Recency]) -> float:
    return sum(each.jaccard for each in found) / len(found) if found else 1.0


def _pooled(people: Sequence[Mapping[str, Composition]]) -> dict[str, tuple[Ratio, Ratio]]:
    names = dict.fromkeys(name for each in people for name in each)
    return {
        name: (
            _sum([each[name].matched for each in people]),
            _sum([each[name].covered for each in people]),
        )
        for name in names
    }


def _sum(shares: Sequence[Ratio]) -> Ratio:
    return Ratio(sum(each.hits for each in shares), sum(each.total for each in shares))


def _counts(share: Ratio) -> str:
    return f"{share.hits} of {share.total}"


def _percent(share: Ratio) -> str:
    return "-" if share.share is None else f"{100 * share.share:.1f}%"
