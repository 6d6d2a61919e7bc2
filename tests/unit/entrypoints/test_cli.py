"""Is everything that can be said on the command line mounted? product.md 9."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from hivebot.entrypoints.cli import app


@pytest.mark.parametrize(
    "words",
    [
        *("demo", "sandbox", "run", "serve", "worker", "clock", "db", "config", "fold", "replay"),
        *("memory", "queue", "pause", "resume", "forget", "bench", "manifest", "doctor"),
        *(f"memory {one}" for one in ("list", "show", "export", "forget", "calibrate", "reembed")),
        *(f"bench {one}" for one in ("proxy", "memory", "rooms", "store")),
    ],
)
def test_a_command_is_there_and_explains_itself(words: str) -> None:
    result = CliRunner().invoke(app, [*words.split(), "--help"])
    assert result.exit_code == 0
    assert f"{words} " in result.stdout
