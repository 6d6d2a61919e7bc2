"""Do the made-up decisions end as written down, whatever the order at the desk?

Source: briefed.md (the measured figures).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import permutations
from types import MappingProxyType
from typing import Final

from hivebot.adapters.llm.briefed.rehearsal import play
from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.hive.episode import Converged
from hivebot.services.records.policy import Opening

EXHAUSTED: Final = "exhausted"


@dataclass(frozen=True, slots=True)
class Claim:
    """How often a decision ends how, over all orders of its members.

    Attributes:
        ends: Option on record, or the ending's name, and the number of orders.
        opening: What the blind round consists of.
        away: Members that are not there.
        turn_budget: None is the scenario's own.
    """

    ends: tuple[tuple[str, int], ...]
    opening: Opening = Opening.EVIDENCE_FIRST
    away: tuple[str, ...] = ()
    turn_budget: int | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim and what came of it."""

    claim: Claim
    measured: tuple[tuple[str, int], ...]

    @property
    def holds(self) -> bool:
        """Whether the claim is true."""
        return self.measured == self.claim.ends


CLAIMS: Final = MappingProxyType(
    {
        "rollout": (
            Claim((("canary", 120),)),
            Claim((("exhausted", 12), ("ship", 108)), Opening.POSITIONS),
            Claim(((EXHAUSTED, 24),), away=("anna",)),
            Claim(((EXHAUSTED, 24),), away=("carl",)),
            Claim(((EXHAUSTED, 24),), away=("dora",)),
            Claim((("canary", 24),), away=("bert",)),
            Claim((("canary", 24),), away=("eva",)),
        ),
        "objection": (
            Claim((("canary", 120),)),
            Claim((("canary", 74), (EXHAUSTED, 46)), turn_budget=15),
            Claim(((EXHAUSTED, 12), ("ship", 108)), Opening.POSITIONS),
            Claim((("revert", 24),), away=("anna",)),
            Claim((("revert", 24),), away=("dora",)),
        ),
        "rebuttal": (
            Claim((("migrate", 120),)),
            Claim(((EXHAUSTED, 30), ("migrate", 90)), turn_budget=15),
            Claim((("migrate", 120),), Opening.POSITIONS),
            Claim((("wait", 24),), away=("dora",)),
            Claim((("migrate", 24),), away=("bert",)),
        ),
    }
)


def check(scenario: Scenario, claims: tuple[Claim, ...] | None = None) -> tuple[Checked, ...]:
    """Play a decision in every order of its members, once for each claim.

    About a third of a second for each claim about five members.

    Args:
        scenario: The decision.
        claims: None is what is claimed of it in this file.
    """
    stated = CLAIMS.get(scenario.name, ()) if claims is None else claims
    return tuple(Checked(claim, _measured(scenario, claim)) for claim in stated)


def _measured(scenario: Scenario, claim: Claim) -> tuple[tuple[str, int], ...]:
    present = scenario.without(*claim.away)
    budget = present.turn_budget if claim.turn_budget is None else claim.turn_budget
    counted: Counter[str] = Counter()
    for members in permutations(present.members):
        played = play(replace(present, members=members, turn_budget=budget), opening=claim.opening)
        ending = played.ending
        named = ending.topic if isinstance(ending, Converged) else type(ending).__name__.lower()
        counted[named] += 1
    return tuple(sorted(counted.items()))
