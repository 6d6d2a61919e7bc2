"""Which folds of the episode half are there, and what do their inputs hold?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from hivebot.entrypoints.folds.entry import Fold, by_op, hive_fold
from hivebot.entrypoints.folds.holders import desks_of, roster_of
from hivebot.hive.attention import bids, floor_holder
from hivebot.hive.directory import Directory, DirectoryPolicy, directory
from hivebot.hive.episode import project_for, step
from hivebot.hive.quorum import consensus, standings
from hivebot.hive.salience import salience
from hivebot.hive.trace import Trace, read, resolve
from hivebot.hive.transcript import SessionMessage
from hivebot.hive.wire.codec import list_of, nullable, required, tagged, text, u8, u32, u64
from hivebot.hive.wire.deliberation import (
    decode_agent_threshold,
    decode_directory,
    decode_directory_policy,
    decode_quorum_policy,
    decode_salience_weights,
    decode_standing,
    decode_trace,
    encode_bid,
    encode_consensus,
    encode_directory,
    encode_standing,
    encode_trace,
)
from hivebot.hive.wire.episodes import (
    decode_episode_policy,
    decode_episode_state,
    decode_hive_turn,
    encode_step,
)
from hivebot.hive.wire.transcripts import decode_session_message, decode_transcript_author

_texts: Final = list_of(text)
_traces: Final = list_of(decode_trace)
_messages: Final = list_of(decode_session_message)
_standings: Final = list_of(decode_standing)
_thresholds: Final = list_of(decode_agent_threshold)


def _transcript_of(keys: Mapping[str, object]) -> tuple[SessionMessage, ...]:
    return required(keys, "transcript", _messages, "")


def _traces_of(keys: Mapping[str, object]) -> tuple[Trace, ...]:
    """Read the `traces` of an input, or read them off its `transcript`."""
    if "traces" in keys:
        return required(keys, "traces", _traces, "")
    return read(_transcript_of(keys))


def _resolve(keys: Mapping[str, object]) -> object:
    found = resolve(
        required(keys, "body", text, ""),
        nullable(keys, "supplied", _traces, ""),
        required(keys, "author", decode_transcript_author, ""),
        required(keys, "sequence", u64, ""),
    )
    return [encode_trace(trace) for trace in found]


def _read(keys: Mapping[str, object]) -> object:
    return [encode_trace(trace) for trace in read(_transcript_of(keys))]


def _salience(keys: Mapping[str, object]) -> object:
    return salience(
        required(keys, "trace", decode_trace, ""),
        required(keys, "at", u64, ""),
        required(keys, "weights", decode_salience_weights, ""),
        required(keys, "relevance", u8, ""),
    )


def _standing_list(keys: Mapping[str, object]) -> object:
    folded = standings(
        _traces_of(keys),
        required(keys, "at", u64, ""),
        required(keys, "policy", decode_quorum_policy, ""),
    )
    return [encode_standing(standing) for standing in folded]


def _consensus(keys: Mapping[str, object]) -> object:
    return encode_consensus(
        consensus(
            required(keys, "standings", _standings, ""),
            required(keys, "policy", decode_quorum_policy, ""),
        )
    )


def _bids(keys: Mapping[str, object]) -> object:
    placed = bids(
        _traces_of(keys),
        required(keys, "standings", _standings, ""),
        required(keys, "members", _texts, ""),
        required(keys, "thresholds", _thresholds, ""),
        at=required(keys, "at", u64, ""),
        weights=required(keys, "weights", decode_salience_weights, ""),
        dominance_cap=required(keys, "dominance_cap", u32, ""),
        repetition_cap=required(keys, "repetition_cap", u32, ""),
        quorum=required(keys, "quorum", decode_quorum_policy, ""),
        directory=nullable(keys, "directory", decode_directory, ""),
        directory_policy=nullable(keys, "directory_policy", decode_directory_policy, ""),
        defer_cap=nullable(keys, "defer_cap", u32, ""),
    )
    holder = floor_holder(placed)
    return {
        "bids": [encode_bid(bid) for bid in placed],
        "floor_holder": None if holder is None else holder.agent_id,
    }


def _fold_directory(keys: Mapping[str, object]) -> object:
    known = directory(
        _traces_of(keys),
        required(keys, "at", u64, ""),
        required(keys, "policy", decode_directory_policy, ""),
        required(keys, "priors", _thresholds, ""),
    )
    return {
        "entries": encode_directory(known),
        "topics": list(known.topics()),
        "lines": list(known.lines()),
    }


def _decode_directory(keys: Mapping[str, object]) -> object:
    return encode_directory(required(keys, "directory", decode_directory, ""))


_Query = Callable[[Directory, DirectoryPolicy], object]


def _ask_topics(_keys: Mapping[str, object], _path: str) -> _Query:
    return lambda known, _policy: list(known.topics())


def _ask_lines(_keys: Mapping[str, object], _path: str) -> _Query:
    return lambda known, _policy: list(known.lines())


def _ask_weight(keys: Mapping[str, object], path: str) -> _Query:
    agent_id = required(keys, "agent_id", text, path)
    topic = required(keys, "topic", text, path)
    return lambda known, _policy: known.weight(agent_id, topic)


def _ask_knows(keys: Mapping[str, object], path: str) -> _Query:
    agent_id = required(keys, "agent_id", text, path)
    topic = required(keys, "topic", text, path)
    return lambda known, policy: known.knows(agent_id, topic, policy)


def _ask_top(keys: Mapping[str, object], path: str) -> _Query:
    topic = required(keys, "topic", text, path)
    return lambda known, _policy: known.top(topic)


def _ask_top_among(keys: Mapping[str, object], path: str) -> _Query:
    topic = required(keys, "topic", text, path)
    members = required(keys, "members", _texts, path)
    return lambda known, _policy: known.top_among(topic, members)


_queries: Final = list_of(
    tagged(
        "ask",
        MappingProxyType(
            {
                "topics": _ask_topics,
                "lines": _ask_lines,
                "weight": _ask_weight,
                "knows": _ask_knows,
                "top": _ask_top,
                "top_among": _ask_top_among,
            }
        ),
    )
)


def _query_directory(keys: Mapping[str, object]) -> object:
    known = required(keys, "directory", decode_directory, "")
    policy = required(keys, "policy", decode_directory_policy, "")
    return [ask(known, policy) for ask in required(keys, "queries", _queries, "")]


def _step(keys: Mapping[str, object]) -> object:
    return encode_step(
        step(
            required(keys, "state", decode_episode_state, ""),
            _transcript_of(keys),
            roster_of(keys),
            desks_of(keys),
            required(keys, "policy", decode_episode_policy, ""),
        )
    )


def _project_for(keys: Mapping[str, object]) -> object:
    turn = required(keys, "turn", decode_hive_turn, "")
    seen = project_for(turn, required(keys, "messages", _messages, ""))
    return [message.sequence for message in seen]


FOLDS: Final[Mapping[str, Fold]] = MappingProxyType(
    {
        "trace_resolve": hive_fold(by_op({"resolve": _resolve, "read": _read})),
        "salience": hive_fold(_salience),
        "standings": hive_fold(_standing_list),
        "consensus": hive_fold(_consensus),
        "bids": hive_fold(_bids),
        "directory": hive_fold(
            by_op(
                {
                    "fold": _fold_directory,
                    "decode": _decode_directory,
                    "query": _query_directory,
                }
            )
        ),
        "step": hive_fold(_step),
        "project_for": hive_fold(_project_for),
    }
)
"""Each fold by the name of its vector file."""
