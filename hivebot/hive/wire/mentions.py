"""How are mentions, their targets and their author written as JSON?

Source: hive.md section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.hive.mention import (
    AgentTarget,
    DeskTarget,
    EveryoneTarget,
    Mention,
    MentionAuthor,
    MentionedByAgent,
    MentionedByOther,
    MentionedByPerson,
    MentionTarget,
    PersonTarget,
)
from hivebot.hive.wire.codec import (
    Decoder,
    JsonObject,
    flag,
    list_of,
    optional,
    record,
    required,
    tagged,
    text,
    u64,
)


def _agent_target(keys: Mapping[str, object], path: str) -> MentionTarget:
    return AgentTarget(required(keys, "id", text, path))


def _person_target(keys: Mapping[str, object], path: str) -> MentionTarget:
    return PersonTarget(required(keys, "id", text, path))


def _desk_target(keys: Mapping[str, object], path: str) -> MentionTarget:
    return DeskTarget(required(keys, "id", text, path))


def _everyone(_keys: Mapping[str, object], _path: str) -> MentionTarget:
    return EveryoneTarget()


def _by_agent(keys: Mapping[str, object], path: str) -> MentionAuthor:
    return MentionedByAgent(required(keys, "id", text, path))


def _by_person(keys: Mapping[str, object], path: str) -> MentionAuthor:
    return MentionedByPerson(required(keys, "id", text, path))


def _by_other(_keys: Mapping[str, object], _path: str) -> MentionAuthor:
    return MentionedByOther()


_target: Final[Decoder[MentionTarget]] = tagged(
    "kind",
    MappingProxyType(
        {
            "agent": _agent_target,
            "person": _person_target,
            "desk": _desk_target,
            "everyone": _everyone,
        }
    ),
)
_author: Final[Decoder[MentionAuthor]] = tagged(
    "kind",
    MappingProxyType({"agent": _by_agent, "person": _by_person, "other": _by_other}),
)


def decode_mention_target(value: object, path: str = "") -> MentionTarget:
    """Read the target of a mention."""
    return _target(value, path)


def encode_mention_target(target: MentionTarget) -> JsonObject:
    """Write the target of a mention."""
    if isinstance(target, AgentTarget):
        return {"kind": "agent", "id": target.id}
    if isinstance(target, PersonTarget):
        return {"kind": "person", "id": target.id}
    if isinstance(target, DeskTarget):
        return {"kind": "desk", "id": target.id}
    return {"kind": "everyone"}


def decode_mention(value: object, path: str = "") -> Mention:
    """Read a mention; without `quiet` it pings."""
    keys = record(value, path)
    return Mention(
        target=required(keys, "target", decode_mention_target, path),
        text=required(keys, "text", text, path),
        offset=required(keys, "offset", u64, path),
        quiet=optional(keys, "quiet", flag, path, default=False),
    )


def encode_mention(mention: Mention) -> JsonObject:
    """Write a mention, `quiet` only when it is."""
    written: JsonObject = {
        "target": encode_mention_target(mention.target),
        "text": mention.text,
        "offset": mention.offset,
    }
    if mention.quiet:
        written["quiet"] = True
    return written


decode_mentions: Final[Decoder[tuple[Mention, ...]]] = list_of(decode_mention)
"""Read a list of mentions, order kept."""


def decode_mention_author(value: object, path: str = "") -> MentionAuthor:
    """Read who wrote the text of the mentions."""
    return _author(value, path)


def encode_mention_author(author: MentionAuthor) -> JsonObject:
    """Write who wrote the text of the mentions."""
    if isinstance(author, MentionedByOther):
        return {"kind": "other"}
    return {
        "kind": "agent" if isinstance(author, MentionedByAgent) else "person",
        "id": author.id,
    }
