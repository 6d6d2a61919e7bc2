"""How are dispatches and referrals written as JSON?

Source: hive.md section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.hive.dispatch import (
    DispatchDecision,
    DispatchInput,
    DispatchKey,
    DispatchPolicy,
    NoDispatch,
    NoDispatchReason,
    OneDispatch,
    TurnRequest,
)
from hivebot.hive.referral import (
    NoReferral,
    NoReferralReason,
    OneReferral,
    Reach,
    Referral,
    ReferralDecision,
    ReferralInput,
    ReferralKind,
    ReferralOrigin,
    ReferralPolicy,
)
from hivebot.hive.wire.codec import (
    Decoder,
    JsonObject,
    enum_of,
    flag,
    optional_nullable,
    record,
    required,
    tagged,
    text,
    u32,
    u64,
)
from hivebot.hive.wire.mentions import decode_mentions, encode_mention
from hivebot.hive.wire.transcripts import (
    decode_dispatch_conversation,
    encode_dispatch_conversation,
)

# --- dispatch -----------------------------------------------------------------------------------


def decode_dispatch_policy(value: object, path: str = "") -> DispatchPolicy:
    """Read a dispatch policy."""
    keys = record(value, path)
    return DispatchPolicy(
        enabled=required(keys, "enabled", flag, path),
        max_hops=required(keys, "max_hops", u32, path),
    )


def encode_dispatch_policy(policy: DispatchPolicy) -> JsonObject:
    """Write a dispatch policy."""
    return {"enabled": policy.enabled, "max_hops": policy.max_hops}


def decode_dispatch_key(value: object, path: str = "") -> DispatchKey:
    """Read a dispatch key."""
    keys = record(value, path)
    return DispatchKey(trigger_sequence=required(keys, "trigger_sequence", u64, path))


def encode_dispatch_key(key: DispatchKey) -> JsonObject:
    """Write a dispatch key."""
    return {"trigger_sequence": key.trigger_sequence}


def decode_dispatch_input(value: object, path: str = "") -> DispatchInput:
    """Read a dispatch input."""
    keys = record(value, path)
    return DispatchInput(
        key=required(keys, "key", decode_dispatch_key, path),
        conversation=required(keys, "conversation", decode_dispatch_conversation, path),
        author_id=required(keys, "author_id", text, path),
        content=required(keys, "content", text, path),
        mentions=required(keys, "mentions", decode_mentions, path),
        hop=required(keys, "hop", u32, path),
    )


def encode_dispatch_input(message: DispatchInput | ReferralInput) -> JsonObject:
    """Write a dispatch input."""
    return {
        "key": encode_dispatch_key(message.key),
        "conversation": encode_dispatch_conversation(message.conversation),
        "author_id": message.author_id,
        "content": message.content,
        "mentions": [encode_mention(mention) for mention in message.mentions],
        "hop": message.hop,
    }


def decode_turn_request(value: object, path: str = "") -> TurnRequest:
    """Read a turn request."""
    keys = record(value, path)
    return TurnRequest(
        key=required(keys, "key", decode_dispatch_key, path),
        source_id=required(keys, "source_id", text, path),
        target_id=required(keys, "target_id", text, path),
        content=required(keys, "content", text, path),
        conversation=required(keys, "conversation", decode_dispatch_conversation, path),
        child_hop=required(keys, "child_hop", u32, path),
    )


def encode_turn_request(request: TurnRequest) -> JsonObject:
    """Write a turn request."""
    return {
        "key": encode_dispatch_key(request.key),
        "source_id": request.source_id,
        "target_id": request.target_id,
        "content": request.content,
        "conversation": encode_dispatch_conversation(request.conversation),
        "child_hop": request.child_hop,
    }


def _no_dispatch(keys: Mapping[str, object], path: str) -> DispatchDecision:
    return NoDispatch(required(keys, "reason", decode_dispatch_reason, path))


def _one_dispatch(keys: Mapping[str, object], path: str) -> DispatchDecision:
    return OneDispatch(required(keys, "request", decode_turn_request, path))


_dispatch: Final[Decoder[DispatchDecision]] = tagged(
    "kind", MappingProxyType({"none": _no_dispatch, "one": _one_dispatch})
)


def decode_dispatch_reason(value: object, path: str = "") -> NoDispatchReason:
    """Read the reason of a dispatch that is none."""
    return enum_of(NoDispatchReason)(value, path)


def decode_dispatch_decision(value: object, path: str = "") -> DispatchDecision:
    """Read a dispatch decision."""
    return _dispatch(value, path)


def encode_dispatch_decision(decision: DispatchDecision) -> JsonObject:
    """Write a dispatch decision."""
    if isinstance(decision, NoDispatch):
        return {"kind": "none", "reason": decision.reason.value}
    return {"kind": "one", "request": encode_turn_request(decision.request)}


# --- referral -----------------------------------------------------------------------------------


def decode_referral_policy(value: object, path: str = "") -> ReferralPolicy:
    """Read a referral policy; no key has a default, so nothing is switched by omission."""
    keys = record(value, path)
    return ReferralPolicy(
        enabled=required(keys, "enabled", flag, path),
        max_hops=required(keys, "max_hops", u32, path),
        reach=required(keys, "reach", enum_of(Reach), path),
        returns=required(keys, "returns", flag, path),
    )


def encode_referral_policy(policy: ReferralPolicy) -> JsonObject:
    """Write a referral policy."""
    return {
        "enabled": policy.enabled,
        "max_hops": policy.max_hops,
        "reach": policy.reach.value,
        "returns": policy.returns,
    }


def decode_referral_origin(value: object, path: str = "") -> ReferralOrigin:
    """Read a referral origin."""
    keys = record(value, path)
    return ReferralOrigin(
        conversation=required(keys, "conversation", decode_dispatch_conversation, path),
        asker_id=required(keys, "asker_id", text, path),
    )


def encode_referral_origin(origin: ReferralOrigin) -> JsonObject:
    """Write a referral origin."""
    return {
        "conversation": encode_dispatch_conversation(origin.conversation),
        "asker_id": origin.asker_id,
    }


def decode_referral_input(value: object, path: str = "") -> ReferralInput:
    """Read a referral input; `origin` absent and null are both none."""
    message = decode_dispatch_input(value, path)
    return ReferralInput(
        key=message.key,
        conversation=message.conversation,
        author_id=message.author_id,
        content=message.content,
        mentions=message.mentions,
        hop=message.hop,
        origin=optional_nullable(record(value, path), "origin", decode_referral_origin, path),
    )


def encode_referral_input(reply: ReferralInput) -> JsonObject:
    """Write a referral input, `origin` only when there is one."""
    return encode_dispatch_input(reply) | _origin_entry(reply.origin)


def _origin_entry(origin: ReferralOrigin | None) -> JsonObject:
    return {} if origin is None else {"origin": encode_referral_origin(origin)}


def decode_referral(value: object, path: str = "") -> Referral:
    """Read a referral."""
    keys = record(value, path)
    return Referral(
        key=required(keys, "key", decode_dispatch_key, path),
        kind=required(keys, "kind", enum_of(ReferralKind), path),
        source_id=required(keys, "source_id", text, path),
        target_id=required(keys, "target_id", text, path),
        content=required(keys, "content", text, path),
        from_conversation=required(keys, "from", decode_dispatch_conversation, path),
        to_conversation=required(keys, "to", decode_dispatch_conversation, path),
        child_hop=required(keys, "child_hop", u32, path),
        origin=optional_nullable(keys, "origin", decode_referral_origin, path),
    )


def encode_referral(referral: Referral) -> JsonObject:
    """Write a referral, `origin` only when there is one."""
    return {
        "key": encode_dispatch_key(referral.key),
        "kind": referral.kind.value,
        "source_id": referral.source_id,
        "target_id": referral.target_id,
        "content": referral.content,
        "from": encode_dispatch_conversation(referral.from_conversation),
        "to": encode_dispatch_conversation(referral.to_conversation),
        "child_hop": referral.child_hop,
    } | _origin_entry(referral.origin)


def _no_referral(keys: Mapping[str, object], path: str) -> ReferralDecision:
    return NoReferral(required(keys, "reason", decode_referral_reason, path))


def _one_referral(keys: Mapping[str, object], path: str) -> ReferralDecision:
    return OneReferral(required(keys, "referral", decode_referral, path))


_referral: Final[Decoder[ReferralDecision]] = tagged(
    "kind", MappingProxyType({"none": _no_referral, "one": _one_referral})
)


def decode_referral_reason(value: object, path: str = "") -> NoReferralReason:
    """Read the reason of a referral that is none."""
    return enum_of(NoReferralReason)(value, path)


def decode_referral_decision(value: object, path: str = "") -> ReferralDecision:
    """Read a referral decision."""
    return _referral(value, path)


def encode_referral_decision(decision: ReferralDecision) -> JsonObject:
    """Write a referral decision."""
    if isinstance(decision, NoReferral):
        return {"kind": "none", "reason": decision.reason.value}
    return {"kind": "one", "referral": encode_referral(decision.referral)}
