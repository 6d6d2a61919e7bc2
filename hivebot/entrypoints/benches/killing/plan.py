"""What is asked, and what is killed when? Drawn from a seed before anything runs.

Source: datapath.md 3.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle, islice
from typing import Final

NEAR: Final = "C0PAY"
DEBATING: Final = "C0DATA"
ASKERS: Final = ("U0ANA", "U0BEN", "U0STEW")
PAUSE_MAX_MS: Final = 400
KILLS_UNTIL_PCT: Final = 85
"""Share of the expected posts after which nothing is killed any more: the rest has to settle."""


class Kind(StrEnum):
    """How a question is answered."""

    PLAIN = "plain"
    CROSSING = "crossing"
    DECISION = "decision"


class Victim(StrEnum):
    """What is killed; `SILENCE` stops a worker for a while, until others have taken its work."""

    WORKER = "worker"
    WEB = "web"
    DATABASE = "database"
    SILENCE = "silence"


POSTS: Final[Mapping[Kind, int]] = {Kind.PLAIN: 1, Kind.CROSSING: 4, Kind.DECISION: 1}
"""Messages the bot posts for a question of each kind, edits not counted.

A crossing: status line, question, far answer, the answer at home.
"""

IN_THREAD: Final[Mapping[Kind, int]] = {Kind.PLAIN: 1, Kind.CROSSING: 2, Kind.DECISION: 1}
"""Those of them that stand under the question."""

_MIX: Final = (
    *(Kind.PLAIN, Kind.CROSSING, Kind.PLAIN, Kind.DECISION, Kind.PLAIN),
    *(Kind.PLAIN, Kind.CROSSING, Kind.PLAIN, Kind.PLAIN, Kind.PLAIN),
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a person, different from all others."""

    number: int
    kind: Kind
    asker: str

    @property
    def channel(self) -> str:
        """Where it is asked."""
        return DEBATING if self.kind is Kind.DECISION else NEAR

    @property
    def words(self) -> str:
        """What is typed."""
        match self.kind:
            case Kind.PLAIN:
                return f"@hive number {self.number}: how long does a refund take?"
            case Kind.CROSSING:
                return f"@#platform does the gateway retry on 503? Asked as number {self.number}."
            case Kind.DECISION:
                return f"@hive number {self.number}: #revert or #ship?"


@dataclass(frozen=True, slots=True)
class Kill:
    """SIGKILL or SIGSTOP, once the bot has posted so many messages and a moment has passed."""

    after_posts: int
    pause_ms: int
    victim: Victim


@dataclass(frozen=True, slots=True)
class Loss:
    """Slack's answer to the next post never comes, once the bot has posted so many messages.

    Attributes:
        applied: The message stands there all the same.
    """

    after_posts: int
    applied: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole run."""

    seed: int
    questions: tuple[Question, ...]
    kills: tuple[Kill, ...]
    losses: tuple[Loss, ...] = ()

    @property
    def posts(self) -> int:
        """Messages the bot posts when nothing goes wrong."""
        return sum(POSTS[question.kind] for question in self.questions)


def planned(questions: int, kills: int, seed: int, losses: int = 0) -> Plan:
    """Draw a run.

    Args:
        questions: How many; seven of ten plain, two to another desk, one to be decided.
        kills: How many; victims take turns in an order of the seed's, so that each comes up.
        seed: The same seed, the same questions, the same kills, the same losses.
        losses: How many answers of Slack's are lost; of two the message stands there, of one not.
    """
    chance = random.Random(seed)  # noqa: S311 - a schedule, no secret
    asked = tuple(
        Question(number, kind, ASKERS[number % len(ASKERS)])
        for number, kind in enumerate(islice(cycle(_MIX), questions), start=1)
    )
    latest = max(1, sum(POSTS[one.kind] for one in asked) * KILLS_UNTIL_PCT // 100)
    moments = sorted(chance.randint(1, latest) for _ in range(kills))
    victims: list[Victim] = []
    while len(victims) < kills:
        victims += chance.sample(list(Victim), len(Victim))
    return Plan(
        seed,
        asked,
        tuple(
            Kill(after, chance.randint(0, PAUSE_MAX_MS), victim)
            for after, victim in zip(moments, victims, strict=False)
        ),
        tuple(
            Loss(after, chance.randrange(3) > 0)
            for after in sorted(chance.randint(1, latest) for _ in range(losses))
        ),
    )
