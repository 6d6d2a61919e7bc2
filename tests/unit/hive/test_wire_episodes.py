"""Are traces and everything folded from them written and read as the contract says?"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hivebot.hive.attention import AgentThreshold, Bid, BidReason
from hivebot.hive.conversation import AgentAuthor, Conversation
from hivebot.hive.directory import Directory, DirectoryEntry, DirectoryPolicy
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
    Visibility,
)
from hivebot.hive.errors import DecodeError
from hivebot.hive.quorum import Deadlock, Deliberating, Quorum, QuorumPolicy, Standing
from hivebot.hive.salience import SalienceWeights
from hivebot.hive.scalars import I64_MAX, I64_MIN, U16_MAX, U32_MAX, U64_MAX
from hivebot.hive.trace import Trace, TraceKind
from hivebot.hive.wire import (
    decode_agent_threshold,
    decode_bid,
    decode_consensus,
    decode_directory,
    decode_directory_entry,
    decode_directory_policy,
    decode_episode_policy,
    decode_episode_state,
    decode_hive_turn,
    decode_quorum_policy,
    decode_salience_weights,
    decode_standing,
    decode_step,
    decode_trace,
    encode_agent_threshold,
    encode_bid,
    encode_consensus,
    encode_directory,
    encode_directory_entry,
    encode_directory_policy,
    encode_episode_policy,
    encode_episode_state,
    encode_hive_turn,
    encode_quorum_policy,
    encode_salience_weights,
    encode_standing,
    encode_step,
    encode_trace,
)

TRACE = Trace(
    sequence=U64_MAX,
    author=AgentAuthor("anna", "Anna"),
    kind=TraceKind.REFUTE,
    topic="pool",
    target=0,
    cites=(3, 1),
    text="!refute #pool",
    offset=7,
)
WEIGHTS = SalienceWeights(U16_MAX, 1, 2, U32_MAX)
QUORUM = QuorumPolicy(3, 9, False, 2, True)
STANDING = Standing("a", ("anna",), ("carl",), ("sven",), I64_MIN)
DIRECTORY_POLICY = DirectoryPolicy(1, 2, 3, 4, 5, 6, I64_MIN)
ENTRY = DirectoryEntry("anna", "a", I64_MIN, I64_MAX, 1_000_000)
THRESHOLD = AgentThreshold("anna", -3, (("a", 255), ("a", 0)))
STATE = EpisodeState(Conversation("ops", "Ops", 3), 9, 2, EpisodePhase.COMMIT, (THRESHOLD,), 4)
TURN = HiveTurn("anna", EpisodePhase.COMMIT, Visibility.BLIND, BidReason.KNOWS, STATE)
POLICY = EpisodePolicy(5, False, 40, 2, DIRECTORY_POLICY, 3, QUORUM, WEIGHTS)

RECORDS: list[tuple[Callable[[Any], object], Callable[[Any], object], object]] = [
    (encode_trace, decode_trace, TRACE),
    (encode_salience_weights, decode_salience_weights, WEIGHTS),
    (encode_quorum_policy, decode_quorum_policy, QUORUM),
    (encode_standing, decode_standing, STANDING),
    (encode_consensus, decode_consensus, Deliberating()),
    (encode_consensus, decode_consensus, Quorum("a")),
    (encode_consensus, decode_consensus, Deadlock(("a", "b"))),
    (encode_directory_policy, decode_directory_policy, DIRECTORY_POLICY),
    (encode_directory_entry, decode_directory_entry, ENTRY),
    (encode_directory, decode_directory, Directory((ENTRY,))),
    (encode_agent_threshold, decode_agent_threshold, THRESHOLD),
    (encode_bid, decode_bid, Bid("anna", I64_MAX, BidReason.QUIET)),
    (encode_episode_policy, decode_episode_policy, POLICY),
    (encode_episode_policy, decode_episode_policy, EpisodePolicy()),
    (encode_episode_state, decode_episode_state, STATE),
    (encode_hive_turn, decode_hive_turn, TURN),
    (encode_step, decode_step, Speak(TURN)),
    (encode_step, decode_step, Converged("a", STANDING)),
    (encode_step, decode_step, Deadlocked(("a", "b"))),
    (encode_step, decode_step, Exhausted(U32_MAX)),
    (encode_step, decode_step, Idle()),
]

KEYED = [
    (encode(value), decode) for encode, decode, value in RECORDS if encode is not encode_directory
]


MISFITS: list[tuple[Callable[[Any], object], dict[str, object], str, list[object]]] = [
    (decode_trace, encode_trace(TRACE), "kind", ["Refute", "", 1]),
    (decode_trace, encode_trace(TRACE), "sequence", [-1, U64_MAX + 1, 1.0, True, "1"]),
    (decode_trace, encode_trace(TRACE), "cites", [[-1], [None], 3, {}]),
    (decode_trace, encode_trace(TRACE), "topic", [3, []]),
    (decode_trace, encode_trace(TRACE), "offset", [-1]),
    (decode_salience_weights, encode_salience_weights(WEIGHTS), "recency", [U16_MAX + 1, -1]),
    (decode_salience_weights, encode_salience_weights(WEIGHTS), "half_life", [U32_MAX + 1]),
    (decode_quorum_policy, encode_quorum_policy(QUORUM), "require_grounded", [0, "true"]),
    (decode_quorum_policy, encode_quorum_policy(QUORUM), "refutation_cap", [-1, False]),
    (decode_standing, encode_standing(STANDING), "support", [I64_MIN - 1, I64_MAX + 1]),
    (decode_standing, encode_standing(STANDING), "supporters", ["anna", [1]]),
    (decode_consensus, encode_consensus(Quorum("a")), "state", ["Quorum", "carried", None]),
    (
        decode_directory_policy,
        encode_directory_policy(DIRECTORY_POLICY),
        "floor",
        [I64_MAX + 1],
    ),
    (decode_agent_threshold, encode_agent_threshold(THRESHOLD), "threshold", [I64_MAX + 1]),
    (
        decode_agent_threshold,
        encode_agent_threshold(THRESHOLD),
        "affinity",
        [[["a"]], [["a", 1, 2]], [["a", 256]], [["a", -1]], [[1, "a"]], [{"a": 1}], {"a": 1}],
    ),
    (decode_bid, encode_bid(Bid("a", 1, BidReason.QUIET)), "reason", ["loud"]),
    (decode_episode_state, encode_episode_state(STATE), "phase", ["over"]),
    (decode_episode_state, encode_episode_state(STATE), "commit_boundary", [-1, "4"]),
    (decode_hive_turn, encode_hive_turn(TURN), "visibility", ["dim"]),
    (decode_step, encode_step(Idle()), "step", ["rest"]),
]


def refused(decode: Callable[[Any], object], value: object) -> bool:
    """Whether the decoder refuses the value."""
    try:
        decode(value)
    except DecodeError:
        return True
    return False


@pytest.mark.parametrize(("encode", "decode", "value"), RECORDS)
def test_what_is_written_is_read_back(
    encode: Callable[[Any], object], decode: Callable[[Any], object], value: object
) -> None:
    assert decode(json.loads(json.dumps(encode(value)))) == value


@pytest.mark.parametrize(("written", "decode"), KEYED)
def test_every_key_but_the_boundary_must_be_there(
    written: dict[str, object], decode: Callable[[Any], object]
) -> None:
    for key in written.keys() - {"commit_boundary"}:
        assert refused(decode, {k: v for k, v in written.items() if k != key}), key


@pytest.mark.parametrize(("written", "decode"), KEYED)
def test_null_is_refused_where_it_has_no_meaning(
    written: dict[str, object], decode: Callable[[Any], object]
) -> None:
    may_be_null = {"commit_boundary", "directory", "defer_cap", "refutation_cap", "topic", "target"}
    for key in written.keys() - may_be_null:
        assert refused(decode, {**written, key: None}), key


@pytest.mark.parametrize(("written", "decode"), KEYED)
def test_other_keys_are_ignored(
    written: dict[str, object], decode: Callable[[Any], object]
) -> None:
    assert decode({**written, "later": 1}) == decode(written)


@pytest.mark.parametrize(("decode", "written", "key", "values"), MISFITS)
def test_a_value_of_another_form_is_refused(
    decode: Callable[[Any], object], written: dict[str, object], key: str, values: list[object]
) -> None:
    for value in values:
        assert refused(decode, {**written, key: value}), value


def test_a_state_without_a_boundary_has_none_and_writes_it() -> None:
    written = encode_episode_state(STATE)
    del written["commit_boundary"]
    state = decode_episode_state(written)
    assert state.commit_boundary is None
    assert encode_episode_state(state)["commit_boundary"] is None


def test_an_affinity_is_written_as_a_pair() -> None:
    assert encode_agent_threshold(THRESHOLD)["affinity"] == [["a", 255], ["a", 0]]


def test_a_directory_is_read_in_any_order_and_refused_when_it_cannot_be() -> None:
    low, high = DirectoryEntry("anna", "a", 0, 0, 0), DirectoryEntry("anna", "b", 0, 0, 1)
    assert decode_directory(
        [encode_directory_entry(high), encode_directory_entry(low)]
    ) == Directory((low, high))
    assert refused(decode_directory, [encode_directory_entry(low)] * 2)
    assert refused(decode_directory, {"entries": []})


def test_a_directory_of_an_impossible_weight_is_refused_by_name() -> None:
    with pytest.raises(DecodeError, match="weight"):
        decode_directory([{**encode_directory_entry(ENTRY), "weight": 1_000_001}])
