"""Which folds can be run by name?"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hivebot.entrypoints.folds import episodes, memory, routing
from hivebot.entrypoints.folds.entry import Fold

FOLDS: Final[Mapping[str, Fold]] = MappingProxyType(
    {**routing.FOLDS, **episodes.FOLDS, **memory.FOLDS}
)
"""Every fold by the name of its vector file, those of the memory after `memory.`."""
