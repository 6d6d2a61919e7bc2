"""Which fixtures do attacks stand on? The world of the use cases."""

from __future__ import annotations

from tests.integration.services.conftest import clock, world

__all__ = ["clock", "world"]
