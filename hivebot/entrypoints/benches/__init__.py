"""What can be measured of the running system, and of a desk of one's own? `hivebot bench …`."""

from __future__ import annotations

from hivebot.entrypoints.benches.commands import (
    chaos,
    deliberation,
    events,
    hops,
    load,
    roundtrip,
    store,
)
from hivebot.entrypoints.benches.deciding.command import desk

__all__ = ["chaos", "deliberation", "desk", "events", "hops", "load", "roundtrip", "store"]
