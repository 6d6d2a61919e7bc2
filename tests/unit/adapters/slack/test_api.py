from __future__ import annotations

import logging

import pytest

from hivebot.adapters.slack.api import METHODS, Answer, SlackApi
from hivebot.services.records.outgoing import SendFailure
from tests.unit.adapters.slack.stub import LIMITED, TOKEN, Said, no, ok, slack

POST = {"channel": "C0OPS", "text": "a secret word", "thread_ts": None}


async def test_a_call_carries_its_token_and_leaves_out_what_is_absent() -> None:
    async with slack() as (stub, api):
        answer = await api.call("T0HIVE", "chat.postMessage", POST)
        assert isinstance(answer, Answer)
        assert answer.data["ts"] == "1700000000.000001"
        assert stub.calls == [("chat.postMessage", {"channel": "C0OPS", "text": "a secret word"})]
        assert stub.tokens == [f"Bearer {TOKEN}"]


async def test_reading_is_a_form() -> None:
    async with slack() as (stub, api):
        await api.call("T0HIVE", "users.info", {"user": "U0ANA", "include_locale": True})
        assert stub.calls == [("users.info", {"user": "U0ANA", "include_locale": "1"})]
        assert stub.content_types == ["application/x-www-form-urlencoded"]


async def test_a_team_without_a_token_is_not_called_for() -> None:
    async with slack() as (stub, api):
        answer = await api.call("T0GONE", "chat.postMessage", POST)
        assert answer == SendFailure("token", "no_token")
        assert stub.calls == []


async def test_a_method_outside_of_the_table_is_a_mistake() -> None:
    async with slack() as (_, api):
        with pytest.raises(KeyError):
            await api.call("T0HIVE", "admin.users.remove", {})


async def test_the_answer_tells_the_scopes() -> None:
    async with slack() as (stub, api):
        headers = (("X-OAuth-Scopes", "chat:write, commands"),)
        stub.will_say("auth.test", Said('{"ok": true}', headers=headers), ok())
        answer = await api.call("T0HIVE", "auth.test", {})
        assert isinstance(answer, Answer)
        assert answer.scopes == {"chat:write", "commands"}
        answer = await api.call("T0HIVE", "auth.test", {})
        assert isinstance(answer, Answer)
        assert answer.scopes is None


@pytest.mark.parametrize(
    ("said", "kind", "code"),
    [
        (no("is_archived"), "archived", "is_archived"),
        (LIMITED, "wait", "ratelimited"),
        (Said("busy", 503, content_type="text/plain"), "ambiguous", "http_503"),
        (Said("<html>", 200, content_type="text/html"), "ambiguous", "unreadable"),
        (Said("{", 200), "ambiguous", "unreadable"),
        (Said("[1]", 200), "ambiguous", "unreadable"),
        (Said('{"ok": "yes"}', 200), "ambiguous", "unreadable"),
        (Said("gone", 404, content_type="text/plain"), "refused", "http_404"),
        (Said(drop=True), "ambiguous", "connection"),
    ],
)
async def test_every_other_answer_is_a_failure_and_nothing_is_sent_twice(
    said: Said, kind: str, code: str
) -> None:
    async with slack() as (stub, api):
        stub.will_say("chat.postMessage", said)
        answer = await api.call("T0HIVE", "chat.postMessage", POST)
        assert isinstance(answer, SendFailure)
        assert (answer.kind, answer.code) == (kind, code)
        assert len(stub.calls) == 1


async def test_a_server_that_is_not_there_is_ambiguous() -> None:
    async with slack() as (stub, _):
        address = stub.base_url
    api = SlackApi(token_of_nobody, address)
    answer = await api.call("T0HIVE", "chat.postMessage", POST)
    await api.aclose()
    assert answer == SendFailure("ambiguous", "connection")


async def test_a_server_that_never_answers_is_ambiguous() -> None:
    api = SlackApi(token_of_nobody, "http://127.0.0.1:9/api/", timeout_s=0.000_001)
    answer = await api.call("T0HIVE", "chat.postMessage", POST)
    await api.aclose()
    await api.aclose()
    assert isinstance(answer, SendFailure)
    assert answer.kind == "ambiguous"


async def token_of_nobody(team_id: str) -> str:
    return "xoxb-nobody"


async def test_a_proxy_of_the_environment_never_sees_a_loopback_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    async with slack() as (_, api):
        assert isinstance(await api.call("T0HIVE", "auth.test", {}), Answer)


async def test_elsewhere_the_proxy_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with slack() as (stub, _):
        monkeypatch.setenv("HTTPS_PROXY", stub.base_url)
        api = SlackApi(token_of_nobody, "http://slack.invalid/api/")
        answer = await api.call("T0HIVE", "auth.test", {})
        await api.aclose()
        assert isinstance(answer, Answer)
        assert [method for method, _ in stub.calls] == ["auth.test"]


async def test_the_sdk_never_logs_what_is_posted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with slack() as (stub, api):
        stub.will_say("chat.postMessage", no("no_text", echo="a secret word"))
        await api.call("T0HIVE", "chat.postMessage", POST)
    assert "secret" not in caplog.text
    assert TOKEN not in caplog.text


def test_reading_methods_are_those_that_change_nothing() -> None:
    reading = {name for name, method in METHODS.items() if method.reads}
    verbs = {name.rpartition(".")[2] for name in reading}
    assert verbs == {"history", "info", "list", "members", "replies", "test"}
