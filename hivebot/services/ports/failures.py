"""How does an outside system fail, in the use cases' words?"""

from __future__ import annotations

from typing import ClassVar

from hivebot.errors import HivebotError


class PortError(HivebotError):
    """An outside system failed in a way the caller cannot mend."""

    code: ClassVar[str] = "port"


class StoreUnavailableError(PortError):
    """The database cannot be reached; nothing was written and nothing may be acknowledged."""

    code: ClassVar[str] = "store_unavailable"


class StoreConflictError(PortError):
    """A serialisation failure or deadlock: run the whole use case again on fresh rows."""

    code: ClassVar[str] = "store_conflict"
