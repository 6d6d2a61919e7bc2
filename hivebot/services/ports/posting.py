"""What do the use cases need of what is to be posted, and of who posts it?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    OutboxState,
    SendFailure,
    SendResult,
)
from hivebot.services.records.rows import (
    OutboxRow,
)


@dataclass(frozen=True, slots=True)
class NewOutbox:
    """A wanted message."""

    kind: OutboxKind
    destination: Destination
    body: Body
    message_id: int | None = None
    turn_id: int | None = None
    thread_of: int | None = None
    target_id: int | None = None
    needs: tuple[int, ...] = ()


class Outbox(Protocol):
    """Wanted messages."""

    async def add(self, new: NewOutbox) -> OutboxRow:
        """Queue one."""
        ...

    async def get(self, outbox_id: int) -> OutboxRow | None:
        """One row by id."""
        ...

    async def revise(
        self, outbox_id: int, body: Body, *, not_before: datetime | None = None
    ) -> OutboxRow:
        """Set a line's newest wanted text (or a post's replaced text) and queue it again.

        With `not_before` the new text is shown then; texts before it are skipped.
        """
        ...

    async def next_due(self, team_id: str, channel_id: str, now: datetime) -> OutboxRow | None:
        """Head of the channel's queue that may go now; None: nothing to do.

        Rows go in order of id, edits that are wanted at a moment after all others. A row found in
        `sending` is a head too (it has to be looked up). A row whose `thread_of` or `needs` have
        neither a ts nor an end (failed, cancelled, unknown) waits without holding up the rows
        behind it; nothing goes while the channel, or the row's method in the workspace, is held,
        the workspace is stopped or the channel paused.
        """
        ...

    async def next_moment(self, team_id: str, channel_id: str) -> datetime | None:
        """When the channel's head may go, if only a moment keeps it (a hold or `not_before`)."""
        ...

    async def claim(self, outbox_id: int, now: datetime, look_at: datetime) -> OutboxRow | None:
        """Queued -> sending at `now` with `not_before` = `look_at`, attempt + 1; None: not queued.

        From `look_at` on the row is a head again, found in `sending`; until then it keeps its place
        and nothing behind it goes.
        """
        ...

    async def sent(self, outbox_id: int, attempt: int, revision: int, ts: tuple[str, ...]) -> bool:
        """Record the ts, on the row and on the message it shows; False: another attempt has it.

        A line whose wanted revision has grown meanwhile goes back to `queued`, keeping its ts.
        """
        ...

    async def waiters(self, outbox_id: int) -> tuple[tuple[str, str], ...]:
        """(team, channel) of queued rows that name this one in `thread_of` or `needs`."""
        ...

    async def settle(
        self,
        outbox_id: int,
        attempt: int,
        state: OutboxState,
        error: str,
        not_before: datetime | None = None,
    ) -> bool:
        """Record any other end of a try: queued again, failed, unknown, cancelled."""
        ...

    async def seen(self, outbox_id: int, part: int, ts: str) -> None:
        """Our own post came back as an event: remember its ts for the lookup."""
        ...

    async def looked(self, outbox_id: int, not_before: datetime) -> None:
        """A lookup missed; look again then."""
        ...

    async def forget_ts(self, outbox_id: int) -> None:
        """What was posted is gone: queue the row to be posted anew."""
        ...

    async def by_ts(self, team_id: str, channel_id: str, ts: str) -> OutboxRow | None:
        """The row one of whose parts has this ts."""
        ...

    async def for_message(self, message_id: int) -> tuple[OutboxRow, ...]:
        """Rows that show this transcript row."""
        ...

    async def private_about(self, message_id: int) -> tuple[OutboxRow, ...]:
        """Private lines that answer this transcript row, in order of id."""
        ...

    async def for_turn(self, turn_id: int) -> tuple[OutboxRow, ...]:
        """Rows a turn has asked for."""
        ...

    async def hold(self, team_id: str, channel_id: str, method: str, until: datetime) -> None:
        """Hold a channel's queue (`method` ""), or a method in the workspace (`channel_id` "")."""
        ...

    async def channels_waiting(self, now: datetime) -> tuple[tuple[str, str], ...]:
        """(team, channel) of every queue with something that may go now."""
        ...

    async def blank(self, outbox_id: int) -> None:
        """Erase the body of a row whose source was erased."""
        ...

    async def purge(self, before: datetime) -> int:
        """Blank the bodies of rows made before then whose sending has ended; how many."""
        ...


class Poster(Protocol):
    """Slack's posting side. Never raises for what Slack says."""

    def parts(self, row: OutboxRow) -> int:
        """How many messages the row comes to."""
        ...

    async def post(self, row: OutboxRow, thread_ts: str, done: tuple[str, ...] = ()) -> SendResult:
        """Post a row (its parts after those `done`, or an ephemeral); gives the ts of all parts.

        Metadata carries the row's id and the part's number.
        """
        ...

    async def edit(self, row: OutboxRow, ts: tuple[str, ...]) -> SendResult:
        """Bring what was posted to the row's body."""
        ...

    async def delete(self, destination: Destination, ts: tuple[str, ...]) -> SendResult:
        """Remove posts; already gone counts as done."""
        ...

    async def lookup(
        self, row: OutboxRow, thread_ts: str, since: datetime
    ) -> tuple[str, ...] | SendFailure | None:
        """Find what a lost answer left behind, by metadata: ts of its parts, None for none."""
        ...
