"""Which folds of the routing half are there, and what do their inputs hold?"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.entrypoints.folds.entry import Fold, by_op, hive_fold
from hivebot.entrypoints.folds.holders import desks_of, roster_of
from hivebot.hive.conversation import (
    dispatch_conversation,
    equivalent,
    is_general,
    same_conversation,
)
from hivebot.hive.dispatch import dispatch_sentence, mention_dispatch
from hivebot.hive.mention import resolve
from hivebot.hive.referral import referral, referral_sentence
from hivebot.hive.responder import (
    accept_selection,
    complete,
    direct_responder,
    mentioned_members,
    responder_plan,
)
from hivebot.hive.transcript import LogPage, project_session, turns
from hivebot.hive.wire import (
    decode_conversation,
    decode_dispatch_input,
    decode_dispatch_policy,
    decode_dispatch_reason,
    decode_log_page,
    decode_mention_author,
    decode_mentions,
    decode_referral_input,
    decode_referral_policy,
    decode_referral_reason,
    decode_responder_plan,
    decode_responder_request,
    decode_selector_candidate,
    decode_session_message,
    decode_session_query,
    encode_dispatch_conversation,
    encode_dispatch_decision,
    encode_mention,
    encode_referral_decision,
    encode_responder_decision,
    encode_responder_plan,
    encode_session_message,
    encode_viewed_message,
)
from hivebot.hive.wire.codec import flag, list_of, nullable, required, text

_Keys = Mapping[str, object]


def _is_general(keys: _Keys) -> object:
    return is_general(nullable(keys, "chat", text, ""))


def _same_conversation(keys: _Keys) -> object:
    return same_conversation(nullable(keys, "a", text, ""), nullable(keys, "b", text, ""))


def _equivalent(keys: _Keys) -> object:
    return equivalent(
        required(keys, "a", decode_conversation, ""), required(keys, "b", decode_conversation, "")
    )


def _dispatch_conversation(keys: _Keys) -> object:
    conversation = required(keys, "conversation", decode_conversation, "")
    return encode_dispatch_conversation(dispatch_conversation(conversation))


def _roster_validate(keys: _Keys) -> object:
    roster_of(keys).validate()


def _active_members(keys: _Keys) -> object:
    return [member.id for member in roster_of(keys).active_members()]


def _validate(keys: _Keys) -> object:
    desks_of(keys).validate()


def _resolve_id(keys: _Keys) -> object:
    return desks_of(keys).resolve_id(required(keys, "identity", text, ""))


def _members(keys: _Keys) -> object:
    return list(desks_of(keys).members(required(keys, "identity", text, "")))


def _lead(keys: _Keys) -> object:
    return desks_of(keys).lead(required(keys, "identity", text, ""))


def _mention_resolve(keys: _Keys) -> object:
    mentions = resolve(
        required(keys, "body", text, ""),
        nullable(keys, "supplied", decode_mentions, ""),
        required(keys, "author", decode_mention_author, ""),
        roster_of(keys),
        desks_of(keys),
    )
    return [encode_mention(mention) for mention in mentions]


def _direct_responder(keys: _Keys) -> object:
    return direct_responder(required(keys, "mentions", decode_mentions, ""), roster_of(keys))


def _mentioned_members(keys: _Keys) -> object:
    return list(
        mentioned_members(
            required(keys, "mentions", decode_mentions, ""),
            nullable(keys, "addressed_desk", text, ""),
            nullable(keys, "responder", text, ""),
            roster_of(keys),
            desks_of(keys),
        )
    )


def _responder_plan(keys: _Keys) -> object:
    return encode_responder_plan(
        responder_plan(
            required(keys, "request", decode_responder_request, ""),
            roster_of(keys),
            desks_of(keys),
            required(keys, "candidate_details", list_of(decode_selector_candidate), ""),
        )
    )


def _complete(keys: _Keys) -> object:
    plan = required(keys, "plan", decode_responder_plan, "")
    output = nullable(keys, "selector_output", text, "")
    return encode_responder_decision(complete(plan, output))


def _accept_selection(keys: _Keys) -> object:
    output = required(keys, "output", text, "")
    return accept_selection(
        output, required(keys, "candidates", list_of(decode_selector_candidate), "")
    )


def _mention_dispatch(keys: _Keys) -> object:
    return encode_dispatch_decision(
        mention_dispatch(
            required(keys, "policy", decode_dispatch_policy, ""),
            required(keys, "input", decode_dispatch_input, ""),
            roster_of(keys),
        )
    )


def _dispatch_sentence(keys: _Keys) -> object:
    return dispatch_sentence(required(keys, "reason", decode_dispatch_reason, ""))


def _referral(keys: _Keys) -> object:
    return encode_referral_decision(
        referral(
            required(keys, "policy", decode_referral_policy, ""),
            required(keys, "input", decode_referral_input, ""),
            roster_of(keys),
            desks_of(keys),
        )
    )


def _referral_sentence(keys: _Keys) -> object:
    return referral_sentence(required(keys, "reason", decode_referral_reason, ""))


def _session(keys: _Keys) -> object:
    query = required(keys, "query", decode_session_query, "")
    pages = iter(required(keys, "pages", list_of(decode_log_page), ""))
    reads: list[object] = []

    def read(before: int | None, limit: int) -> LogPage:
        reads.append({"before": before, "limit": limit})
        return next(pages, LogPage((), None))

    messages = [encode_session_message(message) for message in project_session(read, query)]
    return {"messages": messages, "reads": reads}


def _turns(keys: _Keys) -> object:
    viewed = turns(
        required(keys, "viewer_id", text, ""),
        required(keys, "numbered", flag, ""),
        required(keys, "messages", list_of(decode_session_message), ""),
    )
    return [encode_viewed_message(message) for message in viewed]


FOLDS: Final[Mapping[str, Fold]] = MappingProxyType(
    {
        "identity": hive_fold(
            by_op(
                {
                    "is_general": _is_general,
                    "same_conversation": _same_conversation,
                    "equivalent": _equivalent,
                    "dispatch_conversation": _dispatch_conversation,
                }
            )
        ),
        "desks": hive_fold(
            by_op(
                {
                    "roster_validate": _roster_validate,
                    "active_members": _active_members,
                    "validate": _validate,
                    "resolve_id": _resolve_id,
                    "members": _members,
                    "lead": _lead,
                }
            )
        ),
        "mention_resolve": hive_fold(_mention_resolve),
        "direct_responder": hive_fold(_direct_responder),
        "mentioned_members": hive_fold(_mentioned_members),
        "responder_plan": hive_fold(by_op({"plan": _responder_plan, "complete": _complete})),
        "accept_selection": hive_fold(_accept_selection),
        "mention_dispatch": hive_fold(
            by_op({"dispatch": _mention_dispatch, "render": _dispatch_sentence})
        ),
        "referral": hive_fold(by_op({"referral": _referral, "render": _referral_sentence})),
        "projection": hive_fold(by_op({"session": _session, "turns": _turns})),
    }
)
