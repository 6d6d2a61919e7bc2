"""What was published of uniform rooms, their policies and the refutation arms?"""

from __future__ import annotations

from typing import Final

from hivebot.bench.arms import RoomRun
from hivebot.bench.figures.cases import Case, Class, Figure, RunCase, SweepCase, grid, table
from hivebot.bench.policies import Overrides
from hivebot.bench.rooms import Layout

_ROOMS: Final = table(
    "1 uniform rooms: --episodes 5000",
    RoomRun(5000),
    """
    arm            turns decided% correct% ci        correct gain            knows% rho
    ladder          1.00    100.0     57.6 56.2-59.0    2880 -               -      -
    vote           15.00    100.0     78.5 77.4-79.6    3926 -               -      -
    hive            6.16     89.7     73.3 72.0-74.5    3663 -               -      -
    hive+           6.75     99.4     82.1 81.0-83.1    4104 +3.6[+2.8,+4.4] 0.0    0.19
    hive+ref        8.99     88.6     75.0 -               - -               -      -
    hive+ev        10.29     60.8     55.9 -               - -               -      -
    hive+dir        6.75     99.4     82.1 81.0-83.1    4104 -               0.0    -
    hive+defer      6.75     99.4     82.1 81.0-83.1    4104 -               0.0    -
    hive+dir+defer  6.75     99.4     82.1 81.0-83.1    4104 -               0.0    -
    ladder+dir      1.00    100.0     49.5 48.1-50.9       - -               -      -
    """,
)

_OLDER_TABLE: Final = (
    Figure(
        "ladder+dir",
        "correct%",
        "50.7",
        Class.AMBIGUOUS,
        "older table; by no known rule (bench.md 14.5)",
    ),
    Figure(
        "hive+",
        "rho",
        "0.7",
        Class.HISTORICAL,
        "older table; by the shortcut formula without ties (bench.md 14.6)",
    ),
)


def _sized(settings: dict[str, int]) -> RoomRun:
    overrides = Overrides(budget=settings.get("budget"))
    return RoomRun(2000, layout=Layout(members=settings["agents"]), overrides=overrides)


UNIFORM: Final[tuple[Case, ...]] = (
    RunCase(_ROOMS.title, _ROOMS.run, (*_ROOMS.figures, *_OLDER_TABLE)),
    *grid(
        "1 quorum bounds: --episodes 5000 --quorum",
        lambda row: RoomRun(5000, overrides=Overrides(quorum=row["quorum"])),
        1,
        """
        quorum hive+:deadlocked hive+:exhausted hive+:decided% hive+
        2                   514               0           89.7  73.3
        3                     0              29           99.4  82.1
        5                     0            2092           58.2  55.2
        """,
    ),
    table(
        "1 opening round: --episodes 5000 --no-blind",
        RoomRun(5000, overrides=Overrides(blind=False)),
        """
        arm   decided% correct%
        hive+    100.0     58.0
        """,
    ),
    *grid(
        "1 desk sizes: --episodes 2000 --agents",
        _sized,
        1,
        """
        agents ladder vote hive+ hive+:turns hive+:decided%
        3        57.3 68.4  71.6        4.42           99.8
        4        57.3 74.2  76.8        6.68           94.6
        5        57.6 78.8  81.5        6.79           99.3
        6        57.1 82.2  83.4        9.04           95.6
        8        58.4 87.3  88.6       11.32           96.9
        """,
    ),
    *grid(
        "1 budget of a room of eight: --episodes 1500 --agents 8 --budget",
        lambda row: RoomRun(
            1500, layout=Layout(members=8), overrides=Overrides(budget=row["budget"])
        ),
        1,
        """
        budget hive+:decided% hive+ hive+:turns
        12               65.3  63.1       10.36
        16               89.6  82.9       10.96
        20               94.5  86.3       11.24
        24               96.4  87.7       11.42
        """,
    ),
    *(
        case.graded(Class.AMBIGUOUS, "published without a number of rooms; 3000 give it")
        for case in grid(
            "1 budget of a room of five: --episodes 3000 --budget",
            lambda row: RoomRun(3000, overrides=Overrides(budget=row["budget"])),
            1,
            """
            budget hive+
            15      82.0
            20      82.1
            25      82.1
            """,
        )
    ),
    *(
        case.graded(Class.AMBIGUOUS, "published without a number of rooms; 300 give it")
        for case in grid(
            "1 larger uniform rooms: --episodes 300 --agents",
            lambda row: RoomRun(300, layout=Layout(members=row["agents"])),
            1,
            """
            agents  vote hive+
            8       83.3  83.3
            16      96.7  95.0
            32      99.3  99.3
            64     100.0 100.0
            """,
        )
    ),
    *grid(
        "2 refutation arms: --episodes 500 --noise",
        lambda row: RoomRun(500, layout=Layout(noise=row["noise"])),
        1,
        """
        noise hive+ hive+ref hive+ev
        30    100.0    100.0   100.0
        60     95.6     94.6    82.2
        90     78.8     72.8    53.8
        120    68.4     53.2    37.4
        """,
    ),
    table(
        "2 endings: --episodes 500",
        RoomRun(500),
        """
        arm      converged exhausted turns
        hive+          495         5  6.84
        hive+ref       441        59  8.95
        hive+ev        298       202 10.28
        """,
    ),
    table(
        "2 a quorum of two: --episodes 500 --quorum 2",
        RoomRun(500, overrides=Overrides(quorum=2)),
        """
        arm      correct%
        hive         71.0
        hive+        71.0
        hive+ref     65.0
        hive+ev      56.8
        """,
    ),
    SweepCase(
        "2 policy sweep: --episodes 500 --sweep",
        RoomRun(500),
        (
            Figure("best", "policies", "864"),
            Figure("best", "correct%", "79.0"),
            Figure("best", "turns", "6.87"),
            Figure("best", "policy", "budget 20, quorum 3, blind, dominance 40"),
            Figure("best twelve", "with refutation or evidential", "0"),
            Figure("vote", "correct%", "75.8"),
        ),
    ),
)
"""Sections 1 and 2 of bench-figures.md."""
