"""Is a scenario what it claims to be? Proved from its facts alone, before anything is run.

Source: briefed.md, "Scenario 1" to "Scenario 3".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.briefed.scenarios import Scenario, Shape
from hivebot.entrypoints.benches.deciding.scenario_files import Case, Federation
from hivebot.services.records.policy import AgentConfig, BriefFact

REMOVALS_MIN: Final = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One thing a scenario has to hold.

    Attributes:
        claim: In words.
        holds: Whether it does.
        because: What was found.
    """

    claim: str
    holds: bool
    because: str


def prove(case: Case) -> tuple[Step, ...]:
    """Prove a scenario, by its shape.

    Hidden: each member's own facts put a wrong option strictly first; all facts together put the
    right one strictly first; without any one of at least three members it is not first. Several
    desks: besides, each desk's facts together put a wrong option strictly first, and not all the
    same. Refuted: what everybody was told puts the right option strictly first; exactly one member
    is misled; all together are right; without the one who can refute it a wrong option is first.
    """
    if isinstance(case, Federation):
        return (*_desks(case), _all_together(case), _removals(case))
    if case.shape is Shape.HIDDEN:
        return _alone(case), _all_together(case), _removals(case)
    return _told(case), _misled(case), _all_together(case), _refuter(case)


def first(facts: Iterable[BriefFact], options: Sequence[str]) -> str:
    """Give the option that facts put strictly first, "" for none; each distinct one counts once."""
    scores = dict.fromkeys(options, 0)
    for option, bearing, strength, _text in {
        (fact.option, fact.bearing, fact.strength, fact.text) for fact in facts
    }:
        if option in scores:
            scores[option] += {"for": strength, "against": -strength}.get(bearing, 0)
    best = max(scores.values())
    leading = [option for option, score in scores.items() if score == best]
    return leading[0] if len(leading) == 1 else ""


def _ids(case: Case) -> list[str]:
    return [option.id for option in case.options]


def _known(members: Iterable[AgentConfig]) -> list[BriefFact]:
    return [fact for one in members for fact in (*one.rules.shared, *one.rules.holds)]


def _choices(case: Case) -> dict[str, str]:
    return {member.id: first(_known([member]), _ids(case)) for member in case.members}


def _alone(case: Case) -> Step:
    choices = _choices(case)
    wrong = all(choice and choice != case.right for choice in choices.values())
    return Step("each member alone puts a wrong option first", wrong, _listed(choices))


def _all_together(case: Case) -> Step:
    found = first(_known(case.members), _ids(case))
    claim = f"all facts together put {case.right} strictly first"
    return Step(claim, found == case.right, found or "a tie")


def _without(case: Case) -> dict[str, str]:
    """What all but one member come to, by the one who is away."""
    return {
        away.id: first(_known(one for one in case.members if one.id != away.id), _ids(case))
        for away in case.members
    }


def _removals(case: Case) -> Step:
    away = {one: found for one, found in _without(case).items() if found != case.right}
    claim = f"without any one of at least {REMOVALS_MIN} members, {case.right} is not first"
    return Step(claim, len(away) >= REMOVALS_MIN, _listed(away) or "nobody is needed")


def _desks(case: Federation) -> tuple[Step, Step]:
    choices = {desk.id: first(_known(desk.members), _ids(case)) for desk in case.desks}
    wrong = all(choice and choice != case.right for choice in choices.values())
    apart = wrong and len(set(choices.values())) > 1
    claim = "each desk alone puts a wrong option first, and not all the same"
    return _alone(case), Step(claim, apart, _listed(choices))


def _told(case: Scenario) -> Step:
    found = first(case.members[0].rules.shared, _ids(case))
    claim = f"what everybody was told puts {case.right} strictly first"
    return Step(claim, found == case.right, found or "a tie")


def _misled(case: Scenario) -> Step:
    misled = {one: choice for one, choice in _choices(case).items() if choice != case.right}
    claim = "one member's own facts put a wrong option first"
    return Step(claim, len(misled) == 1 and all(misled.values()), _listed(misled) or "nobody's")


def _refuter(case: Scenario) -> Step:
    away = {one: found for one, found in _without(case).items() if found != case.right}
    claim = "without the one member who can refute it, a wrong option is first"
    return Step(claim, len(away) == 1 and all(away.values()), _listed(away) or "nobody is needed")


def _listed(found: dict[str, str]) -> str:
    return ", ".join(f"{one}: {option or 'a tie'}" for one, option in found.items())
