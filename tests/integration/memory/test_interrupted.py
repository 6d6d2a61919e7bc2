"""An interrupted `hivebot memory reembed` says so, keeps what was done, and goes on when run again.

Source: the issue's speed and embeddings section; memory.md 2.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.services.memory import PAGE
from tests.fakes.embedding_server import EmbeddingServer
from tests.integration.memory.seeds import gate_outcome, remembered

pytestmark = pytest.mark.integration

EXAMPLE = Path(__file__).parents[3] / "config" / "hivebot.yaml"
PROGRAM = "from hivebot.entrypoints.memory_command import app; app()"


async def test_a_run_that_is_interrupted_goes_on_when_it_is_run_again(
    work: PostgresUnitOfWork, database_url: str
) -> None:
    async with work.begin() as tx:
        await remembered(tx, *(gate_outcome(f"c{number}") for number in range(PAGE + 2)))
    async with EmbeddingServer(silent_after=1) as server:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "HIVEBOT_CONFIG": str(EXAMPLE),
            "OPENAI_API_KEY": "planted-key",
        }
        address = server.environment["OPENAI_BASE_URL"]
        asked = ("reembed", "--embedder", "openai:small", "--base-url", address)
        command = (sys.executable, "-c", PROGRAM, *asked)

        async def run() -> asyncio.subprocess.Process:
            return await asyncio.create_subprocess_exec(
                *command, env=environment, stdout=PIPE, stderr=PIPE
            )

        first = await run()
        await server.asked(2)
        first.send_signal(signal.SIGINT)
        _, err = await first.communicate()
        assert b"interrupted: what was done is kept; run it again to go on" in err
        assert first.returncode == 130
        async with work.begin() as tx:
            assert await tx.memories.count_unembedded("openai:small") == 2
        server.silent_after = None
        second = await run()
        out, _ = await second.communicate()
        assert out == b"2 chunks embedded by openai:small\n"
