"""What may a deliberation cost at most? Held back before it begins, released when it ends.

Pure. Source: turns.md 1, step 4.
"""

from __future__ import annotations

from dataclasses import dataclass

from hivebot.services.records.policy import AgentConfig, Configuration, DeskConfig, Price
from hivebot.services.snapshots import active_members

SAFETY = 2
"""Each turn may be asked twice: once more after a correction."""

PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens, and US dollars in millionths; 0 dollars where no price is known."""

    tokens: int
    usd_micros: int

    def in_words(self) -> str:
        """The amounts for people."""
        if not self.usd_micros:
            return f"{self.tokens:,} tokens"
        return f"{self.tokens:,} tokens (${self.usd_micros / PER_MILLION:.2f})"


def reservation(desk: DeskConfig, configuration: Configuration) -> Reservation:
    """Every turn of the budget twice at full length, and the lead's calls around it.

    Rule-based members cost nothing. Where prices differ the dearest counts.
    """
    agents = [
        agent
        for member in active_members(desk, configuration)
        if (agent := configuration.agent(member)) is not None and not agent.rule_based
    ]
    if not agents:
        return Reservation(0, 0)
    settings = desk.episode
    calls = settings.policy.turn_budget * SAFETY + 1 + 2 * settings.max_asks
    prompt, output = desk.budget.prompt_tokens_max, desk.budget.output_tokens_max
    dearest = max((_price(agent, prompt, output) for agent in agents), default=0)
    return Reservation(calls * (prompt + output), calls * dearest)


def _price(agent: AgentConfig, prompt_tokens: int, output_tokens: int) -> int:
    price = agent.price or Price(0, 0)
    return (
        prompt_tokens * price.input_usd_micros + output_tokens * price.output_usd_micros
    ) // PER_MILLION
