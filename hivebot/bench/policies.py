"""Which policy does each arm deliberate under?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hivebot.hive.directory import DirectoryPolicy
from hivebot.hive.episode import EpisodePolicy
from hivebot.hive.quorum import QuorumPolicy

WINDOW: Final = 100
"""Sequences every arm looks back, so that a bench episode is never cut."""

TURNS_PER_MEMBER: Final = 3
DEFERRING: Final = frozenset({"hive+defer", "hive+dir+defer"})

LIBRARY: Final = EpisodePolicy(quorum=QuorumPolicy(window=WINDOW))
"""What `hive` runs under: the library's default with the window widened, whatever the desk."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line changes about hive+ and every arm derived from it.

    Attributes:
        budget: Turns an episode may cost.
        quorum: Supporters that carry an option.
        window: Sequences that count.
        dominance: Per cent of the shares above which a member is held back.
        repetition: Supporters from which further supports pull nobody.
        blind: Whether the opening round is blind.
        refutation_cap: Refuters from which an option is no longer carried.
        evidential: Whether supports must lead to a fact.
    """

    budget: int | None = None
    quorum: int | None = None
    window: int = WINDOW
    dominance: int = 40
    repetition: int = 2
    blind: bool = True
    refutation_cap: int | None = None
    evidential: bool = False


def budget_of(members: int) -> int:
    """Give the tuned turn budget of a desk. Source: bench.md section 7."""
    return max(6, TURNS_PER_MEMBER * members)


def threshold_of(members: int) -> int:
    """Give the tuned quorum of a desk: a majority, but never everybody. Source: bench.md 7."""
    return max(2, min(members // 2 + 1, members - 1))


def tuned(members: int, overrides: Overrides) -> EpisodePolicy:
    """Give the policy of hive+ for a desk of so many members.

    Source: bench.md section 7.
    """
    return EpisodePolicy(
        turn_budget=budget_of(members) if overrides.budget is None else overrides.budget,
        blind_round=overrides.blind,
        dominance_cap=overrides.dominance,
        repetition_cap=overrides.repetition,
        quorum=QuorumPolicy(
            threshold=threshold_of(members) if overrides.quorum is None else overrides.quorum,
            window=overrides.window,
            refutation_cap=overrides.refutation_cap,
            require_evidential=overrides.evidential,
        ),
    )


def policy_of(arm: str, plus: EpisodePolicy, defer_cap: int) -> EpisodePolicy:
    """Give the policy of one deliberating arm.

    Args:
        arm: Its name.
        plus: That of hive+.
        defer_cap: Of the deferring arms.

    Source: bench.md section 7.
    """
    if arm == "hive":
        return LIBRARY
    if arm in {"hive+ref", "hive+ev"}:
        quorum = replace(plus.quorum, refutation_cap=2, require_evidential=arm == "hive+ev")
        return replace(plus, quorum=quorum)
    return replace(
        plus,
        directory=DirectoryPolicy() if arm in {"hive+dir", "hive+dir+defer"} else None,
        defer_cap=defer_cap if arm in DEFERRING else None,
    )
