"""Which rows do tests of pure modules read? One conversation and one message, as told."""

from __future__ import annotations

from dataclasses import replace

from hivebot.hive.conversation import PersonAuthor, TranscriptAuthor
from hivebot.hive.crossing import Audience
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow
from tests.fakes.clock import START

CHANNEL = ConversationRow(
    id=1,
    team_id="T0HIVE",
    channel_id="C0PAY",
    thread_ts="",
    desk_id="payments",
    audience=Audience.PUBLIC,
    root_seq=None,
    last_seq=7,
)
THREAD = replace(CHANNEL, id=2, thread_ts="1.7", root_seq=7)

MESSAGE = MessageRow(
    id=11,
    conversation_id=1,
    seq=7,
    role=MessageRole.SPEECH,
    author=PersonAuthor("U0ANA", ""),
    ts="1.7",
    user_id="U0ANA",
    user_team_id="T0HIVE",
    content="why?",
    shown="",
    revision=1,
    addressed=False,
    wakes=True,
    mentions=None,
    traces=(),
    turn_id=None,
    referral_id=None,
    copy_of=None,
    judged=False,
    created_at=START,
)


def written(content: str, author: TranscriptAuthor | None = None) -> MessageRow:
    """The message with other words, perhaps by somebody else."""
    return replace(MESSAGE, content=content, author=author or MESSAGE.author)
