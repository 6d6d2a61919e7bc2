"""How are many episodes played on several cores without a number changing?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, TypeAlias

from hivebot.bench.arms import RoomRun, play_rooms
from hivebot.bench.federation.arms import play_federations
from hivebot.bench.federation.world import FederationRun
from hivebot.bench.tally import ArmResult, Results

Run: TypeAlias = RoomRun | FederationRun

Advance: TypeAlias = Callable[[int], None]
"""Told how many episodes were played since it was told last."""

_PARTS: Final = 40
_SMALLEST_ROOM_PART: Final = 25

_Part: TypeAlias = tuple[Run, range]


def play(run: Run, jobs: int = 1, advance: Advance | None = None) -> Results:
    """Play one run; the results are the same for every number of jobs."""
    (results,) = play_all((run,), jobs, advance)
    return results


def play_all(
    runs: Sequence[Run], jobs: int = 1, advance: Advance | None = None
) -> Iterator[Results]:
    """Play several runs and give what each came to, in order.

    Parts of a run are played in any order, on `jobs` processes, and put together in order.
    """
    parts = [part for run in runs for part in _parts(run)]
    if jobs == 1:
        yield from _gathered(runs, map(_play_part, parts), advance)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        try:
            yield from _gathered(runs, pool.map(_play_part, parts), advance)
        finally:
            pool.shutdown(cancel_futures=True)


def _parts(run: Run) -> list[_Part]:
    size = -(-run.episodes // _PARTS)
    if isinstance(run, RoomRun):
        size = max(size, _SMALLEST_ROOM_PART)
    starts = range(0, run.episodes, size)
    return [(run, range(start, min(start + size, run.episodes))) for start in starts]


def _play_part(part: _Part) -> Results:
    run, indices = part
    if isinstance(run, RoomRun):
        return play_rooms(run, indices)
    return play_federations(run, indices)


def _gathered(
    runs: Sequence[Run], played: Iterator[Results], advance: Advance | None
) -> Iterator[Results]:
    for run in runs:
        whole: Results = {arm: ArmResult() for arm in run.arms}
        for (_, indices), results in zip(_parts(run), played, strict=False):
            for arm, result in results.items():
                whole[arm].add(result)
            if advance is not None:
                advance(len(indices))
        yield whole
