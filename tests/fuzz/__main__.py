"""How is it fuzzed? `python -m tests.fuzz TARGET RUNS [CORPUS]`, which `make fuzz` calls.

Coverage-guided: what makes new code run is kept in CORPUS and changed further. An input that raises
ends the run with its traceback and is written into CORPUS as `crash-…`. TARGET `all`: all.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, cast

import atheris

LONGEST = 4096
"""Bytes of the longest input."""

SLOW_S = 5
"""Seconds after which one input is a failure."""

SEED = 20


class Fuzzer(Protocol):
    """What is used of atheris, which has no types."""

    def instrument_imports(self, include: list[str]) -> AbstractContextManager[object]: ...
    def Setup(self, argv: list[str], one: Callable[[bytes], None]) -> object: ...  # noqa: N802
    def Fuzz(self) -> None: ...  # noqa: N802


def main(name: str, runs: str, corpus: str = "") -> None:
    """Fuzz a target so many times, from its seeds on; 0 runs is for ever."""
    fuzzer = cast("Fuzzer", atheris)
    with fuzzer.instrument_imports(include=["hivebot"]):
        from tests.fuzz.targets import TARGETS, any_of_them, seeds

    one = any_of_them if name == "all" else TARGETS[name]
    folder = Path(corpus or tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (folder / f"seed-{number}").write_bytes(seed.encode())

    def tried(given: bytes) -> None:
        one(given.decode("utf-8", errors="replace"))

    bounds = [f"-max_len={LONGEST}", f"-seed={SEED}", f"-timeout={SLOW_S}"]
    bounds += [f"-runs={runs}"] if int(runs) else []
    bounds += [f"-artifact_prefix={folder}/", "-print_final_stats=1"]
    fuzzer.Setup([sys.argv[0], *bounds, str(folder)], tried)
    fuzzer.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
