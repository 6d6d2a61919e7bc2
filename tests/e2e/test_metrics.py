"""Do the processes that take no events show their health and figures?"""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from hivebot.entrypoints.demo.stage import free_port, process, until_ready
from tests.e2e.conftest import Stages
from tests.e2e.play import ANA, PAYMENTS

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]


async def test_a_worker_and_a_clock_show_readiness_and_figures(stages: Stages) -> None:
    async with stages(processes=("serve",)) as play:
        ports = {name: free_port() for name in ("worker", "clock")}

        def environment(name: str) -> dict[str, str]:
            return {**play.stage.environment, "HIVEBOT_METRICS_PORT": str(ports[name])}

        async with (
            process("worker", environment("worker"), play.logs) as worker,
            process("clock", environment("clock"), play.logs) as clock,
            aiohttp.ClientSession(trust_env=False) as session,
        ):
            addresses = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
            await asyncio.gather(
                until_ready(addresses["worker"], worker), until_ready(addresses["clock"], clock)
            )
            await play.people.say(ANA, PAYMENTS, "@hive how are refunds doing?")
            await play.settled()
            pages: dict[str, str] = {}
            for name, address in addresses.items():
                async with session.get(f"{address}/metrics") as response:
                    pages[name] = await response.text()
                async with session.post(f"{address}/slack/events") as response:
                    assert response.status == 404
    assert 'hivebot_posts_total{kind="post",outcome="sent"} 1.0' in pages["worker"]
    assert 'hivebot_replies_total{model="briefed",outcome="clean"} 1.0' in pages["worker"]
    turns = 'hivebot_turns_total{desk="payments",kind="answer",outcome="committed"} 1.0'
    assert all(turns in shown for shown in pages.values())
    assert all("hivebot_ready 1.0" in shown for shown in pages.values())
