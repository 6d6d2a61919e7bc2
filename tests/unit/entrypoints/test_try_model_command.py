"""Does `hivebot config try-model` say what came of a model, or why it was not asked?"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hivebot.entrypoints.config_command import app
from tests.fakes import openai_server as say
from tests.fakes.openai_server import OpenAIServer
from tests.unit.adapters.config_files.files import BASE, agent, write


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of the machine the tests run on do not count."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def run(*arguments: str | Path, **variables: str) -> Result:
    given = ["try-model", *(str(argument) for argument in arguments)]
    return CliRunner().invoke(app, given, env={"COLUMNS": "120", **variables})


def of_model(name: str, *lines: str) -> str:
    return agent(*lines).replace("model: briefed", f"model: {name}", 1)


def test_the_rule_based_member_gets_through_and_is_labelled(tmp_path: Path) -> None:
    result = run("pia", "--config", write(tmp_path, BASE))

    assert result.exit_code == 0
    first, *table, last = result.stdout.rstrip("\n").split("\n")
    assert first == "pia (rule-based): briefed"
    assert last == "10 situations: 10 clean · 0 tokens · $0.0000"
    assert [cell.strip() for cell in table[3].split("│")[1:-1]] == [
        "answer from the brief",
        "answer",
        "clean",
        "0",
        "0",
        "$0.0000",
    ]


def test_the_configured_files_are_the_default(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)

    assert run("greta", HIVEBOT_CONFIG=str(path)).stdout.startswith("greta (rule-based): briefed\n")


def test_colours_are_off_when_piped_and_on_where_they_are_forced(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)

    assert "\x1b[" not in run("pia", "--config", path).stdout
    assert "\x1b[" in run("pia", "--config", path, FORCE_COLOR="1", TERM="xterm").stdout


async def test_what_came_of_a_real_model_is_counted_and_its_rows_are_harmless(
    tmp_path: Path,
) -> None:
    async with OpenAIServer() as server:
        lines = ("output: lines", f"base_url: {server.base_url}")
        price = "price: {input_usd: 1, output_usd: 5}"
        path = write(tmp_path, of_model("openai:small", *lines, price))
        server.script(say.text("Four \x1b[31mminutes."), *[say.status(401)] * 9)
        keys = {"HIVEBOT_MODEL_KEYS__OPENAI": "sk-ours"}
        result = await asyncio.to_thread(run, "pia", "--config", path, "--rows", **keys)

    assert server.keys[0] == "Bearer sk-ours"
    assert result.exit_code == 1
    assert "pia: openai:small\n" in result.stdout
    assert "answer from the brief\n  Four �[31mminutes.\n" in result.stdout
    assert result.stdout.endswith(
        "10 situations: 1 clean, 9 misconfigured · 120 tokens · $0.0002\n"
    )
    assert "sk-ours" not in result.output


async def test_without_a_price_the_cost_is_unknown(tmp_path: Path) -> None:
    async with OpenAIServer() as server:
        path = write(tmp_path, of_model("openai:small", f"base_url: {server.base_url}"))
        server.script(*[say.status(401)] * 10)
        result = await asyncio.to_thread(run, "pia", "--config", path)

    assert result.stdout.endswith("· unknown (no `price:` is configured)\n")


def test_an_agent_that_is_not_there_is_said_with_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)

    result = run("pai", "--config", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: there is no agent 'pai' — did you mean `pia`?\n"
    assert run("nobody", "--config", path).stderr == "error: there is no agent 'nobody'\n"


def test_a_model_without_a_key_is_not_asked(tmp_path: Path) -> None:
    path = write(tmp_path, of_model("openai:small", "price: {input_usd: 0, output_usd: 0}"))

    result = run("pia", "--config", path)

    assert (result.exit_code, result.stdout) == (78, "")
    assert result.stderr == (
        "error: agents[pia].model: there is no key for it: set OPENAI_API_KEY, or "
        "HIVEBOT_MODEL_KEYS__OPENAI\n"
    )


def test_files_that_cannot_be_used_end_with_78(tmp_path: Path) -> None:
    result = run("pia", "--config", write(tmp_path, "agents: 3"))

    assert result.exit_code == 78
    assert "error:" in result.stderr
