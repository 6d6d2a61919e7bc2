"""What can be said on the command line? Every command, with help that helps."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterable
from typing import Annotated, Any, NoReturn

import typer

from hivebot.adapters.config_files import ConfigError
from hivebot.adapters.db.embedded import EmbeddedPostgresError
from hivebot.entrypoints import (
    bench_command,
    benches,
    config_command,
    db_command,
    fold_command,
    forget_command,
    knowing_command,
    memory_benches,
    memory_command,
    queue_command,
    replay_command,
    sandbox_command,
)
from hivebot.entrypoints.tracing import traced
from hivebot.errors import HivebotError
from hivebot.settings import EXIT_CONFIG, Settings, SettingsError, load_settings
from hivebot.telemetry import configure

app = typer.Typer(
    name="hivebot",
    help="A self-hosted Slack app for teams that run desks of LLM agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(config_command.app, name="config")
app.add_typer(db_command.app, name="db")
for measured in (
    benches.desk,
    benches.events,
    benches.roundtrip,
    benches.deliberation,
    benches.hops,
    benches.chaos,
    benches.load,
):
    bench_command.app.command()(measured)
bench_command.app.command("store")(benches.store)
bench_command.app.command("proxy")(memory_benches.proxy)
bench_command.app.command("memory")(memory_benches.memory)
app.add_typer(bench_command.app, name="bench")
app.add_typer(memory_command.app, name="memory")
app.add_typer(queue_command.app, name="queue")
app.command("pause")(queue_command.pause)
app.command("resume")(queue_command.resume)
app.command("replay")(replay_command.replay)
app.command("forget")(forget_command.forget)
app.command("fold")(fold_command.fold)
app.command("who-knows")(knowing_command.who_knows)
app.command("sandbox")(sandbox_command.sandbox)


@app.command()
def run() -> None:
    """Run everything in one process over Socket Mode, for a small team."""
    from hivebot.entrypoints import processes

    _process(processes.run)


@app.command()
def serve() -> None:
    """Take events and interactivity over HTTP; needs a `worker` and a `clock` beside it."""
    from hivebot.entrypoints import processes

    _process(processes.serve)


@app.command()
def worker() -> None:
    """Work on the queue: decide, speak, deliver."""
    from hivebot.entrypoints import processes

    _process(processes.worker)


@app.command()
def clock() -> None:
    """Look every few seconds for what is due; two clocks do no harm."""
    from hivebot.entrypoints import processes

    _process(processes.clock)


@app.command()
def demo(
    ask: Annotated[
        str, typer.Option(help="Another question, as typed in #payments.", show_default=False)
    ] = "",
) -> None:
    """Play the main job on real parts: Postgres, a local workspace, the bot, a worker."""
    from hivebot.entrypoints.demo import run

    raise typer.Exit(run(ask))


@app.command()
def doctor(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False
) -> None:
    """Look at everything a new installation gets wrong, and say what mends it.

    Nothing is posted, and nothing changed but that an embedded database is started. Exit status
    0: nothing fails, warnings or not. 1: something keeps hivebot from working.
    """
    from hivebot.entrypoints.doctor import report

    raise typer.Exit(report(as_json=as_json))


@app.command()
def manifest(
    url: Annotated[
        str, typer.Option(help="Public address of `hivebot serve`; without it: Socket Mode.")
    ] = "",
    org_wide: Annotated[
        bool, typer.Option(help="An organisation may install it for all its workspaces.")
    ] = False,
    token_rotation: Annotated[
        bool,
        typer.Option(help="Tokens end after twelve hours. Slack does not let you turn it off."),
    ] = False,
) -> None:
    """Print the app's manifest, to be pasted when the app is created in Slack."""
    import json

    from hivebot.adapters.slack.manifest import manifest as build

    try:
        made = build(
            "http" if url else "socket",
            url or None,
            org_wide=org_wide,
            token_rotation=token_rotation,
        )
    except ValueError as error:
        _refuse([str(error)])
    typer.echo(json.dumps(made, indent=2))


def _process(body: Callable[[Settings], Coroutine[Any, Any, None]]) -> None:
    """Run a process to its end; what it cannot start with is said and ends with 78."""
    try:
        settings = load_settings()
        configure(
            sys.stderr,
            style=settings.log_format,
            level=settings.log_level,
            color=settings.color,
            secrets=settings.secret_values(),
        )
        with traced(settings, getattr(body, "__name__", "")):
            asyncio.run(body(settings))
    except SettingsError as error:
        _refuse(error.problems)
    except ConfigError as error:
        _refuse(str(finding) for finding in error.problems)
    except (EmbeddedPostgresError, HivebotError) as error:
        _refuse([str(error)])


def _refuse(problems: Iterable[str]) -> NoReturn:
    for problem in problems:
        typer.echo(f"hivebot: {problem}", err=True)
    raise typer.Exit(EXIT_CONFIG)


def main() -> None:
    """The `hivebot` command."""
    app()
