"""On what was it measured? The machine in one line, without its name."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psutil

_CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Machine:
    """What a figure depends on.

    Attributes:
        load: Processes that ran or wanted to, over the last minute, as it began.
    """

    at: str
    cpu: str
    cores: int
    memory_gb: int
    system: str
    python: str
    load: float

    def __str__(self) -> str:
        return (
            f"{self.at}, {self.cores} cores ({self.cpu}), {self.memory_gb} GB, {self.system}, "
            f"Python {self.python}, load {self.load:.1f}"
        )

    def as_json(self) -> dict[str, object]:
        """The same as data."""
        return {
            "at": self.at,
            "cpu": self.cpu,
            "cores": self.cores,
            "memory_gb": self.memory_gb,
            "system": self.system,
            "python": self.python,
            "load": round(self.load, 2),
        }


def describe(now: datetime, cpu_info: Path = _CPU_INFO) -> Machine:
    """Look at this machine."""
    return Machine(
        at=now.strftime("%Y-%m-%d %H:%M"),
        cpu=_cpu(cpu_info),
        cores=os.cpu_count() or 1,
        memory_gb=round(psutil.virtual_memory().total / 2**30),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        load=psutil.getloadavg()[0],
    )


def _cpu(cpu_info: Path) -> str:
    """The processor's name where the system tells it."""
    lines = cpu_info.read_text(encoding="utf-8").splitlines() if cpu_info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
