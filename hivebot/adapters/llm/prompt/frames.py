"""How does other people's text stand in a prompt? One element each, which no text can leave.

The tags are registered with the framework that escapes them: in a body, whatever looks like the
opening or the end of an element is text. Attributes come from the row, never from its text.
Source: turns.md 2, rights.md 5.
"""

from __future__ import annotations

from typing import Final

from pydantic_ai.framing import neutralize_tags, register_tag, wrap

from hivebot.adapters.llm.sight import name_of
from hivebot.adapters.llm.text import plain
from hivebot.hive.conversation import (
    AgentAuthor,
    OperatorAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.services.records.asking import Memory, SeenRow

MESSAGE: Final = register_tag("message")
MEMORY: Final = register_tag("memory")
ARTIFACT: Final = register_tag("artifact")
ANSWER: Final = register_tag("answer_from_desk")

_NAME_MAX: Final = 80


def row_element(row: SeenRow, viewer_id: str, body: str | None = None) -> str:
    """Frame one row of the transcript.

    Args:
        row: As it may be seen.
        viewer_id: Whose prompt it is; its own rows are marked.
        body: Shown instead of the row's content, where that is too long.
    """
    message = row.message
    author = message.author
    own = isinstance(author, AgentAuthor) and author.id == viewer_id
    returned = row.kind == "answer_from_desk"
    return wrap(
        ANSWER if returned else MESSAGE,
        message.content if body is None else body,
        number=str(message.sequence),
        author=plain(name_of(author))[:_NAME_MAX],
        author_id=_id_of(author),
        author_kind=_kind_of(author),
        desk=plain(row.place)[:_NAME_MAX] if returned else None,
        you="yes" if own else None,
    )


def memory_element(memory: Memory) -> str:
    """Frame one remembered interaction."""
    return wrap(MEMORY, memory.text, id=memory.id)


def option_element(option_id: str, text: str) -> str:
    """Frame an option's line: people or a model wrote it."""
    return wrap(ARTIFACT, text, kind="option", id=option_id)


def harmless(text: str) -> str:
    """Take the tags out of a line that stands outside of any element."""
    return neutralize_tags(plain(text))


def _id_of(author: TranscriptAuthor) -> str | None:
    return author.id if isinstance(author, AgentAuthor | PersonAuthor) else None


def _kind_of(author: TranscriptAuthor) -> str:
    match author:
        case AgentAuthor():
            return "agent"
        case PersonAuthor():
            return "person"
        case SystemAuthor():
            return "system"
        case OperatorAuthor():
            return "operator"
