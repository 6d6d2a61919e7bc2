"""How did an agent's model do in ten situations? Played, and shown as a table.

Source: turns.md 3.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import indent

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hivebot.adapters.llm.models import AgentModels
from hivebot.adapters.llm.try_model import Tried, try_model
from hivebot.entrypoints.terminal import printable
from hivebot.services.records.policy import AgentConfig

_MILLION = 1_000_000


def play(agent: AgentConfig, keys: Mapping[str, str]) -> tuple[Tried, ...]:
    """Play the ten situations through an agent's model; takes as long as ten calls take."""

    async def played() -> tuple[Tried, ...]:
        models = AgentModels(keys)
        try:
            return await try_model(models, agent)
        finally:
            await models.aclose()

    return asyncio.run(played())


def report(console: Console, agent: AgentConfig, tried: Sequence[Tried], *, rows: bool) -> None:
    """Print what came of each situation, and of all together.

    Args:
        console: Where to.
        agent: Whose model was played.
        tried: What came of it.
        rows: Print what would be committed, too.
    """
    label = " (rule-based)" if agent.rule_based else ""
    console.print(Text(f"{agent.name}{label}: {agent.model}", style="bold"))
    table = Table()
    table.add_column("Situation")
    table.add_column("Schema")
    table.add_column("Shape")
    for heading in ("Calls", "Tokens", "Cost"):
        table.add_column(heading, justify="right")
    for one in tried:
        table.add_row(
            one.name,
            one.situation,
            Text(one.outcome.replace("_", " "), style=_style(one)),
            str(one.requests),
            f"{one.tokens:,}",
            _cost(agent, one.cost_usd_micros),
        )
    console.print(table)
    if rows:
        _print_rows(console, tried)
    console.print(_summary(agent, tried))


def _print_rows(console: Console, tried: Sequence[Tried]) -> None:
    for one in tried:
        console.print(Text(one.name, style="bold"))
        console.print(Text(indent(printable(one.content), "  ")), soft_wrap=True)


def _summary(agent: AgentConfig, tried: Sequence[Tried]) -> Text:
    shapes = Counter(one.outcome.replace("_", " ") for one in tried)
    counted = ", ".join(f"{count} {shape}" for shape, count in shapes.items())
    tokens = sum(one.tokens for one in tried)
    cost = _cost(agent, sum(one.cost_usd_micros for one in tried))
    said = f"{len(tried)} situations: {counted} · {tokens:,} tokens · {cost}"
    unpriced = " (no `price:` is configured)" if _unpriced(agent) else ""
    return Text(said + unpriced)


def _style(one: Tried) -> str:
    if not one.usable:
        return "red"
    return "green" if one.outcome == "clean" else "yellow"


def _unpriced(agent: AgentConfig) -> bool:
    return agent.price is None and not agent.rule_based


def _cost(agent: AgentConfig, usd_micros: int) -> str:
    return "unknown" if _unpriced(agent) else f"${usd_micros / _MILLION:.4f}"
