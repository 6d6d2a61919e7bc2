"""What does a rule-based member know, and which option does that speak for?

Source: briefed.md, "Knowledge".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hivebot.adapters.llm.sight import Sight
from hivebot.adapters.llm.text import inert
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.policy import BriefFact
from hivebot.services.records.replies import Bearing, Fact

Identity = tuple[str, Bearing, int, str]


@dataclass(frozen=True, slots=True)
class Known:
    """One distinct fact.

    Attributes:
        text: As the brief has it, or as it stands on the line.
        about: Words the brief files it under.
        stated_at: Number of the oldest row that states it, 0 for none.
        stated: Every row that states it.
        own: The member's own brief has it.
        held: Nobody else was given it.
    """

    option: str
    bearing: Bearing
    strength: int
    text: str
    about: tuple[str, ...]
    stated_at: int
    stated: tuple[int, ...]
    own: bool
    held: bool

    def as_fact(self) -> Fact:
        """Give it as a statement to make."""
        return Fact(self.option, self.bearing, self.strength, self.text, rests_on="brief")

    def is_against(self, option: str) -> bool:
        """Say whether it speaks against an option."""
        return self.option == option and self.bearing is Bearing.AGAINST

    def speaks_for(self, option: str) -> bool:
        """Say whether it speaks for an option, or against another one."""
        if self.bearing is Bearing.FOR:
            return self.option == option
        return self.bearing is Bearing.AGAINST and self.option != option


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything one member knows, its own first, then by the row that states it."""

    facts: tuple[Known, ...]

    def unstated(self) -> tuple[Known, ...]:
        """Give held facts that no visible row states, strongest first."""
        return _strongest(fact for fact in self.facts if fact.held and not fact.stated)

    def grounds(self, option: str) -> tuple[int, ...]:
        """Give the rows to cite for an option: strongest fact first, then oldest; at most two."""
        found = [fact for fact in self.facts if fact.stated and fact.speaks_for(option)]
        found.sort(key=lambda fact: (-fact.strength, fact.stated_at))
        return tuple(dict.fromkeys(fact.stated_at for fact in found))[:2]

    def objection(self, option: str, cited: Iterable[int]) -> Known | None:
        """Give the strongest visible fact against an option that none of the cited rows states."""
        known = set(cited)
        against = [
            fact
            for fact in self.facts
            if fact.stated and fact.is_against(option) and known.isdisjoint(fact.stated)
        ]
        return min(against, key=lambda fact: (-fact.strength, fact.stated_at), default=None)

    def score(self, option: str) -> int:
        """Sum the strengths for an option less those against it."""
        return sum(_weight(fact) for fact in self.facts if fact.option == option)

    def favourite(self, options: Iterable[str]) -> str:
        """Give the option with the strictly highest score; "" on a tie or without options."""
        scores = {option: self.score(option) for option in options}
        best = max(scores.values(), default=0)
        leading = [option for option, score in scores.items() if score == best]
        return leading[0] if len(leading) == 1 else ""


def knowledge_of(request: TurnRequest, sight: Sight) -> Knowledge:
    """Put together the brief and what the visible rows state, each distinct fact once."""
    stated: dict[Identity, list[int]] = {}
    for fact in sight.stated:
        stated.setdefault(fact.identity, []).append(fact.sequence)
    known: dict[Identity, Known] = {}
    rules = request.agent.rules
    for brief, held in (*_each(rules.shared, held=False), *_each(rules.holds, held=True)):
        identity = _identity(brief)
        known.setdefault(
            identity, _known(identity, brief.text, brief.about, stated.get(identity, []), held=held)
        )
    for identity, rows in stated.items():
        known.setdefault(identity, _known(identity, identity[3], (), rows, held=None))
    return Knowledge(tuple(known.values()))


def _each(facts: Iterable[BriefFact], *, held: bool) -> Iterator[tuple[BriefFact, bool]]:
    return ((fact, held) for fact in facts)


def _identity(fact: BriefFact) -> Identity:
    return fact.option, Bearing(fact.bearing), fact.strength, inert(fact.text)


def _known(
    identity: Identity,
    text: str,
    about: tuple[str, ...],
    rows: list[int],
    *,
    held: bool | None,
) -> Known:
    """Make one entry; `held` is None for what only the rows state."""
    option, bearing, strength, _ = identity
    return Known(
        option=option,
        bearing=bearing,
        strength=strength,
        text=text,
        about=about,
        stated_at=rows[0] if rows else 0,
        stated=tuple(rows),
        own=held is not None,
        held=bool(held),
    )


def _weight(fact: Known) -> int:
    match fact.bearing:
        case Bearing.FOR:
            return fact.strength
        case Bearing.AGAINST:
            return -fact.strength
        case Bearing.NEUTRAL:
            return 0


def _strongest(facts: Iterable[Known]) -> tuple[Known, ...]:
    return tuple(sorted(facts, key=lambda fact: -fact.strength))
