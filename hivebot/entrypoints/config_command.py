"""What does `hivebot config …` say about configuration files? Nothing is started for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from hivebot.adapters.config_files import (
    ConfigError,
    Finding,
    Loaded,
    diff,
    from_canonical,
    load,
    schema,
)
from hivebot.adapters.config_files.findings import did_you_mean
from hivebot.services.ports import StoredRevision
from hivebot.services.records.policy import Configuration
from hivebot.settings import EXIT_CONFIG, Settings, SettingsError, load_settings

app = typer.Typer(
    name="config",
    help="Check, describe and compare configuration files, and what is in force.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_USAGE_EXIT = 2
_PLACE = "A YAML file, or a directory of them."


@app.command()
def check(
    path: Annotated[
        Path | None, typer.Argument(help=f"{_PLACE} Default: HIVEBOT_CONFIG.", show_default=False)
    ] = None,
) -> None:
    """Say whether the files can be used, and what was measured about what they say.

    Exit status 0: they can be used, warnings or not. 78: they cannot; every problem is named.
    """
    place = _configured() if path is None else path
    loaded = _load(place)
    _print(loaded.warnings, "warning", "yellow")
    configuration = loaded.configuration
    agents = sum(not agent.retired for agent in configuration.agents)
    summary = f"{place}: {_counted(len(configuration.desks), 'desk')}, {_counted(agents, 'agent')}"
    warned = f", {_counted(len(loaded.warnings), 'warning')}" if loaded.warnings else ""
    typer.echo(f"{summary}{warned}, revision {configuration.revision}")


@app.command("schema")
def show_schema() -> None:
    """Print the JSON schema of the files, for editors."""
    typer.echo(json.dumps(schema(), indent=2, ensure_ascii=False))


@app.command("diff")
def show_diff(
    old: Annotated[Path, typer.Argument(help=_PLACE)],
    new: Annotated[
        Path | None,
        typer.Argument(help=f"{_PLACE} Without it, what is in force is OLD.", show_default=False),
    ] = None,
) -> None:
    """Print what NEW would change, one line each; or what one file would change if put in force."""
    if new is None:
        after = _load(old).configuration
        before = _in_force()
        after = with_ids_of(before, after)
    else:
        before, after = _load(old).configuration, _load(new).configuration
    lines = diff(before, after)
    for line in lines or [f"no change, revision {after.revision}"]:
        typer.echo(line)


@app.command("history")
def show_history(
    limit: Annotated[int, typer.Option(min=1, max=500, help="So many, the newest first.")] = 10,
) -> None:
    """Print which revisions were put in force, when, and what each changed."""
    kept = _stored(limit + 1)
    for number, one in enumerate(kept[:limit]):
        when = one.in_force_at.strftime("%Y-%m-%d %H:%M:%S")
        typer.echo(f"{when} UTC  {one.revision}{'  in force' if number == 0 else ''}")
        if number + 1 < len(kept):
            for line in _changed(kept[number + 1], one):
                typer.echo(f"  {line}")


@app.command("try-model")
def show_tried(
    name: Annotated[str, typer.Argument(help="Id of an agent of the configuration.")],
    path: Annotated[
        Path | None,
        typer.Option("--config", help=f"{_PLACE} Default: HIVEBOT_CONFIG.", show_default=False),
    ] = None,
    *,
    rows: Annotated[
        bool, typer.Option("--rows", help="Print what would be committed, too.")
    ] = False,
) -> None:
    """Play ten canned situations through an agent's model, and print what came of them.

    The model is asked ten times or a few times more, which costs what it costs. Exit status 0:
    every situation gave a turn. 1: some did not. 2: there is no such agent. 78: the files, the
    environment or the model cannot be used.
    """
    settings = _settings()
    agents = _load(path or settings.config).configuration.agents
    agent = next((agent for agent in agents if agent.id == name), None)
    if agent is None:
        remedy, _ = did_you_mean(name, [each.id for each in agents], "")
        _print([Finding("", 0, "", f"there is no agent {name!r}", remedy)], "error", "red")
        raise typer.Exit(_USAGE_EXIT)
    # the models' libraries take a while, which the other commands are spared
    from hivebot.adapters.llm.models.readiness import obstacle
    from hivebot.entrypoints import trying

    keys = settings.model_environment()
    missing = obstacle(agent, keys)
    if missing:
        _refuse([Finding("", 0, f"agents[{agent.id}].model", missing, "")])
    with Console(stderr=True).status(f"asking {agent.model} …"):
        tried = trying.play(agent, keys)
    trying.report(Console(), agent, tried, rows=rows)
    raise typer.Exit(0 if all(one.usable for one in tried) else 1)


def with_ids_of(old: Configuration, new: Configuration) -> Configuration:
    """A configuration with the channels' ids of an older one where it has names.

    Only Slack knows which id a name has; here a desk's channel counts as the same one.
    """
    known = {desk.id: desk.channel for desk in old.desks}
    desks = tuple(
        replace(desk, channel=known.get(desk.id, desk.channel))
        if desk.channel.startswith("#")
        else desk
        for desk in new.desks
    )
    named = new.admin_channel.startswith("#")
    admin_channel = old.admin_channel if named else new.admin_channel
    return replace(new, desks=desks, admin_channel=admin_channel)


def _in_force() -> Configuration:
    kept = _stored(1)
    if not kept:
        _refuse([Finding("", 0, "", "nothing is in force yet", "start hivebot, or name two files")])
    return from_canonical(kept[0].source)


def _stored(limit: int) -> tuple[StoredRevision, ...]:
    # the database's libraries take a while, which the other commands are spared
    from hivebot.entrypoints.reading import quiet, refusals, stored

    settings = _settings()
    quiet(settings)

    async def read() -> tuple[StoredRevision, ...]:
        async with stored(settings) as store, store.work.begin() as tx:
            return await tx.revisions.newest(limit)

    with refusals():
        return asyncio.run(read())
    raise AssertionError  # pragma: no cover - a refusal ends the process


def _changed(old: StoredRevision, new: StoredRevision) -> list[str]:
    try:
        return diff(from_canonical(old.source), from_canonical(new.source))
    except ConfigError:
        return ["stored by a version whose form this one does not read"]


def _configured() -> Path:
    return _settings().config


def _settings() -> Settings:
    try:
        return load_settings()
    except SettingsError as error:
        _refuse([Finding("", 0, "", problem, "") for problem in error.problems])


def _load(path: Path) -> Loaded:
    try:
        return load(path)
    except ConfigError as error:
        _refuse(error.problems)


def _refuse(problems: Iterable[Finding]) -> NoReturn:
    _print(problems, "error", "red")
    raise typer.Exit(EXIT_CONFIG)


def _print(findings: Iterable[Finding], kind: str, color: str) -> None:
    """Print findings to the error stream, one line each; coloured on a terminal that wants it."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for finding in findings:
        line = Text(f"{finding.where}: " if finding.where else "", style="bold", end="")
        line.append(f"{kind}: ", style=f"bold {color}")
        line.append(": ".join(part for part in (finding.key, finding.message) if part), "default")
        if finding.remedy:
            line.append(f" — {finding.remedy}", style="default")
        console.print(line)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
