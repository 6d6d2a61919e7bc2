"""Do the folds answer with the clock, chance, the network and the disk taken away?"""

from __future__ import annotations

import builtins
import datetime as dt
import os
import random
import secrets
import socket
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from hivebot.entrypoints.fold import decode_cases, parse_json, run_cases

DATA = Path(__file__).parents[1] / "vectors" / "data"

CLOCK = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep", "time", "time_ns")
CHANCE = (
    "Random",
    "SystemRandom",
    "choice",
    "gauss",
    "getrandbits",
    "randint",
    "random",
    "shuffle",
)
WORLD: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (time, CLOCK),
    (dt, ("date", "datetime")),
    (random, CHANCE),
    (secrets, ("choice", "token_bytes", "token_hex")),
    (uuid, ("uuid1", "uuid4")),
    (os, ("getenv", "open", "read", "system", "urandom", "write")),
    (socket, ("create_connection", "getaddrinfo", "socket")),
    (builtins, ("input", "open")),
)


class WorldTouchedError(AssertionError):
    """A fold reached for something that is not among its arguments."""


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    raise WorldTouchedError


@contextmanager
def without_world() -> Generator[None, None, None]:
    with pytest.MonkeyPatch.context() as world:
        for module, names in WORLD:
            for name in names:
                world.setattr(module, name, _refuse)
        yield


@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in sorted(DATA.glob("*.json"))])
def test_a_fold_answers_its_cases_without_the_world(path: Path) -> None:
    worked = decode_cases(parse_json(path.read_bytes()))
    with without_world():
        failures = run_cases(path.stem, worked)
    assert failures == []


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in WORLD for name in names]
)
def test_the_world_really_is_away(module: ModuleType, name: str) -> None:
    with without_world(), pytest.raises(WorldTouchedError):
        getattr(module, name)()


def test_the_world_comes_back() -> None:
    with without_world():
        pass
    assert time.time() > 0
