"""How are conversations, their authors, log rows and session messages written as JSON?

Source: hive.md section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.hive.conversation import (
    AgentAuthor,
    Conversation,
    DispatchConversation,
    OperatorAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.hive.transcript import LogPage, LogRow, SessionMessage, SessionQuery, ViewedMessage
from hivebot.hive.wire.codec import (
    Decoder,
    JsonObject,
    list_of,
    nullable,
    optional_nullable,
    record,
    required,
    tagged,
    text,
    u64,
)


def _operator(_keys: Mapping[str, object], _path: str) -> TranscriptAuthor:
    return OperatorAuthor()


def _person(keys: Mapping[str, object], path: str) -> TranscriptAuthor:
    return PersonAuthor(required(keys, "id", text, path), required(keys, "label", text, path))


def _agent(keys: Mapping[str, object], path: str) -> TranscriptAuthor:
    return AgentAuthor(required(keys, "id", text, path), required(keys, "label", text, path))


def _system(keys: Mapping[str, object], path: str) -> TranscriptAuthor:
    return SystemAuthor(required(keys, "kind", text, path), required(keys, "label", text, path))


_author: Final[Decoder[TranscriptAuthor]] = tagged(
    "type",
    MappingProxyType(
        {"operator": _operator, "person": _person, "agent": _agent, "system": _system}
    ),
)


def decode_transcript_author(value: object, path: str = "") -> TranscriptAuthor:
    """Read the author of a transcript message."""
    return _author(value, path)


def encode_transcript_author(author: TranscriptAuthor) -> JsonObject:
    """Write the author of a transcript message."""
    if isinstance(author, OperatorAuthor):
        return {"type": "operator"}
    if isinstance(author, SystemAuthor):
        return {"type": "system", "kind": author.kind, "label": author.label}
    kind = "person" if isinstance(author, PersonAuthor) else "agent"
    return {"type": kind, "id": author.id, "label": author.label}


def decode_conversation(value: object, path: str = "") -> Conversation:
    """Read a conversation; without `thread_root` it is the channel."""
    keys = record(value, path)
    return Conversation(
        desk_id=required(keys, "desk_id", text, path),
        desk_name=required(keys, "desk_name", text, path),
        thread_root=optional_nullable(keys, "thread_root", u64, path),
    )


def encode_conversation(conversation: Conversation) -> JsonObject:
    """Write a conversation; `thread_root` is always there."""
    return {
        "desk_id": conversation.desk_id,
        "desk_name": conversation.desk_name,
        "thread_root": conversation.thread_root,
    }


def decode_dispatch_conversation(value: object, path: str = "") -> DispatchConversation:
    """Read a conversation as routing compares it."""
    keys = record(value, path)
    return DispatchConversation(
        desk_id=required(keys, "desk_id", text, path),
        thread_root=nullable(keys, "thread_root", u64, path),
    )


def encode_dispatch_conversation(conversation: DispatchConversation) -> JsonObject:
    """Write a conversation as routing compares it."""
    return {"desk_id": conversation.desk_id, "thread_root": conversation.thread_root}


def decode_log_row(value: object, path: str = "") -> LogRow:
    """Read a row of the log; without `chat_id` it is in General, without `parent` in a channel."""
    keys = record(value, path)
    return LogRow(
        sequence=required(keys, "sequence", u64, path),
        chat_id=optional_nullable(keys, "chat_id", text, path),
        parent=optional_nullable(keys, "parent", u64, path),
        author=required(keys, "author", decode_transcript_author, path),
        content=required(keys, "content", text, path),
    )


def encode_log_row(row: LogRow) -> JsonObject:
    """Write a row of the log."""
    return {
        "sequence": row.sequence,
        "chat_id": row.chat_id,
        "parent": row.parent,
        "author": encode_transcript_author(row.author),
        "content": row.content,
    }


def decode_log_page(value: object, path: str = "") -> LogPage:
    """Read a page of the log; without `next_before` it is the last."""
    keys = record(value, path)
    return LogPage(
        messages=required(keys, "messages", list_of(decode_log_row), path),
        next_before=optional_nullable(keys, "next_before", u64, path),
    )


def encode_log_page(page: LogPage) -> JsonObject:
    """Write a page of the log."""
    return {
        "messages": [encode_log_row(row) for row in page.messages],
        "next_before": page.next_before,
    }


def decode_session_query(value: object, path: str = "") -> SessionQuery:
    """Read a session query; without `before` it starts at the newest row."""
    keys = record(value, path)
    return SessionQuery(
        conversation=required(keys, "conversation", decode_conversation, path),
        before=optional_nullable(keys, "before", u64, path),
        window=required(keys, "window", u64, path),
    )


def encode_session_query(query: SessionQuery) -> JsonObject:
    """Write a session query."""
    return {
        "conversation": encode_conversation(query.conversation),
        "before": query.before,
        "window": query.window,
    }


def decode_session_message(value: object, path: str = "") -> SessionMessage:
    """Read a session message."""
    keys = record(value, path)
    return SessionMessage(
        sequence=required(keys, "sequence", u64, path),
        author=required(keys, "author", decode_transcript_author, path),
        content=required(keys, "content", text, path),
    )


def encode_session_message(message: SessionMessage) -> JsonObject:
    """Write a session message."""
    return {
        "sequence": message.sequence,
        "author": encode_transcript_author(message.author),
        "content": message.content,
    }


def encode_viewed_message(message: ViewedMessage) -> JsonObject:
    """Write a message as one participant sees it. Source: hive.md section 10.2."""
    return {"role": message.role.value, "content": message.content}
