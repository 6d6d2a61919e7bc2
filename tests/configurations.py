"""How does a test change a configuration? The shipped example, with one thing different."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from hivebot.adapters.config_files import load
from hivebot.adapters.config_files.canonical import with_revision
from hivebot.services.records.policy import AgentConfig, Configuration, DeskConfig

T = TypeVar("T")

CONFIGURATION: Configuration = load(Path("config") / "hivebot.yaml").configuration


def desk_of(configuration: Configuration, desk_id: str) -> DeskConfig:
    """A desk that must be there."""
    found = configuration.desk(desk_id)
    assert found is not None, desk_id
    return found


def with_desk(
    desk_id: str, configuration: Configuration = CONFIGURATION, **changes: object
) -> Configuration:
    """The same configuration with a desk changed; `referral__per_hour` reaches one level down."""
    desks = tuple(
        _changed(desk, changes) if desk.id == desk_id else desk for desk in configuration.desks
    )
    return with_revision(replace(configuration, desks=desks))


def with_agent(
    agent_id: str, configuration: Configuration = CONFIGURATION, **changes: object
) -> Configuration:
    """The same configuration with an agent changed."""
    agents = tuple(
        _changed(agent, changes) if agent.id == agent_id else agent
        for agent in configuration.agents
    )
    return with_revision(replace(configuration, agents=agents))


def without_desk(desk_id: str, configuration: Configuration = CONFIGURATION) -> Configuration:
    """The same configuration without a desk."""
    desks = tuple(desk for desk in configuration.desks if desk.id != desk_id)
    return with_revision(replace(configuration, desks=desks))


def with_more(
    configuration: Configuration = CONFIGURATION,
    *,
    agents: tuple[AgentConfig, ...] = (),
    desks: tuple[DeskConfig, ...] = (),
    **changes: object,
) -> Configuration:
    """The same configuration with more agents and desks."""
    more = {"agents": configuration.agents + agents, "desks": configuration.desks + desks}
    return with_revision(_changed(configuration, {**more, **changes}))


def _changed(value: T, changes: Mapping[str, object]) -> T:
    made: dict[str, object] = {name: one for name, one in changes.items() if "__" not in name}
    deep: dict[str, dict[str, object]] = {}
    for name, one in changes.items():
        if "__" in name:
            field, _, rest = name.partition("__")
            deep.setdefault(field, {})[rest] = one
    for field, inner in deep.items():
        made[field] = _changed(getattr(value, field), inner)
    return cast("T", replace(cast("Any", value), **made))
