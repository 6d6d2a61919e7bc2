"""What does one open transaction hold?"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from hivebot.services.ports.arriving import Inbox
from hivebot.services.ports.deliberating import Episodes, Gates
from hivebot.services.ports.keeping import Revisions, Usage, Workspaces
from hivebot.services.ports.memories import Memories
from hivebot.services.ports.operating import Operating
from hivebot.services.ports.people import People
from hivebot.services.ports.posting import Outbox
from hivebot.services.ports.running import Jobs
from hivebot.services.ports.suggesting import Suggestions
from hivebot.services.ports.transcript import Conversations, Messages
from hivebot.services.ports.working import Decisions, Referrals, Turns


@dataclass(frozen=True, slots=True)
class Transaction:
    """One open transaction with everything in it."""

    inbox: Inbox
    conversations: Conversations
    messages: Messages
    turns: Turns
    referrals: Referrals
    episodes: Episodes
    gates: Gates
    suggestions: Suggestions
    outbox: Outbox
    decisions: Decisions
    workspaces: Workspaces
    revisions: Revisions
    usage: Usage
    memories: Memories
    jobs: Jobs
    people: People
    operating: Operating


class UnitOfWork(Protocol):
    """Opens transactions: commits on a clean exit, rolls back on any exception."""

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        """A new transaction.

        Raises:
            StoreUnavailableError: the database is away.
            StoreConflictError: on commit or on a statement; nothing was written.
        """
        ...
