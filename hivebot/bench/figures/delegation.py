"""What was published of the delegation arms, specialists and hidden profiles?"""

from __future__ import annotations

from typing import Final

from hivebot.bench.arms import RoomRun
from hivebot.bench.figures.cases import Case, Class, grid, table
from hivebot.bench.policies import Overrides
from hivebot.bench.rooms import HiddenProfile, Layout, Specialists

_HIDDEN: Final = Layout(noise=50, shape=HiddenProfile())
_SPECIALISTS: Final = Layout(shape=Specialists(2, priced=True))
_OLDER_HIDDEN: Final = Layout(noise=50, shape=HiddenProfile(lift=150))
_OLDER: Final = "lift 150, grounds weight 120, any evidence on an option counts against it"


def _older(episodes: int, *, history: int = 3, blind: bool = True) -> RoomRun:
    return RoomRun(
        episodes,
        layout=_OLDER_HIDDEN,
        history=history,
        overrides=Overrides(blind=blind),
        grounds=120,
        readings_refute=True,
    )


_HISTORICAL: Final = (
    table(
        "3 hidden profile, older constants: --episodes 5000 --hidden-profile",
        _older(5000),
        """
        arm        correct% turns
        vote            0.0     -
        ladder         21.2     -
        ladder+dir     21.4     -
        hive            0.0     -
        hive+           0.4   6.3
        hive+dir        0.4   6.3
        """,
    ),
    table(
        "3 hidden profile, older constants: --episodes 500 --hidden-profile --no-blind",
        _older(500, blind=False),
        """
        arm   correct%
        hive+     22.8
        """,
    ),
    *grid(
        "3 hidden profile, older constants: --episodes 2000 --hidden-profile --history",
        lambda row: _older(2000, history=row["history"]),
        1,
        """
        history ladder ladder+dir
        1         21.9       22.0
        5         21.9       22.4
        """,
    ),
)

DELEGATION: Final[tuple[Case, ...]] = (
    table(
        "3 uniform: --episodes 5000 --blind-evidence",
        RoomRun(5000, evidence_first=True),
        """
        arm            correct% ci        knows% turns decided% rho
        ladder             57.6 56.2-59.0 -      -     -        -
        vote               78.5 77.4-79.6 -      -     -        -
        hive               73.8 -         -      -     -        -
        hive+              75.3 74.1-76.5 0.0    11.49 93.0     -
        hive+ref           48.1 -         -      -     -        -
        hive+ev            46.0 -         -      -     -        -
        hive+dir           75.7 74.5-76.8 75.1   -     -        0.72
        hive+defer         75.3 74.1-76.5 0.0    -     -        -
        hive+dir+defer     75.7 74.5-76.8 75.1   -     -        -
        ladder+dir         98.8 98.5-99.1 -      -     -        -
        """,
    ),
    table(
        "3 specialists: --episodes 5000 --specialists 2 --cost-tiers",
        RoomRun(5000, layout=_SPECIALISTS),
        """
        arm            correct% ci        route% turns cost  per-kU
        ladder             52.6 51.2-54.0 18.9   -      4.56 115.39
        vote               71.1 69.9-72.4 -      -     69.00  10.31
        hive+              74.2 72.9-75.4 -      6.98  32.30  22.97
        hive+dir           74.2 72.9-75.4 -      -         -      -
        hive+defer         74.3 73.1-75.5 -      6.94      -      -
        hive+dir+defer     74.3 73.1-75.5 -      -         -      -
        ladder+dir         45.1 43.8-46.5 22.3   -      4.71  95.81
        hive+cost          74.3 -         -      -     32.05  23.20
        all-reasoning      74.2 -         -      -     69.80  10.63
        """,
    ),
    table(
        "3 specialists: --episodes 5000 --specialists 2 --cost-tiers --blind-evidence",
        RoomRun(5000, layout=_SPECIALISTS, evidence_first=True),
        """
        arm            correct% ci        knows% route% fact% to-fact rho  cost   per-kU
        ladder             52.6 51.2-54.0 -      18.9   -     -       -      4.56 115.39
        vote               71.1 69.9-72.4 -      -      -     -       -     69.00  10.31
        hive+              67.6 66.3-68.9 0.0    -      93.4  2.0     -     52.40  12.91
        hive+dir           68.0 66.7-69.2 78.3   -      93.4  2.0     0.46      -      -
        hive+defer         67.2 65.9-68.5 0.0    -      93.4  2.0     -         -      -
        hive+dir+defer     68.1 66.8-69.4 79.8   -      93.4  2.0     -         -      -
        ladder+dir         84.4 83.4-85.4 -      -      -     -       -      3.24 260.33
        hive+cost          68.1 -         -      -      -     -       -     52.62  12.95
        all-reasoning      67.6 -         -      -      -     -       -    115.27   5.87
        """,
    ),
    *grid(
        "3 history: --episodes 2000 --specialists 2 --history",
        lambda row: RoomRun(2000, layout=_SPECIALISTS, history=row["history"]),
        1,
        """
        history ladder+dir
        0             52.1
        1             44.8
        3             44.0
        5             43.9
        10            43.6
        """,
    ),
    table(
        "3 hidden profile: --episodes 5000 --hidden-profile",
        RoomRun(5000, layout=_HIDDEN),
        """
        arm            correct% fact% rho  gain
        ladder             35.1 -     -    -
        vote               15.0 -     -    -
        hive                5.6 -     0.08 -
        hive+              15.3 1.5   0.17 +0.3[+0.1,+0.5]
        hive+dir           15.3 1.5   0.17 -
        hive+defer         15.4 1.4   0.17 -
        hive+dir+defer     15.4 1.4   0.17 -
        hive+ref           15.3 1.8   0.32 -
        hive+ev            12.7 7.1   0.33 -
        ladder+dir         34.6 -     -    -
        """,
    ),
    table(
        "3 hidden profile: --episodes 5000 --hidden-profile --blind-evidence",
        RoomRun(5000, layout=_HIDDEN, evidence_first=True),
        """
        arm            correct% ci        fact% to-fact knows% rho   gain
        ladder             35.1 33.7-36.4 -     -       -      -     -
        vote               15.0 14.1-16.1 -     -       -      -     -
        hive               67.0 -         -     -       -      -     -
        hive+              66.3 65.0-67.6 96.8  2.1     0.0    0.32  +51.3[+49.8,+52.8]
        hive+dir           65.8 64.5-67.1 95.7  2.1     77.5   0.37  -
        hive+defer         66.8 65.4-68.1 96.8  2.1     0.0    -0.02 -
        hive+dir+defer     66.6 65.3-67.9 95.7  2.1     77.3   -0.00 -
        hive+ref           53.3 51.9-54.7 96.4  2.1     0.0    0.31  -
        hive+ev            26.0 24.8-27.2 96.5  2.1     0.0    0.48  -
        ladder+dir         64.1 62.8-65.4 -     -       -      -     -
        """,
    ),
    table(
        "3 hidden profile: --episodes 2000 --hidden-profile --blind-evidence --defer-cap 2",
        RoomRun(2000, layout=_HIDDEN, evidence_first=True, defer_cap=2),
        """
        arm            correct% defers rho
        hive+              66.6 -      0.31
        hive+defer         67.8 0.8    -0.08
        hive+dir+defer     67.4 0.7    -0.06
        """,
    ),
    *grid(
        "3 hidden profile: --episodes 5000 --hidden-profile --blind-evidence --seed",
        lambda row: RoomRun(5000, seed=row["seed"], layout=_HIDDEN, evidence_first=True),
        1,
        """
        seed vote hive+ hive+dir ladder+dir
        2    16.6  67.2     66.3       64.6
        3    15.5  67.2     67.1       64.5
        """,
    ),
    *(case.graded(Class.HISTORICAL, _OLDER) for case in _HISTORICAL),
)
"""Section 3 of bench-figures.md; the two tables of seed 1 are in it once."""
