"""What was said in a deliberation of the data desk? Rows and structures, nothing stored."""

from __future__ import annotations

from datetime import timedelta

from hivebot.hive.conversation import AgentAuthor, Conversation, PersonAuthor, TranscriptAuthor
from hivebot.hive.episode import EpisodeState
from hivebot.hive.options import Option
from hivebot.services.outcomes import Spoken
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow, EpisodeStage, Wish
from hivebot.services.records.replies import Reply
from hivebot.services.records.rows import MessageRole, MessageRow
from tests.fakes.clock import START

OPTIONS = (
    Option("canary", "One region first"),
    Option("ship", "ship"),
    Option("hold-on", "Hold on"),
)


def message(
    seq: int,
    by: str = "",
    content: str = "",
    *,
    ts: str = "",
    role: MessageRole = MessageRole.SPEECH,
) -> MessageRow:
    """A row of the log; by an agent, or by the person who asked."""
    author: TranscriptAuthor = (
        AgentAuthor(by, by.capitalize()) if by else PersonAuthor("U0ANA", "Ana")
    )
    return MessageRow(
        id=100 + seq,
        conversation_id=1,
        seq=seq,
        role=role,
        author=author,
        ts=ts,
        user_id="" if by else "U0ANA",
        user_team_id="",
        content=content,
        shown="",
        revision=1,
        addressed=False,
        wakes=False,
        mentions=(),
        traces=(),
        turn_id=seq if by else None,
        referral_id=None,
        copy_of=None,
        judged=True,
        created_at=START,
    )


def spoke(seq: int, by: str, reply: Reply | None, *, ts: str = "") -> Spoken:
    return Spoken(message(seq, by, ts=ts), reply)


def episode(
    end: EpisodeEnd | None = None,
    *,
    topic: str = "",
    reason: str = "",
    spent: int = 4,
    extra_turns: int = 0,
    begun: bool = True,
) -> EpisodeRow:
    state = EpisodeState(Conversation("data", "Data", 1), watermark=1, spent=spent)
    return EpisodeRow(
        id=7,
        conversation_id=1,
        log_id=2,
        desk_id="data",
        question_id=101,
        asker_user_id="U0ANA",
        stage=EpisodeStage.ENDED if end else EpisodeStage.DELIBERATING,
        options=OPTIONS if begun else (),
        state=state if begun else None,
        extra_turns=extra_turns,
        asked=0,
        failures=(),
        end=end,
        topic=topic,
        reason=reason,
        revision="r1",
        progress_id=1,
        progressed_at=START,
        wish=Wish.NONE,
        reserved_tokens=0,
        reserved_usd_micros=0,
        created_at=START,
        consult_due_at=START + timedelta(seconds=60),
        deadline_at=START + timedelta(seconds=180),
    )
