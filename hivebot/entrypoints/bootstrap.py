"""How do the parts fit together? The one place that knows every adapter and every use case.

Source: architecture.md "Layout", product.md 11.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from random import SystemRandom

from pydantic import SecretStr
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_sdk.oauth.installation_store import Installation
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.clock import SystemClock
from hivebot.adapters.config_files import (
    canonical,
    fingerprint,
    from_canonical,
    load,
    with_channels,
)
from hivebot.adapters.db.engine import DatabaseUrl, create_engine, reachable
from hivebot.adapters.db.installations import Installations, install_states
from hivebot.adapters.db.sealing import Seal
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.directory import SlackDirectory
from hivebot.adapters.slack.installing import InstalledTokens, install_flow
from hivebot.adapters.slack.manifest import scopes
from hivebot.adapters.slack.poster import SlackPoster
from hivebot.console import Console
from hivebot.console.signing import keys_of
from hivebot.entrypoints.answer_presses import AnswerPresses
from hivebot.entrypoints.commands import Commands, SlackVoice
from hivebot.entrypoints.database import database
from hivebot.entrypoints.embedding import ConfiguredEmbedder
from hivebot.entrypoints.gate_presses import GatePresses
from hivebot.entrypoints.handling import JobHandlers
from hivebot.entrypoints.homes import Homes
from hivebot.entrypoints.metering import MeteredModels, MeteredPoster, StoredFigures
from hivebot.entrypoints.receiving import SlackReceiver, text_context
from hivebot.entrypoints.reloading import Live, files_of
from hivebot.entrypoints.socket_watch import Probe
from hivebot.entrypoints.workspaces import InstalledWorkspaces, OneWorkspace, Workspaces
from hivebot.services.commanding import Commanding
from hivebot.services.delivery import Delivery
from hivebot.services.erasure import Erasure
from hivebot.services.gates import Gates, Proxy
from hivebot.services.intake import Intake
from hivebot.services.knowing import Knowing
from hivebot.services.memory import MemoryKeeping
from hivebot.services.menus import AnswerMenus
from hivebot.services.policy import RunningPolicy
from hivebot.services.presses import Presses
from hivebot.services.records.arrivals import TextContext
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
        memories: Keeps memories in order.
        live: Takes up another configuration.
        probe: Does something that Slack must tell us of.
        installing: Lets workspaces install the app; None without OAuth.
        console: What operators look at; shows nothing where no token is set.
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
    memories: MemoryKeeping
    live: Live
    probe: Probe
    installing: AsyncOAuthFlow | None
    console: Console
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
    tokens = _Tokens(settings)
    api = SlackApi(tokens.of, settings.slack_api_url)
    try:
        async with _with_database(settings, loaded.configuration, taken, api, tokens) as parts:
            yield parts
    finally:
        await api.aclose()


@asynccontextmanager
async def _with_database(
    settings: Settings, written: Configuration, taken: str, api: SlackApi, tokens: _Tokens
) -> AsyncGenerator[Parts]:
    own = OneWorkspace(await identify(api), _bot_token(settings)) if _has_token(settings) else None
    async with database(settings) as place:
        engine = create_engine(place)
        try:
            clock = SystemClock()
            work = PostgresUnitOfWork(engine, clock)
            policy = RunningPolicy(work, clock, written, from_canonical)
            if own is not None:
                await _remember(work, own.row)
            installs = _installs(settings, engine)
            workspaces = tokens.workspaces = _workspaces(settings, work, clock, installs, own)

            async def context(team_id: str) -> TextContext:
                return text_context(policy.current(), await workspaces.at(team_id))

            async def admin_place() -> tuple[str, str]:
                return await workspaces.home(), policy.current().admin_channel

            directory = SlackDirectory(api, clock, context)

            async def resolved(new: Configuration) -> Configuration:
                return await _resolved(new, directory, await workspaces.home())

            configuration = await resolved(written)
            await policy.adopt(configuration, canonical(configuration))
            metrics = Metrics()
            reloading = Reloading(work, policy, files_of(settings.config, resolved), clock)
            live = Live(reloading, settings.config, workspaces.home, taken)

            gates = Gates(work, policy, directory, clock)

            def handlers() -> JobHandlers:
                # half of the start-up time, which a process that runs no turn is spared
                from hivebot.adapters.llm.models import AgentModels

                embedding = ConfiguredEmbedder(policy, settings.model_environment())
                models = MeteredModels(AgentModels(settings.model_environment()), metrics)
                poster = MeteredPoster(SlackPoster(api), metrics)
                return JobHandlers(
                    Routing(work, policy, directory, clock),
                    Turns(work, policy, models, directory, clock, embedding),
                    Delivery(work, policy, poster, directory, clock),
                    Gates(
                        work,
                        policy,
                        directory,
                        clock,
                        Proxy(work, models, embedding, clock, SystemRandom().random),
                    ),
                    metrics,
                )

            erasure, presses = Erasure(work, clock), Presses(work, policy)
            homes = Homes(work, policy, directory, api)
            logger.info(Event.CONFIG_LOADED, revision=configuration.revision)
            yield Parts(
                settings=settings,
                metrics=metrics,
                figures=StoredFigures(engine, metrics, policy.current),
                place=place,
                receiver=SlackReceiver(
                    work=work,
                    policies=policy,
                    intake=Intake(work, policy, clock),
                    erasure=erasure,
                    presses=presses,
                    steering=Steering(work, policy, directory, clock),
                    gates=gates,
                    gate_presses=GatePresses(gates, api),
                    answers=AnswerPresses(
                        work,
                        policy,
                        AnswerMenus(work, policy, directory, clock),
                        erasure,
                        presses,
                        api,
                    ),
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
                            who_knew=Knowing(work, policy).who_knows,
                        ),
                    ),
                    homes=homes,
                    workspaces=workspaces,
                    metrics=metrics,
                ),
                handlers=handlers,
                upkeep=Upkeep(work, policy, clock),
                gates=gates,
                memories=MemoryKeeping(work, clock),
                live=live,
                probe=Probe(partial(called, api), admin_place),
                installing=_installing(settings, engine, api, workspaces, live),
                console=Console(
                    keys_of(settings.console_roles()),
                    work,
                    policy,
                    directory,
                    clock,
                    secure=settings.public_url.startswith("https:"),
                ),
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


async def called(api: SlackApi, team_id: str, method: str, args: dict[str, object]) -> str | None:
    """The ts of what a method of Slack's posted, "" for one that posts nothing; None: refused."""
    said = await api.call(team_id, method, args)
    return None if isinstance(said, SendFailure) else str(said.data.get("ts") or "")


def _installs(settings: Settings, engine: AsyncEngine) -> Installations | None:
    if not settings.oauth:
        return None
    seal = Seal([key.get_secret_value() for key in settings.secret_keys])
    return Installations(settings.slack_client_id, engine, seal)


def _workspaces(
    settings: Settings,
    work: PostgresUnitOfWork,
    clock: SystemClock,
    installs: Installations | None,
    own: OneWorkspace | None,
) -> OneWorkspace | InstalledWorkspaces:
    if installs is None:
        if own is None:
            raise SettingsError("hivebot needs HIVEBOT_SLACK_BOT_TOKEN, or installation by OAuth")
        return own
    tokens = InstalledTokens(
        installs,
        settings.slack_client_id,
        _revealed(settings.slack_client_secret),
        settings.slack_api_url,
    )
    return InstalledWorkspaces(work, clock, installs, tokens, own)


def _installing(
    settings: Settings,
    engine: AsyncEngine,
    api: SlackApi,
    workspaces: OneWorkspace | InstalledWorkspaces,
    live: Live,
) -> AsyncOAuthFlow | None:
    if isinstance(workspaces, OneWorkspace):
        return None

    async def installed(installation: Installation) -> None:
        await workspaces.installed(api, installation)
        await live.reload(Cause.INSTALLED)

    return install_flow(
        client_id=settings.slack_client_id,
        client_secret=_revealed(settings.slack_client_secret),
        scopes=scopes(),
        allowed=settings.workspaces,
        api_url=settings.slack_api_url,
        public_url=settings.public_url,
        installations=workspaces.installations,
        states=install_states(engine),
        installed=installed,
    )


class _Tokens:
    """Gives tokens before it is known how: who we are is asked with the environment's."""

    def __init__(self, settings: Settings) -> None:
        self._own = _bot_token(settings)
        self.workspaces: Workspaces | None = None

    async def of(self, team_id: str) -> str:
        return self._own if self.workspaces is None else await self.workspaces.token(team_id)


async def _resolved(
    configuration: Configuration, directory: SlackDirectory, team_id: str
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
    if not names or not team_id:
        return configuration
    found = {
        name: await directory.resolve_channel_name(team_id, name.removeprefix("#"))
        for name in names
    }
    known = {name.removeprefix("#"): channel for name, channel in found.items() if channel}
    return with_channels(configuration, known)


async def _remember(work: PostgresUnitOfWork, identity: WorkspaceRow) -> None:
    async with work.begin() as tx:
        await tx.workspaces.put(identity)


def _has_token(settings: Settings) -> bool:
    return settings.slack_bot_token is not None or not settings.oauth


def _bot_token(settings: Settings) -> str:
    return _revealed(settings.slack_bot_token)


def _revealed(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret is not None else ""
