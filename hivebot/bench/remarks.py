"""Did the mechanism pay? Said plainly, losses first of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hivebot.bench.measures import SHARES, mean
from hivebot.bench.tally import Results

TALKERS: Final = 0.7
"""Rank correlation from which a directory only repeats who talked. Source: product.md section 5."""

_COUNTERPARTS: Final = (
    ("hive+dir", "hive+", "the directory"),
    ("hive+defer", "hive+", "deferral"),
    ("hive+dir+defer", "hive+", "directory and deferral"),
    ("hive+ref", "hive+", "a cap on refutations"),
    ("hive+ev", "hive+", "evidential grounding"),
)
_DIRECTORIES: Final = ("hive+dir", "hive+dir+defer", "hive+cost")
_LEAK: Final = (
    "ladder+dir is told the answer's name: its score measures a leak and is no way to run a desk."
)


def on_rooms(results: Results) -> Iterator[str]:
    """Compare each mechanism with the same room without it, and a directory with who talked."""
    for arm, base, mechanism in _COUNTERPARTS:
        if arm in results and base in results:
            yield _compared(results, arm, base, mechanism)
    for arm in _DIRECTORIES:
        if arm in results:
            yield from _directory(results, arm)
    if "ladder+dir" in results:
        yield _LEAK


def on_federations(results: Results) -> Iterator[str]:
    """Compare every way of crossing with desks that stay apart."""
    for arm in ("referral", "referral-off-floor", "merged"):
        if arm in results and "siloed" in results:
            dearer = mean(results[arm].tally, "turns") - mean(results["siloed"].tally, "turns")
            compared = _compared(results, arm, "siloed", "that")
            yield f"{compared} Turns: {dearer:+.1f} a federation."
    for arm, result in results.items():
        if result.tally.stranded:
            yield f"{arm}: {result.tally.stranded} letters reached desks that had finished."


def _compared(results: Results, arm: str, base: str, mechanism: str) -> str:
    ours, theirs = (SHARES["correct%"](results[one].tally) for one in (arm, base))
    points = f"{abs(ours.percent - theirs.percent):.1f} points"
    if ours.count == theirs.count:
        verdict = f"{mechanism} changed nothing"
    elif ours.count < theirs.count:
        verdict = f"{mechanism} LOST {points}"
    else:
        verdict = f"{mechanism} gained {points}"
    return f"{arm}: {ours.percent:.1f}% against {theirs.percent:.1f}% for {base}; {verdict}."


def _directory(results: Results, arm: str) -> Iterator[str]:
    tally = results[arm].tally
    rho = mean(tally, "rho")
    beside = f"{arm}: rank correlation of directory weight and speech share {rho:.2f}"
    yield f"{beside}; the directory tracks who talked." if rho >= TALKERS else f"{beside}."
    if tally.knows == 0:
        yield f"{arm}: no turn was won for knowing; the directory changed nothing here."
