"""Does this machine have what hivebot needs? Environment, files, models and vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hivebot.adapters.config_files import ConfigError, Loaded, load
from hivebot.adapters.llm.models.readiness import obstacle
from hivebot.entrypoints.doctor.finding import Checked, fail, ok, warn
from hivebot.services.ports.embedding import Embedder, EmbedderError
from hivebot.services.records.policy import AgentConfig, Configuration
from hivebot.settings import Settings, SettingsError


def environment(settings: Settings) -> Iterator[Checked]:
    """Whether the variables are there with which events come in and answers go out."""
    name = "environment"
    ways = {"run": "a socket", "serve": "HTTP"}
    able: list[str] = []
    missing: list[str] = []
    for command, way in ways.items():
        try:
            settings.require_for("run" if command == "run" else "serve")
        except SettingsError as error:
            missing += error.problems
        else:
            able.append(way)
    if settings.slack_bot_token is None and not settings.oauth:
        said = "HIVEBOT_SLACK_BOT_TOKEN is not set"
        yield fail(name, said, "copy the bot token from the app's page, OAuth & Permissions")
    elif able:
        yield ok(name, f"events can come by {' or by '.join(able)}")
    else:
        remedy = (
            "set HIVEBOT_SLACK_APP_TOKEN for a socket, or HIVEBOT_SLACK_SIGNING_SECRET for HTTP"
        )
        yield fail(name, "; ".join(dict.fromkeys(missing)), remedy)


def files(settings: Settings) -> tuple[Loaded | None, list[Checked]]:
    """What the configuration files say, and every problem and warning of theirs."""
    name = "configuration"
    try:
        loaded = load(settings.config)
    except ConfigError as error:
        found = [
            fail(name, f"{one.where}: {one.key}: {one.message}", one.remedy)
            for one in error.problems
        ]
        return None, found
    warned = [
        warn(name, f"{one.where}: {one.key}: {one.message}", one.remedy) for one in loaded.warnings
    ]
    desks = len(loaded.configuration.desks)
    said = f"{settings.config}: {desks} {'desk' if desks == 1 else 'desks'}"
    return loaded, [ok(name, said), *warned]


def models(configuration: Configuration, keys: Mapping[str, str]) -> Iterator[Checked]:
    """Whether each model can be asked at all; none is asked."""
    asked: dict[tuple[str, str], list[AgentConfig]] = {}
    for agent in configuration.agents:
        if not agent.retired and not agent.rule_based:
            asked.setdefault((agent.model, agent.base_url), []).append(agent)
    if not asked:
        yield ok("models", "every agent is rule-based; no key is needed")
    for (model, _), agents in asked.items():
        ids = ", ".join(agent.id for agent in agents)
        problem = obstacle(agents[0], keys)
        if problem:
            yield fail(
                "models", f"{model} ({ids}): {problem}", "or give these agents another model"
            )
            continue
        yield ok("models", f"{model} ({ids}): its key is there; `config try-model` asks it")
        unpriced = [agent.id for agent in agents if agent.price is None]
        if unpriced:
            said = f"{model}: no price for {', '.join(unpriced)}, so only tokens are bounded"
            yield warn("models", said, "write `price:` in the agent's configuration")


async def vectors(embedder: Embedder) -> Checked:
    """Whether texts get their vectors, on which memory rests."""
    try:
        (vector,) = await embedder.embed(["is anybody there"])
    except EmbedderError as error:
        said = f"{embedder.model}: {error.reason}"
        return fail("embedder", said, "install hivebot again: the weights come with a package")
    return ok("embedder", f"{embedder.model}, {len(vector)} numbers a text")
