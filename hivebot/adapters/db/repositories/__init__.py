"""Which repositories fulfil the ports of one transaction?"""

from __future__ import annotations

from hivebot.adapters.db.repositories.conversations import ConversationRepository
from hivebot.adapters.db.repositories.episodes import EpisodeRepository
from hivebot.adapters.db.repositories.gates import GateRepository
from hivebot.adapters.db.repositories.inbox import InboxRepository
from hivebot.adapters.db.repositories.keeping import (
    DecisionRepository,
    RevisionRepository,
    UsageRepository,
    WorkspaceRepository,
)
from hivebot.adapters.db.repositories.memories import MemoryRepository
from hivebot.adapters.db.repositories.messages import MessageRepository
from hivebot.adapters.db.repositories.operating import OperatingRepository
from hivebot.adapters.db.repositories.outbox import OutboxRepository
from hivebot.adapters.db.repositories.people import PeopleRepository
from hivebot.adapters.db.repositories.referrals import ReferralRepository
from hivebot.adapters.db.repositories.suggestions import SuggestionRepository
from hivebot.adapters.db.repositories.turns import TurnRepository

__all__ = [
    "ConversationRepository",
    "DecisionRepository",
    "EpisodeRepository",
    "GateRepository",
    "InboxRepository",
    "MemoryRepository",
    "MessageRepository",
    "OperatingRepository",
    "OutboxRepository",
    "PeopleRepository",
    "ReferralRepository",
    "RevisionRepository",
    "SuggestionRepository",
    "TurnRepository",
    "UsageRepository",
    "WorkspaceRepository",
]
