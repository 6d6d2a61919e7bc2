"""What came of reading the configuration's files again? Another one, or the old one kept.

Source: product.md 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PROBLEMS_TOLD: Final = 10
"""So many problems of a broken configuration are told in Slack; the log has all."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """Another configuration is in force, or the same one still.

    Attributes:
        changes: One line each, () where nothing has changed.
    """

    revision: str
    before: str
    changes: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptOld:
    """The old configuration is still in force."""

    revision: str
    problems: tuple[str, ...]
