"""Which made-up decisions can be played without a model, and what is right in each?

What they say stands in files (config/scenarios), which are read elsewhere. Source: briefed.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from hivebot.services.records.policy import AgentConfig
from hivebot.services.records.replies import Option


class Shape(StrEnum):
    """What makes a decision hard."""

    HIDDEN = "hidden"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A decision with a right answer.

    Attributes:
        question: As a person asks it.
        right: Id of the option that everything known together speaks for.
        alone: Id of the option that most members alone would choose.
        members: In desk order.
        turn_budget: Turns it is granted.
        shape: Hidden: nobody alone is right. Refuted: somebody is misled, and another can tell.
    """

    name: str
    question: str
    options: tuple[Option, ...]
    right: str
    alone: str
    members: tuple[AgentConfig, ...]
    turn_budget: int = 15
    shape: Shape = Shape.HIDDEN

    def without(self, *agent_ids: str) -> Scenario:
        """The same decision when some members are away."""
        present = tuple(each for each in self.members if each.id not in agent_ids)
        return replace(self, members=present)
