"""Are events signed, sent at the rate that was asked for, and counted honestly?"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from hivebot.entrypoints.benches.intake import report, rival
from hivebot.entrypoints.benches.intake.driving import Driven, at_rate, flat_out
from hivebot.entrypoints.benches.intake.run import BARE, OURS, STORING, Plan, Report
from hivebot.entrypoints.benches.intake.traffic import Request, requests
from hivebot.entrypoints.benches.timing import times_of

SECRET = "planted"


def made(count: int, series: str = "S1n") -> list[Request]:
    return requests(
        count, secret=SECRET, now=time.time(), series=series, channels=["C1", "C2"], user="U1"
    )


@asynccontextmanager
async def app_answering(*statuses: int) -> AsyncGenerator[tuple[str, list[bytes]]]:
    """An app that answers with these in turn, the last for ever; 0 cuts the connection."""
    left, bodies = list(statuses), list[bytes]()

    async def answer(request: web.Request) -> web.Response:
        bodies.append(await request.read())
        status = left.pop(0) if len(left) > 1 else left[0]
        if not status and request.transport is not None:
            request.transport.close()
        return web.Response(status=status or 200)

    app = web.Application()
    app.router.add_post("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/", bodies
    finally:
        await runner.cleanup()


def test_every_event_is_an_event_of_its_own_and_signed() -> None:
    all_made = [*made(4), *made(4, "S2n")]
    bodies = [json.loads(one.body) for one in all_made]
    assert len({body["event_id"] for body in bodies}) == 8
    assert len({(body["event"]["channel"], body["event"]["ts"]) for body in bodies}) == 8
    assert [body["event"]["channel"] for body in bodies[:4]] == ["C1", "C2", "C1", "C2"]
    one = all_made[0]
    stamp = one.headers["X-Slack-Request-Timestamp"].encode()
    expected = hmac.new(SECRET.encode(), b"v0:" + stamp + b":" + one.body, hashlib.sha256)
    assert one.headers["X-Slack-Signature"] == f"v0={expected.hexdigest()}"


async def test_each_request_is_sent_once_at_full_speed() -> None:
    steps: list[int] = []
    async with app_answering(200) as (url, bodies):
        driven = await flat_out(url, made(20), concurrency=4, limit_s=10, progress=steps.append)
    assert (driven.sent, driven.acknowledged, sum(steps)) == (20, 20, 20)
    assert len(set(bodies)) == 20
    assert driven.whole
    assert driven.rate > 0


async def test_what_is_not_answered_with_200_is_not_acknowledged() -> None:
    async with app_answering(503, 0, 200) as (url, _):
        driven = await flat_out(url, made(5), concurrency=1, limit_s=10)
    assert (driven.sent, driven.acknowledged, driven.times.count) == (5, 3, 3)
    assert not driven.whole


async def test_no_request_begins_after_the_time_is_up() -> None:
    async with app_answering(200) as (url, _):
        driven = await flat_out(url, made(5), concurrency=1, limit_s=0)
    assert (driven.sent, driven.rate) == (0, 0)


async def test_a_rate_is_kept_whatever_becomes_of_the_requests() -> None:
    async with app_answering(503, 200) as (url, _):
        driven = await at_rate(url, made(10), per_second=200)
    assert (driven.sent, driven.acknowledged) == (10, 9)
    assert driven.elapsed_s >= 9 / 200


@pytest.mark.parametrize("signed", [True, False])
async def test_the_app_beside_checks_signatures_and_acknowledges(signed: bool) -> None:  # noqa: FBT001 - a case
    settings = rival.RivalSettings("bare", "", SECRET if signed else "other")
    async with rival.serving(settings) as url:
        driven = await flat_out(url, made(3), concurrency=1, limit_s=10)
    assert driven.acknowledged == (3 if signed else 0)


def a_report(*, ours: float, p99_s: float, stored: int = 10) -> Report:
    def driven(rate: float) -> Driven:
        return Driven(10, 10, 10 / rate, times_of([p99_s] * 10))

    fastest = {OURS: driven(ours), STORING: driven(100), BARE: driven(300)}
    return Report(fastest, driven(50), 50.0, driven(100), 10, stored)


def test_a_report_says_what_was_aimed_at_and_whether_it_was_met() -> None:
    good = a_report(ours=60, p99_s=0.1)
    assert [aim.met for aim in report.aims(good)] == [True, True, True]
    assert [aim.met for aim in report.aims(a_report(ours=40, p99_s=0.1))] == [False, True, True]
    assert [aim.met for aim in report.aims(a_report(ours=60, p99_s=0.6))] == [False, False, True]
    assert [aim.met for aim in report.aims(a_report(ours=60, p99_s=0.1, stored=9))][2] is False
    data = report.as_json(good)
    assert data["share_pct"] == 60.0
    assert [row[0] for row in report.sheet(good).rows] == [
        "hivebot, full speed",
        "one row each, full speed",
        "nothing stored, full speed",
        "hivebot, at 50/s, half of “one row each”",
        "hivebot, at 100/s",
    ]


def test_nothing_is_no_share_of_nothing() -> None:
    none = Driven(0, 0, 0.0, times_of([]))
    assert Report({OURS: none, STORING: none}, none, 1.0, none, 0, 0).share == 0.0
    assert Plan(events=10, rounds=2).steps == 3 * (10 + 20) + 20
