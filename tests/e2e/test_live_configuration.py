"""Does another configuration take hold in running processes, and only for what begins then?"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from hivebot.entrypoints.demo.stage import process
from hivebot.sandbox.shapes import as_text
from tests.e2e.conftest import Stages
from tests.e2e.play import ANA, CONFIG, DATA, OPS, PAYMENTS, Play, said_by

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

CANARY = "@hive the new ingest is ready: #canary, #revert or #ship?"
PATIENCE_S = 40.0
EXAMPLE = [line.rstrip()[:14] for line in CONFIG.read_text(encoding="utf-8").splitlines()]


def change(play: Play, old: str, new: str) -> None:
    """Change the file the processes were started with."""
    file = play.logs / "hivebot.yaml"
    written = file.read_text(encoding="utf-8")
    assert old in written
    file.write_text(written.replace(old, new), encoding="utf-8")


def told(logs: Path, name: str, event: str, cause: str) -> int:
    """How often a process's log has such a line."""
    lines = (logs / f"{name}.log").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.startswith("{")]
    return sum(one["event"] == event and one.get("cause", "") == cause for one in found)


async def until(play: Play, name: str, event: str, *causes: str) -> None:
    """Return once a process has told of it."""
    deadline = time.monotonic() + PATIENCE_S
    while not any(told(play.logs, name, event, cause) for cause in causes):
        assert time.monotonic() < deadline, f"{name} never told of {event}"
        await play.moment()


async def revisions(play: Play, query: str) -> list[str]:
    async with play.engine.connect() as connection:
        return [str(row[0]) for row in (await connection.execute(text(query))).all()]


async def test_a_touched_file_takes_hold_in_every_process_and_a_broken_one_in_none(
    stages: Stages,
) -> None:
    async with stages(changes={"referrals_per_hour": 1000}) as play:
        for name in ("serve", "worker", "clock"):
            await until(play, name, "process.started", "")
        change(play, "name: Pia", "name: Paula")
        for name in ("serve", "worker", "clock"):
            await until(play, name, "config.loaded", "file", "other_process")

        asked = await play.people.say(ANA, PAYMENTS, "@hive how are refunds doing?")
        assert said_by(await play.thread(PAYMENTS, asked), "Paula")

        change(play, "mode: hive", "mode: swarm")
        for name in ("serve", "worker", "clock"):
            await until(play, name, "config.refused", "file")
        await play.settled()
        reports = [as_text(row["plain"]) for row in await play.people.messages(OPS)]
        assert len([one for one in reports if "cannot be used" in one]) == 1
        line = 1 + EXAMPLE.index("    mode: hive")
        assert f"hivebot.yaml:{line}" in reports[-1]

        asked = await play.people.say(ANA, PAYMENTS, "@hive how are payouts doing?")
        assert said_by(await play.thread(PAYMENTS, asked), "Paula")


async def test_what_has_begun_ends_under_the_revision_it_began_with(stages: Stages) -> None:
    changes = {"referrals_per_hour": 1000}
    async with stages(changes=changes, processes=("serve",)) as play:
        asked = await play.people.say(ANA, DATA, CANARY)
        async with process("worker", play.stage.environment, play.logs):
            async with asyncio.timeout(PATIENCE_S):
                while await play.count("turn") < 2:
                    await play.moment()
        running = "select revision from episode where stage <> 'ended'"
        (before,) = await revisions(play, running)

        change(play, "deadline_s: 180", "deadline_s: 170")
        async with process("worker", play.stage.environment, play.logs) as worker:
            await until(play, "serve", "config.loaded", "file", "other_process")
            await play.settled()
            assert await revisions(play, "select distinct revision from episode") == [before]
            assert await revisions(play, "select distinct revision from turn") == [before]
            assert len(await play.thread(DATA, asked)) > 1

            worker.send_signal(signal.SIGHUP)
            await until(play, "worker", "config.loaded", "signal")
            await play.people.say(ANA, PAYMENTS, "@hive how are refunds doing?")
            await play.settled()
            later = await revisions(play, "select revision from turn order by id desc limit 1")
            assert later != [before]
