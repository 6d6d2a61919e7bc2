"""What does `hivebot doctor` print? Every line of it, and an exit status."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Final

import typer
from rich.console import Console
from rich.text import Text

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.db.embedded import EmbeddedPostgresError
from hivebot.adapters.db.engine import DatabaseUrl, create_engine
from hivebot.adapters.db.installations import Installations
from hivebot.adapters.db.sealing import Seal
from hivebot.adapters.embeddings import embedder
from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.directory import SlackDirectory
from hivebot.adapters.slack.installing import INSTALL_PATH
from hivebot.entrypoints.database import configured, database
from hivebot.entrypoints.doctor import here, kept, there
from hivebot.entrypoints.doctor.finding import Checked, fail
from hivebot.entrypoints.reading import quiet
from hivebot.errors import HivebotError
from hivebot.services.records.arrivals import TextContext
from hivebot.services.records.policy import Configuration
from hivebot.settings import Settings, SettingsError, load_settings

COLORS: Final = {"ok": "green", "warn": "yellow", "fail": "red"}


def report(*, as_json: bool) -> int:
    """Print what was found; 1 when something keeps hivebot from working, else 0."""
    try:
        settings = load_settings()
    except SettingsError as error:
        found = [fail("environment", one, "correct the variable") for one in error.problems]
    else:
        quiet(settings)
        found = asyncio.run(examine(settings))
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], indent=2, ensure_ascii=False))
    else:
        _print(found)
    return 1 if any(one.verdict == "fail" for one in found) else 0


async def examine(settings: Settings) -> list[Checked]:
    """Everything that was looked at, in order; what rests on a failure is left out."""
    found = [*here.environment(settings)]
    loaded, said = here.files(settings)
    found += said
    found += await _database(settings)
    keys = settings.model_environment()
    configuration = loaded.configuration if loaded is not None else None
    teams, said = await _workspaces(settings)
    found += said
    if teams and configuration is not None:
        async with _slack(teams, settings.slack_api_url) as api:
            found += await _channels(api, configuration, list(teams))
    if configuration is not None:
        found += here.models(configuration, keys)
    found.append(await here.vectors(embedder()))
    return found


async def _database(settings: Settings) -> list[Checked]:
    place = configured(settings)
    if place is not None:
        return await _stored(place)
    try:
        async with database(settings) as embedded:
            return await _stored(embedded)
    except EmbeddedPostgresError as error:
        return [fail("database", str(error), "see the data directory's log")]


async def _stored(place: DatabaseUrl) -> list[Checked]:
    schema = await kept.schema(place)
    if schema.verdict == "fail":
        return [schema]
    engine = create_engine(place)
    try:
        return [schema, *kept.judged(await kept.facts(engine), kept.local_now())]
    finally:
        await engine.dispose()


async def _workspaces(settings: Settings) -> tuple[dict[str, str], list[Checked]]:
    """Tokens by workspace, the environment's first, and what each may do."""
    given = settings.slack_bot_token
    tokens = [given.get_secret_value()] if given is not None else []
    found: list[Checked] = []
    if settings.oauth:
        try:
            tokens += await _installed(settings)
        except HivebotError as error:
            found.append(fail("installations", str(error), "see HIVEBOT_SECRET_KEYS and database"))
        else:
            if not tokens:
                remedy = f"open {settings.public_url or 'https://…'}{INSTALL_PATH}"
                found.append(fail("installations", "no workspace has installed the app", remedy))
    teams: dict[str, str] = {}
    for token in tokens:
        async with _slack({"": token}, settings.slack_api_url) as api:
            team_id, said = await there.token(api, bool(token))
        found += said
        if team_id:
            teams[team_id] = token
    return teams, found


async def _installed(settings: Settings) -> list[str]:
    async with database(settings) as place:
        engine = create_engine(place)
        try:
            seal = Seal([key.get_secret_value() for key in settings.secret_keys])
            installations = Installations(settings.slack_client_id, engine, seal)
            bots = [await installations.bot_in(*one) for one in await installations.places()]
        finally:
            await engine.dispose()
    return [bot.bot_token for bot in bots if bot is not None]


@asynccontextmanager
async def _slack(tokens: Mapping[str, str], api_url: str) -> AsyncGenerator[SlackApi]:
    async def token(team_id: str) -> str:
        return tokens.get(team_id, "")

    api = SlackApi(token, api_url)
    try:
        yield api
    finally:
        await api.aclose()


async def _channels(
    api: SlackApi, configuration: Configuration, teams: Sequence[str]
) -> list[Checked]:
    async def nobody(_team_id: str) -> TextContext:
        return TextContext("", (), "", (), ())

    directory = SlackDirectory(api, SystemClock(), nobody)
    written = [desk.channel for desk in configuration.desks] + [configuration.admin_channel]
    ids = {
        name: await directory.resolve_channel_name(teams[0], name)
        for name in dict.fromkeys(written)
        if name.startswith("#")
    }
    return [one async for one in there.channels(configuration, directory, teams, ids)]


def _print(found: list[Checked]) -> None:
    console = Console(soft_wrap=True, highlight=False)
    for one in found:
        line = Text(f"{one.verdict:<5}", style=f"bold {COLORS[one.verdict]}")
        line.append(f"{one.name}: {one.said}", style="default")
        if one.remedy and one.verdict != "ok":
            line.append(f" — {one.remedy}", style="default")
        console.print(line)
    failed = sum(one.verdict == "fail" for one in found)
    warned = sum(one.verdict == "warn" for one in found)
    console.print(f"{len(found)} looked at, {failed} failed, {warned} to be better")
