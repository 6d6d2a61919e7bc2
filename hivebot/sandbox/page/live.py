"""When does the page look again? After each change, told over server-sent events."""

from __future__ import annotations

from aiohttp import web

from hivebot.sandbox.api import BENCH

QUIET_S = 15.0
"""A comment goes out after so long without a change, so that a dead connection is noticed."""


async def follow(request: web.Request) -> web.StreamResponse:
    """Tell the number of the latest change, now and after each change, until the page goes.

    Changes that come close together are one message: only the newest number counts.
    """
    bench = request.app[BENCH]
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    )
    await response.prepare(request)
    told = -1
    try:
        while True:
            changed = await bench.until(lambda seen=told: bench.changes != seen, QUIET_S)
            told = bench.changes
            line = f"data: {told}\n\n" if changed else ": still here\n\n"
            await response.write(line.encode())
    except ConnectionResetError:
        return response
