"""How far is a compacted chunk's activation from the exact one?

Source: Petrov 2006; memory.md 10.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from hivebot.bench.chance import Stream, mix
from hivebot.proxy.activation import DECAY, Floats, TraceTable, activations, logarithm, trace_sums
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.petrov import compact

KEEPS: Final = (1, 3, 10, 32)
HISTORIES: Final = 1_000
_USES_MAX: Final = 59
_LIFETIME_MIN, _LIFETIME_MAX = 5, 999
_BURST: Final = 6
_SEED: Final = 20260717
_TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class HybridError:
    """What compaction to some traces costs on one kind of history, in units of activation.

    Attributes:
        history: How the uses are spread.
        keep: Traces kept.
        mean: Mean absolute error.
        p95: 95th percentile of it.
        worst: The largest.
        beyond_bound: Histories whose error exceeds the bound computed from what is kept.
    """

    history: str
    keep: int
    mean: float
    p95: float
    worst: float
    beyond_bound: int


def _evenly(_chance: Stream, uses: int, lifetime: int) -> list[int]:
    return [1 + place * (lifetime - 1) // uses for place in range(uses)]


def _at_random(chance: Stream, uses: int, lifetime: int) -> list[int]:
    return sorted(1 + chance.below(lifetime) for _ in range(uses))


def _in_bursts(chance: Stream, uses: int, lifetime: int) -> list[int]:
    starts = [1 + chance.below(lifetime) for _ in range(uses // _BURST + 1)]
    return sorted(min(starts[place // _BURST] + place % _BURST, lifetime) for place in range(uses))


_HISTORIES: Final[Mapping[str, Callable[[Stream, int, int], list[int]]]] = MappingProxyType(
    {"evenly spaced": _evenly, "at random": _at_random, "in bursts": _in_bursts}
)


def hybrid_errors(
    keeps: Sequence[int] = KEEPS, histories: int = HISTORIES, seed: int = _SEED
) -> tuple[HybridError, ...]:
    """Compact made-up histories of 2 to 59 uses over 5 to 999 interactions, and compare.

    Source: memory.md 10.2 (error).
    """
    found: list[HybridError] = []
    for number, (name, spread) in enumerate(_HISTORIES.items()):
        chance = Stream(mix(seed, number))
        lives = [_life(chance, spread) for _ in range(histories)]
        found.extend(_compared(name, keep, lives) for keep in keeps)
    return tuple(found)


def _life(chance: Stream, spread: Callable[[Stream, int, int], list[int]]) -> tuple[list[int], int]:
    uses = 2 + chance.below(_USES_MAX - 1)
    lifetime = _LIFETIME_MIN + chance.below(_LIFETIME_MAX - _LIFETIME_MIN + 1)
    return spread(chance, uses, lifetime), lifetime + 1


def _compared(name: str, keep: int, lives: Sequence[tuple[list[int], int]]) -> HybridError:
    pairs: Floats = np.array([_error(traces, clock, keep) for traces, clock in lives])
    errors, bounds = pairs[:, 0], pairs[:, 1]
    beyond = np.count_nonzero(errors > bounds + _TOLERANCE)
    return HybridError(
        history=name,
        keep=keep,
        mean=float(errors.mean()),
        p95=float(np.quantile(errors, 0.95)),
        worst=float(errors.max()),
        beyond_bound=int(beyond),
    )


def _error(traces: Sequence[int], clock: int, keep: int) -> tuple[float, float]:
    short = compact(Chunk(id="", traces=tuple(traces)), keep=keep, above=keep)
    sums = trace_sums(TraceTable.of([short.traces], [short.hidden]), clock, DECAY)
    about, low, high = (
        _only(logarithm(each)) for each in (sums.approximate, sums.lowest, sums.highest)
    )
    exact = _only(activations(TraceTable.of([traces]), clock, DECAY))
    return abs(about - exact), max(high - about, about - low)


def _only(values: Floats) -> float:
    return float(values[0])
