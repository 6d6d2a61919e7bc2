"""Does everything Slack sends reach the one use case that takes it?"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from pathlib import Path

import psycopg
import pytest
from aiohttp.test_utils import TestClient, TestServer
from pydantic import SecretStr

from hivebot.adapters.slack.manifest import SHORTCUT
from hivebot.entrypoints.bootstrap import Parts, assembled
from hivebot.entrypoints.slack_app import build_slack_app
from hivebot.entrypoints.web import build_web
from hivebot.services import outcomes
from hivebot.services.gating import APPROVE
from hivebot.services.lines import ASK_TOO
from hivebot.settings import Settings, SettingsError
from tests.e2e.signed import send
from tests.integration.installing.slack import Installable, Place, installable

pytestmark = pytest.mark.integration

TOKEN = "xoxb-of-the-environment"
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
CONFIG = Path(__file__).parents[2] / "config" / "hivebot.yaml"


@pytest.fixture
async def slack() -> AsyncGenerator[Installable]:
    async with installable() as there:
        there.tokens[TOKEN] = Place("T1", "one")
        yield there


@pytest.fixture
def settings(slack: Installable, database_url: str) -> Settings:
    return Settings(
        slack_bot_token=SecretStr(TOKEN),
        slack_api_url=slack.url,
        config=CONFIG,
        DATABASE_URL=SecretStr(database_url),  # pyright: ignore[reportCallIssue] - by its alias
    )


@pytest.fixture
async def parts(settings: Settings) -> AsyncGenerator[Parts]:
    async with assembled(settings) as made:
        yield made


def event(kind: str, **fields: object) -> dict[str, object]:
    return {
        "type": "event_callback",
        "team_id": "T1",
        "event_id": f"Ev{time.monotonic_ns()}",
        "event_time": int(time.time()),
        "event": {"type": kind, **fields},
    }


def press(value: str = "1") -> dict[str, object]:
    return {
        "team": {"id": "T1"},
        "user": {"id": "U1", "team_id": "T1"},
        "channel": {"id": "C1"},
        "message": {"ts": "1.2", "thread_ts": "1.1"},
        "actions": [{"value": value}],
    }


@pytest.mark.parametrize(
    ("kind", "fields", "outcome"),
    [
        ("message", {"channel": "C1", "user": "U1", "text": "hi", "ts": "1.1"}, "stored"),
        (
            "message",
            {"subtype": "message_deleted", "channel": "C1", "deleted_ts": "9.9"},
            "tombstoned",
        ),
        (
            "reaction_added",
            {"user": "U1", "reaction": "+1", "item": {"channel": "C1", "ts": "1.1"}},
            "nothing",
        ),
        ("app_home_opened", {"user": "U1", "tab": "messages"}, "ignored"),
        ("tokens_revoked", {"tokens": {"bot": ["UBOT"]}}, "noted"),
        ("something_new", {}, "ignored"),
    ],
)
async def test_an_event_comes_to_what_its_kind_comes_to(
    parts: Parts, kind: str, fields: dict[str, object], outcome: str
) -> None:
    assert await parts.receiver.event(event(kind, **fields)) == outcome


async def test_the_environments_token_is_not_deleted_when_it_is_revoked(parts: Parts) -> None:
    await parts.receiver.event(event("tokens_revoked"))
    here = await parts.receiver.workspace("T1")
    assert here is not None
    assert here.bot_token == TOKEN


@pytest.mark.parametrize(
    ("action", "outcome"),
    [
        (ASK_TOO, "gone"),
        (APPROVE, "gone"),
        (outcomes.STOP, "gone"),
        (outcomes.CHOOSE, "gone"),
        (outcomes.WHY, "gone"),
        ("made_up", "unknown"),
    ],
)
async def test_a_press_on_what_is_not_there_says_so(
    parts: Parts, action: str, outcome: str
) -> None:
    assert await parts.receiver.press(action, press("999")) == outcome


async def test_a_press_without_a_button_or_a_place_is_gone_too(parts: Parts) -> None:
    assert await parts.receiver.press(ASK_TOO, {"actions": "none", "team": None}) == "gone"


async def test_a_shortcut_that_is_not_ours_is_unknown(parts: Parts) -> None:
    assert await parts.receiver.shortcut({"callback_id": "another"}) == "unknown"
    called = {"callback_id": SHORTCUT, **press(), "message": {"ts": "1.2"}}
    assert await parts.receiver.shortcut(called) == "told"


async def test_a_command_is_answered_whoever_sends_it(parts: Parts) -> None:
    said = await parts.receiver.command(
        {"team_id": "T1", "user_id": "U1", "channel_id": "C1", "text": "help", "command": "/hive"}
    )
    assert "ask" in str(said)


async def test_who_we_are_is_known_for_our_workspace_only(parts: Parts) -> None:
    assert await parts.receiver.workspace("T2") is None
    here = await parts.receiver.workspace("")
    assert here is not None
    assert (here.team_id, here.bot_user_id, here.bot_id) == ("T1", "UBOTone", "Bone")


async def test_a_refused_token_is_said_and_nothing_is_started(
    slack: Installable, settings: Settings
) -> None:
    slack.tokens.clear()
    with pytest.raises(SettingsError, match="Slack refuses HIVEBOT_SLACK_BOT_TOKEN: invalid_auth"):
        async with assembled(settings):
            pass


# ------------------------------------------------------------------------------------- over HTTP


async def test_over_http_health_and_what_cannot_be_read_are_answered(
    parts: Parts, database_url: str
) -> None:
    ready = [True]

    async def able() -> bool:
        if not ready:
            raise RuntimeError("nobody expected that")
        return ready[0]

    app = build_web(build_slack_app(parts.receiver, SECRET), parts.metrics, able, "a token", SECRET)
    async with TestClient(TestServer(app, host="127.0.0.1")) as client:
        events = str(client.make_url("/slack/events"))
        assert (await client.get("/healthz")).status == 200
        assert (await client.get("/readyz")).status == 200
        assert (await client.get("/metrics")).status == 403
        opened = {"Authorization": "Bearer a token"}
        assert (await client.get("/metrics", headers=opened)).status == 200
        assert (await client.get("/nowhere")).status == 404
        assert (await send(events, "{not json", SECRET))[0] == 200
        assert (await send(events, "{not json", "another secret"))[0] == 401
        ready[0] = False
        assert (await client.get("/readyz")).status == 503
        ready.clear()
        broken = await client.get("/readyz")
        assert (broken.status, "nobody expected" in await broken.text()) == (500, False)
    with psycopg.connect(database_url) as connection:
        assert connection.execute("select count(*) from inbox_event").fetchall() == [(0,)]
