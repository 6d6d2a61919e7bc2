"""What does the market make of an episode's log? The folds' answer, as kept and as shown.

Pure. Source: hive.md 13 to 16, turns.md 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hivebot.hive.attention import Assessment
from hivebot.hive.directory import directory
from hivebot.hive.episode import (
    EpisodePolicy,
    EpisodeState,
    Examination,
    HiveTurn,
    examine,
    live_messages,
)
from hivebot.hive.quorum import Quorum, Standing, consensus, standings
from hivebot.hive.trace import Trace, read
from hivebot.hive.transcript import SessionMessage
from hivebot.hive.wire import encode_consensus, encode_directory, encode_standing, encode_step
from hivebot.services.records.asking import Floor, FloorLine
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow
from hivebot.services.snapshots import (
    active_members,
    conversation_of,
    desks_of,
    roster_of,
    session_message,
)


def policy_of(episode: EpisodeRow, desk: DeskConfig) -> EpisodePolicy:
    """The desk's policy with the turns people have added."""
    policy = desk.episode.policy
    return replace(policy, turn_budget=policy.turn_budget + episode.extra_turns)


def fresh_state(
    log: ConversationRow, watermark: int, desk: DeskConfig, configuration: Configuration
) -> EpisodeState:
    """The state an episode begins with: members' thresholds as configured, nothing spent."""
    agents = [configuration.agent(member) for member in active_members(desk, configuration)]
    return EpisodeState(
        conversation=conversation_of(log, configuration),
        watermark=watermark,
        thresholds=tuple(agent.as_threshold() for agent in agents if agent is not None),
    )


def log_messages(rows: Iterable[MessageRow]) -> tuple[SessionMessage, ...]:
    """The log as the folds read it; erased and backfilled rows are blank and carry nothing."""
    return tuple(session_message(row) for row in rows if row.role is not MessageRole.BACKFILLED)


def look(
    episode: EpisodeRow,
    state: EpisodeState,
    rows: Sequence[MessageRow],
    desk: DeskConfig,
    configuration: Configuration,
) -> Examination:
    """What happens next, with the working."""
    return examine(
        state,
        log_messages(rows),
        roster_of(configuration),
        desks_of(configuration),
        policy_of(episode, desk),
    )


def standings_now(
    state: EpisodeState,
    rows: Sequence[MessageRow],
    desk: DeskConfig,
    configuration: Configuration,
) -> tuple[Standing, ...]:
    """Where each option stands, also when the budget is used up."""
    live = live_messages(state, log_messages(rows), active_members(desk, configuration))
    at = live[-1].sequence if live else state.watermark
    return tuple(standings(read(live), at, desk.episode.policy.quorum))


def agreed_on(standing: Sequence[Standing], desk: DeskConfig) -> str:
    """The one option a quorum stands on, "" for none."""
    found = consensus(standing, desk.episode.policy.quorum)
    return found.topic if isinstance(found, Quorum) else ""


def live_traces(
    state: EpisodeState,
    rows: Sequence[MessageRow],
    desk: DeskConfig,
    configuration: Configuration,
) -> tuple[Trace, ...]:
    """Every trace of the episode, in order."""
    return tuple(
        read(live_messages(state, log_messages(rows), active_members(desk, configuration)))
    )


def working(examination: Examination) -> dict[str, object]:
    """The whole working in wire form: every bid and its parts, so that anybody can ask why."""
    agreed = examination.consensus
    known = examination.directory
    return {
        "step": dict(encode_step(examination.step)),
        "at": examination.at,
        "standings": [dict(encode_standing(standing)) for standing in examination.standings],
        "consensus": dict(encode_consensus(agreed)) if agreed is not None else None,
        "assessments": [_assessment(one) for one in examination.assessments],
        "directory": list(encode_directory(known)) if known is not None else None,
    }


def _assessment(one: Assessment) -> dict[str, object]:
    return {
        "agent_id": one.agent_id,
        "pull": one.pull,
        "reason": one.reason.value,
        "bonus": one.bonus,
        "penalty": one.penalty,
        "urge": one.urge,
        "threshold": one.threshold,
        "share": one.share,
        "total_share": one.total_share,
        "bids": one.bid is not None,
    }


def floor_of(
    turn: HiveTurn,
    state: EpisodeState,
    rows: Sequence[MessageRow],
    desk: DeskConfig,
    configuration: Configuration,
) -> Floor:
    """The floor as a member with full view may know it.

    The directory is folded without priors, unless the desk announces them: a configured affinity
    would otherwise look earned.
    """
    standing = standings_now(state, rows, desk, configuration)
    return Floor(
        phase=turn.phase.value,
        topic=agreed_on(standing, desk),
        standings=tuple(
            FloorLine(one.topic, one.supporters, one.silenced, one.refuted_by, one.support)
            for one in standing
        ),
        directory=_directory_lines(state, rows, desk, configuration),
    )


def _directory_lines(
    state: EpisodeState,
    rows: Sequence[MessageRow],
    desk: DeskConfig,
    configuration: Configuration,
) -> tuple[str, ...]:
    policy = desk.episode.policy.directory
    if policy is None:
        return ()
    live = live_messages(state, log_messages(rows), active_members(desk, configuration))
    at = live[-1].sequence if live else state.watermark
    priors = state.thresholds if desk.episode.announce_priors else ()
    return tuple(directory(read(live), at, policy, priors).lines())
