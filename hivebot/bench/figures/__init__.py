"""Which figures were published, and by which run does each of them come out?"""

from __future__ import annotations

from hivebot.bench.figures.cases import Case, Class, Figure, RunCase, SweepCase
from hivebot.bench.figures.delegation import DELEGATION
from hivebot.bench.figures.fast import FAST
from hivebot.bench.figures.federations import FEDERATIONS
from hivebot.bench.figures.scale import SCALE
from hivebot.bench.figures.uniform import UNIFORM

FULL: tuple[Case, ...] = (*UNIFORM, *DELEGATION, *FEDERATIONS, *SCALE)
"""Every deterministic figure, at its published size."""

__all__ = ["FAST", "FULL", "Case", "Class", "Figure", "RunCase", "SweepCase"]
