"""What do the use cases need of models and of the people and channels outside?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hivebot.services.records.arrivals import Audience
from hivebot.services.records.asking import (
    RenderedTurn,
    ReplyFailure,
    Spent,
    TurnReply,
    TurnRequest,
)
from hivebot.services.records.predictions import Predicted, PredictionRequest
from hivebot.services.records.replies import Reply


class Models(Protocol):
    """Whoever answers for an agent: a provider's model or the rule-based member."""

    async def reply(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        """Ask once; retries, validation and repair are inside. Never raises for a model's fault."""
        ...

    def render(self, request: TurnRequest, reply: Reply, sequence: int) -> RenderedTurn:
        """Make the committed row. Pure. `sequence` is the row's own number (a citation of 0)."""
        ...

    async def select(
        self, agent: str, message: str, candidates: Sequence[tuple[str, str, str, str]]
    ) -> str | None:
        """Raw output of the selector model over (id, label, role, description); None on failure."""
        ...

    async def predict(self, asked: PredictionRequest) -> Predicted:
        """One pass of a proxy at a gate. Never raises for a model's fault."""
        ...

    async def moved(self, asked: PredictionRequest) -> tuple[str, Spent]:
        """What moved the prediction between the passes, as it is said; "" for nothing."""
        ...


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """What Slack says of a user. Unknown people count as guests."""

    user_id: str
    name: str
    team_id: str
    guest: bool
    stranger: bool
    deactivated: bool
    bot: bool
    known: bool = True


@dataclass(frozen=True, slots=True)
class ChannelFacts:
    """What Slack says of a channel."""

    channel_id: str
    name: str
    audience: Audience
    archived: bool
    member: bool


class Directory(Protocol):
    """People and channels as Slack knows them; cached, degrading when a method is missing."""

    async def person(self, team_id: str, user_id: str) -> PersonFacts:
        """Facts of a user; `known` False when Slack would not say."""
        ...

    async def channel(self, team_id: str, channel_id: str) -> ChannelFacts | None:
        """Facts of a channel; None when Slack would not say."""
        ...

    async def members_of_group(self, team_id: str, group_id: str) -> frozenset[str]:
        """User ids in a user group now; none when Slack would not say."""
        ...

    async def root_text(self, team_id: str, channel_id: str, ts: str) -> str:
        """Readable text of a message we never stored, "" when Slack refuses."""
        ...


class RightsDirectory(Directory, Protocol):
    """A directory that can be asked anew at the moment a right is used."""

    def forget_person(self, team_id: str, user_id: str) -> None:
        """Believe nothing of a user that was known before."""
        ...

    def forget_channel(self, team_id: str, channel_id: str) -> None:
        """Ask anew for a channel the next time."""
        ...


class Doors(Protocol):
    """Who can open what in Slack, asked for now."""

    async def may_open(self, team_id: str, user_id: str, channel_id: str) -> bool:
        """Whether the person can read the channel; False where Slack would not say."""
        ...
