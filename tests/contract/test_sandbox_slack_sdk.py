"""Do Slack's own client libraries take the sandbox for Slack?"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# The SDK types its keyword arguments and payloads loosely.

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.server import Running, serve
from hivebot.sandbox.settings import BOT_TOKEN, SIGNING_SECRET, Settings
from hivebot.sandbox.shapes import Json, as_map, as_maps
from hivebot.sandbox.workspace import Workspace
from tests.unit.sandbox.app_under_test import listening


@asynccontextmanager
async def world(
    **switches: object,
) -> AsyncGenerator[tuple[Running, SandboxClient, AsyncWebClient], None]:
    workspace = Workspace(settings=Settings().changed({"ack_timeout_s": 2.0, **switches}))
    async with serve(workspace) as running, SandboxClient(running.base_url) as people:
        yield running, people, AsyncWebClient(token=BOT_TOKEN, base_url=running.api_url)


def answered(data: object) -> Json:
    return as_map(cast("object", getattr(data, "data")))  # noqa: B009 - the SDK types it loosely


async def test_the_web_client_posts_updates_reads_and_deletes() -> None:
    async with world() as (_, people, slack):
        assert (await slack.auth_test())["user_id"] == "U0BOT"
        root = await people.say("ana", "payments", "hello @hive")
        posted = answered(
            await slack.chat_postMessage(
                channel="C0PAY",
                thread_ts=root,
                text="Hello <@U0ANA>",
                username="Lead",
                icon_emoji=":owl:",
                metadata={"event_type": "outbox", "event_payload": {"id": "7"}},
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        ts = str(posted["ts"])
        await slack.chat_update(channel="C0PAY", ts=ts, text="Hello again")
        replies = answered(
            await slack.conversations_replies(channel="C0PAY", ts=root, include_all_metadata=True)
        )
        [head, reply] = as_maps(replies["messages"])
        assert (head["reply_count"], reply["text"]) == (1, "Hello again")
        assert as_map(as_map(reply["metadata"])["event_payload"]) == {"id": "7"}
        [_, seen] = await people.messages("payments", root)
        assert (seen["author"], seen["edited"], seen["unfurl"]) == ("Lead", True, False)
        await slack.chat_delete(channel="C0PAY", ts=ts)
        assert len(await people.messages("payments", root)) == 1


async def test_a_refusal_reaches_the_web_client_under_slacks_name() -> None:
    async with world() as (_, _, slack):
        with pytest.raises(SlackApiError, match="channel_not_found"):
            await slack.chat_postMessage(channel="C0NONE", text="hello")


async def test_events_carry_a_signature_that_slacks_verifier_accepts() -> None:
    async with listening() as app, world(event_url=app.url) as (_, people, _):
        await people.say("ana", "payments", "hello @hive")
        got = await app.wait_for(2)
        verifier = SignatureVerifier(SIGNING_SECRET)
        assert all(verifier.is_valid_request(one.raw, one.headers) for one in got)
        assert {one.json["type"] for one in got} == {"event_callback"}
        assert sorted(app.events()) == ["app_mention", "message"]
