"""Can several workspaces install the app, each speak with its own token, and one leave alone?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.installations import Installations
from hivebot.adapters.db.sealing import Seal, UnsealableError
from hivebot.adapters.slack.installing import InstalledTokens, RefreshError
from hivebot.entrypoints.bootstrap import Parts, assembled
from hivebot.entrypoints.doctor.command import examine
from hivebot.entrypoints.slack_app import build_slack_app
from hivebot.entrypoints.web import build_web
from hivebot.settings import Settings
from tests.e2e.signed import send
from tests.integration.installing.slack import Installable, Place, installable

pytestmark = [
    pytest.mark.integration,
    # the SDK's own way of sending the app's secret, which aiohttp means to take away
    pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning"),
]

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
KEY = "a key that nobody would guess in a lifetime"
CONFIG = Path(__file__).parents[3] / "config" / "hivebot.yaml"

Web = TestClient[web.Request, web.Application]


@dataclass
class Placed:
    """The bot's web process beside a Slack in which it can be installed."""

    slack: Installable
    client: Web
    parts: Parts
    database_url: str

    async def go(self, code: str, *, cookie: bool = True, state: str = "") -> tuple[int, str]:
        """Open the install page, allow it in Slack, and come back."""
        begun = await self.client.get("/slack/install", allow_redirects=False)
        sent_to = urlsplit(begun.headers["Location"])
        asked = parse_qs(sent_to.query)
        # the cookie is for https only, which a test's client knows
        kept = {"Cookie": begun.headers["Set-Cookie"].partition(";")[0]} if cookie else {}
        back = {"code": code, "state": state or asked["state"][0]}
        came = await self.client.get("/slack/oauth_redirect", params=back, headers=kept)
        return came.status, await came.text()

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """What the database says."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            return connection.execute(statement.encode()).fetchall()

    async def event(self, team_id: str, event: dict[str, object], **more: object) -> int:
        """Send an event as Slack would."""
        body: dict[str, object] = {
            "type": "event_callback",
            "team_id": team_id,
            "event_id": f"Ev{time.monotonic_ns()}",
            "event_time": int(time.time()),
            "event": event,
            **more,
        }
        url = str(self.client.make_url("/slack/events"))
        return (await send(url, body, SECRET))[0]


def message(text: str) -> dict[str, object]:
    return {
        "type": "message",
        "channel": "C0ANY",
        "user": "U0PERSON",
        "text": text,
        "ts": f"{time.time():.6f}",
    }


@pytest.fixture
async def slack() -> AsyncGenerator[Installable]:
    async with installable() as there:
        yield there


@pytest.fixture
def settings(slack: Installable, database_url: str) -> Settings:
    return Settings(
        slack_client_id="1.2",
        slack_client_secret=SecretStr("the secret of the app"),
        slack_signing_secret=SecretStr(SECRET),
        secret_keys=(SecretStr(KEY),),
        workspaces=("T1", "T2", "E1"),
        slack_api_url=slack.url,
        config=CONFIG,
        DATABASE_URL=SecretStr(database_url),  # pyright: ignore[reportCallIssue] - by its alias
    )


@pytest.fixture
async def placed(
    slack: Installable, settings: Settings, database_url: str
) -> AsyncGenerator[Placed]:
    async with assembled(settings) as parts:
        app = build_web(
            build_slack_app(parts.receiver, SECRET),
            parts.metrics,
            parts.reachable,
            "",
            SECRET,
            installing=parts.installing,
        )
        async with TestClient(TestServer(app, host="127.0.0.1")) as client:
            yield Placed(slack, client, parts, database_url)


async def test_a_workspace_installs_the_app_and_its_token_is_sealed(placed: Placed) -> None:
    placed.slack.places["c1"] = Place("T1", "one")
    status, page = await placed.go("c1")
    assert status == 200
    assert "hivebot is installed" in page
    assert "It is now in one" in page
    assert placed.rows("select team_id, url, bot_user_id, bot_id, state from workspace") == [
        ("T1", "https://one.slack.example/", "UBOTone", "Bone", "active")
    ]
    (said,) = placed.rows("select b::text || i::text from slack_bots b, slack_installations i")
    assert "xoxb" not in str(said)
    assert "sealed:" in str(said)


async def test_the_page_asks_for_the_scopes_of_the_manifest_and_nothing_of_a_user(
    placed: Placed,
) -> None:
    begun = await placed.client.get("/slack/install", allow_redirects=False)
    asked = parse_qs(urlsplit(begun.headers["Location"]).query)
    assert begun.status == 302
    assert "chat:write" in asked["scope"][0].split(",")
    assert "user_scope" not in asked
    assert asked["client_id"] == ["1.2"]
    assert "HttpOnly" in begun.headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("code", "state", "status", "said"),
    [
        ("c1", "elsewhere", 400, "not opened from our own install page"),
        ("c1", "made up", 400, "not opened from our own install page"),
        ("never given", "", 401, "did not accept the code"),
    ],
)
async def test_what_did_not_begin_here_or_is_not_accepted_installs_nothing(
    placed: Placed, code: str, state: str, status: int, said: str
) -> None:
    placed.slack.places["c1"] = Place("T1", "one")
    came, page = await placed.go(code, cookie=state != "elsewhere", state=state)
    assert (came, said in page, "Start again" in page) == (status, True, True)
    assert placed.rows("select 1 from slack_bots") == []
    assert placed.rows("select 1 from workspace") == []


async def test_a_state_comes_back_once(placed: Placed) -> None:
    placed.slack.places |= {"c1": Place("T1", "one"), "c2": Place("T2", "two")}
    begun = await placed.client.get("/slack/install", allow_redirects=False)
    state = parse_qs(urlsplit(begun.headers["Location"]).query)["state"][0]
    cookie = {"Cookie": f"slack-app-oauth-state={state}"}
    first = await placed.client.get(
        "/slack/oauth_redirect", params={"code": "c1", "state": state}, headers=cookie
    )
    second = await placed.client.get(
        "/slack/oauth_redirect", params={"code": "c2", "state": state}, headers=cookie
    )
    assert (first.status, second.status) == (200, 401)
    assert placed.rows("select team_id from workspace") == [("T1",)]


async def test_a_workspace_that_is_not_listed_is_refused_and_its_token_given_back(
    placed: Placed,
) -> None:
    placed.slack.places["c1"] = Place("T7", "seven")
    status, page = await placed.go("c1")
    assert (status, "T7 is not among the workspaces that may install it" in page) == (403, True)
    assert placed.rows("select 1 from slack_bots") == []
    assert placed.rows("select 1 from workspace") == []
    assert [token for token, _ in placed.slack.calls("auth.revoke")] == ["xoxb-seven-0"]


async def test_who_says_no_is_told_that_nothing_was_installed(placed: Placed) -> None:
    came = await placed.client.get("/slack/oauth_redirect", params={"error": "access_denied"})
    assert "You did not allow it" in await came.text()


async def test_each_workspace_is_heard_and_one_that_never_installed_is_not(
    placed: Placed,
) -> None:
    placed.slack.places |= {"c1": Place("T1", "one"), "c2": Place("T2", "two")}
    await placed.go("c1")
    await placed.go("c2")
    for team in ("T1", "T2", "T3"):
        assert await placed.event(team, message(f"hello from {team}")) == 200
    stored = placed.rows("select team_id from conversation order by team_id")
    assert stored == [("T1",), ("T2",)]


async def test_one_workspace_leaves_and_the_others_stay(placed: Placed) -> None:
    placed.slack.places |= {"c1": Place("T1", "one"), "c2": Place("T2", "two")}
    await placed.go("c1")
    await placed.go("c2")
    assert await placed.event("T1", {"type": "app_uninstalled"}) == 200
    assert placed.rows("select team_id, state, reason from workspace order by team_id") == [
        ("T1", "stopped", "app_uninstalled"),
        ("T2", "active", ""),
    ]
    assert placed.rows("select team_id from slack_bots") == [("T2",)]
    assert placed.rows("select team_id from slack_installations") == [("T2",)]
    placed.slack.places["again"] = Place("T1", "one")
    await placed.go("again")
    assert placed.rows("select state, reason from workspace where team_id = 'T1'") == [
        ("active", "")
    ]


async def test_a_workspace_of_an_organisation_needs_no_installation_of_its_own(
    placed: Placed,
) -> None:
    placed.slack.places["c1"] = Place(None, "org", "E1")
    status, _ = await placed.go("c1")
    assert status == 200
    here = {"authorizations": [{"team_id": "T9", "enterprise_id": "E1", "is_bot": True}]}
    assert await placed.event("T9", message("hello"), **here) == 200
    assert await placed.event("T8", message("hello"), authorizations=[{"team_id": "T8"}]) == 200
    assert placed.rows("select team_id from conversation") == [("T9",)]
    assert placed.rows("select team_id, enterprise_id from workspace order by team_id") == [
        ("E1", "E1"),
        ("T9", "E1"),
    ]


async def looked_at(settings: Settings) -> list[tuple[str, str, str]]:
    names = {"installations", "token"}
    found = [one for one in await examine(settings) if one.name in names]
    return [(one.verdict, one.name, one.said) for one in found]


async def test_the_doctor_looks_at_each_workspace_and_says_where_to_install_the_first(
    placed: Placed, settings: Settings
) -> None:
    assert await looked_at(settings) == [
        ("fail", "installations", "no workspace has installed the app")
    ]
    placed.slack.places |= {"c1": Place("T1", "one"), "c2": Place("T2", "two")}
    await placed.go("c1")
    await placed.go("c2")
    assert await looked_at(settings) == [("ok", "token", "one (T1)"), ("ok", "token", "two (T2)")]
    other = settings.model_copy(update={"secret_keys": (SecretStr("another key"),)})
    said = "a stored token was sealed with a key that HIVEBOT_SECRET_KEYS does not have"
    assert await looked_at(other) == [("fail", "installations", said)]


# ------------------------------------------------------------------------------------- rotation


@pytest.fixture
def kept(engine: AsyncEngine) -> Installations:
    return Installations("1.2", engine, Seal([KEY]))


@pytest.fixture
def tokens(kept: Installations, slack: Installable) -> InstalledTokens:
    return InstalledTokens(kept, "1.2", "the secret of the app", slack.url)


async def install(kept: Installations, slack: Installable, lives_s: int) -> None:
    """An installation whose token ends in so many seconds."""
    from slack_sdk.oauth.installation_store import Installation

    place = Place("T1", "one", rotates=True)
    slack.refreshing["xoxe-1-first"] = place
    await kept.async_save(
        Installation(
            app_id="A0HIVE",
            team_id="T1",
            user_id="U0ADMIN",
            bot_token="xoxb-first",
            bot_refresh_token="xoxe-1-first",
            bot_token_expires_in=lives_s,
        )
    )


async def test_a_token_that_lives_is_given_as_it_is(
    kept: Installations, tokens: InstalledTokens, slack: Installable
) -> None:
    await install(kept, slack, 43_200)
    assert await tokens.token("T1") == "xoxb-first"
    assert slack.called == []


async def test_a_token_near_its_end_is_refreshed_once_by_whoever_comes_first(
    kept: Installations, tokens: InstalledTokens, slack: Installable
) -> None:
    await install(kept, slack, 600)
    given = await asyncio.gather(*(tokens.token("T1") for _ in range(5)))
    assert given == ["xoxb-one-0"] * 5
    assert len(slack.calls("oauth.v2.access")) == 1
    bot = await kept.bot_in("T1")
    assert bot is not None
    assert (bot.bot_token, bot.bot_refresh_token) == ("xoxb-one-0", "xoxe-1-one-1")


async def test_a_refused_refresh_leaves_a_token_that_still_lives(
    kept: Installations, tokens: InstalledTokens, slack: Installable
) -> None:
    await install(kept, slack, 600)
    slack.refuses = True
    assert await tokens.token("T1") == "xoxb-first"


async def test_a_token_that_has_ended_and_cannot_be_refreshed_is_an_error_without_secrets(
    kept: Installations, tokens: InstalledTokens, slack: Installable
) -> None:
    await install(kept, slack, -1)
    slack.refuses = True
    with pytest.raises(RefreshError) as raised:
        await tokens.token("T1")
    assert raised.value.__cause__ is None
    assert "xox" not in repr(raised.getrepr())


async def test_a_workspace_that_never_installed_has_no_token(tokens: InstalledTokens) -> None:
    assert await tokens.token("T7", "E7") == ""


# -------------------------------------------------------------------------------------- sealing


def test_a_new_key_seals_and_the_old_one_still_opens() -> None:
    old = Seal(["the old key"]).seal("xoxb-1")
    both = Seal(["the new key", "the old key"])
    assert both.open(old) == "xoxb-1"
    new = both.seal("xoxb-1")
    assert Seal(["the new key"]).open(new) == "xoxb-1"


def test_without_its_key_or_after_a_change_nothing_is_opened() -> None:
    sealed = Seal(["one"]).seal("xoxb-1")
    for text in (sealed[:-4] + "AAA=", "xoxb-1"):
        with pytest.raises(UnsealableError):
            Seal(["one"]).open(text)
    with pytest.raises(UnsealableError):
        Seal(["two"]).open(sealed)


def test_what_is_sealed_is_not_sealed_again() -> None:
    seal = Seal(["one"])
    sealed = seal.seal("xoxb-1")
    assert seal.seal(sealed) == sealed
