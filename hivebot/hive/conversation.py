"""Which conversation is this, and who wrote in it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from hivebot.hive.scalars import ascii_lower

MAIN_THREAD_ID: Final = "main"
GENERAL_DESK: Final = "General"

_GENERAL_SPELLINGS: Final = frozenset({"", ascii_lower(MAIN_THREAD_ID), ascii_lower(GENERAL_DESK)})


@dataclass(frozen=True, slots=True)
class OperatorAuthor:
    """The operator wrote it."""


@dataclass(frozen=True, slots=True)
class PersonAuthor:
    """A person of the roster wrote it.

    Attributes:
        id: Id among people.
        label: Name shown in transcripts; may be blank.
    """

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class AgentAuthor:
    """An agent wrote it.

    Attributes:
        id: Id among agents, whether or not it is still on the roster.
        label: Name shown in transcripts; may be blank.
    """

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class SystemAuthor:
    """The host wrote it.

    Attributes:
        kind: What sort of notice it is.
        label: Name shown in transcripts; may be blank.
    """

    kind: str
    label: str


TranscriptAuthor: TypeAlias = OperatorAuthor | PersonAuthor | AgentAuthor | SystemAuthor


@dataclass(frozen=True, slots=True)
class Conversation:
    """A desk's channel, or one thread of it.

    Attributes:
        desk_id: Canonical id of the desk.
        desk_name: Its name; rows may carry either.
        thread_root: Sequence of the thread's first row; None is the channel.
    """

    desk_id: str
    desk_name: str
    thread_root: int | None = None


@dataclass(frozen=True, slots=True)
class DispatchConversation:
    """A conversation as routing compares it: by id and thread alone.

    Attributes:
        desk_id: Canonical id of the desk, `General` for the General conversation.
        thread_root: Sequence of the thread's first row; None is the channel.
    """

    desk_id: str
    thread_root: int | None


def is_general(chat: str | None) -> bool:
    """Say whether a chat id names the General conversation.

    It does when there is none, when it is empty, and when it spells `main` or `General` in any
    ASCII case. Nothing is trimmed.

    Source: hive.md section 2.
    """
    return chat is None or ascii_lower(chat) in _GENERAL_SPELLINGS


def same_conversation(a: str | None, b: str | None) -> bool:
    """Say whether two chat ids name one conversation.

    If either is General, both must be; else they must be equal.

    Source: hive.md section 2.
    """
    if is_general(a) or is_general(b):
        return is_general(a) and is_general(b)
    return a == b


def _is_general_conversation(conversation: Conversation) -> bool:
    return is_general(conversation.desk_id) or is_general(conversation.desk_name)


def equivalent(c1: Conversation, c2: Conversation) -> bool:
    """Say whether two conversations are one.

    1. The thread roots must be equal.
    2. If either is General, by id or by name, both must be.
    3. Else the desk ids must be equal; names do not merge desks.

    Source: hive.md section 2.
    """
    if c1.thread_root != c2.thread_root:
        return False
    if _is_general_conversation(c1) or _is_general_conversation(c2):
        return _is_general_conversation(c1) and _is_general_conversation(c2)
    return c1.desk_id == c2.desk_id


def dispatch_conversation(conversation: Conversation) -> DispatchConversation:
    """Reduce a conversation to what routing compares; a General one gets the id `General`.

    Source: hive.md section 2.
    """
    general = _is_general_conversation(conversation)
    return DispatchConversation(
        desk_id=GENERAL_DESK if general else conversation.desk_id,
        thread_root=conversation.thread_root,
    )
