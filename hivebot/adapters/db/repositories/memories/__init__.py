"""What do the proxies remember? The port of `hivebot.services.ports.memories` on Postgres."""

from __future__ import annotations

from hivebot.adapters.db.repositories.memories.embedding import Embedding
from hivebot.adapters.db.repositories.memories.forgetting import Forgetting
from hivebot.adapters.db.repositories.memories.recalling import Recalling
from hivebot.adapters.db.repositories.memories.recording import Recording


class MemoryRepository(Recording, Recalling, Forgetting, Embedding):
    """The memories of all proxies."""


__all__ = ["MemoryRepository"]
