"""What does a member take from the messages it may see?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hivebot.hive.quorum import Standing
from hivebot.hive.trace import Trace, TraceKind

RULED_OUT: Final = "is out of the question"
"""What the sentence of an evidence says when it is a fact against the option."""

_PROPOSE: Final = TraceKind.PROPOSE
_SUPPORT: Final = TraceKind.SUPPORT
_EVIDENCE: Final = TraceKind.EVIDENCE
_REFUTE: Final = TraceKind.REFUTE


class Reading:
    """The visible traces and standings, sorted for one member.

    Attributes:
        standings: Backing of each option, by the quorum policy of the room.
        supporters: Supporters of each option that has a standing.
        proposals: Sequence of the first proposal of each option; its keys are the floor.
        advocacies: Proposals and supports by others, in order.
        evidenced: Options the member itself stated something about.
        first_evidence: Sequence of the first thing the member itself stated.
        told: Sequence of the first thing somebody else stated about each option.
        refuters: Who ruled out what.
        refuted: Options the member itself refuted.

    Source: bench.md section 5, "What it reads".
    """

    __slots__ = (
        "advocacies",
        "evidenced",
        "first_evidence",
        "proposals",
        "refuted",
        "refuters",
        "standings",
        "supporters",
        "told",
    )

    def __init__(
        self,
        reader_id: str,
        traces: Iterable[Trace],
        standings: Sequence[Standing],
        *,
        readings_refute: bool = False,
    ) -> None:
        self.standings = standings
        self.supporters = {standing.topic: standing.supporters for standing in standings}
        self.proposals: dict[str, int] = {}
        self.advocacies: list[Trace] = []
        self.evidenced: set[str] = set()
        self.first_evidence: int | None = None
        self.told: dict[str, int] = {}
        self.refuters: dict[str, set[str]] = {}
        self.refuted: set[str] = set()
        for trace in traces:
            kind = trace.kind
            if kind is _PROPOSE or kind is _SUPPORT:
                self._advocated(trace, own=trace.agent_id == reader_id)
            elif kind is _EVIDENCE:
                self._stated(trace, readings_refute, own=trace.agent_id == reader_id)
            elif kind is _REFUTE and trace.agent_id == reader_id and trace.topic is not None:
                self.refuted.add(trace.topic)

    def backers(self, option: str) -> int:
        """Count the supporters of an option, the member among them."""
        return len(self.supporters.get(option, ()))

    def _advocated(self, trace: Trace, *, own: bool) -> None:
        if trace.kind is _PROPOSE and trace.topic is not None:
            self.proposals.setdefault(trace.topic, trace.sequence)
        if not own:
            self.advocacies.append(trace)

    def _stated(self, trace: Trace, readings_refute: bool, *, own: bool) -> None:  # noqa: FBT001
        if own and self.first_evidence is None:
            self.first_evidence = trace.sequence
        topic = trace.topic
        if topic is None:
            return
        if own:
            self.evidenced.add(topic)
        else:
            self.told.setdefault(topic, trace.sequence)
        if trace.agent_id is not None and (readings_refute or RULED_OUT in trace.text):
            self.refuters.setdefault(topic, set()).add(trace.agent_id)
