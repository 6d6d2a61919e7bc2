"""What do the use cases need of episodes and gates?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hivebot.hive.episode import EpisodeState
from hivebot.hive.gate import GateAct, GateState
from hivebot.hive.options import Option
from hivebot.services.records.asking import TurnReply
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow, EpisodeStage, Wish
from hivebot.services.records.gates import GateRow, NewGate
from hivebot.services.records.predictions import GatePrediction


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """A deliberation to begin, in stage `opened`."""

    conversation_id: int
    log_id: int
    desk_id: str
    question_id: int
    asker_user_id: str
    revision: str
    progress_id: int
    reserved_tokens: int
    reserved_usd_micros: int
    created_at: datetime
    consult_due_at: datetime
    deadline_at: datetime


class Episodes(Protocol):
    """Deliberations. Every change expects the episode's log locked."""

    async def add(self, new: NewEpisode) -> EpisodeRow:
        """Begin one."""
        ...

    async def get(self, episode_id: int) -> EpisodeRow | None:
        """One row by id."""
        ...

    async def by_log(self, conversation_id: int) -> EpisodeRow | None:
        """The episode whose log this conversation is."""
        ...

    async def in_thread(self, conversation_id: int) -> tuple[EpisodeRow, ...]:
        """The episodes of a thread, oldest first."""
        ...

    async def for_question(self, message_id: int) -> tuple[EpisodeRow, ...]:
        """The episodes about a message."""
        ...

    async def of_desk(self, desk_id: str, limit: int) -> tuple[EpisodeRow, ...]:
        """The newest `limit` of a desk that were deliberated and have ended, newest first."""
        ...

    async def advance(self, episode_id: int, stage: EpisodeStage) -> EpisodeRow:
        """Set how far it has come."""
        ...

    async def begin(
        self, episode_id: int, options: tuple[Option, ...], state: EpisodeState
    ) -> EpisodeRow:
        """Set options and first state; from now on it deliberates."""
        ...

    async def add_option(self, episode_id: int, option: Option) -> None:
        """Append an option a member has thought of; the caller has made sure that it is new."""
        ...

    async def adopt(self, episode_id: int, state: EpisodeState) -> None:
        """Set the state a committed turn leads to."""
        ...

    async def count_failure(self, episode_id: int, agent_id: str) -> None:
        """A member's model has failed once more."""
        ...

    async def count_asks(self, episode_id: int, asks: int) -> None:
        """It has put so many more questions to other desks."""
        ...

    async def progressed(self, episode_id: int, at: datetime) -> None:
        """Its progress message was given a new text, shown at that moment."""
        ...

    async def wish(self, episode_id: int, wish: Wish, reason: str) -> bool:
        """Note what a person wants of it; False when it has ended."""
        ...

    async def reopen(
        self, episode_id: int, extra_turns: int, deadline_at: datetime
    ) -> EpisodeRow | None:
        """Let an ended one go on with more turns; None while it runs or once it was decided."""
        ...

    async def end(
        self, episode_id: int, end: EpisodeEnd, topic: str, reason: str, at: datetime
    ) -> EpisodeRow | None:
        """End it and release what was held back; None when it has ended before."""
        ...

    async def overturn(self, episode_id: int, reason: str) -> EpisodeRow:
        """A converged one was not accepted: it counts as stopped, and may go on."""
        ...

    async def wish_choice(self, episode_id: int, topic: str, reason: str) -> bool:
        """Note a person's choice on one that ended undecided; False: it is decided or runs."""
        ...

    async def choose(self, episode_id: int) -> EpisodeRow | None:
        """Make the noted choice the end of it; None when none is noted."""
        ...

    async def reserved(self, desk_id: str) -> tuple[int, int]:
        """(tokens, usd_micros) held back by the desk's running ones."""
        ...

    async def due(self, now: datetime) -> tuple[EpisodeRow, ...]:
        """Running ones past their consulting time or their deadline."""
        ...

    async def blank(self, episode_id: int) -> None:
        """Erase what the removed question has left: its options and replies kept for later."""
        ...

    async def prefetch(self, episode_id: int, agent_id: str, digest: str, reply: TurnReply) -> None:
        """Keep a blind turn's reply until the market gives that member its turn."""
        ...

    async def prefetched(self, episode_id: int, agent_id: str) -> tuple[str, TurnReply] | None:
        """The kept reply with the digest of the request it answers."""
        ...


class Gates(Protocol):
    """Gates. A decision is recorded under the gate's own row lock."""

    async def add(self, new: NewGate) -> GateRow | None:
        """Open one; None when one of this kind and desk is open about this row already."""
        ...

    async def get(self, gate_id: int) -> GateRow | None:
        """One row by id."""
        ...

    async def lock(self, gate_id: int) -> GateRow | None:
        """Lock and read one row."""
        ...

    async def for_message(self, message_id: int) -> tuple[GateRow, ...]:
        """Every gate about a row, oldest first."""
        ...

    async def serving(self, message_id: int) -> tuple[GateRow, ...]:
        """Every gate about a row, or about what is done for the question in it, oldest first."""
        ...

    async def by_post(self, outbox_id: int) -> GateRow | None:
        """The gate a posted message belongs to."""
        ...

    async def for_episode(self, episode_id: int) -> tuple[GateRow, ...]:
        """Every gate that has held an episode's outcome, oldest first."""
        ...

    async def open_of(self, team_id: str, desk_id: str) -> tuple[GateRow, ...]:
        """Open gates of a desk, oldest first."""
        ...

    async def decided_by(self, user_id: str) -> tuple[GateRow, ...]:
        """Every gate a person has decided, oldest first."""
        ...

    async def open_at(self, team_id: str, channel_id: str, thread_ts: str) -> tuple[GateRow, ...]:
        """Open gates whose message heads this thread or stands in it, oldest first."""
        ...

    async def link(
        self, gate_id: int, *, post_id: int | None = None, status_id: int | None = None
    ) -> None:
        """Record the outbox rows of its message and of the line that says it waits."""
        ...

    async def end(
        self,
        gate_id: int,
        state: GateState,
        at: datetime,
        *,
        act: GateAct | None = None,
        actor_user_id: str = "",
        words: str = "",
    ) -> bool:
        """Move an open gate to its end; False when it has ended before."""
        ...

    async def settled(self, gate_id: int, at: datetime) -> bool:
        """What it held has been dealt with; False when it was before."""
        ...

    async def predicted(self, gate_id: int, prediction: GatePrediction) -> None:
        """Keep what the proxy said of a gate."""
        ...

    async def remind(self, gate_id: int) -> bool:
        """Note that its stewards are reminded; False when they were, or it has ended."""
        ...

    async def due(self, now: datetime) -> tuple[GateRow, ...]:
        """Open gates past `expires_at`, or past `remind_at` and not reminded."""
        ...

    async def blank(self, gate_id: int) -> None:
        """Erase what it shows and holds: its source was removed."""
        ...
