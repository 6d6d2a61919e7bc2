"""What was published of large rooms and of many desks?"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hivebot.bench.arms import RoomRun
from hivebot.bench.federation.world import FederationRun
from hivebot.bench.figures.cases import Case, Class, grid, table
from hivebot.bench.rooms import HiddenProfile, Layout

_CROWDED: Final = "members counted without gaps; readings of desks 4 and above lost"
_UNCHECKED: Final = "the contract's own model checked this row to 25 desks only"


def _many_options(row: dict[str, int]) -> FederationRun:
    return FederationRun(row["episodes"], desks=row["desks"], per_desk=10, topics=128)


def _few_options(row: dict[str, int], digest: int = 0, *, evidence: bool = False) -> FederationRun:
    return FederationRun(
        row["episodes"],
        desks=row["desks"],
        per_desk=10,
        topics=8,
        digest=digest,
        evidence=evidence,
        fact_noise=row.get("fact-noise", 0),
    )


SCALE: Final[tuple[Case, ...]] = (
    *grid(
        "5 one room: --scale-sweep --hidden-profile --episodes 1000 --sizes",
        lambda row: RoomRun(
            1000,
            layout=Layout(members=row["agents"], noise=50, shape=HiddenProfile()),
            fixed_router=True,
        ),
        1,
        """
        agents ladder vote hive+ hive+fact hive+pooled
        3        44.6 31.2  31.3      56.7        95.7
        5        33.8 15.9  16.0      44.7        91.9
        8        28.4  7.4   8.7      32.9        87.0
        16       27.0  1.1   1.0      17.6        85.2
        32       22.5  0.0   0.0       6.4        87.4
        64       19.4  0.0   0.0       1.1        89.8
        """,
    ),
    *(
        case.graded(Class.HISTORICAL, _CROWDED)
        for case in grid(
            "5 growth, older rules: --episodes 200 --per-desk 4 --desks",
            lambda row: FederationRun(200, desks=row["desks"], crowded=True),
            1,
            """
            desks referral pooled referral:turns referral:crossings referral:stranded
            3         78.0   74.5              -                  -                 -
            6         66.5   87.0              -                  -                 -
            12         0.0   97.5          370.0              246.0              20.0
            24         0.0   99.5              -                  -                 -
            """,
        )
    ),
    *grid(
        "5 growth: --episodes 200 --per-desk 4 --desks",
        lambda row: FederationRun(200, desks=row["desks"]),
        1,
        """
        desks referral pooled
        3         78.0   75.5
        6         94.0   85.0
        12         0.0   94.5
        24         0.0   99.5
        """,
    ),
    *grid(
        "5 ask cap: --per-desk 10 --topics 128 --ask-cap 2",
        _many_options,
        2,
        """
        episodes desks siloed referral referral-off-floor pooled vote referral:turns
        20       3        0.0     75.0               75.0   85.0   0.0 47.6
        20       12       0.0    100.0              100.0  100.0  95.0 510.2
        20       25       0.0      0.0              100.0  100.0 100.0 1868.0
        20       50       0.0      0.0              100.0  100.0 100.0 3624.0
        8        100      0.0      0.0              100.0  100.0 100.0 6624.0
        """,
    ),
    *grid(
        "5 ask cap, off the floor: --per-desk 10 --topics 128 --ask-cap 2",
        _many_options,
        2,
        """
        episodes desks referral-off-floor:turns referral-off-floor:asks
        20       3                         47.1                       6
        20       12                       186.8                      24
        20       25                       356.8                      50
        20       50                       685.0                     100
        8        100                     1343.1                     200
        """,
    ),
    *grid(
        "5 ask cap, merged: --per-desk 10 --topics 128",
        _many_options,
        2,
        """
        episodes desks merged
        20       3       10.0
        20       12      80.0
        20       25       0.0
        """,
    ),
    *(
        case.graded(Class.AMBIGUOUS, _UNCHECKED)
        for case in grid(
            "5 ask cap, merged: --per-desk 10 --topics 128",
            _many_options,
            2,
            """
            episodes desks merged
            20       50       0.0
            8        100      0.0
            """,
        )
    ),
    table(
        "5 the collapse: --per-desk 10 --topics 128 --desks 25 --episodes 20",
        FederationRun(20, desks=25, per_desk=10, topics=128),
        """
        arm      exhausted deliberations
        referral       500           500
        """,
    ),
    table(
        "5 crossings: --per-desk 10 --topics 128 --desks 100 --episodes 8",
        FederationRun(8, desks=100, per_desk=10, topics=128),
        """
        arm                crossings
        referral                5856
        referral-off-floor       398
        """,
    ),
    *grid(
        "5 shared blind spots: --per-desk 10 --topics 8 --ask-cap 2",
        _few_options,
        2,
        """
        episodes desks referral-off-floor vote  pooled referral-off-floor:turns
        40       25                  95.0 15.0   100.0                    356.9
        24       50                  58.3 20.8   100.0                    683.9
        24       100                  0.0 12.5   100.0                   1339.3
        """,
    ),
    *grid(
        "5 shared blind spots: --per-desk 10 --topics 8 --ask-cap 2 --digest 1",
        lambda row: _few_options(row, 1),
        2,
        """
        episodes desks referral-off-floor referral-off-floor:turns referral-off-floor:digests
        40       25                  62.5                    352.6                         25
        24       50                  62.5                    678.7                         50
        24       100                 62.5                   1332.3                        100
        """,
    ),
    table(
        "5 who decides: --per-desk 10 --topics 8 --ask-cap 2 --desks 100 --episodes 24",
        FederationRun(24, desks=100, per_desk=10, topics=8),
        """
        arm                decided
        referral-off-floor      11
        """,
    ),
    *grid(
        "5 many options: --per-desk 10 --topics 128 --ask-cap 2",
        lambda row: replace(_many_options(row), digest=row["digest"]),
        3,
        """
        episodes desks digest referral-off-floor
        20       25    0                   100.0
        20       25    1                    55.0
        """,
    ),
    *grid(
        "5 opinions: --per-desk 10 --topics 8 --ask-cap 2",
        _few_options,
        2,
        """
        episodes desks referral-off-floor
        24       25                  95.8
        """,
    ),
    *grid(
        "5 evidence: --per-desk 10 --topics 8 --ask-cap 2 --evidence",
        lambda row: _few_options(row, evidence=True),
        2,
        """
        episodes desks referral-off-floor vote pooled
        24       25                 100.0    -      -
        24       100                  0.0 12.5  100.0
        """,
    ),
    *grid(
        "5 evidence: --per-desk 10 --topics 8 --ask-cap 2 --evidence --digest 1",
        lambda row: _few_options(row, 1, evidence=True),
        2,
        """
        episodes desks referral-off-floor referral-off-floor:turns
        24       25                 100.0                        -
        24       100                100.0                   1330.5
        """,
    ),
    *grid(
        "5 doubtful evidence: --per-desk 10 --topics 8 --ask-cap 2 --evidence",
        lambda row: _few_options(row, evidence=True),
        3,
        """
        episodes desks fact-noise referral-off-floor vote pooled
        24       50    0                        87.5 20.8  100.0
        24       50    100                      41.7  4.2  100.0
        24       50    250                       8.3  0.0  100.0
        24       50    500                       0.0  0.0   83.3
        """,
    ),
    *grid(
        "5 doubtful evidence: --per-desk 10 --topics 8 --ask-cap 2 --evidence --digest 1",
        lambda row: _few_options(row, 1, evidence=True),
        3,
        """
        episodes desks fact-noise referral-off-floor
        24       50    0                       100.0
        24       50    100                      79.2
        24       50    250                      37.5
        24       50    500                       4.2
        """,
    ),
)
"""Section 5 of bench-figures.md."""
