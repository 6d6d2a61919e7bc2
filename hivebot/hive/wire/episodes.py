"""How are the policy, the state and the steps of an episode written as JSON?

Source: hive.md section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.hive.attention import BidReason
from hivebot.hive.episode import (
    Converged,
    Deadlocked,
    EpisodePhase,
    EpisodePolicy,
    EpisodeState,
    Exhausted,
    HiveTurn,
    Idle,
    Speak,
    Step,
    Visibility,
)
from hivebot.hive.wire.codec import (
    Decoder,
    JsonObject,
    enum_of,
    flag,
    list_of,
    nullable,
    optional_nullable,
    record,
    required,
    tagged,
    text,
    u32,
    u64,
)
from hivebot.hive.wire.deliberation import (
    decode_agent_threshold,
    decode_directory_policy,
    decode_quorum_policy,
    decode_salience_weights,
    decode_standing,
    encode_agent_threshold,
    encode_directory_policy,
    encode_quorum_policy,
    encode_salience_weights,
    encode_standing,
)
from hivebot.hive.wire.transcripts import decode_conversation, encode_conversation

_texts: Final = list_of(text)
_phase: Final[Decoder[EpisodePhase]] = enum_of(EpisodePhase)
_visibility: Final[Decoder[Visibility]] = enum_of(Visibility)
_bid_reason: Final[Decoder[BidReason]] = enum_of(BidReason)
_thresholds: Final = list_of(decode_agent_threshold)


def decode_episode_policy(value: object, path: str = "") -> EpisodePolicy:
    """Read an episode policy; directory and defer cap must be written, be it as null."""
    keys = record(value, path)
    return EpisodePolicy(
        turn_budget=required(keys, "turn_budget", u32, path),
        blind_round=required(keys, "blind_round", flag, path),
        dominance_cap=required(keys, "dominance_cap", u32, path),
        repetition_cap=required(keys, "repetition_cap", u32, path),
        directory=nullable(keys, "directory", decode_directory_policy, path),
        defer_cap=nullable(keys, "defer_cap", u32, path),
        quorum=required(keys, "quorum", decode_quorum_policy, path),
        weights=required(keys, "weights", decode_salience_weights, path),
    )


def encode_episode_policy(policy: EpisodePolicy) -> JsonObject:
    """Write an episode policy."""
    directory = policy.directory
    return {
        "turn_budget": policy.turn_budget,
        "blind_round": policy.blind_round,
        "dominance_cap": policy.dominance_cap,
        "repetition_cap": policy.repetition_cap,
        "directory": None if directory is None else encode_directory_policy(directory),
        "defer_cap": policy.defer_cap,
        "quorum": encode_quorum_policy(policy.quorum),
        "weights": encode_salience_weights(policy.weights),
    }


def decode_episode_state(value: object, path: str = "") -> EpisodeState:
    """Read an episode state; without `commit_boundary` there is none."""
    keys = record(value, path)
    return EpisodeState(
        conversation=required(keys, "conversation", decode_conversation, path),
        watermark=required(keys, "watermark", u64, path),
        spent=required(keys, "spent", u32, path),
        phase=required(keys, "phase", _phase, path),
        thresholds=required(keys, "thresholds", _thresholds, path),
        commit_boundary=optional_nullable(keys, "commit_boundary", u64, path),
    )


def encode_episode_state(state: EpisodeState) -> JsonObject:
    """Write an episode state; `commit_boundary` is always there."""
    return {
        "conversation": encode_conversation(state.conversation),
        "spent": state.spent,
        "phase": state.phase.value,
        "thresholds": [encode_agent_threshold(record) for record in state.thresholds],
        "watermark": state.watermark,
        "commit_boundary": state.commit_boundary,
    }


def decode_hive_turn(value: object, path: str = "") -> HiveTurn:
    """Read a turn."""
    keys = record(value, path)
    return HiveTurn(
        agent_id=required(keys, "agent_id", text, path),
        phase=required(keys, "phase", _phase, path),
        visibility=required(keys, "visibility", _visibility, path),
        reason=required(keys, "reason", _bid_reason, path),
        next_state=required(keys, "next_state", decode_episode_state, path),
    )


def encode_hive_turn(turn: HiveTurn) -> JsonObject:
    """Write a turn."""
    return {
        "agent_id": turn.agent_id,
        "phase": turn.phase.value,
        "visibility": turn.visibility.value,
        "reason": turn.reason.value,
        "next_state": encode_episode_state(turn.next_state),
    }


def _speak(keys: Mapping[str, object], path: str) -> Step:
    return Speak(required(keys, "turn", decode_hive_turn, path))


def _converged(keys: Mapping[str, object], path: str) -> Step:
    return Converged(
        topic=required(keys, "topic", text, path),
        standing=required(keys, "standing", decode_standing, path),
    )


def _deadlocked(keys: Mapping[str, object], path: str) -> Step:
    return Deadlocked(required(keys, "topics", _texts, path))


def _exhausted(keys: Mapping[str, object], path: str) -> Step:
    return Exhausted(required(keys, "spent", u32, path))


def _idle(_keys: Mapping[str, object], _path: str) -> Step:
    return Idle()


_step: Final[Decoder[Step]] = tagged(
    "step",
    MappingProxyType(
        {
            "speak": _speak,
            "converged": _converged,
            "deadlocked": _deadlocked,
            "exhausted": _exhausted,
            "idle": _idle,
        }
    ),
)


def decode_step(value: object, path: str = "") -> Step:
    """Read the outcome of a step."""
    return _step(value, path)


def encode_step(step: Step) -> JsonObject:
    """Write the outcome of a step."""
    if isinstance(step, Speak):
        return {"step": "speak", "turn": encode_hive_turn(step.turn)}
    if isinstance(step, Converged):
        standing = encode_standing(step.standing)
        return {"step": "converged", "topic": step.topic, "standing": standing}
    if isinstance(step, Deadlocked):
        return {"step": "deadlocked", "topics": list(step.topics)}
    if isinstance(step, Exhausted):
        return {"step": "exhausted", "spent": step.spent}
    return {"step": "idle"}
