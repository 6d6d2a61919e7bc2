"""Does the doctor find each fault that was planted, and name what mends it?"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from typer.testing import CliRunner

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.entrypoints.cli import app
from hivebot.entrypoints.doctor import examine
from hivebot.entrypoints.doctor.finding import Checked
from hivebot.entrypoints.doctor.here import environment, models, vectors
from hivebot.entrypoints.doctor.kept import Facts, facts, judged, local_now
from hivebot.entrypoints.doctor.there import WITHOUT
from hivebot.proxy.retrieval import RetrievalPolicy
from hivebot.sandbox.client import SandboxClient
from hivebot.sandbox.server import Running, serve
from hivebot.services.ports.embedding import EmbedderError, Vector
from hivebot.services.records.memories import NewRecall, RecallPurpose
from hivebot.services.records.policy import Price
from hivebot.settings import load_settings
from tests.configurations import CONFIGURATION, with_agent
from tests.fakes.clock import START

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("logging_as_it_was")]

EXAMPLE = Path("config") / "hivebot.yaml"
FACTS = Facts(START, "0.8", START, None, START, 0)


@asynccontextmanager
async def workspace() -> AsyncGenerator[tuple[Running, SandboxClient]]:
    async with serve() as running, SandboxClient(running.base_url) as people:
        yield running, people


def variables(running: Running, url: str, **more: str) -> dict[str, str]:
    return {
        "HIVEBOT_ENV": "production",
        "HIVEBOT_CONFIG": str(EXAMPLE),
        "HIVEBOT_SLACK_API_URL": running.api_url,
        "HIVEBOT_SLACK_BOT_TOKEN": running.ws.settings.bot_token,
        "HIVEBOT_SLACK_SIGNING_SECRET": running.ws.settings.signing_secret,
        "DATABASE_URL": url,
        **more,
    }


async def found(
    patch: pytest.MonkeyPatch, running: Running, url: str, **more: str
) -> list[Checked]:
    for name, value in variables(running, url, **more).items():
        patch.setenv(name, value)
    return await examine(load_settings(None))


def named(checked: list[Checked], name: str) -> list[tuple[str, str]]:
    return [(one.verdict, one.said) for one in checked if one.name == name]


async def test_a_sound_installation_has_nothing_that_fails(
    monkeypatch: pytest.MonkeyPatch, engine: AsyncEngine, database_url: str
) -> None:
    async with workspace() as (running, _):
        checked = await found(monkeypatch, running, database_url)
    assert [one for one in checked if one.verdict == "fail"] == []
    names = {one.name for one in checked if one.verdict == "ok"}
    assert {"environment", "configuration", "database", "extension", "clock", "queue"} <= names
    assert {"token", "scopes", "desk payments", "admin channel", "models", "embedder"} <= names
    assert named(checked, "worker") == [("warn", "none runs")]
    assert named(checked, "events") == [("warn", "none has ever come from Slack")]
    secrets = (running.ws.settings.bot_token, running.ws.settings.signing_secret)
    assert not any(secret in str(checked) for secret in secrets)


async def test_each_fault_of_the_workspace_is_found(
    monkeypatch: pytest.MonkeyPatch, engine: AsyncEngine, database_url: str
) -> None:
    async with workspace() as (running, people):
        kept = [one for one in running.ws.settings.scopes if one not in {"im:write", "commands"}]
        await people.settings(scopes=kept)
        await people.kick("C0PAY")
        await people.change_channel("C0PLAT", "archive")
        await people.change_channel("C0DATA", "share", "T9ACME")
        await people.kick("C0OPS")
        checked = await found(monkeypatch, running, database_url)
    assert named(checked, "scopes") == [
        ("warn", f"commands is missing: {WITHOUT['commands']}"),
        ("fail", "im:write is missing: nothing can be posted"),
    ]
    assert named(checked, "desk payments") == [("fail", "the bot is not in #payments")]
    assert named(checked, "desk platform") == [("fail", "#platform is archived")]
    assert named(checked, "desk data")[0][0] == "warn"
    assert named(checked, "admin channel") == [("warn", "the bot cannot post in C0OPS")]


async def test_a_token_that_slack_refuses_is_the_only_thing_said_of_slack(
    monkeypatch: pytest.MonkeyPatch, engine: AsyncEngine, database_url: str
) -> None:
    async with workspace() as (running, people):
        await people.install("revoked")
        checked = await found(monkeypatch, running, database_url)
    assert named(checked, "token") == [("fail", "Slack refuses the bot token: token_revoked")]
    assert not named(checked, "scopes")


async def test_a_slack_that_is_away_is_told_from_one_that_refuses(
    monkeypatch: pytest.MonkeyPatch, engine: AsyncEngine, database_url: str
) -> None:
    async with workspace() as (running, _):
        away = {"HIVEBOT_SLACK_API_URL": "http://127.0.0.1:9/api/"}
        checked = await found(monkeypatch, running, database_url, **away)
    ((verdict, said),) = named(checked, "token")
    assert verdict == "fail"
    assert said.startswith("Slack cannot be reached")


async def test_a_database_without_tables_or_out_of_reach_is_found(
    monkeypatch: pytest.MonkeyPatch, empty_database_url: str
) -> None:
    async with workspace() as (running, _):
        empty = await found(monkeypatch, running, empty_database_url)
        gone = "postgresql://nobody:sesame@127.0.0.1:9/none"
        away = await found(monkeypatch, running, gone)
    (one,) = [one for one in empty if one.name == "database"]
    assert one.said.startswith("its schema is empty")
    assert "db upgrade" in one.remedy
    ((verdict, said),) = named(away, "database")
    assert verdict == "fail"
    assert said.startswith("it cannot be reached")
    assert "sesame" not in said


async def test_a_broken_configuration_is_told_with_its_place(
    monkeypatch: pytest.MonkeyPatch, engine: AsyncEngine, database_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "hivebot.yaml"
    file.write_text("desks: three\n")
    async with workspace() as (running, _):
        checked = await found(monkeypatch, running, database_url, HIVEBOT_CONFIG=str(file))
    assert any(f"{file}:1" in said for _, said in named(checked, "configuration"))
    assert named(checked, "token")[0][0] == "ok"
    assert not named(checked, "desk payments")


async def test_channels_that_are_written_by_name_are_looked_for(
    monkeypatch: pytest.MonkeyPatch, engine: AsyncEngine, database_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "hivebot.yaml"
    written = EXAMPLE.read_text(encoding="utf-8")
    written = written.replace("channel: C0PAY", 'channel: "#payments"')
    written = written.replace("channel: C0PLAT", 'channel: "#nowhere"')
    file.write_text(written.replace("admin_channel: C0OPS", ""))
    async with workspace() as (running, _):
        checked = await found(monkeypatch, running, database_url, HIVEBOT_CONFIG=str(file))
    assert named(checked, "desk payments") == [("ok", "#payments")]
    assert named(checked, "desk platform") == [
        ("fail", "#nowhere is no channel that the bot can see")
    ]
    assert named(checked, "admin channel")[0][0] == "warn"


def test_without_tokens_it_says_which_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = environment(load_settings(None))
    assert (one.verdict, one.said) == ("fail", "HIVEBOT_SLACK_BOT_TOKEN is not set")
    monkeypatch.setenv("HIVEBOT_SLACK_BOT_TOKEN", "xoxb-sandbox-1")
    (one,) = environment(load_settings(None))
    assert one.verdict == "fail"
    assert "HIVEBOT_SLACK_APP_TOKEN" in one.remedy


def test_a_model_without_a_key_or_a_price_is_found() -> None:
    modern = with_agent("pia", model="openai:gpt-5-mini", price=None)
    (one,) = models(modern, {})
    assert one.verdict == "fail"
    assert "OPENAI_API_KEY" in one.said
    told = list(models(modern, {"OPENAI_API_KEY": "sesame"}))
    assert [one.verdict for one in told] == ["ok", "warn"]
    assert "sesame" not in str(told)
    priced = with_agent("pia", model="openai:gpt-5-mini", price=Price(1, 1))
    assert [one.verdict for one in models(priced, {"OPENAI_API_KEY": "sesame"})] == ["ok"]
    assert [one.verdict for one in models(CONFIGURATION, {})] == ["ok"]


class Blind:
    """An embedder without weights."""

    model = "blind"

    async def embed(self, texts: object) -> tuple[Vector, ...]:
        raise EmbedderError("weights")


async def test_an_embedder_without_weights_is_found() -> None:
    one = await vectors(Blind())
    assert (one.verdict, one.said) == ("fail", "blind: weights")


def test_what_the_database_says_is_judged() -> None:
    def verdict(name: str, found: Facts, skew_s: float = 0) -> str:
        (one,) = [
            one for one in judged(found, START + timedelta(seconds=skew_s)) if one.name == name
        ]
        return f"{one.verdict}: {one.said}"

    assert verdict("clock", FACTS).startswith("ok")
    assert verdict("clock", FACTS, 10).startswith("warn")
    assert verdict("clock", FACTS, -300).startswith("fail")
    assert verdict("extension", replace(FACTS, vector=None)).startswith("fail")
    assert verdict("worker", FACTS) == "ok: alive 0 s ago"
    old = replace(FACTS, beat=START - timedelta(hours=3))
    assert verdict("worker", old) == "warn: none has given a sign of life for 3 h"
    waits = replace(FACTS, oldest=START - timedelta(seconds=100))
    assert verdict("queue", waits) == "ok: the oldest job has waited for 100 s"
    long = replace(FACTS, oldest=START - timedelta(minutes=9))
    assert verdict("queue", long) == "warn: a job has waited for 9 min"
    later = replace(FACTS, oldest=START + timedelta(minutes=9))
    assert verdict("queue", later) == "ok: nothing waits"
    came = replace(FACTS, event=START - timedelta(days=3))
    assert verdict("events", came) == "ok: the last came 3 d ago"
    assert verdict("posts", replace(FACTS, unposted=2)).startswith("warn: 2 could not be posted")
    half = replace(FACTS, empty_handed=10)
    assert verdict("gates", half) == "warn: 10 of the last 20 gates found no memory"
    fewer = replace(FACTS, empty_handed=9)
    assert [one for one in judged(fewer, START) if one.name == "gates"] == []


async def test_the_newest_gates_that_found_no_memory_are_counted(
    engine: AsyncEngine, work: PostgresUnitOfWork
) -> None:
    one = NewRecall(RecallPurpose.PRIOR, 1, 5, 0, RetrievalPolicy(), ())
    async with work.begin() as tx:
        memory = await tx.memories.ensure("T0HIVE", "payments")

        async def kept(gate_id: int | None, survivors: int, candidates: int = 5) -> None:
            new = replace(one, gate_id=gate_id, survivors=survivors, candidates=candidates)
            await tx.memories.keep_recall(memory.id, new, keep=100)

        for gate_id in range(1, 25):
            await kept(gate_id, 0)
            await kept(gate_id, 2 if gate_id % 4 == 0 else 0)
        await kept(None, 0)
        await kept(25, 0, candidates=0)
    # of the gates 5 to 24 those divisible by four found something, at one of their two looks
    assert (await facts(engine)).empty_handed == 15


async def test_the_database_is_asked_for_all_at_once(engine: AsyncEngine) -> None:
    found = await facts(engine)
    assert abs(found.now - local_now()) < timedelta(minutes=1)
    assert found.vector


def test_the_command_prints_lines_or_json_and_ends_accordingly() -> None:
    broken = {"HIVEBOT_ENV": "production", "HIVEBOT_PORT": "a lot"}
    printed = CliRunner().invoke(app, ["doctor"], env=broken)
    assert printed.exit_code == 1
    assert printed.stdout.startswith("fail environment: HIVEBOT_PORT")
    assert printed.stdout.endswith("1 looked at, 1 failed, 0 to be better\n")
    told = json.loads(CliRunner().invoke(app, ["doctor", "--json"], env=broken).stdout)
    assert told[0]["verdict"] == "fail"
    assert told[0]["remedy"] == "correct the variable"
