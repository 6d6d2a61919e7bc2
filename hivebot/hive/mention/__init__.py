"""Who is named in a text, and may the naming ping?"""

from __future__ import annotations

from hivebot.hive.mention.records import (
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
from hivebot.hive.mention.resolution import PING_CAP, resolve

__all__ = [
    "PING_CAP",
    "AgentTarget",
    "DeskTarget",
    "EveryoneTarget",
    "Mention",
    "MentionAuthor",
    "MentionTarget",
    "MentionedByAgent",
    "MentionedByOther",
    "MentionedByPerson",
    "PersonTarget",
    "resolve",
]
