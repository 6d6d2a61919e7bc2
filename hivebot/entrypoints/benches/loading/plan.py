"""How much is asked, where and when?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ASKERS: Final = ("U0ANA", "U0BEN", "U0STEW")
MODEL_TAKES_S: Final = 0.3


@dataclass(frozen=True, slots=True)
class Plan:
    """A load: questions at even distances, to the channels in turn.

    Attributes:
        posts_per_minute: Slack's ceiling for the whole workspace.
        backlog_max_s: How long a question may wait for its answer; 0 for as long as Slack's limits
            make it wait.
    """

    name: str
    channels: int
    questions: int
    seconds: float
    posts_per_minute: int
    backlog_max_s: float
    workers: int = 1

    @property
    def processes(self) -> tuple[str, ...]:
        """The bot's processes, the one that listens first."""
        return ("serve", *["worker"] * self.workers, "clock")

    @property
    def gap_s(self) -> float:
        """Between two questions."""
        return self.seconds / self.questions

    @property
    def places(self) -> tuple[str, ...]:
        """Ids of the channels."""
        return tuple(f"C0LOAD{number:03}" for number in range(self.channels))


def steady(seconds: float, per_second: float, workers: int = 1) -> Plan:
    """A hundred channels that ask all the time.

    The workspace's ceiling is lifted: twenty answers a second are four times what it lets through.
    """
    questions = max(1, round(seconds * per_second))
    return Plan("steady", 100, questions, seconds, 1_000_000, 30.0, workers)


def burst(questions: int, workers: int = 1) -> Plan:
    """Ten channels that ask all at once: twenty questions a second, as three hundred in 15 s."""
    return Plan("burst", 10, questions, questions / 20, 300, 0.0, workers)


def configuration(plan: Plan, model_url: str) -> str:
    """One desk a channel, all with the one agent whose model takes its time."""
    desks = "\n".join(
        f"  - {{id: load{number}, channel: {place}, members: [pia], budget: *plenty}}"
        for number, place in enumerate(plan.places)
    )
    return f"""\
agents:
  - id: pia
    name: Pia
    model: openai:slow
    base_url: {model_url}
    price: {{input_usd: 0, output_usd: 0}}
desks:
  - id: first
    channel: C0PAY
    members: [pia]
    budget: &plenty {{turns_per_day: 1000000, tokens_per_day: 1000000000}}
{desks}
"""
