"""Does a recorded step come out the same when it is taken again? The folds, run on stored rows.

Pure. Source: datapath.md 6, hive.md 15 and 16.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import cast

from hivebot.hive.attention import BidReason
from hivebot.hive.episode import Speak, Step
from hivebot.hive.errors import HiveError
from hivebot.hive.quorum import Standing
from hivebot.hive.wire import decode_episode_state, decode_standing, decode_step
from hivebot.hive.wire.codec import enum_of, flag, i64, list_of, record, required, text, u32, u64
from hivebot.services.floor import look, working
from hivebot.services.recording import digest, without_text
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import DecisionRow, MessageRow

FOLD = "step"
"""Fold of the decisions that are replayed."""


class Compared(StrEnum):
    """What came of taking a step again.

    Attributes:
        EQUAL: The folds say what is recorded.
        DIFFERENT: They say something else, or cannot be asked with what is recorded.
        ERASED: A row was deleted or purged since; no failure.
    """

    EQUAL = "equal"
    DIFFERENT = "different"
    ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Bidder:
    """How one member stood in the market, as recorded; thousandths, `share` in traces."""

    agent_id: str
    pull: int
    reason: BidReason
    bonus: int
    penalty: int
    urge: int
    threshold: int
    share: int
    total_share: int
    bids: bool

    @property
    def surplus(self) -> int:
        """What the urge has above the threshold: what bids are compared by."""
        return self.urge - self.threshold


@dataclass(frozen=True, slots=True)
class Recorded:
    """A step as its decision records it.

    Attributes:
        at: The present sequence then.
        bidders: In desk order; empty where it ended without a market.
    """

    step: Step
    at: int
    standings: tuple[Standing, ...]
    bidders: tuple[Bidder, ...]

    def runner_up(self, agent_id: str) -> Bidder | None:
        """Whoever would have had the floor without the one that had it; the earlier on ties."""
        others = [one for one in self.bidders if one.bids and one.agent_id != agent_id]
        return max(others, key=lambda one: one.surplus, default=None)

    def bidder(self, agent_id: str) -> Bidder | None:
        """How a member stood."""
        return next((one for one in self.bidders if one.agent_id == agent_id), None)


@dataclass(frozen=True, slots=True)
class Replayed:
    """One step, as recorded and as compared.

    Attributes:
        number: From 1.
        recorded: None where the record cannot be read.
        parts: What differs: `step`, `at`, `standings`, `consensus`, `assessments`, `directory`, or
            why the folds could not be asked.
    """

    number: int
    decision_id: int
    recorded: Recorded | None
    verdict: Compared
    parts: tuple[str, ...] = ()

    @property
    def speaker_id(self) -> str:
        """Who had the floor, "" for a step that ended the deliberation."""
        step = self.recorded.step if self.recorded is not None else None
        return step.turn.agent_id if isinstance(step, Speak) else ""


@dataclass(frozen=True, slots=True)
class Source:
    """One row as a decision names it, with what is left of it.

    Attributes:
        row: As it is now, None when there is none.
        content: Its text in the revision that was read, None when that is gone.
    """

    digest: str
    row: MessageRow | None
    content: str | None

    @property
    def erased(self) -> bool:
        """Whether its words were removed."""
        return self.row is None or self.row.deleted_at is not None or self.content is None


def references(decision: DecisionRow) -> tuple[tuple[int, int, str], ...]:
    """(row id, revision, digest) of the rows a recorded step has read, in order.

    Raises:
        DecodeError: the record is something else.
    """
    keys = record(decision.input, "input")
    rows = required(keys, "rows", list_of(record), "input")
    return tuple(
        (
            required(row, "id", u64, "rows"),
            required(row, "revision", u64, "rows"),
            required(row, "digest", text, "rows"),
        )
        for row in rows
    )


def recorded(decision: DecisionRow) -> Recorded:
    """Read a step's working back.

    Raises:
        DecodeError: the record is something else.
    """
    keys = record(decision.result, "result")
    return Recorded(
        step=required(keys, "step", decode_step, "result"),
        at=required(keys, "at", u64, "result"),
        standings=required(keys, "standings", list_of(decode_standing), "result"),
        bidders=required(keys, "assessments", list_of(_bidder), "result"),
    )


def replay(
    number: int,
    decision: DecisionRow,
    sources: Sequence[Source],
    episode: EpisodeRow,
    configuration: Configuration,
) -> Replayed:
    """Take a recorded step again, and compare.

    1. The record cannot be read: different.
    2. A row it read was erased: erased.
    3. A row has other words than then, or the folds refuse: different.
    4. The parts of the working are compared one by one.

    Args:
        number: From 1.
        decision: Of the fold `step`.
        sources: Its rows, in its order.
        episode: The deliberation; its state and added turns are the record's.
        configuration: Of the decision's revision.
    """
    try:
        record_then = recorded(decision)
    except HiveError as error:
        return Replayed(number, decision.id, None, Compared.DIFFERENT, (f"unreadable: {error}",))
    if any(source.erased for source in sources):
        return Replayed(number, decision.id, record_then, Compared.ERASED)
    parts = _compare(decision, sources, episode, configuration)
    verdict = Compared.DIFFERENT if parts else Compared.EQUAL
    return Replayed(number, decision.id, record_then, verdict, parts)


def _compare(
    decision: DecisionRow,
    sources: Sequence[Source],
    episode: EpisodeRow,
    configuration: Configuration,
) -> tuple[str, ...]:
    rows: list[MessageRow] = []
    for source in sources:
        if source.row is None or source.content is None:  # pragma: no cover - told before
            continue
        if digest(source.content) != source.digest:
            return (f"row {source.row.seq} has other words than it had",)
        rows.append(replace(source.row, content=source.content))
    if configuration.revision != decision.revision:
        return (f"the configuration {decision.revision} is not kept any more",)
    desk = configuration.desk(episode.desk_id)
    if desk is None:
        return ("the desk is not in the configuration",)
    try:
        keys = record(decision.input, "input")
        state = required(keys, "state", decode_episode_state, "input")
        extra = required(keys, "extra_turns", u32, "input")
        then = replace(episode, extra_turns=extra)
        found = without_text(working(look(then, state, rows, desk, configuration)))
    except HiveError as error:
        return (f"the folds refuse: {error}",)
    now = cast("Mapping[str, object]", json.loads(json.dumps(found)))
    return tuple(part for part in now if now[part] != decision.result.get(part))


def _bidder(value: object, path: str) -> Bidder:
    keys = record(value, path)
    return Bidder(
        agent_id=required(keys, "agent_id", text, path),
        pull=required(keys, "pull", i64, path),
        reason=required(keys, "reason", enum_of(BidReason), path),
        bonus=required(keys, "bonus", i64, path),
        penalty=required(keys, "penalty", i64, path),
        urge=required(keys, "urge", i64, path),
        threshold=required(keys, "threshold", i64, path),
        share=required(keys, "share", u64, path),
        total_share=required(keys, "total_share", u64, path),
        bids=required(keys, "bids", flag, path),
    )
