"""Do the statistics of the benchmark still say what is known of them?"""

from __future__ import annotations

from collections.abc import Iterator

from hivebot.bench.statistics import Interval, paired_bootstrap, spearman_milli, wilson


def self_test() -> Iterator[tuple[str, bool]]:
    """Name what is known and say whether it holds. Source: bench.md section 12."""
    none, everything = wilson(0, 10), wilson(10, 10)
    rising = (1, 2, 3, 4, 5)
    tied = (1, 1, 2, 5, 5)
    yield "none of ten: the interval starts at 0", none.low == 0.0
    yield "none of ten: it ends between 0 and 100", 0.0 < none.high < 100.0
    yield "ten of ten: the interval ends at 100", everything.high == 100.0
    yield "a sequence agrees with itself", spearman_milli(rising, rising) == 1000
    yield "a sequence disagrees with its reverse", spearman_milli(rising, rising[::-1]) == -1000
    yield "ties agree with themselves", spearman_milli(tied, tied) == 1000
    yield "ties disagree with their reverse", spearman_milli(tied, (5, 5, 2, 1, 1)) == -1000
    yield "what never varies agrees with nothing", spearman_milli((3, 3, 3), (1, 2, 3)) == 0
    right = (True, False, True, True)
    yield "an arm equals itself", paired_bootstrap(right, right, 1) == Interval(0.0, 0.0)
