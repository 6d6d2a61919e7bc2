"""How does a test write down a short deliberation?"""

from __future__ import annotations

from hivebot.hive.conversation import (
    AgentAuthor,
    OperatorAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.hive.trace import Trace, TraceKind, read
from hivebot.hive.transcript import SessionMessage

OPERATOR = OperatorAuthor()
PAT = PersonAuthor("pat", "Pat")
NIGHTLY = SystemAuthor("job", "Nightly")


def agent(agent_id: str) -> AgentAuthor:
    """An agent that is called by its id."""
    return AgentAuthor(agent_id, agent_id)


def row(sequence: int, author: TranscriptAuthor | str, content: str) -> SessionMessage:
    """One message; a bare name is an agent's."""
    writer = agent(author) if isinstance(author, str) else author
    return SessionMessage(sequence=sequence, author=writer, content=content)


def room(*lines: tuple[TranscriptAuthor | str, str], first: int = 1) -> tuple[SessionMessage, ...]:
    """Messages numbered from `first`, each of (author, content)."""
    return tuple(row(first + at, author, content) for at, (author, content) in enumerate(lines))


def heard(*lines: tuple[TranscriptAuthor | str, str], first: int = 1) -> tuple[Trace, ...]:
    """The traces of such a room."""
    return read(room(*lines, first=first))


def trace(
    kind: TraceKind,
    sequence: int = 1,
    author: TranscriptAuthor | str = "anna",
    *,
    topic: str | None = None,
    target: int | None = None,
    cites: tuple[int, ...] = (),
    offset: int = 0,
) -> Trace:
    """One trace, written out."""
    return Trace(
        sequence=sequence,
        author=agent(author) if isinstance(author, str) else author,
        kind=kind,
        topic=topic,
        target=target,
        cites=cites,
        text="",
        offset=offset,
    )
