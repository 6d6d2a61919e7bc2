"""Which outbox row does a test want to see posted?"""

from __future__ import annotations

from datetime import UTC, datetime

from hivebot.services.records.outgoing import Body, Destination, OutboxKind, OutboxState
from hivebot.services.records.rows import OutboxRow

CREATED = datetime(2023, 11, 14, 22, 13, tzinfo=UTC)
OPS = Destination("T0HIVE", "C0OPS")


def outbox_row(
    body: Body | str,
    *,
    row_id: int = 7,
    kind: OutboxKind = OutboxKind.POST,
    to: Destination = OPS,
    revision: int = 1,
    attempt: int = 1,
    ts: tuple[str, ...] = (),
    seen: tuple[tuple[int, str], ...] = (),
) -> OutboxRow:
    """A row that is being sent, with nothing else to it."""
    return OutboxRow(
        id=row_id,
        kind=kind,
        state=OutboxState.SENDING,
        destination=to,
        body=Body(body) if isinstance(body, str) else body,
        revision=revision,
        sent_revision=0,
        message_id=None,
        turn_id=None,
        thread_of=None,
        target_id=None,
        needs=(),
        attempt=attempt,
        lookups=0,
        sending_at=CREATED,
        not_before=None,
        ts=ts,
        seen=seen,
        error="",
        created_at=CREATED,
    )
