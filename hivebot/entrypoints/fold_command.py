"""How is a fold run by hand?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from hivebot.entrypoints.fold import (
    Failure,
    FoldError,
    decode_cases,
    find,
    parse_json,
    run_cases,
)

_USAGE_EXIT = 2


def fold(
    name: Annotated[str, typer.Argument(help="Name of the fold, that of its vector file.")],
    cases: Annotated[
        Path | None, typer.Option(help="Vector file to run instead of reading one input.")
    ] = None,
) -> None:
    """Answer one input read from standard input, or run the worked cases of a file.

    The answer is JSON: {"ok": value} or {"error": {"kind": …}}. With --cases every failure is
    printed, and any failure ends with exit code 1.
    """
    try:
        if cases is None:
            entry = find(name)
            typer.echo(_json(entry.answer(parse_json(sys.stdin.buffer.read()))))
            return
        failed = _run(name, cases)
    except FoldError as error:
        typer.echo(f"hivebot fold: {error}", err=True)
        raise typer.Exit(_USAGE_EXIT) from error
    if failed:
        raise typer.Exit(1)


def _run(name: str, path: Path) -> bool:
    try:
        source = path.read_bytes()
    except OSError as exc:
        raise FoldError(f"cannot read {path}: {exc.strerror}") from exc
    cases = decode_cases(parse_json(source))
    failures = run_cases(name, cases)
    for failure in failures:
        _print(failure)
    typer.echo(f"{len(cases) - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


def _print(failure: Failure) -> None:
    typer.echo(f"FAILED {failure.name}")
    typer.echo(f"  expected {_json(failure.expect)}")
    typer.echo(f"  got      {_json(failure.actual)}")


def _json(value: object) -> str:
    # What UTF-8 cannot hold is written as the JSON escape, which reads the same.
    written = json.dumps(value, ensure_ascii=False)
    return written.encode("utf-8", "backslashreplace").decode()
