"""How do the parts fit together? The one place that knows every adapter and every use case.

Source: architecture.md "Layout", product.md 11.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.config_files import (
    canonical,
    fingerprint,
    from_canonical,
    load,
    with_channels,
)
from hivebot.adapters.db.engine import DatabaseUrl, create_engine, reachable
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.directory import SlackDirectory
from hivebot.adapters.slack.poster import SlackPoster
from hivebot.entrypoints.commands import Commands, SlackVoice
from hivebot.entrypoints.database import database
from hivebot.entrypoints.gate_presses import GatePresses
from hivebot.entrypoints.handling import JobHandlers
from hivebot.entrypoints.homes import Homes
from hivebot.entrypoints.metering import MeteredModels, MeteredPoster, StoredFigures
from hivebot.entrypoints.receiving import SlackReceiver, text_context
from hivebot.entrypoints.reloading import Live, files_of
from hivebot.services.commanding import Commanding
from hivebot.services.delivery import Delivery
from hivebot.services.erasure import Erasure
from hivebot.services.gates import Gates
from hivebot.services.intake import Intake
from hivebot.services.policy import RunningPolicy
from hivebot.services.presses import Presses
from hivebot.services.records.outgoing import SendFailure
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import WorkspaceRow
from hivebot.services.reloading import Cause, Reloading
from hivebot.services.routing import Routing
from hivebot.services.steering import Steering
from hivebot.services.turns import Turns
from hivebot.services.upkeep import Upkeep
from hivebot.settings import Settings, SettingsError
from hivebot.telemetry import Event, Metrics, get_logger

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a process is made of.

    Attributes:
        place: Where the database is.
        receiver: Takes what Slack sends.
        handlers: Makes what the jobs do; loads the models' libraries, so only where jobs run.
        figures: What the rows say of how much was done.
        upkeep: Looks for what is due.
        gates: Looks after gates that wait.
        live: Takes up another configuration.
        reachable: Whether the database answers now.
    """

    settings: Settings
    metrics: Metrics
    figures: StoredFigures
    place: DatabaseUrl
    receiver: SlackReceiver
    handlers: Callable[[], JobHandlers]
    upkeep: Upkeep
    gates: Gates
    live: Live
    reachable: Callable[[], Awaitable[bool]]


@asynccontextmanager
async def assembled(settings: Settings) -> AsyncGenerator[Parts]:
    """Compose a process: the configuration is read first, so that nothing starts on a broken one.

    Raises:
        ConfigError: the files cannot be used.
        SettingsError: the environment cannot be used, or Slack refuses the token.
        PortError: the database is away.
    """
    taken = fingerprint(settings.config)
    loaded = load(settings.config)
    for warning in loaded.warnings:
        logger.warning(Event.CONFIG_WARNING, said=str(warning))
    api = SlackApi(_supplier(settings), settings.slack_api_url)
    try:
        async with _with_database(settings, loaded.configuration, taken, api) as parts:
            yield parts
    finally:
        await api.aclose()


@asynccontextmanager
async def _with_database(
    settings: Settings, written: Configuration, taken: str, api: SlackApi
) -> AsyncGenerator[Parts]:
    identity = await identify(api)
    async with database(settings) as place:
        engine = create_engine(place)
        try:
            clock = SystemClock()
            work = PostgresUnitOfWork(engine, clock)
            policy = RunningPolicy(work, clock, written, from_canonical)
            directory = SlackDirectory(
                api, clock, lambda _team: text_context(policy.current(), identity)
            )
            configuration = await _resolved(written, directory, identity)
            await policy.adopt(configuration, canonical(configuration))
            await _remember(work, identity)
            metrics = Metrics()
            files = files_of(settings.config, lambda new: _resolved(new, directory, identity))
            reloading = Reloading(work, policy, files, clock)
            live = Live(reloading, settings.config, identity.team_id, taken)

            gates = Gates(work, policy, directory, clock)

            def handlers() -> JobHandlers:
                # half of the start-up time, which a process that runs no turn is spared
                from hivebot.adapters.llm.models import AgentModels

                models = MeteredModels(AgentModels(settings.model_environment()), metrics)
                poster = MeteredPoster(SlackPoster(api), metrics)
                return JobHandlers(
                    Routing(work, policy, directory, clock),
                    Turns(work, policy, models, directory, clock),
                    Delivery(work, policy, poster, directory, clock),
                    gates,
                    metrics,
                )

            homes = Homes(work, policy, directory, api)
            logger.info(Event.CONFIG_LOADED, revision=configuration.revision)
            yield Parts(
                settings=settings,
                metrics=metrics,
                figures=StoredFigures(engine, metrics),
                place=place,
                receiver=SlackReceiver(
                    work=work,
                    policies=policy,
                    intake=Intake(work, policy, clock),
                    erasure=Erasure(work, clock),
                    presses=Presses(work, policy),
                    steering=Steering(work, policy, directory, clock),
                    gates=gates,
                    gate_presses=GatePresses(gates, api),
                    commands=Commands(
                        work,
                        policy,
                        Commanding(
                            work=work,
                            policies=policy,
                            directory=directory,
                            doors=directory,
                            voice=SlackVoice(api),
                            reload=partial(live.reload, Cause.COMMAND),
                        ),
                    ),
                    homes=homes,
                    identity=identity,
                    bot_token=_bot_token(settings),
                    metrics=metrics,
                ),
                handlers=handlers,
                upkeep=Upkeep(work, policy, clock),
                gates=gates,
                live=live,
                reachable=partial(reachable, engine),
            )
            await homes.aclose()
        finally:
            await engine.dispose()


async def identify(api: SlackApi) -> WorkspaceRow:
    """Who we are.

    Raises:
        SettingsError: Slack refuses the token, or cannot be reached.
    """
    said = await api.call("", "auth.test", {})
    if isinstance(said, SendFailure):
        if said.kind == "ambiguous":
            raise SettingsError(f"Slack cannot be reached ({said.code})")
        raise SettingsError(f"Slack refuses HIVEBOT_SLACK_BOT_TOKEN: {said.code}")

    def text(key: str) -> str:
        return str(said.data.get(key) or "")

    return WorkspaceRow(
        team_id=text("team_id"),
        url=text("url"),
        bot_user_id=text("user_id"),
        bot_id=text("bot_id"),
        app_id=text("app_id"),
    )


async def _resolved(
    configuration: Configuration, directory: SlackDirectory, identity: WorkspaceRow
) -> Configuration:
    """Channel names become ids; ids are what a renamed channel keeps."""
    written = [
        configuration.admin_channel,
        *(
            channel
            for desk in configuration.desks
            for channel in (desk.channel, desk.gates.channel)
        ),
    ]
    names = [channel for channel in dict.fromkeys(written) if channel.startswith("#")]
    if not names:
        return configuration
    found = {
        name: await directory.resolve_channel_name(identity.team_id, name.removeprefix("#"))
        for name in names
    }
    known = {name.removeprefix("#"): channel for name, channel in found.items() if channel}
    return with_channels(configuration, known)


async def _remember(work: PostgresUnitOfWork, identity: WorkspaceRow) -> None:
    async with work.begin() as tx:
        await tx.workspaces.put(identity)


def _supplier(settings: Settings) -> Callable[[str], Awaitable[str]]:
    async def token(_team_id: str) -> str:
        return _bot_token(settings)

    return token


def _bot_token(settings: Settings) -> str:
    token = settings.slack_bot_token
    return token.get_secret_value() if token is not None else ""
