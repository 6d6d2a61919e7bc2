"""How much does chance move a chunk's score, and where does the chance come from?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hivebot.proxy.errors import InvalidBoundError

Hashes: TypeAlias = NDArray[np.uint64]

CLAMP = 1e-10

_MASK = (1 << 64) - 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)


def logistic_noise(p: float, scale: float) -> float:
    """Turn a uniform draw into logistic noise of standard deviation `pi * scale / sqrt(3)`.

    Args:
        p: Uniform in (0, 1); clamped to [1e-10, 1 - 1e-10].
        scale: ACT-R's s, at least 0; 0 gives 0.

    Raises:
        InvalidBoundError: The scale is negative or not finite, or `p` is NaN.

    Source: memory.md 3.5.
    """
    return float(logistic_noises(np.array([p]), scale)[0])


def logistic_noises(p: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Turn many uniform draws into noise, one for each. See `logistic_noise`."""
    if not (math.isfinite(scale) and scale >= 0):
        raise InvalidBoundError(name="noise scale", rule="finite and at least 0")
    if bool(np.isnan(p).any()):
        raise InvalidBoundError(name="noise draw", rule="a number from 0 to 1")
    clamped = np.clip(p, CLAMP, 1 - CLAMP)
    return scale * (np.log(clamped) - np.log1p(-clamped))


def draw(seed: int, clock: int, chunk_id: str) -> float:
    """Derive the uniform draw of one chunk at one moment, in [0, 1). See `draws`."""
    return float(draws(seed, clock, id_hashes((chunk_id,)))[0])


def draws(seed: int, clock: int, hashes: Hashes) -> NDArray[np.float64]:
    """Derive the uniform draws of many chunks at one moment, in [0, 1), from 53 bits of a hash.

    They do not depend on row order, so a stored gate can be replayed: the hash of the id, mixed
    with seed and clock by two rounds of the SplitMix64 finaliser.

    Args:
        seed: The memory's own; taken modulo 2**64.
        clock: Interaction number; taken modulo 2**64.
        hashes: From `id_hashes`.

    Source: memory.md 3.5 (determinism).
    """
    mixed = _mix(_mix(hashes ^ np.uint64(seed & _MASK)) ^ np.uint64(clock & _MASK))
    return (mixed >> np.uint64(11)).astype(np.float64) / float(1 << 53)


def id_hashes(ids: Sequence[str]) -> Hashes:
    """Hash ids to 64 bits each: FNV-1a over UTF-8."""
    encoded = [each.encode("utf-8", "surrogatepass") for each in ids]
    lengths = np.array([len(each) for each in encoded], dtype=np.int64)
    width = int(lengths.max(initial=0))
    letters = np.frombuffer(b"".join(each.ljust(width, b"\0") for each in encoded), np.uint8)
    digest = np.full(len(ids), _FNV_OFFSET, np.uint64)
    for column, letter in enumerate(letters.reshape(len(ids), width).T):
        step = (digest ^ letter) * _FNV_PRIME
        digest = np.where(lengths > column, step, digest)
    return digest


def roll(seed: int, gate_id: str) -> float:
    """Derive the exploration roll of one gate, in [0, 1): drawn once, stored with the gate.

    Source: memory.md 6.1 (guard 4).
    """
    return draw(seed, 0, f"roll\x1f{gate_id}")


def _mix(values: Hashes) -> Hashes:
    z = values + _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))
