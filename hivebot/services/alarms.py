"""What should wake an operator? What has waited too long, has failed or is nearly spent.

Pure. Source: product.md 1 and 9, rights.md 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from hivebot.services.ports.operating import Overview, WaitingItem
from hivebot.services.records.policy import Configuration

Spending = Mapping[str, tuple[int, int, int]]
"""By desk: turns, tokens and millionths of a dollar of the day."""


@dataclass(frozen=True, slots=True)
class Limits:
    """From when on it is too much.

    Attributes:
        turn_s: Age of a turn that is open, or waits for another.
        post_s: Age of a post that only a worker keeps waiting.
        unposted: Posts that were refused, or of which nobody knows, before it is said.
        spent_pct: Share of what a desk may spend a day.
    """

    turn_s: int = 300
    post_s: int = 300
    unposted: int = 0
    spent_pct: int = 90


def alarms(
    found: Overview,
    spent: Spending,
    configuration: Configuration,
    limits: Limits,
    now: datetime,
) -> tuple[str, ...]:
    """One sentence for each thing an operator should look at; none when all is well."""
    return (
        *_old(found, limits, now),
        *(
            f"{one.channel_id or 'everything'} of {one.team_id} is held: {one.why}"
            for one in found.held
            if one.until is None
        ),
        *_unposted(found, limits),
        *_spent(spent, configuration, limits),
    )


def _old(found: Overview, limits: Limits, now: datetime) -> Iterator[str]:
    for one in found.waiting:
        age_s = int((now - one.since).total_seconds())
        if one.kind == "turn" and age_s > limits.turn_s:
            yield f"a turn of {one.where} has been open for {age_s} s"
        if one.kind == "posts" and _unexplained(one) and age_s > limits.post_s:
            yield f"a post to {one.where} has waited for {age_s} s"


def _unexplained(one: WaitingItem) -> bool:
    """Whether nothing that was wanted, and no limit of Slack's, keeps it."""
    return not one.behind.startswith(("paused", "everything is paused", "Slack says", "an edit"))


def _unposted(found: Overview, limits: Limits) -> Iterator[str]:
    for state, said in (("failed", "refused"), ("unknown", "of unknown fate")):
        count = sum(one.state == state for one in found.unposted)
        if count > limits.unposted:
            yield f"posts {said}: {count}; see hivebot queue"


def _spent(spent: Spending, configuration: Configuration, limits: Limits) -> Iterator[str]:
    for desk in configuration.desks:
        turns, tokens, usd_micros = spent.get(desk.id, (0, 0, 0))
        budget = desk.budget
        for what, used, allowed in (
            ("turns", turns, budget.turns_per_day),
            ("tokens", tokens, budget.tokens_per_day),
            ("money", usd_micros, budget.usd_micros_per_day),
        ):
            if allowed and used * 100 >= allowed * limits.spent_pct:
                yield f"desk {desk.id} has spent {used * 100 // allowed} % of the day's {what}"
