"""What does a press of a button do? Checked against rows, recorded, and answered where it arrives.

Anyone who sees a message can press its buttons, and Slack checks nothing. Every press has a visible
outcome; a second one changes nothing. Source: datapath.md 1, product.md 3, rights.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hivebot.services import lines
from hivebot.services.inert import inert_names
from hivebot.services.ports import NewMessage, NewOutbox, Policies, Transaction, UnitOfWork
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import MessageRole, MessageRow
from hivebot.services.retrying import transact
from hivebot.services.snapshots import question_text


class Pressed(StrEnum):
    """What a press came to; for the log line."""

    ASKED = "asked"
    REFUSED = "refused"
    SPENT = "spent"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Press:
    """A press as it arrives. `value` is what the button carried, never trusted."""

    team_id: str
    channel_id: str
    thread_ts: str
    user_id: str
    value: str


class Presses:
    """Carries out presses."""

    def __init__(self, work: UnitOfWork, policies: Policies) -> None:
        self._work = work
        self._policies = policies

    async def ask_too(self, press: Press) -> Pressed:
        """Put a question to one more of the desks it named.

        1. The question and the desk still exist, in this workspace.
        2. The presser is the person who asked.
        3. The desk has not been asked this before.
        4. The question becomes a new row that names this desk alone, and is routed as any other.

        Raises:
            StoreUnavailableError: nothing was written.
            StoreConflictError: three times running.
        """
        return await transact(self._work, lambda tx: self._ask_too(tx, press))

    async def _ask_too(self, tx: Transaction, press: Press) -> Pressed:
        row, desk = await self._named(tx, press)
        if row is None or desk is None or row.deleted_at is not None:
            return await self._say(tx, press, lines.press_gone(), Pressed.GONE)
        if not press.user_id or row.user_id != press.user_id:
            return await self._say(tx, press, lines.press_refused(), Pressed.REFUSED)
        if await _asked_before(tx, row, desk):
            return await self._say(tx, press, lines.press_spent(desk.id), Pressed.SPENT)
        await tx.messages.append(
            NewMessage(
                conversation_id=row.conversation_id,
                role=MessageRole.SPEECH,
                author=row.author,
                content=f"@#{desk.id} {inert_names(question_text(row.content))}",
                user_id=row.user_id,
                user_team_id=row.user_team_id,
                wakes=True,
                copy_of=row.id,
            )
        )
        await tx.jobs.route(row.conversation_id)
        return Pressed.ASKED

    async def _named(
        self, tx: Transaction, press: Press
    ) -> tuple[MessageRow | None, DeskConfig | None]:
        row_id, _, desk_id = press.value.partition(":")
        if not (row_id.isascii() and row_id.isdigit() and len(row_id) < 19):
            return None, None
        row = await tx.messages.get(int(row_id))
        place = await tx.conversations.get(row.conversation_id) if row is not None else None
        if row is None or place is None or place.team_id != press.team_id:
            return None, None
        await tx.conversations.lock([row.conversation_id])
        return await tx.messages.get(row.id), self._policies.current().desk(desk_id)

    async def _say(self, tx: Transaction, press: Press, body: Body, pressed: Pressed) -> Pressed:
        place = Destination(press.team_id, press.channel_id, press.thread_ts, press.user_id)
        await tx.outbox.add(NewOutbox(OutboxKind.EPHEMERAL, place, body))
        await tx.jobs.deliver(press.team_id, press.channel_id)
        return pressed


async def _asked_before(tx: Transaction, row: MessageRow, desk: DeskConfig) -> bool:
    family = [row, *await tx.messages.copies(row.id)]
    copies = [one for one in family if one.content.startswith(f"@#{desk.id} ")]
    asked = [
        referral.to_desk_id
        for one in family
        for referral in await tx.referrals.for_question(one.id)
    ]
    return desk.id in asked or any(one.id != row.id for one in copies)
