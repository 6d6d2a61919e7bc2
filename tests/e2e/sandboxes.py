"""How does a test run `hivebot sandbox` as a process of its own, and end it?"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

START_TIMEOUT_S = 60


def environment(data_dir: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HIVEBOT_")}
    return {**kept, "HIVEBOT_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"}


@asynccontextmanager
async def started(data_dir: Path, *options: str) -> AsyncGenerator[tuple[str, psutil.Process]]:
    """A running sandbox: the address of its page, and its process; killed if it is left over."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "hivebot", "sandbox", "--no-open", "--port", "0", *options),
        env=environment(data_dir),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    said = ""
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            while not (found := re.search(r"is at (http://127\.0\.0\.1:\d+)/", said)):
                line = (await process.stdout.readline()).decode()
                assert line, f"the sandbox ended: {said}"
                said += line
        yield found[1], psutil.Process(process.pid)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(START_TIMEOUT_S):
                said += (await process.stdout.read()).decode()
                assert await process.wait() == 0, said
