"""How are traces, standings, directories and bids written as JSON?

Source: hive.md section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.hive.attention import AgentThreshold, Bid, BidReason
from hivebot.hive.directory import Directory, DirectoryEntry, DirectoryPolicy, sorted_directory
from hivebot.hive.quorum import (
    Consensus,
    Deadlock,
    Deliberating,
    Quorum,
    QuorumPolicy,
    Standing,
)
from hivebot.hive.salience import SalienceWeights
from hivebot.hive.trace import Trace, TraceKind
from hivebot.hive.wire.codec import (
    Decoder,
    JsonObject,
    child,
    enum_of,
    fail,
    flag,
    i64,
    list_of,
    nullable,
    record,
    required,
    sequence,
    tagged,
    text,
    u8,
    u16,
    u32,
    u64,
)
from hivebot.hive.wire.transcripts import decode_transcript_author, encode_transcript_author

_texts: Final = list_of(text)
_sequences: Final = list_of(u64)
_trace_kind: Final[Decoder[TraceKind]] = enum_of(TraceKind)
_bid_reason: Final[Decoder[BidReason]] = enum_of(BidReason)


def decode_trace(value: object, path: str = "") -> Trace:
    """Read a trace."""
    keys = record(value, path)
    return Trace(
        sequence=required(keys, "sequence", u64, path),
        author=required(keys, "author", decode_transcript_author, path),
        kind=required(keys, "kind", _trace_kind, path),
        topic=nullable(keys, "topic", text, path),
        target=nullable(keys, "target", u64, path),
        cites=required(keys, "cites", _sequences, path),
        text=required(keys, "text", text, path),
        offset=required(keys, "offset", u64, path),
    )


def encode_trace(trace: Trace) -> JsonObject:
    """Write a trace."""
    return {
        "sequence": trace.sequence,
        "author": encode_transcript_author(trace.author),
        "kind": trace.kind.value,
        "topic": trace.topic,
        "target": trace.target,
        "cites": list(trace.cites),
        "text": trace.text,
        "offset": trace.offset,
    }


def decode_salience_weights(value: object, path: str = "") -> SalienceWeights:
    """Read salience weights."""
    keys = record(value, path)
    return SalienceWeights(
        recency=required(keys, "recency", u16, path),
        importance=required(keys, "importance", u16, path),
        relevance=required(keys, "relevance", u16, path),
        half_life=required(keys, "half_life", u32, path),
    )


def encode_salience_weights(weights: SalienceWeights) -> JsonObject:
    """Write salience weights."""
    return {
        "recency": weights.recency,
        "importance": weights.importance,
        "relevance": weights.relevance,
        "half_life": weights.half_life,
    }


def decode_quorum_policy(value: object, path: str = "") -> QuorumPolicy:
    """Read a quorum policy; its refutation cap must be written, be it as null."""
    keys = record(value, path)
    return QuorumPolicy(
        threshold=required(keys, "threshold", u32, path),
        window=required(keys, "window", u32, path),
        require_grounded=required(keys, "require_grounded", flag, path),
        refutation_cap=nullable(keys, "refutation_cap", u32, path),
        require_evidential=required(keys, "require_evidential", flag, path),
    )


def encode_quorum_policy(policy: QuorumPolicy) -> JsonObject:
    """Write a quorum policy."""
    return {
        "threshold": policy.threshold,
        "window": policy.window,
        "require_grounded": policy.require_grounded,
        "refutation_cap": policy.refutation_cap,
        "require_evidential": policy.require_evidential,
    }


def decode_standing(value: object, path: str = "") -> Standing:
    """Read the standing of a topic."""
    keys = record(value, path)
    return Standing(
        topic=required(keys, "topic", text, path),
        supporters=required(keys, "supporters", _texts, path),
        silenced=required(keys, "silenced", _texts, path),
        refuted_by=required(keys, "refuted_by", _texts, path),
        support=required(keys, "support", i64, path),
    )


def encode_standing(standing: Standing) -> JsonObject:
    """Write the standing of a topic."""
    return {
        "topic": standing.topic,
        "supporters": list(standing.supporters),
        "silenced": list(standing.silenced),
        "refuted_by": list(standing.refuted_by),
        "support": standing.support,
    }


def _deliberating(_keys: Mapping[str, object], _path: str) -> Consensus:
    return Deliberating()


def _quorum(keys: Mapping[str, object], path: str) -> Consensus:
    return Quorum(required(keys, "topic", text, path))


def _deadlock(keys: Mapping[str, object], path: str) -> Consensus:
    return Deadlock(required(keys, "topics", _texts, path))


_consensus: Final[Decoder[Consensus]] = tagged(
    "state",
    MappingProxyType({"deliberating": _deliberating, "quorum": _quorum, "deadlocked": _deadlock}),
)


def decode_consensus(value: object, path: str = "") -> Consensus:
    """Read a consensus."""
    return _consensus(value, path)


def encode_consensus(consensus: Consensus) -> JsonObject:
    """Write a consensus."""
    if isinstance(consensus, Quorum):
        return {"state": "quorum", "topic": consensus.topic}
    if isinstance(consensus, Deadlock):
        return {"state": "deadlocked", "topics": list(consensus.topics)}
    return {"state": "deliberating"}


def decode_directory_policy(value: object, path: str = "") -> DirectoryPolicy:
    """Read a directory policy."""
    keys = record(value, path)
    return DirectoryPolicy(
        half_life=required(keys, "half_life", u32, path),
        specialisation=required(keys, "specialisation", u16, path),
        credibility=required(keys, "credibility", u16, path),
        prior=required(keys, "prior", u16, path),
        discredit=required(keys, "discredit", u16, path),
        window=required(keys, "window", u32, path),
        floor=required(keys, "floor", i64, path),
    )


def encode_directory_policy(policy: DirectoryPolicy) -> JsonObject:
    """Write a directory policy."""
    return {
        "half_life": policy.half_life,
        "specialisation": policy.specialisation,
        "credibility": policy.credibility,
        "prior": policy.prior,
        "discredit": policy.discredit,
        "window": policy.window,
        "floor": policy.floor,
    }


def decode_directory_entry(value: object, path: str = "") -> DirectoryEntry:
    """Read a directory entry; whether its weight can be is for the directory to judge."""
    keys = record(value, path)
    return DirectoryEntry(
        agent_id=required(keys, "agent_id", text, path),
        topic=required(keys, "topic", text, path),
        specialisation=required(keys, "specialisation", i64, path),
        credibility=required(keys, "credibility", i64, path),
        weight=required(keys, "weight", i64, path),
    )


def encode_directory_entry(entry: DirectoryEntry) -> JsonObject:
    """Write a directory entry."""
    return {
        "agent_id": entry.agent_id,
        "topic": entry.topic,
        "specialisation": entry.specialisation,
        "credibility": entry.credibility,
        "weight": entry.weight,
    }


_entries: Final = list_of(decode_directory_entry)


def decode_directory(value: object, path: str = "") -> Directory:
    """Read a directory, whatever order its entries are in.

    Raises:
        DecodeError: No list of entries, a weight out of range, or a pair that comes twice.

    Source: hive.md section 14.
    """
    directory = sorted_directory(_entries(value, path))
    if directory is None:
        fail(path, "a weight out of range, or two entries for one agent and topic")
    return directory


def encode_directory(directory: Directory) -> list[JsonObject]:
    """Write a directory as the bare list of its entries."""
    return [encode_directory_entry(entry) for entry in directory.entries]


def _affinity(value: object, path: str) -> tuple[str, int]:
    pair = sequence(value, path)
    if len(pair) != 2:
        fail(path, "no pair")
    topic, relevance = pair
    return text(topic, child(path, 0)), u8(relevance, child(path, 1))


_affinities: Final = list_of(_affinity)


def decode_agent_threshold(value: object, path: str = "") -> AgentThreshold:
    """Read an agent's threshold and affinities."""
    keys = record(value, path)
    return AgentThreshold(
        agent_id=required(keys, "agent_id", text, path),
        threshold=required(keys, "threshold", i64, path),
        affinity=required(keys, "affinity", _affinities, path),
    )


def encode_agent_threshold(threshold: AgentThreshold) -> JsonObject:
    """Write an agent's threshold and affinities, each of these as a pair."""
    return {
        "agent_id": threshold.agent_id,
        "threshold": threshold.threshold,
        "affinity": [[topic, relevance] for topic, relevance in threshold.affinity],
    }


def decode_bid(value: object, path: str = "") -> Bid:
    """Read a bid."""
    keys = record(value, path)
    return Bid(
        agent_id=required(keys, "agent_id", text, path),
        urge=required(keys, "urge", i64, path),
        reason=required(keys, "reason", _bid_reason, path),
    )


def encode_bid(bid: Bid) -> JsonObject:
    """Write a bid."""
    return {"agent_id": bid.agent_id, "urge": bid.urge, "reason": bid.reason.value}
