"""Which made-up decisions can be played without a model, and what is right in each?

Source: briefed.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hivebot.services.records.policy import AgentConfig, BriefFact, RuleBrief
from hivebot.services.records.replies import Option


@dataclass(frozen=True, slots=True)
class Scenario:
    """A decision whose right answer nobody sees alone.

    Attributes:
        question: As a person asks it.
        right: Id of the option that everything known together speaks for.
        alone: Id of the option that most members alone would choose.
        members: In desk order.
        turn_budget: Turns the tuned policy grants.
    """

    name: str
    question: str
    options: tuple[Option, ...]
    right: str
    alone: str
    members: tuple[AgentConfig, ...]
    turn_budget: int = 15

    def without(self, *agent_ids: str) -> Scenario:
        """The same decision when some members are away."""
        present = tuple(each for each in self.members if each.id not in agent_ids)
        return replace(self, members=present)


def _fact(option: str, bearing: str, strength: int, text: str, *about: str) -> BriefFact:
    return BriefFact(option, bearing, strength, text, about)


def _member(
    agent_id: str,
    role: str,
    brief: str,
    shared: tuple[BriefFact, ...],
    *holds: BriefFact,
    opening_facts: int = 3,
) -> AgentConfig:
    return AgentConfig(
        id=agent_id,
        name=agent_id.capitalize(),
        role=role,
        brief=brief,
        model="briefed",
        rules=RuleBrief(shared=shared, holds=holds, opening_facts=opening_facts),
    )


_ROLLOUT_OPTIONS: Final = (
    Option("canary", "Give the release to ten percent of the users first"),
    Option("revert", "Go back to the release before"),
    Option("ship", "Give the release to everybody today"),
)
_ROLLOUT_SHARED: Final = (
    _fact("ship", "for", 3, "the customers have been promised today", "customer", "promise"),
    _fact("ship", "for", 1, "all tests pass", "test"),
    _fact("revert", "for", 1, "the last release ran for a month without a page", "page"),
)

_BERT_HOLDS: Final = (
    _fact("revert", "for", 4, "the old image is warm on every host", "image", "host"),
    _fact("revert", "against", 2, "the schema was changed and cannot go back", "schema"),
)

ROLLOUT: Final = Scenario(
    name="rollout",
    question="The release is built. #canary, #revert or #ship?",
    options=_ROLLOUT_OPTIONS,
    right="canary",
    alone="ship",
    members=(
        _member(
            "anna",
            "planner",
            "You plan the week.",
            _ROLLOUT_SHARED,
            _fact("canary", "for", 2, "a tenth of the users fits on the spare pool", "pool"),
        ),
        _member(
            "bert",
            "critic",
            "You look for what can break.",
            _ROLLOUT_SHARED,
            _fact("revert", "for", 1, "the old image is still on every host", "image", "host"),
        ),
        _member(
            "carl",
            "archivist",
            "You remember how it went before.",
            _ROLLOUT_SHARED,
            _fact("ship", "against", 2, "the last full release took the queue down", "queue"),
        ),
        _member(
            "dora",
            "scout",
            "You watch the other teams.",
            _ROLLOUT_SHARED,
            _fact(
                "canary",
                "for",
                2,
                "the switch for some users was tried yesterday",
                "switch",
            ),
        ),
        _member("eva", "auditor", "You check that nothing is forgotten.", _ROLLOUT_SHARED),
    ),
)

OBJECTION: Final = Scenario(
    name="objection",
    question=ROLLOUT.question,
    options=ROLLOUT.options,
    right="canary",
    alone="ship",
    members=tuple(
        replace(
            each,
            rules=replace(
                each.rules,
                holds=_BERT_HOLDS if each.id == "bert" else each.rules.holds,
                opening_facts=1,
            ),
        )
        for each in ROLLOUT.members
    ),
    turn_budget=18,
)

_REBUTTAL_SHARED: Final = (
    _fact("migrate", "for", 3, "the old version gets no fixes after May", "fix", "version"),
    _fact("wait", "for", 1, "the team is busy until June", "team"),
    _fact("rent", "for", 1, "a rented database needs nobody at night", "night"),
)

REBUTTAL: Final = Scenario(
    name="rebuttal",
    question="The database is near its end of life. #migrate, #wait or #rent?",
    options=(
        Option("migrate", "Move to the new version this month"),
        Option("wait", "Stay on the old version for another year"),
        Option("rent", "Give the database to a provider"),
    ),
    right="migrate",
    alone="migrate",
    members=(
        _member(
            "anna",
            "planner",
            "You plan the week.",
            _REBUTTAL_SHARED,
            _fact("migrate", "for", 1, "the move was rehearsed on a copy", "copy", "rehearsal"),
            opening_facts=1,
        ),
        _member(
            "bert",
            "critic",
            "You talk to the vendors.",
            _REBUTTAL_SHARED,
            _fact("wait", "for", 5, "the vendor has promised another year of fixes", "vendor"),
            opening_facts=1,
        ),
        _member(
            "carl",
            "archivist",
            "You remember how it went before.",
            _REBUTTAL_SHARED,
            opening_facts=1,
        ),
        _member(
            "dora",
            "scout",
            "You read what others write.",
            _REBUTTAL_SHARED,
            _fact("rent", "against", 4, "the provider may not hold personal data", "provider"),
            _fact("wait", "against", 4, "the vendor took its promise back on Monday", "vendor"),
            opening_facts=1,
        ),
        _member(
            "eva",
            "auditor",
            "You check that nothing is forgotten.",
            _REBUTTAL_SHARED,
            opening_facts=1,
        ),
    ),
    turn_budget=18,
)

SCENARIOS: Final = (ROLLOUT, OBJECTION, REBUTTAL)


def scenario(name: str) -> Scenario:
    """Give a scenario by its name.

    Raises:
        KeyError: There is none of that name.
    """
    for each in SCENARIOS:
        if each.name == name:
            return each
    raise KeyError(name)
