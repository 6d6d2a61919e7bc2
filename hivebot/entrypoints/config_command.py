"""What does `hivebot config …` say about configuration files? Nothing is started for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from hivebot.adapters.config_files import ConfigError, Finding, Loaded, diff, load, schema
from hivebot.adapters.config_files.findings import did_you_mean
from hivebot.settings import EXIT_CONFIG, Settings, SettingsError, load_settings

app = typer.Typer(
    name="config",
    help="Check, describe and compare configuration files; nothing is started.",
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
    new: Annotated[Path, typer.Argument(help=_PLACE)],
) -> None:
    """Print what NEW would change, one line each."""
    before, after = _load(old).configuration, _load(new).configuration
    lines = diff(before, after)
    for line in lines or [f"no change, revision {after.revision}"]:
        typer.echo(line)


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
