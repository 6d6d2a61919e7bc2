"""In which form is a configuration stored, and which revision is it?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final, TypeAlias, cast

from pydantic import TypeAdapter, ValidationError

from hivebot.adapters.config_files.checks import problems
from hivebot.adapters.config_files.findings import (
    ConfigError,
    Finding,
    Places,
    Remark,
    did_you_mean,
)
from hivebot.services.records.policy import Configuration

Channels: TypeAlias = Mapping[str, str] | Callable[[str], str | None]
"""Channel name without `#` to its id; None, or absent, when there is no such channel."""

_REVISION_CHARACTERS: Final = 16

_ADAPTER: Final = TypeAdapter(Configuration)


def canonical(configuration: Configuration) -> str:
    """Write a configuration as JSON in one form: sorted keys, no spaces, its revision included.

    Equal configurations give equal text, and `from_canonical` gives the configuration back.
    """
    content = cast("object", json.loads(_ADAPTER.dump_json(configuration)))
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def from_canonical(text: str) -> Configuration:
    """Read what `canonical` wrote, perhaps an older version of it: new fields get their defaults.

    Raises:
        ConfigError: The text is something else.
    """
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        # the vendor's error holds values
        count = error.error_count()
    said = f"a stored configuration cannot be read ({count} faults)"
    raise ConfigError([Finding("", 0, "", said, "load the files again")])


def with_revision(configuration: Configuration) -> Configuration:
    """Name a configuration by the digest of its content: 16 hexadecimal digits."""
    content = canonical(replace(configuration, revision=""))
    digest = sha256(content.encode()).hexdigest()
    return replace(configuration, revision=digest[:_REVISION_CHARACTERS])


def with_channels(configuration: Configuration, channels: Channels) -> Configuration:
    """Replace the names of channels by their ids; the revision is that of the result.

    Raises:
        ConfigError: A name is no channel's, or two desks come to share a channel.
    """
    resolved, remarks = resolve_channels(configuration, channels)
    remarks += problems(resolved) if not remarks else []
    if remarks:
        places = Places()
        for at, desk in enumerate(configuration.desks):
            places.labels["desks", at] = desk.id
        raise ConfigError(places.locate(remark) for remark in remarks)
    return resolved


def resolve_channels(
    configuration: Configuration, channels: Channels
) -> tuple[Configuration, list[Remark]]:
    """Replace the names of channels by their ids, as far as they have one."""
    lookup = channels if callable(channels) else channels.get
    known = () if callable(channels) else tuple(channels)
    desks = [
        replace(
            desk,
            channel=_channel(desk.channel, lookup),
            gates=replace(desk.gates, channel=_channel(desk.gates.channel, lookup)),
        )
        for desk in configuration.desks
    ]
    admin_channel = _channel(configuration.admin_channel, lookup)
    resolved = replace(configuration, desks=tuple(desks), admin_channel=admin_channel)
    return with_revision(resolved), list(_unresolved(resolved, known))


def _channel(channel: str, lookup: Callable[[str], str | None]) -> str:
    if not channel.startswith("#"):
        return channel
    return lookup(channel.removeprefix("#")) or channel


def _unresolved(configuration: Configuration, known: tuple[str, ...]) -> Iterator[Remark]:
    written = [
        (("desks", at, "channel"), desk.channel) for at, desk in enumerate(configuration.desks)
    ]
    gates = [
        (("desks", at, "gates", "channel"), desk.gates.channel)
        for at, desk in enumerate(configuration.desks)
    ]
    for path, channel in (*written, *gates, (("admin_channel",), configuration.admin_channel)):
        if channel.startswith("#"):
            invite = "invite the bot there, or write the channel's id"
            remedy, near = did_you_mean(channel.removeprefix("#"), known, invite)
            said = f"there is no channel {channel} that the bot can see"
            yield Remark(path, said, remedy, near)
