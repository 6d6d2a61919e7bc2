"""How is a person forgotten on the command line? `hivebot forget USER_ID`.

Source: datapath.md 7, product.md 9.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Annotated, Final

import typer

from hivebot.entrypoints.reading import Stored, quiet, refusals, stored
from hivebot.services.erasure import Erasure
from hivebot.services.leaving import MESSAGES, Leaving
from hivebot.services.records.policy import Configuration
from hivebot.settings import Settings, load_settings

USAGE_EXIT: Final = 2

_USER: Final = re.compile(r"[UW][A-Z0-9]{2,30}")


def forget(
    user: Annotated[str, typer.Argument(help="Slack's id of the person: U… or W…")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Erase everything a person has said, what was remembered of it, and their id.

    It goes as if they had removed each message: from every copy, from questions that crossed, from
    memories; a running worker edits what was posted of it. Numbers of messages stay, and so does
    what others have said. It cannot be undone. Exit status 2: that is no user id.
    """
    if not _USER.fullmatch(user):
        typer.echo(f"hivebot forget: {user!r} is no user id of Slack's (U… or W…)", err=True)
        raise typer.Exit(USAGE_EXIT)
    with refusals():
        settings = load_settings()
        quiet(settings)
        asyncio.run(_forget(settings, user, dry_run=dry_run, yes=yes))


async def _forget(settings: Settings, user: str, *, dry_run: bool, yes: bool) -> None:
    async with stored(settings) as store:
        erasure = Erasure(store.work, store.clock)
        leaving = Leaving(store.work, erasure.receive, erasure.suggestions_of)
        found = await leaving.look(user)
        there = any(found.values())
        typer.echo(
            _listed(f"Of {user} there are", found) if there else f"There is nothing of {user}."
        )
        for line in _configured(store, user):
            typer.echo(line)
        if dry_run:
            typer.echo("Nothing was changed.")
        elif there and (yes or typer.confirm("Erase all of it? It cannot be undone.")):
            typer.echo(_listed("Erased", await leaving.forget(user)))
            typer.echo("A running worker edits what was posted of it in Slack.")


def _listed(what: str, found: Mapping[str, int]) -> str:
    kinds = [f"{count} {_singular(kind, count)}" for kind, count in found.items() if count]
    return f"{what}: {', '.join(kinds) or 'nothing'}."


def _singular(kind: str, count: int) -> str:
    if count != 1:
        return f"{kind} with all copies" if kind == MESSAGES else kind
    words = {
        MESSAGES: "message with all copies",
        "events": "event as it came",
        "memories": "memory",
        "private posts": "private post",
        "rows that name them": "row that names them",
    }
    return words.get(kind, kind)


def _configured(store: Stored, user: str) -> list[str]:
    """Where the configuration names them: files are their owner's to change."""
    configuration = store.policies.current()
    places = [*_places(configuration, user)]
    return (
        [f"The configuration names them, take them out there: {', '.join(places)}."]
        if places
        else []
    )


def _places(configuration: Configuration, user: str) -> list[str]:
    named = ["admins"] if user in configuration.admins else []
    for desk in configuration.desks:
        lists = {
            "stewards": desk.stewards,
            "may_mark": desk.may_mark,
            "answers_to.people": desk.answers_to.people,
        }
        named += [f"desks[{desk.id}].{name}" for name, ids in lists.items() if user in ids]
    return named
