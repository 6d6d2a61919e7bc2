"""How is a deliberation taken again? `hivebot replay EPISODE`, step by step.

Source: datapath.md 6, product.md 9.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hivebot.entrypoints.reading import quiet, refusals, stored
from hivebot.entrypoints.terminal import printable
from hivebot.hive.episode import Converged, Deadlocked, Exhausted, Idle, Speak, Step
from hivebot.services.audit import Audit, Compared, Replay, Replayed
from hivebot.services.replaying import Bidder, Recorded
from hivebot.settings import Settings, load_settings

DIFFERENT_EXIT: Final = 1
UNKNOWN_EXIT: Final = 2

_PIPED_WIDTH: Final = 120
_STYLES: Final = {
    Compared.EQUAL: "green",
    Compared.DIFFERENT: "bold red",
    Compared.ERASED: "yellow",
}
_VERDICTS: Final = {
    Compared.EQUAL: "every step comes out as it is recorded",
    Compared.DIFFERENT: "some step comes out otherwise than it is recorded",
    Compared.ERASED: "what was not erased comes out as it is recorded",
}


def replay(
    episode: Annotated[int, typer.Argument(help="Number of the episode.", min=1)],
) -> None:
    """Take every step of a deliberation again, from the stored rows, and compare.

    Each step shows who bid for the floor and with what, where the options stood, what members saw,
    and whether the folds say the same today. Exit status 0: they do, as far as nothing was erased.
    1: some step is different. 2: there is no such episode. 78: the environment, the files or the
    database cannot be used.
    """
    with refusals():
        settings = load_settings()
        quiet(settings)
        found = asyncio.run(_ask(settings, episode))
    if found is None:
        typer.echo(f"hivebot: there is no episode {episode}", err=True)
        raise typer.Exit(UNKNOWN_EXIT)
    report(_console(), found)
    raise typer.Exit(DIFFERENT_EXIT if found.verdict is Compared.DIFFERENT else 0)


async def _ask(settings: Settings, episode: int) -> Replay | None:
    async with stored(settings) as store:
        return await Audit(store.work, store.policies).replay(episode)


def _console() -> Console:
    """As wide as the terminal; wide enough for every column where there is none."""
    width = None if sys.stdout.isatty() else _PIPED_WIDTH
    return Console(file=sys.stdout, highlight=False, width=width)


def report(console: Console, found: Replay) -> None:
    """Print a replay, the verdict last."""
    console.print(Text(_heading(found), style="bold"), soft_wrap=True)
    for step in found.steps:
        console.print()
        _show(console, found, step)
    console.print()
    verdict = found.verdict
    said = _VERDICTS[verdict] if found.steps else "it never came to a step"
    console.print(Text(f"{verdict.value}: {said}", style=_STYLES[verdict]), soft_wrap=True)


def _heading(found: Replay) -> str:
    episode = found.episode
    end = episode.end.value.replace("_", " ") if episode.end is not None else "still running"
    on = f" on {printable(episode.topic)}" if episode.topic else ""
    steps = f"{len(found.steps)} step{'' if len(found.steps) == 1 else 's'}"
    return (
        f"Episode {episode.id} of #{episode.desk_id} ({end}{on}): {steps}, "
        f"configuration {episode.revision}"
    )


def _show(console: Console, found: Replay, step: Replayed) -> None:
    line = Text(f"{step.number:>3}. {_happened(found, step)}  ")
    line.append(step.verdict.value, style=_STYLES[step.verdict])
    line.append(f"  (D{step.decision_id})", style="dim")
    console.print(line, soft_wrap=True)
    for part in step.parts:
        console.print(Text(f"     differs: {printable(part)}", style="red"), soft_wrap=True)
    if step.recorded is None:
        return
    for standing in _standings(found, step.recorded):
        console.print(Text(f"     {standing}"), soft_wrap=True)
    if step.recorded.bidders:
        console.print(_bids(found, step, step.recorded.bidders))


def _happened(found: Replay, step: Replayed) -> str:
    if step.recorded is None:
        return "the record cannot be read"
    return _step(found, step.recorded.step)


def _step(found: Replay, step: Step) -> str:
    match step:
        case Speak(turn=turn):
            seen = "blind" if turn.visibility.value == "blind" else "sees all"
            return (
                f"{_name(found, turn.agent_id)} speaks: {turn.reason.value}, {seen}, "
                f"{turn.phase.value}"
            )
        case Converged(topic=topic):
            return f"converged on {printable(topic)}"
        case Deadlocked(topics=topics):
            return f"deadlocked between {printable(', '.join(topics))}"
        case Exhausted(spent=spent):
            return f"exhausted after {spent} turns"
        case Idle():
            return "idle: nobody bids"


def _standings(found: Replay, recorded: Recorded) -> Iterable[str]:
    for one in recorded.standings:
        parts = [f"#{printable(one.topic)}: {one.support} from {_names(found, one.supporters)}"]
        if one.silenced:
            parts.append(f"silenced {_names(found, one.silenced)}")
        if one.refuted_by:
            parts.append(f"refuted by {_names(found, one.refuted_by)}")
        yield ", ".join(parts)


def _bids(found: Replay, step: Replayed, bidders: Iterable[Bidder]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("     member")
    for heading in ("pull", "bonus", "penalty", "urge", "threshold", "bid", "share"):
        table.add_column(heading, justify="right")
    table.add_column("reason")
    for one in bidders:
        mark = "  →  " if one.agent_id == step.speaker_id else "     "
        table.add_row(
            Text(f"{mark}{_name(found, one.agent_id)}"),
            f"{one.pull:,}",
            f"{one.bonus:,}" if one.bonus else "",
            f"-{one.penalty:,}" if one.penalty else "",
            f"{one.urge:,}",
            f"{one.threshold:,}",
            f"{one.surplus:,}" if one.bids else "–",
            f"{one.share}/{one.total_share}" if one.total_share else "",
            one.reason.value,
        )
    return table


def _name(found: Replay, agent_id: str) -> str:
    agent = found.configuration.agent(agent_id)
    return printable(agent.name if agent is not None else agent_id)


def _names(found: Replay, agent_ids: Iterable[str]) -> str:
    return ", ".join(_name(found, one) for one in agent_ids) or "nobody"
