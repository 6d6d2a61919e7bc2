"""What is kept of a deliberation beside its log? Source: turns.md 1 and 6, hive.md 16."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hivebot.hive.episode import EpisodeState
from hivebot.hive.options import Option


class EpisodeStage(StrEnum):
    """How far it has come; each step is committed before the next."""

    OPENED = "opened"
    CONSULTING = "consulting"
    FRAMING = "framing"
    DELIBERATING = "deliberating"
    ENDED = "ended"


class EpisodeEnd(StrEnum):
    """How it ended; "" while it runs is no member of this."""

    CONVERGED = "converged"
    DEADLOCKED = "deadlocked"
    EXHAUSTED = "exhausted"
    IDLE = "idle"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    FAILED = "failed"
    CHOSEN = "chosen"
    LEAD_ANSWERS = "lead_answers"


class Wish(StrEnum):
    """What a person has asked of a running episode; it takes hold at the next look."""

    NONE = ""
    STOP = "stop"
    ANSWER_NOW = "answer_now"
    CHOOSE = "choose"


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One deliberation.

    Attributes:
        conversation_id: The thread that asked.
        log_id: The conversation that is the episode's own log.
        question_id: The question's row in the thread.
        options: Empty until they are framed; then two to eight.
        state: None until the watermark is set; pending next states stand on decisions.
        extra_turns: Turns a person has added to the policy's budget.
        asked: Questions it has put to other desks.
        failures: (agent id, failed turns) of members whose model failed.
        topic: The option it ended on, "" for none.
        reason: Why it stopped, in words for people, "" otherwise.
        progress_id: Outbox row of the line that shows it and becomes its outcome.
        progressed_at: When that line was last given a new text.
        wish: What a person has asked of it.
        reserved_tokens, reserved_usd_micros: Held back from the day's budget until it ends.
    """

    id: int
    conversation_id: int
    log_id: int
    desk_id: str
    question_id: int
    asker_user_id: str
    stage: EpisodeStage
    options: tuple[Option, ...]
    state: EpisodeState | None
    extra_turns: int
    asked: int
    failures: tuple[tuple[str, int], ...]
    end: EpisodeEnd | None
    topic: str
    reason: str
    revision: str
    progress_id: int | None
    progressed_at: datetime
    wish: Wish
    reserved_tokens: int
    reserved_usd_micros: int
    created_at: datetime
    consult_due_at: datetime
    deadline_at: datetime
    ended_at: datetime | None = None

    def failed(self, agent_id: str) -> int:
        """How often this member's model has failed here."""
        return dict(self.failures).get(agent_id, 0)
