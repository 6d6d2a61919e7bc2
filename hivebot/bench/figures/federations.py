"""What was published of federations?"""

from __future__ import annotations

from typing import Final

from hivebot.bench.federation.world import FederationRun
from hivebot.bench.figures.cases import Case, grid, table

FEDERATIONS: Final[tuple[Case, ...]] = (
    table(
        "4 federations: --episodes 400",
        FederationRun(400),
        """
        arm      correct% decided turns crossings converged stranded
        siloed        0.2       1  15.9       0.0      1199        -
        referral     77.5     389  32.3      12.0         -      0.0
        pooled       74.5     371  16.7       0.0         -        -
        merged       10.5      96  33.8         -         -        -
        vote          4.0     141  12.0         -         -        -
        """,
    ),
    *grid(
        "4 seeds: --episodes 400 --seed",
        lambda row: FederationRun(400, seed=row["seed"]),
        1,
        """
        seed siloed referral
        2       0.8     76.0
        3       0.2     75.5
        """,
    ),
    *grid(
        "4 bias: --episodes 300 --bias",
        lambda row: FederationRun(300, bias=row["bias"]),
        1,
        """
        bias siloed referral pooled merged  vote siloed:turns referral:turns
        0      99.7    100.0  100.0  100.0 100.0         16.3           31.2
        60     59.3     92.7   95.3   93.0  83.0            -              -
        110     0.0     78.3   76.0   11.0   4.0            -              -
        160     0.0     35.7   35.7    0.0   0.0            -              -
        """,
    ),
    *grid(
        "4 shapes: --episodes 300",
        lambda row: FederationRun(300, desks=row["desks"], per_desk=row["per-desk"]),
        2,
        """
        desks per-desk siloed referral pooled merged
        2     4           0.0     25.0   18.3    4.3
        3     4           0.0     78.3   76.0   11.0
        4     4           1.0     58.7   56.3    3.7
        3     3           0.0     75.7   72.3   13.3
        3     6           0.0     78.3   78.3    9.3
        """,
    ),
    table(
        "4 off the floor: --episodes 200 --ask-cap 2",
        FederationRun(200),
        """
        arm                correct%
        siloed                  0.0
        referral               78.0
        pooled                 75.5
        referral-off-floor     79.0
        """,
    ),
)
"""Section 4 of bench-figures.md."""
