from __future__ import annotations

import inspect
import ssl
from collections.abc import Iterator
from typing import get_args
from unittest.mock import Mock

import aiohttp
import pytest
from slack_sdk import errors
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from hivebot.adapters.slack.failures import (
    ERRORS,
    RETRY_AFTER_DEFAULT_S,
    RETRY_AFTER_MAX_S,
    failure_of,
    kind_of,
    refusal,
)
from hivebot.services.records.outgoing import SendFailure, SendFailureKind

NAMED_IN_THE_SPEC = {
    "ratelimited": "wait",
    "not_in_channel": "not_member",
    "channel_not_found": "not_member",
    "is_archived": "archived",
    "restricted_action": "restricted",
    "ekm_access_denied": "restricted",
    "msg_too_long": "too_long",
    "msg_blocks_too_long": "too_long",
    "invalid_blocks": "blocks",
    "invalid_thread_ts": "thread_gone",
    "thread_not_found": "thread_gone",
    "message_not_found": "message_gone",
    "cant_update_message": "cannot_edit",
    "cant_delete_message": "cannot_edit",
    "missing_scope": "scope",
    "account_inactive": "token",
    "token_revoked": "token",
    "invalid_auth": "token",
    "markdown_text_conflict": "refused",
    "internal_error": "ambiguous",
    "fatal_error": "ambiguous",
    "some_other_error": "ambiguous",
    "something_unheard_of": "refused",
}
"""The specification's own list. Source: product.md 10, datapath.md 4, slack.md."""

SECRET = "the message text"


@pytest.mark.parametrize(("error", "kind"), sorted(NAMED_IN_THE_SPEC.items()))
def test_every_named_error_has_its_kind(error: str, kind: str) -> None:
    assert kind_of(error) == kind


@pytest.mark.parametrize("error", sorted(ERRORS))
def test_every_error_of_the_table_becomes_a_failure_with_its_name(error: str) -> None:
    failure = refusal("chat.postMessage", error, {"error": error}, {}, 200)
    assert (failure.kind, failure.code) == (ERRORS[error], error)


def test_every_kind_is_produced_by_some_error() -> None:
    assert set(ERRORS.values()) == set(get_args(SendFailureKind))


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        ("7", 7),
        (" 30 ", 30),
        ("0", 1),
        ("", RETRY_AFTER_DEFAULT_S),
        ("soon", RETRY_AFTER_DEFAULT_S),
        ("-3", RETRY_AFTER_DEFAULT_S),
        ("٣", RETRY_AFTER_DEFAULT_S),
        ("9" * 5_000, RETRY_AFTER_MAX_S),
    ],
)
def test_slack_says_how_long_to_wait(header: str, wait_s: int) -> None:
    found = refusal("chat.postMessage", "ratelimited", {}, {"retry-after": header}, 429)
    assert found == SendFailure("wait", "ratelimited", "", wait_s, per_channel=True)


def test_a_limit_without_a_header_or_a_body_waits_by_default() -> None:
    found = refusal("chat.update", "", {}, {}, 429)
    assert found == SendFailure("wait", "ratelimited", "", RETRY_AFTER_DEFAULT_S, per_channel=False)


def test_a_server_error_is_ambiguous_whatever_it_says() -> None:
    assert refusal("m", "not_in_channel", {}, {}, 503).kind == "ambiguous"
    assert refusal("m", "", {}, {}, 500) == SendFailure("ambiguous", "http_500")


def test_an_answer_without_a_name_is_ambiguous_and_a_client_error_is_not() -> None:
    assert refusal("m", "", {}, {}, 200) == SendFailure("ambiguous", "unreadable")
    assert refusal("m", "", {}, {}, 404) == SendFailure("refused", "http_404")


def test_a_missing_scope_is_named() -> None:
    data = {"error": "missing_scope", "needed": "chat:write.customize"}
    assert refusal("m", "missing_scope", data, {}, 200).detail == "chat:write.customize"
    odd = {"error": "missing_scope", "needed": SECRET}
    assert refusal("m", "missing_scope", odd, {}, 200).detail == ""


def test_the_detail_keeps_rules_and_places_but_no_text() -> None:
    message = f"[ERROR] must be less than 3001 characters: {SECRET} [json-pointer:/blocks/0/text]"
    data = {"response_metadata": {"messages": [message, message]}}
    found = refusal("m", "invalid_blocks", data, {}, 200)
    assert found.detail == "must be less than 3001 characters /blocks/0/text"


def response(data: object, status: int = 200, **headers: str) -> AsyncSlackResponse:
    return AsyncSlackResponse(
        client=None,
        http_verb="POST",
        api_url="https://slack.com/api/m",
        req_args={},
        data=data,  # pyright: ignore[reportArgumentType] - what a broken server may send
        headers=headers,
        status_code=status,
    )


def api_error(answer: object) -> errors.SlackApiError:
    return errors.SlackApiError(SECRET, answer)


def classes(module: object, base: type[Exception]) -> Iterator[type[Exception]]:
    for _, member in inspect.getmembers(module, inspect.isclass):
        if issubclass(member, base):
            yield member


SDK_KINDS: dict[type[Exception], str] = {
    errors.BotUserAccessError: "refused",
    errors.SlackClientConfigurationError: "refused",
    errors.SlackClientError: "ambiguous",
    errors.SlackClientNotConnectedError: "ambiguous",
    errors.SlackObjectFormationError: "refused",
    errors.SlackRequestError: "refused",
    errors.SlackTokenRotationError: "token",
}


@pytest.mark.parametrize("kind", sorted(classes(errors, errors.SlackClientError), key=str))
def test_every_class_of_the_sdk_has_its_kind(kind: type[Exception]) -> None:
    if kind is errors.SlackApiError:
        return
    exc = kind.__new__(kind)
    assert failure_of("chat.postMessage", exc).kind == SDK_KINDS[kind]


@pytest.mark.parametrize("kind", sorted(classes(aiohttp, aiohttp.ClientError), key=str))
def test_every_class_of_the_transport_has_its_kind(kind: type[Exception]) -> None:
    exc = kind.__new__(kind)
    expected = "refused" if issubclass(kind, aiohttp.InvalidURL) else "ambiguous"
    assert failure_of("chat.postMessage", exc).kind == expected


@pytest.mark.parametrize(
    ("exc", "code"),
    [
        (TimeoutError(), "timeout"),
        (aiohttp.ServerTimeoutError(), "timeout"),
        (ConnectionResetError(), "connection"),
        (ssl.SSLError(), "connection"),
        (ValueError(SECRET), "unreadable"),
        (AttributeError(SECRET), "unreadable"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, SECRET), "unreadable"),
    ],
)
def test_what_breaks_on_the_way_is_ambiguous(exc: Exception, code: str) -> None:
    assert failure_of("chat.postMessage", exc) == SendFailure("ambiguous", code)


def test_a_refusal_of_the_sdk_is_read_from_its_answer() -> None:
    exc = api_error(response({"ok": False, "error": "is_archived"}))
    assert failure_of("chat.postMessage", exc) == SendFailure("archived", "is_archived")
    limited = api_error(response({"error": "ratelimited"}, 429, **{"Retry-After": "9"}))
    assert failure_of("chat.postMessage", limited).retry_after_s == 9
    text = api_error(response("<html>", 502))
    assert failure_of("chat.postMessage", text) == SendFailure("ambiguous", "http_502")


def test_a_refusal_with_a_body_that_is_no_json_is_read_from_its_status() -> None:
    raw = Mock(spec=aiohttp.ClientResponse, status=429, headers={"Retry-After": "4"})
    assert failure_of("chat.update", api_error(raw)).retry_after_s == 4
    assert failure_of("m", api_error({"error": "invalid_auth"})).kind == "token"


def test_no_failure_repeats_what_an_exception_said() -> None:
    for exc in (api_error(response({"error": "no_text"})), ValueError(SECRET), OSError(SECRET)):
        assert SECRET not in repr(failure_of("chat.postMessage", exc))
