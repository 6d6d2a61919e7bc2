"""How strong is a chunk of which only the newest traces, their count and the first are kept?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hivebot.proxy.chunks import Chunk, HiddenTraces
from hivebot.proxy.errors import InvalidBoundError

COMPACT_ABOVE = 256
COMPACT_KEEP = 32

_ONE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SumInterval:
    """The approximate trace sum of each chunk with the interval its exact sum lies in.

    All three are sums `S` with `B = ln S`; they agree where nothing is hidden.

    Source: memory.md 10.2.
    """

    approximate: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]


def tail(
    hidden: NDArray[np.int64],
    oldest_listed: NDArray[np.float64],
    oldest: NDArray[np.float64],
    decay: float,
) -> NDArray[np.float64]:
    """Estimate what hidden traces add, as if spread evenly between two ages.

    Args:
        hidden: Number of traces that are not listed, `n - k`.
        oldest_listed: Age `t_k` of the k-th newest trace, at least 1.
        oldest: Age `t_n` of the first trace, at least `t_k`.
        decay: ACT-R's d.

    Where both ages are equal the limit `(n - k) * t_k ** -d` is taken; at `d = 1` the integral is
    a logarithm. The power form is written with `expm1`, which stays exact near both.

    Source: Petrov 2006; memory.md 10.2.
    """
    power = 1.0 - decay
    spread = oldest - oldest_listed
    logarithm = np.log(oldest / oldest_listed)
    if abs(power) < _ONE:
        integral = logarithm
    else:
        integral = oldest_listed**power * np.expm1(power * logarithm) / power
    even = np.divide(integral, spread, out=oldest_listed**-decay, where=spread > 0)
    return hidden.astype(np.float64) * even


def with_hidden(
    head: NDArray[np.float64],
    hidden: NDArray[np.int64],
    oldest_listed: NDArray[np.float64],
    oldest: NDArray[np.float64],
    decay: float,
) -> SumInterval:
    """Add the hidden traces to the exact head: the estimate and the bounds of the exact sum.

    `lowest` puts every hidden trace at the oldest age, `highest` all but one at the youngest.

    Source: memory.md 10.2 (error).
    """
    youngest_power, oldest_power = oldest_listed**-decay, oldest**-decay
    some = hidden > 0
    return SumInterval(
        approximate=head + tail(hidden, oldest_listed, oldest, decay),
        lowest=head + hidden * oldest_power,
        highest=head + np.where(some, (hidden - 1) * youngest_power + oldest_power, 0.0),
    )


def compact(chunk: Chunk, keep: int = COMPACT_KEEP, above: int = COMPACT_ABOVE) -> Chunk:
    """Keep only the newest traces of a chunk with many, plus how many there were and the first.

    A chunk with at most `above` listed traces is returned unchanged. Compacting again adds to
    what is hidden already.

    Raises:
        InvalidBoundError: `keep` is below 1 or `above` is below `keep`.

    Source: memory.md 10.2 (rule: above 256 traces, k = 32).
    """
    if keep < 1 or above < keep:
        raise InvalidBoundError(name="keep", rule="at least 1 and at most the limit")
    if len(chunk.traces) <= above:
        return chunk
    ordered = sorted(chunk.traces)
    dropped, kept = ordered[:-keep], ordered[-keep:]
    before = chunk.hidden or HiddenTraces(count=0, first=dropped[0])
    hidden = HiddenTraces(count=before.count + len(dropped), first=min(before.first, dropped[0]))
    return replace(chunk, traces=tuple(kept), hidden=hidden)
