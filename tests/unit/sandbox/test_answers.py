"""What does the Web API answer to one call?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.answers import answer_call, check_token, faulty
from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.faults import CallFault
from hivebot.sandbox.methods import METHODS
from hivebot.sandbox.settings import APP_TOKEN, BOT_TOKEN
from hivebot.sandbox.shapes import Json, as_map, as_maps
from tests.unit.sandbox.app_under_test import Clock
from tests.unit.sandbox.builders import called, posted, refused, said, workspace


@pytest.mark.parametrize(
    ("token", "error"),
    [
        (None, "not_authed"),
        ("", "not_authed"),
        ("xoxb-sandbox-other", "invalid_auth"),
        (APP_TOKEN, "not_allowed_token_type"),
    ],
)
def test_a_token_that_is_not_the_bots_is_refused(token: str | None, error: str) -> None:
    assert answer_call(workspace(), "auth.test", token, {}).body["error"] == error


def test_sockets_need_the_app_level_token() -> None:
    check_token(workspace(), APP_TOKEN, app_level=True)
    with pytest.raises(SlackError, match="not_allowed_token_type"):
        check_token(workspace(), BOT_TOKEN, app_level=True)


def test_an_unknown_method_is_named() -> None:
    answer = answer_call(workspace(), "chat.shout", BOT_TOKEN, {})
    assert answer.body == {"ok": False, "error": "unknown_method", "req_method": "chat.shout"}


@pytest.mark.parametrize("method", [name for name, one in METHODS.items() if one.scope])
def test_a_missing_scope_is_named_with_what_is_provided(method: str) -> None:
    answer = answer_call(workspace(scopes=("commands",)), method, BOT_TOKEN, {})
    assert (answer.body["error"], answer.body["needed"], answer.body["provided"]) == (
        "missing_scope",
        METHODS[method].scope,
        "commands",
    )


def test_the_scopes_stand_in_a_header() -> None:
    answer = answer_call(workspace(scopes=("commands", "im:read")), "auth.test", BOT_TOKEN, {})
    assert answer.headers["X-OAuth-Scopes"] == "commands,im:read"


def test_a_call_above_its_limit_is_told_how_long_to_wait() -> None:
    ws = workspace(Clock())
    for number in range(5):
        called(ws, "chat.postMessage", channel="C0PAY", text=str(number))
    answer = answer_call(ws, "chat.postMessage", BOT_TOKEN, {"channel": "C0PAY", "text": "x"})
    assert (answer.status, answer.headers["Retry-After"]) == (429, "1")
    assert answer.body == {"ok": False, "error": "ratelimited"}
    called(ws, "chat.postMessage", channel="C0DATA", text="x")


def test_every_call_is_in_the_log_with_its_outcome() -> None:
    ws = workspace(Clock())
    ts = called(ws, "chat.postMessage", channel="C0PAY", text="x")["ts"]
    refused(ws, "chat.postMessage", channel="C0NONE", text="x")
    called(ws, "chat.postEphemeral", channel="C0PAY", user="U0ANA", text="x")
    first, second, third = ws.calls
    assert (first.seq, first.method, first.channel, first.error) == (
        1,
        "chat.postMessage",
        "C0PAY",
        None,
    )
    assert (first.ts, second.error, third.ts != "") == (ts, "channel_not_found", True)
    assert (first.at, first.args["text"]) == (1_700_000_000.0, "x")


def test_who_the_bot_is() -> None:
    ws = workspace()
    body = called(ws, "auth.test")
    assert (body["team_id"], body["user_id"], body["bot_id"], body["user"]) == (
        "T0HIVE",
        "U0BOT",
        "B0BOT",
        "hive",
    )
    ws.world.people = [one for one in ws.world.people if one.id != "U0BOT"]
    assert called(ws, "auth.test")["user"] == "hivebot"


def test_api_test_answers_what_it_was_asked() -> None:
    assert called(workspace(), "api.test", foo="bar")["args"] == {"foo": "bar"}
    assert refused(workspace(), "api.test", error="my_error") == "my_error"


def test_a_permalink_leads_to_the_message_and_its_thread() -> None:
    ws = workspace()
    root = said(ws)
    reply = posted(ws, thread_ts=root)

    def link(ts: str) -> object:
        return called(ws, "chat.getPermalink", channel="C0PAY", message_ts=ts)["permalink"]

    base = "https://hive.sandbox.test/archives/C0PAY/p"
    assert link(root) == base + root.replace(".", "")
    assert link(reply) == f"{base}{reply.replace('.', '')}?thread_ts={root}&cid=C0PAY"
    error = refused(ws, "chat.getPermalink", channel="C0PAY", message_ts="1.1")
    assert error == "message_not_found"


def test_a_direct_message_is_opened() -> None:
    ws = workspace()
    assert called(ws, "conversations.open", users="U0ANA")["channel"] == {"id": "D0ANA"}
    whole = as_map(called(ws, "conversations.open", users="U0GUEST", return_im=True)["channel"])
    assert (whole["id"], whole["user"]) == ("D0GUEST", "U0GUEST")
    assert called(ws, "conversations.open", channel="D0ANA")["channel"] == {"id": "D0ANA"}


@pytest.mark.parametrize(
    ("users", "error"),
    [
        ("", "users_list_not_supplied"),
        ("U0ANA,U0BEN", "too_many_users"),
        ("U0NONE", "user_not_found"),
        ("U0OLD", "user_disabled"),
        ("U0ALERT", "cannot_dm_bot"),
    ],
)
def test_a_direct_message_that_cannot_be_is_refused(users: str, error: str) -> None:
    assert refused(workspace(), "conversations.open", users=users) == error


def test_the_app_joins_a_public_channel() -> None:
    ws = workspace()
    assert as_map(called(ws, "conversations.join", channel="C0LAB")["channel"])["is_member"]
    assert called(ws, "conversations.join", channel="C0LAB")
    private = refused(ws, "conversations.join", channel="C0FIN")
    assert private == "method_not_supported_for_channel_type"
    ws.place("data").is_archived = True
    assert refused(ws, "conversations.join", channel="C0DATA") == "is_archived"


def test_user_groups_are_listed_with_their_members_on_request() -> None:
    ws = workspace()
    [group] = as_maps(called(ws, "usergroups.list")["usergroups"])
    assert (group["handle"], "users" in group) == ("platform", False)
    [group] = as_maps(called(ws, "usergroups.list", include_users=True)["usergroups"])
    assert group["users"] == ["U0BEN"]
    assert called(ws, "usergroups.users.list", usergroup="S0PLAT")["users"] == ["U0BEN"]
    assert refused(ws, "usergroups.users.list", usergroup="S0") == "no_such_subteam"


def test_the_team_and_the_bots_are_described() -> None:
    ws = workspace()
    assert as_map(called(ws, "team.info")["team"])["url"] == "https://hive.sandbox.test/"
    assert as_map(called(ws, "bots.info")["bot"])["user_id"] == "U0BOT"
    assert as_map(called(ws, "bots.info", bot="B0ALERT")["bot"])["app_id"] == "A0ALERT"
    ws.world.bots[0].user_id = None
    assert "user_id" not in as_map(called(ws, "bots.info", bot="B0ALERT")["bot"])
    assert refused(ws, "bots.info", bot="B0NONE") == "bot_not_found"


@pytest.mark.parametrize(
    ("fault", "status", "error", "headers"),
    [
        ({"answer": "ratelimited", "retry_after_s": 30}, 429, "ratelimited", {"Retry-After": "30"}),
        ({"answer": "ratelimited", "retry_after_s": None}, 429, "ratelimited", {}),
        ({"answer": "status", "status": 503}, 503, "internal_error", {}),
        ({"answer": "error", "error": "fatal_error"}, 200, "fatal_error", {}),
    ],
)
def test_a_fault_has_its_answer(fault: Json, status: int, error: str, headers: Json) -> None:
    answer = faulty(CallFault.model_validate({"method": "*", **fault}))
    assert answer is not None
    assert (answer.status, answer.body["error"], answer.headers) == (status, error, headers)


def test_silence_and_a_broken_connection_have_no_answer() -> None:
    assert faulty(CallFault(method="*", answer="silence")) is None
    assert faulty(CallFault(method="*", answer="drop")) is None
