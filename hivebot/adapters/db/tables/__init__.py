"""Which tables are there? SQLModel rows; they stay inside `adapters.db`."""

from __future__ import annotations

from hivebot.adapters.db.tables.arriving import (
    InboxEventTable,
    InboxMessageTable,
    PendingRevisionTable,
    TombstoneTable,
)
from hivebot.adapters.db.tables.base import METADATA
from hivebot.adapters.db.tables.deliberating import EpisodeTable, PrefetchTable
from hivebot.adapters.db.tables.gating import GateTable
from hivebot.adapters.db.tables.installing import BOTS, INSTALLATIONS, STATES
from hivebot.adapters.db.tables.keeping import PauseTable, RevisionTable, UsageTable, WorkspaceTable
from hivebot.adapters.db.tables.remembering import (
    AccuracyTable,
    ChunkMessageTable,
    ChunkTable,
    EmbeddingTable,
    MemoryTable,
    RecallTable,
)
from hivebot.adapters.db.tables.sending import HoldTable, OutboxTable
from hivebot.adapters.db.tables.suggesting import SuggestionTable
from hivebot.adapters.db.tables.talking import (
    ConversationTable,
    DecisionTable,
    MessageRevisionTable,
    MessageTable,
    ReferralTable,
    TurnTable,
)

__all__ = [
    "BOTS",
    "INSTALLATIONS",
    "METADATA",
    "STATES",
    "AccuracyTable",
    "ChunkMessageTable",
    "ChunkTable",
    "ConversationTable",
    "DecisionTable",
    "EmbeddingTable",
    "EpisodeTable",
    "GateTable",
    "HoldTable",
    "InboxEventTable",
    "InboxMessageTable",
    "MemoryTable",
    "MessageRevisionTable",
    "MessageTable",
    "OutboxTable",
    "PauseTable",
    "PendingRevisionTable",
    "PrefetchTable",
    "RecallTable",
    "ReferralTable",
    "RevisionTable",
    "SuggestionTable",
    "TombstoneTable",
    "TurnTable",
    "UsageTable",
    "WorkspaceTable",
]
