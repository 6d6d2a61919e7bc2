"""Which figures are checked on every run of the tests?"""

from __future__ import annotations

from typing import Final

from hivebot.bench.arms import RoomRun
from hivebot.bench.federation.world import FederationRun
from hivebot.bench.figures.cases import Case, grid, table
from hivebot.bench.rooms import HiddenProfile, Layout, Specialists

FAST: Final[tuple[Case, ...]] = (
    table(
        "1 uniform rooms: --episodes 500",
        RoomRun(500),
        """
        arm      correct% turns converged exhausted
        ladder       57.6 -     -         -
        vote         75.8 -     -         -
        hive         71.0 -     -         -
        hive+        78.8 6.84  495       5
        hive+ref     72.8 8.95  441       59
        hive+ev      53.8 10.28 298       202
        """,
    ),
    table(
        "1 uniform rooms: --episodes 5000",
        RoomRun(5000),
        """
        arm    turns decided% correct% ci        correct gain
        ladder  1.00    100.0     57.6 56.2-59.0    2880 -
        vote   15.00    100.0     78.5 77.4-79.6    3926 -
        hive    6.16     89.7     73.3 72.0-74.5    3663 -
        hive+   6.75     99.4     82.1 81.0-83.1    4104 +3.6[+2.8,+4.4]
        """,
    ),
    *grid(
        "1 desk sizes: --episodes 2000 --agents",
        lambda row: RoomRun(2000, layout=Layout(members=row["agents"])),
        1,
        """
        agents ladder vote hive+ hive+:turns hive+:decided%
        3        57.3 68.4  71.6        4.42           99.8
        """,
    ),
    *grid(
        "2 refutation arms: --episodes 500 --noise",
        lambda row: RoomRun(500, layout=Layout(noise=row["noise"])),
        1,
        """
        noise hive+ hive+ref hive+ev
        30    100.0    100.0   100.0
        120    68.4     53.2    37.4
        """,
    ),
    table(
        "3 specialists: --episodes 5000 --specialists 2 --cost-tiers",
        RoomRun(5000, layout=Layout(shape=Specialists(2, priced=True))),
        """
        arm    correct% ci        route% cost  per-kU
        ladder     52.6 51.2-54.0 18.9    4.56 115.39
        vote       71.1 69.9-72.4 -      69.00  10.31
        """,
    ),
    table(
        "3 hidden profile: --episodes 5000 --hidden-profile --blind-evidence",
        RoomRun(5000, layout=Layout(noise=50, shape=HiddenProfile()), evidence_first=True),
        """
        arm      correct% ci        fact% to-fact knows% rho  gain
        ladder       35.1 33.7-36.4 -     -       -      -    -
        vote         15.0 14.1-16.1 -     -       -      -    -
        hive+        66.3 65.0-67.6 96.8  2.1     0.0    0.32 +51.3[+49.8,+52.8]
        hive+dir     65.8 64.5-67.1 95.7  2.1     77.5   0.37 -
        """,
    ),
    table(
        "4 federations: --episodes 200 --ask-cap 2",
        FederationRun(200),
        """
        arm                correct%
        siloed                  0.0
        referral               78.0
        pooled                 75.5
        referral-off-floor     79.0
        """,
    ),
    *grid(
        "4 bias: --episodes 300 --bias",
        lambda row: FederationRun(300, bias=row["bias"]),
        1,
        """
        bias siloed referral pooled merged  vote
        0      99.7    100.0  100.0  100.0 100.0
        160     0.0     35.7   35.7    0.0   0.0
        """,
    ),
)
"""A part of bench-figures.md, section 7, and a few figures that guard more of the rules."""
