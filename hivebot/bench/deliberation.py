"""How does a host run one deliberation over the folds?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from hivebot.bench.moves import Floor, compose
from hivebot.bench.participant import Participant
from hivebot.bench.reading import Reading
from hivebot.hive.conversation import Conversation, OperatorAuthor, TranscriptAuthor
from hivebot.hive.episode import (
    Converged,
    Deadlocked,
    EpisodePhase,
    EpisodePolicy,
    EpisodeState,
    Examination,
    Exhausted,
    HiveTurn,
    Idle,
    Speak,
    Visibility,
    examine_live,
    live_messages,
    project_for,
)
from hivebot.hive.quorum import standings
from hivebot.hive.trace import Trace, resolve
from hivebot.hive.transcript import SessionMessage

TASK: Final = "Which of the options shall we take?"
TASK_SEQUENCE: Final = 1


class Ending(StrEnum):
    """How a deliberation ended."""

    CONVERGED = "converged"
    DEADLOCKED = "deadlocked"
    EXHAUSTED = "exhausted"
    IDLE = "idle"


Last: TypeAlias = Converged | Deadlocked | Exhausted | Idle
"""A step after which nobody speaks."""

_ENDINGS: Final[dict[type[Last], Ending]] = {
    Converged: Ending.CONVERGED,
    Deadlocked: Ending.DEADLOCKED,
    Exhausted: Ending.EXHAUSTED,
    Idle: Ending.IDLE,
}


@dataclass(frozen=True, slots=True)
class Said:
    """One turn, as it was recorded.

    Attributes:
        turn: What the folds authorised.
        message: What the member wrote.
    """

    turn: HiveTurn
    message: SessionMessage


@dataclass(slots=True)
class Episode:
    """What is known of a deliberation that ended.

    Attributes:
        members: Ids in desk order.
        ending: How it ended.
        decision: The option it converged on; none for any other ending.
        said: Every turn, in order.
        traces: Everything read off the messages, in order.
        last_sequence: Sequence of the last message.
    """

    members: tuple[str, ...]
    ending: Ending
    decision: str | None
    said: list[Said] = field(default_factory=list[Said])
    traces: list[Trace] = field(default_factory=list[Trace])
    last_sequence: int = TASK_SEQUENCE


class Desk:
    """A desk in the middle of a deliberation: its journal, and where it stands.

    The journal numbers messages from 1; message 1 is the task, by the operator. Each message is
    read once, when it is written.

    Source: bench.md section 6.
    """

    __slots__ = (
        "_live",
        "_members",
        "_messages",
        "_participants",
        "_policy",
        "_state",
        "said",
        "traces",
    )

    def __init__(
        self, participants: Sequence[Participant], policy: EpisodePolicy, place: Conversation
    ) -> None:
        policy.check()
        self._participants = {one.id: one for one in participants}
        self._members = tuple(self._participants)
        self._policy = policy
        self._messages: list[SessionMessage] = []
        self._live: list[SessionMessage] = []
        self._state = EpisodeState(place, watermark=TASK_SEQUENCE)
        self.traces: list[Trace] = []
        self.said: list[Said] = []
        self.write(OperatorAuthor(), TASK)

    @property
    def members(self) -> tuple[str, ...]:
        """Ids in desk order."""
        return self._members

    @property
    def last_sequence(self) -> int:
        """Sequence of the last message."""
        return len(self._messages)

    @property
    def messages(self) -> Sequence[SessionMessage]:
        """Everything written here, the task first."""
        return self._messages

    def participant(self, agent_id: str) -> Participant:
        """Give one member of the desk."""
        return self._participants[agent_id]

    def write(self, author: TranscriptAuthor, text: str) -> SessionMessage:
        """Append a message of anybody; only those of members and non-agents count."""
        message = SessionMessage(len(self._messages) + 1, author, text)
        self._messages.append(message)
        if live_messages(self._state, (message,), self._members):
            self._live.append(message)
            self.traces.extend(resolve(text, None, author, message.sequence))
        return message

    def examine(self) -> Examination:
        """Say what happens next, and show the working."""
        return examine_live(self._state, self._live, self.traces, self._members, self._policy)

    def compose(self, turn: HiveTurn, examined: Examination) -> str:
        """Let the member whose turn it is write; nothing is recorded yet."""
        member = self._participants[turn.agent_id]
        floor = Floor(
            blind=turn.visibility is Visibility.BLIND,
            committing=turn.phase is EpisodePhase.COMMIT,
            quorum=self._policy.quorum,
        )
        return compose(member, self._read(member, turn, examined), floor)

    def record(self, turn: HiveTurn, text: str) -> SessionMessage:
        """Append a composed turn and take over the state it leads to."""
        message = self.write(self._participants[turn.agent_id].author, text)
        self._state = turn.next_state
        self.said.append(Said(turn, message))
        return message

    def finish(self, step: Last) -> Episode:
        """Sum up the episode this step ends."""
        return Episode(
            members=self._members,
            ending=_ENDINGS[type(step)],
            decision=step.topic if isinstance(step, Converged) else None,
            said=self.said,
            traces=self.traces,
            last_sequence=self.last_sequence,
        )

    def _read(self, member: Participant, turn: HiveTurn, examined: Examination) -> Reading:
        visible = project_for(turn, self._messages)
        traces, standing = self.traces, examined.standings
        at = visible[-1].sequence
        if turn.visibility is Visibility.BLIND:
            seen = {message.sequence for message in visible}
            traces = [trace for trace in traces if trace.sequence in seen]
        if at != examined.at or traces is not self.traces:
            standing = standings(traces, at, self._policy.quorum) if traces else ()
        return Reading(member.id, traces, standing, readings_refute=member.manner.readings_refute)


def deliberate(
    participants: Sequence[Participant], policy: EpisodePolicy, place: Conversation
) -> Episode:
    """Run one deliberation to its end."""
    desk = Desk(participants, policy, place)
    while True:
        examined = desk.examine()
        if not isinstance(examined.step, Speak):
            return desk.finish(examined.step)
        turn = examined.step.turn
        desk.record(turn, desk.compose(turn, examined))
