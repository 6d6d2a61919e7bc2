"""What does Slack send? Signed events, made before anything is measured.

Source: slack.md 2 and 4.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TEAM = "T0HIVE"
"""The local workspace's team."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it goes over the wire."""

    body: bytes
    headers: Mapping[str, str]


def requests(
    count: int, *, secret: str, now: float, series: str, channels: Sequence[str], user: str
) -> list[Request]:
    """Make so many messages of a person, spread over channels, each an event of its own.

    Args:
        count: How many.
        secret: The app's signing secret.
        now: Seconds since 1970; a signature is good for five minutes.
        series: Letters and digits that no other call of the same run has; part of every id.
        channels: Ids, used in turn.
        user: Id of who writes.
    """
    stamp = int(now)
    return [
        _signed(_payload(number, stamp, series, channels, user), secret, stamp)
        for number in range(count)
    ]


def _payload(number: int, stamp: int, series: str, channels: Sequence[str], user: str) -> bytes:
    channel = channels[number % len(channels)]
    ts = f"{stamp - 86_400 + _second(series)}.{number:06}"
    event = {
        "type": "message",
        "user": user,
        "ts": ts,
        "client_msg_id": f"{series}-{number}",
        "text": f"the build of {series} number {number} is green, I will look at the rest later",
        "team": TEAM,
        "channel": channel,
        "event_ts": ts,
        "channel_type": "channel",
    }
    body = {
        "token": "unused",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "api_app_id": "A0HIVE",
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{series}{number}",
        "event_time": stamp,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": "U0BOT",
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
    }
    return json.dumps(body, separators=(",", ":")).encode()


def _second(series: str) -> int:
    return int.from_bytes(hashlib.sha256(series.encode()).digest()[:4]) % 86_400


def _signed(body: bytes, secret: str, stamp: int) -> Request:
    base = b"v0:%d:%b" % (stamp, body)
    signature = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": str(stamp),
        "X-Slack-Signature": f"v0={signature}",
    }
    return Request(body, headers)
