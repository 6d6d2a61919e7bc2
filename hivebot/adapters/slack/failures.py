"""What does it mean when Slack says no, or says nothing? One kind for every error.

Source: product.md 10, datapath.md 4, slack.md 5 and 8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Protocol, cast

import aiohttp
from slack_sdk import errors
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from hivebot.adapters.slack.shapes import Json, as_list, as_map, as_text
from hivebot.services.records.outgoing import SendFailure, SendFailureKind

RETRY_AFTER_DEFAULT_S: Final = 30
"""Waited when Slack limits without saying how long."""

RETRY_AFTER_MAX_S: Final = 3_600

ERRORS: Final[Mapping[str, SendFailureKind]] = {
    "ratelimited": "wait",
    "rate_limited": "wait",
    "message_limit_exceeded": "wait",
    "team_added_to_org": "wait",
    "external_channel_migrating": "wait",
    "internal_error": "ambiguous",
    "fatal_error": "ambiguous",
    "service_unavailable": "ambiguous",
    "request_timeout": "ambiguous",
    "not_in_channel": "not_member",
    "channel_not_found": "not_member",
    "is_archived": "archived",
    "restricted_action": "restricted",
    "restricted_action_read_only_channel": "restricted",
    "restricted_action_thread_only_channel": "restricted",
    "restricted_action_non_threadable_channel": "restricted",
    "restricted_action_thread_locked": "restricted",
    "ekm_access_denied": "restricted",
    "access_denied": "restricted",
    "team_access_not_granted": "restricted",
    "enterprise_is_restricted": "restricted",
    "org_login_required": "restricted",
    "messages_tab_disabled": "restricted",
    "msg_too_long": "too_long",
    "msg_blocks_too_long": "too_long",
    "invalid_blocks": "blocks",
    "invalid_blocks_format": "blocks",
    "invalid_thread_ts": "thread_gone",
    "thread_not_found": "thread_gone",
    "cannot_reply_to_message": "thread_gone",
    "message_not_found": "message_gone",
    "cant_update_message": "cannot_edit",
    "edit_window_closed": "cannot_edit",
    "cant_delete_message": "cannot_edit",
    "compliance_exports_prevent_deletion": "cannot_edit",
    "missing_scope": "scope",
    "no_permission": "scope",
    "not_allowed_token_type": "scope",
    "account_inactive": "token",
    "token_revoked": "token",
    "token_expired": "token",
    "invalid_auth": "token",
    "not_authed": "token",
    "no_token": "token",
    "as_user_not_supported": "refused",
    "cannot_dm_bot": "refused",
    "user_not_found": "refused",
    "user_not_in_channel": "refused",
    "no_text": "refused",
    "markdown_text_conflict": "refused",
    "metadata_too_large": "refused",
    "metadata_must_be_sent_from_app": "refused",
    "invalid_metadata_format": "refused",
    "invalid_metadata_schema": "refused",
    "invalid_arguments": "refused",
    "unknown_method": "refused",
    "method_deprecated": "refused",
}
"""Every error string we name. Another one ending in `_error` is ambiguous, any other is refused."""

_POINTER: Final = re.compile(r"\[json-pointer:([\w/-]{1,120})\]")
_RULE: Final = re.compile(r"must be less than \d+ characters|no more than \d+ items allowed")


def kind_of(error: str) -> SendFailureKind:
    """The kind of an error string, named or not."""
    return ERRORS.get(error) or ("ambiguous" if error.endswith("_error") else "refused")


def refusal(
    method: str, error: str, data: Json, headers: Mapping[str, str], status: int
) -> SendFailure:
    """The failure of an answered call.

    `data` is the JSON body, empty for anything else. A limit is the channel's for posts and the
    method's for every other call.
    """
    limited = status == 429 or kind_of(error) == "wait"
    if limited:
        wait_s = _retry_after_s(headers)
        return SendFailure("wait", error or "ratelimited", "", wait_s, method == "chat.postMessage")
    if status >= 500:
        return SendFailure("ambiguous", error or f"http_{status}")
    if not error:
        named = "ambiguous" if status < 400 else "refused"
        return SendFailure(named, f"http_{status}" if status >= 400 else "unreadable")
    return SendFailure(kind_of(error), error, _detail(error, data))


def failure_of(method: str, exc: Exception) -> SendFailure:
    """The failure of a call that raised. Never holds the exception's text: it may quote messages.

    Source: datapath.md 4 "No answer, a broken connection and every 5xx … are ambiguous".
    """
    if isinstance(exc, errors.SlackApiError):
        answer = cast("object", exc.response)  # pyright: ignore[reportUnknownMemberType]
        return _answered(method, answer)
    if isinstance(exc, errors.SlackTokenRotationError):
        return SendFailure("token", "token_rotation")
    if isinstance(exc, _NEVER_SENT):
        return SendFailure("refused", "unsendable")
    if isinstance(exc, TimeoutError):
        return SendFailure("ambiguous", "timeout")
    if isinstance(exc, aiohttp.ClientError | OSError | errors.SlackClientError):
        return SendFailure("ambiguous", "connection")
    return SendFailure("ambiguous", "unreadable")


_NEVER_SENT: Final = (
    aiohttp.InvalidURL,
    errors.BotUserAccessError,
    errors.SlackClientConfigurationError,
    errors.SlackObjectFormationError,
    errors.SlackRequestError,
)


class SdkAnswer(Protocol):
    """What the SDK's answer has, whose own types say less."""

    data: object
    headers: Mapping[str, str]
    status_code: int


def _answered(method: str, response: object) -> SendFailure:
    """The SDK hands over its own answer, or aiohttp's where the body was no JSON."""
    if isinstance(response, AsyncSlackResponse):
        answer = cast("SdkAnswer", response)
        data = as_map(answer.data)
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return refusal(method, as_text(data.get("error")), data, headers, answer.status_code)
    if isinstance(response, aiohttp.ClientResponse):
        headers = {name.lower(): value for name, value in response.headers.items()}
        return refusal(method, "", as_map(None), headers, response.status)
    data = as_map(response)
    return refusal(method, as_text(data.get("error")), data, {}, 200)


def _retry_after_s(headers: Mapping[str, str]) -> int:
    said = headers.get("retry-after", "").strip()
    if not said.isascii() or not said.isdigit():
        return RETRY_AFTER_DEFAULT_S
    return min(max(1, int(said[:9])), RETRY_AFTER_MAX_S)


def _detail(error: str, data: Json) -> str:
    """What may be shown of Slack's explanation: a scope, a rule, a place; never quoted text."""
    if error == "missing_scope":
        needed = as_text(data.get("needed"))
        return needed if re.fullmatch(r"[\w:.,-]{1,120}", needed) else ""
    said = " ".join(map(as_text, as_list(as_map(data.get("response_metadata")).get("messages"))))
    rules = [match[0] for match in _RULE.finditer(said)]
    places = [match[1] for match in _POINTER.finditer(said)]
    return " ".join(dict.fromkeys((*rules[:3], *places[:3])))
