"""How are responder plans written as JSON?

Source: hive.md section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.hive.responder import (
    DecidedPlan,
    Disposition,
    ResponderDecision,
    ResponderPlan,
    ResponderRequest,
    Rung,
    SelectionPolicy,
    SelectionRequest,
    SelectorCandidate,
    SelectPlan,
)
from hivebot.hive.wire.codec import (
    Decoder,
    JsonObject,
    enum_of,
    list_of,
    nullable,
    record,
    required,
    tagged,
    text,
)
from hivebot.hive.wire.mentions import decode_mentions, encode_mention


def decode_selector_candidate(value: object, path: str = "") -> SelectorCandidate:
    """Read a selector candidate."""
    keys = record(value, path)
    return SelectorCandidate(
        id=required(keys, "id", text, path),
        label=required(keys, "label", text, path),
        role=required(keys, "role", text, path),
        description=nullable(keys, "description", text, path),
    )


def encode_selector_candidate(candidate: SelectorCandidate) -> JsonObject:
    """Write a selector candidate."""
    return {
        "id": candidate.id,
        "label": candidate.label,
        "role": candidate.role,
        "description": candidate.description,
    }


def decode_responder_request(value: object, path: str = "") -> ResponderRequest:
    """Read a responder request."""
    keys = record(value, path)
    return ResponderRequest(
        message=required(keys, "message", text, path),
        chat=nullable(keys, "chat", text, path),
        mentions=required(keys, "mentions", decode_mentions, path),
        orchestrator_id=required(keys, "orchestrator_id", text, path),
        selection_policy=required(keys, "selection_policy", enum_of(SelectionPolicy), path),
    )


def encode_responder_request(request: ResponderRequest) -> JsonObject:
    """Write a responder request."""
    return {
        "message": request.message,
        "chat": request.chat,
        "mentions": [encode_mention(mention) for mention in request.mentions],
        "orchestrator_id": request.orchestrator_id,
        "selection_policy": request.selection_policy.value,
    }


def decode_selection_request(value: object, path: str = "") -> SelectionRequest:
    """Read a selection request."""
    keys = record(value, path)
    return SelectionRequest(
        message=required(keys, "message", text, path),
        desk_id=required(keys, "desk_id", text, path),
        candidates=required(keys, "candidates", list_of(decode_selector_candidate), path),
    )


def encode_selection_request(request: SelectionRequest) -> JsonObject:
    """Write a selection request."""
    return {
        "message": request.message,
        "desk_id": request.desk_id,
        "candidates": [encode_selector_candidate(candidate) for candidate in request.candidates],
    }


def decode_responder_decision(value: object, path: str = "") -> ResponderDecision:
    """Read a responder decision."""
    keys = record(value, path)
    return ResponderDecision(
        responder_id=required(keys, "responder_id", text, path),
        rung=required(keys, "rung", enum_of(Rung), path),
        disposition=required(keys, "disposition", enum_of(Disposition), path),
    )


def encode_responder_decision(decision: ResponderDecision) -> JsonObject:
    """Write a responder decision."""
    return {
        "responder_id": decision.responder_id,
        "rung": decision.rung.value,
        "disposition": decision.disposition.value,
    }


def _decided_plan(keys: Mapping[str, object], path: str) -> ResponderPlan:
    return DecidedPlan(required(keys, "decision", decode_responder_decision, path))


def _select_plan(keys: Mapping[str, object], path: str) -> ResponderPlan:
    return SelectPlan(
        request=required(keys, "request", decode_selection_request, path),
        fallback=required(keys, "fallback", decode_responder_decision, path),
    )


_plan: Final[Decoder[ResponderPlan]] = tagged(
    "kind", MappingProxyType({"decided": _decided_plan, "select": _select_plan})
)


def decode_responder_plan(value: object, path: str = "") -> ResponderPlan:
    """Read a responder plan."""
    return _plan(value, path)


def encode_responder_plan(plan: ResponderPlan) -> JsonObject:
    """Write a responder plan."""
    if isinstance(plan, DecidedPlan):
        return {"kind": "decided", "decision": encode_responder_decision(plan.decision)}
    return {
        "kind": "select",
        "request": encode_selection_request(plan.request),
        "fallback": encode_responder_decision(plan.fallback),
    }
