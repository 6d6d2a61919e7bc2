"""How does a test speak to the bot as Slack does, or as somebody who is not Slack?"""

from __future__ import annotations

import json
import time

import aiohttp

from hivebot.sandbox.delivery import sign
from hivebot.sandbox.shapes import Json


async def send(
    url: str,
    body: Json | str,
    secret: str,
    *,
    age_s: int = 0,
    signature: str = "",
    headers: tuple[tuple[str, str], ...] = (),
) -> tuple[int, str]:
    """Post a request body as Slack would; gives the status and the text of the answer.

    Args:
        url: Where the bot takes events.
        body: What is sent, as JSON, or a form as it stands.
        secret: Signs it.
        age_s: How long ago the timestamp says it was sent.
        signature: Sent instead of the right one.
        headers: More of them.
    """
    form = isinstance(body, str)
    sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    at = int(time.time()) - age_s
    own = {
        "Content-Type": "application/x-www-form-urlencoded" if form else "application/json",
        "X-Slack-Request-Timestamp": str(at),
        "X-Slack-Signature": signature or sign(secret, at, sent),
    }
    async with (
        aiohttp.ClientSession(trust_env=False) as session,
        session.post(url, data=sent, headers={**own, **dict(headers)}) as response,
    ):
        return response.status, await response.text()
