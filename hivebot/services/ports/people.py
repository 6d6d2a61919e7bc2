"""What do the use cases need to know of one person, across all tables? A protocol only.

Source: datapath.md 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SpokenAt:
    """Where a message stands that goes with a person."""

    team_id: str
    channel_id: str
    thread_ts: str
    ts: str


class People(Protocol):
    """What is stored of people beside their messages."""

    async def said(self, user_id: str) -> tuple[SpokenAt, ...]:
        """Every message of theirs that is not removed yet, and all of their direct conversation."""
        ...

    async def known(self, user_id: str) -> Mapping[str, int]:
        """How much there is that `forget` would remove, by kind; kinds of which there is none too.

        Kinds: `events`, `memories`, `private posts`, `rows that name them`.
        """
        ...

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Remove it, in this transaction; how much it was, by the kinds of `known`.

        Raw events of theirs are blanked, edits that wait for their messages go, what was posted to
        them alone is blanked and never sent, and where a row names them it names nobody. Memories
        are counted and left to `Memories.erase_user`. Words of other people stay as they are.
        """
        ...
