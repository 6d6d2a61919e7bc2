"""Where does every random number of a benchmark come from?

SplitMix64, with one unusual point: seeding already adds the increment once. No shuffle and no
float is ever drawn, so a run is the same on every machine.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

_MASK: Final = 2**64 - 1
_INCREMENT: Final = 0x9E3779B97F4A7C15
_FIRST_FACTOR: Final = 0xBF58476D1CE4E5B9
_SECOND_FACTOR: Final = 0x94D049BB133111EB
_SPREAD: Final = 0xD6E8FEB86659FD93


class Stream:
    """One seeded sequence of numbers.

    Source: bench.md section 2.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed + _INCREMENT) & _MASK

    def next(self) -> int:
        """Draw 64 bits."""
        self._state = z = (self._state + _INCREMENT) & _MASK
        z = ((z ^ (z >> 30)) * _FIRST_FACTOR) & _MASK
        z = ((z ^ (z >> 27)) * _SECOND_FACTOR) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """Draw 0..bound-1 by plain remainder; a bound of 0 gives 0 and draws nothing."""
        return self.next() % bound if bound else 0

    def centered(self, width: int) -> int:
        """Draw -width..width; a width of 0 draws too."""
        return self.next() % (2 * width + 1) - width

    def chance(self, per_mille: int) -> bool:
        """Draw whether something that happens so often in a thousand happens."""
        return self.next() % 1000 < per_mille

    def many_below(self, bound: int, count: int) -> NDArray[np.int64]:
        """Draw `count` numbers below `bound`, above 0, as that many calls of `below` would."""
        steps = np.arange(1, count + 1, dtype=np.uint64)
        z = steps * np.uint64(_INCREMENT) + np.uint64(self._state)
        self._state = (self._state + count * _INCREMENT) & _MASK
        z ^= z >> np.uint64(30)
        z *= np.uint64(_FIRST_FACTOR)
        z ^= z >> np.uint64(27)
        z *= np.uint64(_SECOND_FACTOR)
        z ^= z >> np.uint64(31)
        return (z % np.uint64(bound)).astype(np.int64)


def mix(a: int, b: int) -> int:
    """Make a seed of two numbers.

    Source: bench.md section 2.
    """
    return Stream(a ^ ((b * _SPREAD) & _MASK)).next()
