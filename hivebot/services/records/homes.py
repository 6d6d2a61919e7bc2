"""What is shown on somebody's App Home? Source: product.md 9."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class HomeDesk:
    """A desk the person can open. `members` are names, in desk order."""

    id: str
    name: str
    channel_id: str
    description: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HomeDecision:
    """What a desk decided.

    Attributes:
        said: The option's sentence.
        how: Who decided, in a word or two.
        thread_ts: The thread it was decided in.
    """

    desk_id: str
    channel_id: str
    thread_ts: str
    said: str
    how: str
    at: datetime


@dataclass(frozen=True, slots=True)
class HomeGate:
    """What waits for the person as a steward; of what it holds nothing is shown here.

    Attributes:
        what: The kind of it, in a sentence.
        channel_id: Where its message stands.
        ts: The message, "" while it is not posted yet.
    """

    desk_id: str
    what: str
    channel_id: str
    ts: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Home:
    """One person's home. `url` is the workspace's, "" where unknown; links begin with it."""

    desks: tuple[HomeDesk, ...]
    decisions: tuple[HomeDecision, ...]
    gates: tuple[HomeGate, ...] = ()
    url: str = ""
