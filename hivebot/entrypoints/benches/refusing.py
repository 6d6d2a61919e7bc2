"""How does a benchmark say that it cannot be run?"""

from __future__ import annotations

from typing import NoReturn

import typer

from hivebot.settings import EXIT_CONFIG


def refuse(*problems: str) -> NoReturn:
    """Say every problem on the error stream, and end with the status of a broken configuration."""
    for problem in problems:
        typer.echo(f"hivebot bench: {problem}", err=True)
    raise typer.Exit(EXIT_CONFIG)
