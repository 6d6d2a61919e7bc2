"""What do the use cases need from outside? Protocols only; adapters fulfil them.

One unit of work is one transaction. Every method that appends or numbers rows expects the
conversation locked (`lock_conversations`) in the same unit of work. Source: datapath.md 2 to 4.
"""

from __future__ import annotations

from hivebot.services.ports.arriving import Inbox, NewArrival
from hivebot.services.ports.asking import (
    ChannelFacts,
    Directory,
    Doors,
    Models,
    PersonFacts,
    RightsDirectory,
)
from hivebot.services.ports.deliberating import Episodes, Gates, NewEpisode
from hivebot.services.ports.failures import PortError, StoreConflictError, StoreUnavailableError
from hivebot.services.ports.keeping import Revisions, StoredRevision, Usage, Workspaces
from hivebot.services.ports.posting import NewOutbox, Outbox, Poster
from hivebot.services.ports.running import Clock, Jobs, Policies
from hivebot.services.ports.transaction import Transaction, UnitOfWork
from hivebot.services.ports.transcript import Conversations, Messages, NewMessage
from hivebot.services.ports.working import (
    Decisions,
    NewDecision,
    NewReferral,
    NewTurn,
    Referrals,
    Turns,
)

__all__ = [
    "ChannelFacts",
    "Clock",
    "Conversations",
    "Decisions",
    "Directory",
    "Doors",
    "Episodes",
    "Gates",
    "Inbox",
    "Jobs",
    "Messages",
    "Models",
    "NewArrival",
    "NewDecision",
    "NewEpisode",
    "NewMessage",
    "NewOutbox",
    "NewReferral",
    "NewTurn",
    "Outbox",
    "PersonFacts",
    "Policies",
    "PortError",
    "Poster",
    "Referrals",
    "Revisions",
    "RightsDirectory",
    "StoreConflictError",
    "StoreUnavailableError",
    "StoredRevision",
    "Transaction",
    "Turns",
    "UnitOfWork",
    "Usage",
    "Workspaces",
]
