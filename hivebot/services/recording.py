"""What is kept of a decision? Its input by reference and its result, never anybody's text.

Source: datapath.md 6.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import cast

from hivebot.hive.mention import Mention
from hivebot.hive.wire import encode_mention
from hivebot.services.records.rows import MessageRow

_TEXT_KEYS = frozenset({"content", "message", "text", "title", "description", "label"})


def digest(text: str) -> str:
    """What stands for a text in a decision: enough to see that it has changed."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def reference(row: MessageRow) -> dict[str, object]:
    """A row as a decision names it: id, sequence, revision and digest."""
    return {
        "id": row.id,
        "seq": row.seq,
        "revision": row.revision,
        "digest": digest(row.content),
    }


def mention_references(mentions: tuple[Mention, ...]) -> list[object]:
    """Mentions with their targets and offsets; the named text is a name, not speech."""
    return [dict(encode_mention(mention)) for mention in mentions]


def without_text(value: Mapping[str, object]) -> dict[str, object]:
    """A wire form whose texts are replaced by digests."""
    return {key: _stripped(key, entry) for key, entry in value.items()}


def _stripped(key: str, value: object) -> object:
    if isinstance(value, str):
        return {"digest": digest(value)} if key in _TEXT_KEYS else value
    if isinstance(value, Mapping):
        return without_text(cast("Mapping[str, object]", value))
    if isinstance(value, list):
        return [_stripped(key, entry) for entry in cast("list[object]", value)]
    return value
