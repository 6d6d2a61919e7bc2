"""What may this turn see, and what stands in it? Computed from the rows of the request alone.

Source: turns.md 2, hive.md 10.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.evidence import Stated, read_evidence, read_sentences
from hivebot.hive.conversation import AgentAuthor, OperatorAuthor, SystemAuthor, TranscriptAuthor
from hivebot.hive.trace import Trace, TraceKind, read
from hivebot.services.records.asking import SeenRow, TurnRequest

_BLIND: Final = frozenset({"opening", "position"})
_EPISODE: Final = frozenset({"opening", "position", "deliberate", "commit", "relay"})
_ADVOCACY: Final = frozenset({TraceKind.PROPOSE, TraceKind.SUPPORT})


@dataclass(frozen=True, slots=True)
class Sight:
    """What one turn sees.

    Attributes:
        rows: Oldest first.
        by_number: The same rows by sequence.
        traces: Of the rows above the watermark, by rising address; none outside an episode.
        stated: The facts among all rows' traces, in the same order, then those that answers of
            other desks state in the words of `evidence_sentence`.
    """

    rows: tuple[SeenRow, ...]
    by_number: Mapping[int, SeenRow]
    traces: tuple[Trace, ...]
    stated: tuple[Stated, ...]

    def sees(self, sequence: int) -> bool:
        """Say whether a row with this number may be seen."""
        return sequence in self.by_number

    def advocacies(self, option: str | None = None, *, but: str = "") -> tuple[Trace, ...]:
        """Give proposals and supports by agents, oldest first.

        Args:
            option: Only of this one; None is of any.
            but: Not those of this agent.
        """
        return tuple(
            trace
            for trace in self.traces
            if trace.kind in _ADVOCACY
            and trace.topic is not None
            and trace.agent_id not in {None, but}
            and option in {None, trace.topic}
        )

    def proposal(self, option: str) -> Trace | None:
        """Give the oldest proposal of an option, else its oldest support."""
        found = self.advocacies(option)
        proposals = (trace for trace in found if trace.kind is TraceKind.PROPOSE)
        return next(proposals, found[0] if found else None)

    def backs(self, agent_id: str, option: str) -> bool:
        """Say whether the agent has proposed or supported the option."""
        return any(trace.agent_id == agent_id for trace in self.advocacies(option))


def sight_of(request: TurnRequest) -> Sight:
    """Work out what a turn sees."""
    rows = visible_rows(request)
    above = [row.message for row in rows if is_above(request, row) and row.kind == "message"]
    spoken = read(row.message for row in rows if row.kind == "message")
    home = (row.message for row in rows if row.kind == "answer_from_desk")
    return Sight(
        rows=rows,
        by_number={row.message.sequence: row for row in rows},
        traces=read(above),
        stated=(
            *(fact for trace in spoken if (fact := read_evidence(trace)) is not None),
            *(fact for message in home for fact in read_sentences(message)),
        ),
    )


def is_blind(request: TurnRequest) -> bool:
    """Say whether the members do not see one another yet."""
    return request.situation in _BLIND


def in_episode(request: TurnRequest) -> bool:
    """Say whether the turn belongs to a running deliberation."""
    return request.situation in _EPISODE


def is_above(request: TurnRequest, row: SeenRow) -> bool:
    """Say whether a row belongs to the running episode."""
    return in_episode(request) and row.message.sequence > request.watermark


def visible_rows(request: TurnRequest) -> tuple[SeenRow, ...]:
    """Give the rows of a request; in a blind turn without what its peers said in this episode.

    The caller has projected the rows already. A second look costs nothing and holds even if the
    first went wrong.

    Source: hive.md 10.3.
    """
    if not is_blind(request):
        return request.rows
    return tuple(
        row
        for row in request.rows
        if not (is_above(request, row) and _is_peer(row.message.author, request.agent.id))
    )


def name_of(author: TranscriptAuthor) -> str:
    """Name an author: the label, or the id or kind where the label is blank.

    Source: hive.md 10.2.
    """
    match author:
        case OperatorAuthor():
            return "operator"
        case SystemAuthor(kind, label):
            return label.strip() or kind
        case _:
            return author.label.strip() or author.id


def _is_peer(author: TranscriptAuthor, viewer_id: str) -> bool:
    return isinstance(author, AgentAuthor) and author.id != viewer_id
