"""How is it asked who knew what? `hivebot who-knows EPISODE [TOPIC]`.

Source: product.md 5.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hivebot.adapters.config_files.findings import did_you_mean
from hivebot.entrypoints.reading import quiet, refusals, stored
from hivebot.entrypoints.terminal import printable
from hivebot.services.expertise import Holding, Knowledge, Record, Speaker, Topic
from hivebot.services.knowing import Knowing
from hivebot.settings import Settings, load_settings

NO_GATES = "no decision gates yet"
RULE_BASED = "rule-based"

_USAGE_EXIT = 2


def who_knows(
    episode: Annotated[int, typer.Argument(help="Number of the episode.", min=1)],
    topic: Annotated[
        str, typer.Argument(help="Only this topic, with or without #.", show_default=False)
    ] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Say who knew what in one episode, and what the directory was good for on its desk.

    A weight is what an agent laid down, what others built on that, and, apart, what the
    configuration says of it. Works on any episode that was deliberated: where the desk has no
    directory of its own the default policy is used, and said. Exit status 2: there is no such
    episode or topic. 78: the environment, the files or the database cannot be used.
    """
    with refusals():
        settings = load_settings()
        quiet(settings)
        found = asyncio.run(_ask(settings, episode))
    if found is None:
        _refuse(f"there is no episode {episode}, or it was never deliberated")
    topics = _chosen(found, topic.removeprefix("#"))
    if as_json:
        typer.echo(json.dumps(_as_json(found, topics), indent=2, ensure_ascii=False))
    else:
        report(Console(highlight=False), found, topics)


async def _ask(settings: Settings, episode: int) -> Knowledge | None:
    async with stored(settings) as store:
        return await Knowing(store.work, store.policies).who_knows(episode)


def _chosen(found: Knowledge, name: str) -> Sequence[Topic]:
    if not name:
        return found.topics
    chosen = [topic for topic in found.topics if topic.topic == name]
    if not chosen:
        remedy, _ = did_you_mean(name, [topic.topic for topic in found.topics], "")
        nearest = f" — {remedy}" if remedy else ""
        _refuse(f"nobody has shown to know anything on #{name}{nearest}")
    return chosen


def _refuse(problem: str) -> NoReturn:
    typer.echo(f"hivebot: {printable(problem)}", err=True)
    raise typer.Exit(_USAGE_EXIT)


# --- for people ---------------------------------------------------------------------------------


def report(console: Console, found: Knowledge, topics: Sequence[Topic]) -> None:
    """Print topics of an episode and the desk's record; a verdict stands last and alone.

    Args:
        console: Where to.
        found: The answer.
        topics: Those of it that are wanted.
    """
    for line in _heading(found):
        console.print(Text(line, style="bold"), soft_wrap=True)
    if topics:
        console.print(_table(found, topics))
    else:
        console.print("Nobody has shown to know anything.")
    for line in _told(found.record):
        console.print(Text(line), soft_wrap=True)
    for verdict in found.record.verdicts:
        console.print(Text(verdict, style="bold red"), soft_wrap=True)


def _heading(found: Knowledge) -> Iterable[str]:
    episode = found.episode
    end = episode.end.value.replace("_", " ") if episode.end is not None else "still running"
    on = f" on {printable(episode.topic)}" if episode.topic else ""
    turns = sum(one.turns for one in found.speakers)
    yield (
        f"Episode {episode.id} of #{episode.desk_id} ({end}{on}): {_counted(turns, 'turn')}, "
        f"folded at row {found.at}"
    )
    if not found.directory_on:
        yield "The desk has no directory of its own: folded under the default policy"


def _table(found: Knowledge, topics: Iterable[Topic]) -> Table:
    table = Table()
    table.add_column("Topic")
    table.add_column("Agent")
    for heading in ("Weight", "Deposited", "Credited"):
        table.add_column(heading, justify="right")
    # not shown in the episode, and so in another colour
    table.add_column("Configured", justify="right", style="magenta")
    table.add_column("Knows")
    table.add_column("Speech", justify="right")
    speakers = {one.agent_id: one for one in found.speakers}
    for topic in topics:
        name = f"#{printable(topic.topic)}"
        for holding in topic.holdings:
            table.add_row(Text(name), *_cells(holding, speakers.get(holding.agent_id)))
            name = ""
        table.add_section()
    return table


def _cells(holding: Holding, speaker: Speaker | None) -> Iterable[str | Text]:
    yield Text(_named(holding, speaker))
    yield f"{holding.weight:,}"
    yield f"{holding.deposited:,}"
    yield f"{holding.credited:,}"
    yield f"{holding.configured:,}"
    yield "deferred" if holding.deferred else ("yes" if holding.knows else "no")
    yield _percent(speaker.share) if speaker is not None else "–"


def _named(holding: Holding, speaker: Speaker | None) -> str:
    if speaker is None:
        return holding.agent_id
    return f"{speaker.name} ({RULE_BASED})" if speaker.rule_based else speaker.name


def _told(record: Record) -> Iterable[str]:
    with_directory = f"{record.directory_on} with a directory"
    yield f"The desk's last {_counted(record.episodes, 'episode')}, {with_directory}:"
    yield f"  weight against speech share: {_rho(record)}"
    yield f"  credit that is mutual: {_mutual(record)}"
    yield f"  turns won by knows: {record.knows_turns} of {record.turns}"
    yield f"  decision gates approved: {NO_GATES}"


def _rho(record: Record) -> str:
    rho = record.rho
    if rho is None:
        return "no episode yet"
    return f"rho {rho.value:.2f} ({rho.low:.2f} to {rho.high:.2f}, n = {rho.n})"


def _mutual(record: Record) -> str:
    return _percent(record.mutual / record.credit) if record.credit else "no credit was given"


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


# --- for programs -------------------------------------------------------------------------------


def _as_json(found: Knowledge, topics: Iterable[Topic]) -> dict[str, object]:
    record = found.record
    return {
        "episode": found.episode.id,
        "desk": found.episode.desk_id,
        "at": found.at,
        "policy": asdict(found.policy),
        "policy_of": "desk" if found.directory_on else "default",
        "topics": [asdict(topic) for topic in topics],
        "speakers": [asdict(speaker) for speaker in found.speakers],
        "record": {**asdict(record), "gates_approved": None},
        "verdicts": list(record.verdicts),
    }
