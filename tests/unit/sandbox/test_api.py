"""How does a request to the Web API become an answer?"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import aiohttp
import pytest

from hivebot.sandbox.settings import BOT_TOKEN
from hivebot.sandbox.shapes import Json, as_map, as_maps
from tests.unit.sandbox.builders import actions, button
from tests.unit.sandbox.running import Site, site

POST = "chat.postMessage"


async def sent(here: Site, method: str, **more: object) -> tuple[int, Json, Mapping[str, str]]:
    url = f"{here.running.api_url}{method}"
    data, params = more.get("data"), more.get("params")
    headers = more.get("headers", {"Authorization": f"Bearer {BOT_TOKEN}"})
    async with here.http.post(
        url,
        data=data,
        params={key: str(value) for key, value in as_map(params).items()},
        headers={key: str(value) for key, value in as_map(headers).items()},
    ) as response:
        return response.status, as_map(await response.json()), response.headers


async def test_arguments_come_as_json_form_multipart_or_query() -> None:
    async with site() as here:
        assert (await here.call(POST, channel="C0PAY", text="json"))["ok"] is True
        form = {"channel": "C0PAY", "text": "form", "blocks": '[{"type": "divider"}]'}
        assert (await sent(here, POST, data=form))[1]["ok"] is True
        with aiohttp.MultipartWriter("form-data") as parts:
            for name, value in (("channel", "C0PAY"), ("text", "parts")):
                parts.append(value).set_content_disposition("form-data", name=name)
        assert (await sent(here, POST, data=parts))[1]["ok"] is True
        query = {"channel": "C0PAY", "text": "query"}
        assert (await sent(here, POST, params=query))[1]["ok"] is True
        seen = await here.people.messages("payments")
        assert [one["text"] for one in seen] == ["json", "form", "parts", "query"]


async def test_the_token_comes_in_the_header_or_as_an_argument() -> None:
    async with site() as here:
        form = {"channel": "C0PAY", "text": "x", "token": BOT_TOKEN}
        assert (await sent(here, POST, data=form, headers={}))[1]["ok"] is True
        bare = await sent(here, "auth.test", headers={})
        assert bare[1]["error"] == "not_authed"
        basic = await sent(here, "auth.test", headers={"Authorization": "Basic eDp5"})
        assert basic[1]["error"] == "not_authed"
        [call, *_] = await here.people.calls(POST)
        assert "token" not in as_map(call["args"])


@pytest.mark.parametrize(
    ("body", "content_type", "error"),
    [
        ("{", "application/json", "invalid_json"),
        ("[]", "application/json", "invalid_json"),
        ("x", "text/plain", "invalid_post_type"),
    ],
)
async def test_a_body_that_slack_does_not_read_is_refused(
    body: str, content_type: str, error: str
) -> None:
    async with site() as here:
        headers = {"Authorization": f"Bearer {BOT_TOKEN}", "Content-Type": content_type}
        answer = await sent(here, POST, data=body, headers=headers)
        assert answer[1] == {"ok": False, "error": error}
        assert len(await here.people.calls(POST, error=error)) == 1


async def test_a_limited_call_answers_429_with_the_seconds_to_wait() -> None:
    async with site(workspace_posts_per_minute=1) as here:
        await here.call(POST, channel="C0PAY", text="x")
        status, body, headers = await sent(here, POST, params={"channel": "C0PAY", "text": "y"})
        assert (status, body["error"], headers["Retry-After"]) == (429, "ratelimited", "60")


async def test_a_fault_strikes_before_the_call_takes_effect() -> None:
    async with site() as here:
        await here.people.fault(POST, "ratelimited", retry_after_s=30)
        await here.people.fault(POST, "status", status=503)
        await here.people.fault(POST, "error", error="is_archived")
        query = {"channel": "C0PAY", "text": "x"}
        answers = [await sent(here, POST, params=query) for _ in range(4)]
        assert [one[0] for one in answers] == [429, 503, 200, 200]
        assert answers[0][2]["Retry-After"] == "30"
        assert [one[1].get("error") for one in answers[1:]] == [
            "internal_error",
            "is_archived",
            None,
        ]
        assert len(await here.people.messages("payments")) == 1
        assert len(await here.people.calls(POST, error="fault:status")) == 1


async def test_a_fault_can_strike_after_the_call_took_effect() -> None:
    async with site() as here:
        await here.people.fault(POST, "error", error="fatal_error", applied=True)
        body = await here.call(POST, channel="C0PAY", text="x")
        assert body["error"] == "fatal_error"
        assert len(await here.people.messages("payments")) == 1
        await here.people.wait_for("events", own=True, state="acknowledged")


async def test_a_lost_answer_breaks_the_connection_and_leaves_the_post() -> None:
    async with site() as here:
        await here.people.fault(POST, "drop", applied=True)
        with pytest.raises(aiohttp.ClientError):
            await here.call(POST, channel="C0PAY", text="x")
        assert len(await here.people.messages("payments")) == 1


async def test_a_silent_call_is_given_up_by_the_caller() -> None:
    async with site() as here:
        await here.people.fault(POST, "silence")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await here.call(POST, channel="C0PAY", text="x")
        assert await here.people.messages("payments") == []
        assert (await here.call(POST, channel="C0PAY", text="x"))["ok"] is True


async def test_faults_can_be_mended() -> None:
    async with site() as here:
        await here.people.fault("*", "drop", times=5)
        await here.people.mend()
        assert (await here.call("auth.test"))["ok"] is True


async def test_a_response_url_takes_an_answer() -> None:
    async with site() as here:
        blocks = [actions(button("go"))]
        posted = await here.call(POST, channel="C0PAY", text="x", blocks=blocks)
        await here.people.wait_for("events", state="acknowledged")
        await here.people.press("ana", "payments", str(posted["ts"]), "go")
        url = str(here.app.got[-1].payload["response_url"])
        async with here.http.post(url, json={"text": "Thanks"}) as response:
            assert response.status == 200
        [shown] = await here.people.ephemerals("ana")
        assert shown["plain"] == "Thanks"
        async with here.http.post(url, data="nonsense") as response:
            assert (response.status, await response.json()) == (
                400,
                {"ok": False, "error": "invalid_payload"},
            )
        assert len(await here.people.calls("response_url")) == 2


async def test_a_code_is_exchanged_for_the_installation() -> None:
    async with site() as here:
        settings = here.running.ws.settings
        form: Json = {"client_id": settings.client_id, "client_secret": settings.client_secret}
        body = (await sent(here, "oauth.v2.access", data={**form, "code": "c"}, headers={}))[1]
        assert (body["access_token"], body["bot_user_id"]) == (BOT_TOKEN, "U0BOT")
        assert as_map(body["team"])["id"] == "T0HIVE"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"client_id": "x"}, "invalid_client_id"),
        ({"client_secret": "x"}, "bad_client_secret"),
        ({"code": ""}, "invalid_code"),
    ],
)
async def test_an_exchange_that_does_not_fit_is_refused(changes: Json, error: str) -> None:
    async with site() as here:
        settings = here.running.ws.settings
        form = {
            "client_id": settings.client_id,
            "client_secret": settings.client_secret,
            "code": "c",
            **changes,
        }
        assert (await sent(here, "oauth.v2.access", data=form))[1]["error"] == error


async def test_a_file_is_read_with_a_token_that_may_and_else_the_sign_in_page_comes() -> None:
    async with site() as here:
        ws = here.running.ws
        files: list[Json] = [{"name": "log.txt", "content": "disk full"}]
        await here.people.say("ana", "payments", "what is this?", files=files)
        [event] = await here.people.wait_for("events", state="acknowledged")
        [file] = as_maps(as_map(event["event"])["files"])
        assert (file["size"], "content" in file) == (9, False)
        url = str(file["url_private"])

        async def read(address: str, token: str = BOT_TOKEN) -> tuple[int, str]:
            headers = {"Authorization": f"Bearer {token}"}
            async with here.http.get(address, headers=headers) as response:
                return response.status, await response.text()

        assert await read(url) == (200, "disk full")
        assert (await read(url.replace("/files/F", "/files/G")))[0] == 404
        assert "Sign in" in (await read(url, "xoxb-sandbox-other"))[1]
        ws.settings = ws.settings.changed({"scopes": ("chat:write",)})
        assert "Sign in" in (await read(url))[1]
