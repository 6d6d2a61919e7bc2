"""Which questions are on their way to another desk, and how did they end?"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.rows import referral_of
from hivebot.adapters.db.tables import ReferralTable
from hivebot.services.ports import NewReferral
from hivebot.services.records.rows import ReferralRow, ReferralState

_OPEN = (ReferralState.WAITING.value, ReferralState.ASKED.value)


class ReferralRepository(Repository):
    """Questions on their way."""

    async def add(self, new: NewReferral) -> ReferralRow | None:
        """Store; None when the key is taken."""
        row = await self._one(
            insert(ReferralTable)
            .values(
                from_conversation_id=new.from_conversation_id,
                trigger_seq=new.trigger_seq,
                to_conversation_id=new.to_conversation_id,
                from_desk_id=new.from_desk_id,
                to_desk_id=new.to_desk_id,
                asker_id=new.asker_id,
                target_id=new.target_id,
                person_user_id=new.person_user_id,
                question_id=new.question_id,
                hop=new.hop,
                visited=list(new.visited),
                state=new.state.value,
                reference=new.reference,
                revision=new.revision,
                created_at=self._now(),
                answer_due_at=new.answer_due_at,
                ends_at=new.ends_at,
            )
            .on_conflict_do_nothing(index_elements=["from_conversation_id", "trigger_seq"])
            .returning(ReferralTable)
        )
        return None if row is None else referral_of(row)

    async def get(self, referral_id: int) -> ReferralRow | None:
        """One row by id."""
        row = await self._one(select(ReferralTable).where(col(ReferralTable.id) == referral_id))
        return None if row is None else referral_of(row)

    async def lock(self, referral_id: int) -> ReferralRow:
        """Lock and read one row."""
        return referral_of(
            await self._the(
                select(ReferralTable).where(col(ReferralTable.id) == referral_id).with_for_update()
            )
        )

    async def link(
        self, referral_id: int, *, status_id: int | None = None, post_id: int | None = None
    ) -> None:
        """Record the outbox rows of the status line and of the question's post."""
        known = {"status_id": status_id, "post_id": post_id}
        given = {name: value for name, value in known.items() if value is not None}
        if given:
            await self._set(referral_id, **given)

    async def end(
        self,
        referral_id: int,
        state: ReferralState,
        reason: str,
        *,
        answer_id: int | None = None,
        late: bool = False,
    ) -> bool:
        """Move an open referral to its end; False when it has ended before."""
        row = await self._one(
            update(ReferralTable)
            .where(col(ReferralTable.id) == referral_id, col(ReferralTable.state).in_(_OPEN))
            .values(state=state.value, reason=reason, answer_id=answer_id, late=late)
            .returning(ReferralTable)
        )
        return row is not None

    async def late_answer(self, referral_id: int, answer_id: int) -> None:
        """Record an answer that came after the end."""
        await self._set(referral_id, answer_id=answer_id, late=True)

    async def nudge(self, referral_id: int) -> None:
        """The status line has said that no answer has come yet."""
        await self._set(referral_id, nudged=True)

    async def for_question(self, message_id: int) -> tuple[ReferralRow, ...]:
        """Referrals that serve this person's message, in order of arrival."""
        rows = await self._all(
            select(ReferralTable)
            .where(col(ReferralTable.question_id) == message_id)
            .order_by(col(ReferralTable.id))
        )
        return tuple(referral_of(row) for row in rows)

    async def open_from(self, conversation_id: int) -> tuple[ReferralRow, ...]:
        """Open referrals that a conversation has asked."""
        rows = await self._all(
            select(ReferralTable)
            .where(
                col(ReferralTable.from_conversation_id) == conversation_id,
                col(ReferralTable.state).in_(_OPEN),
            )
            .order_by(col(ReferralTable.id))
        )
        return tuple(referral_of(row) for row in rows)

    async def count_since(self, from_desk_id: str, to_desk_id: str, since: datetime) -> int:
        """Questions between two desks since a moment."""
        counted = await self._session.execute(
            select(func.count()).where(
                col(ReferralTable.from_desk_id) == from_desk_id,
                col(ReferralTable.to_desk_id) == to_desk_id,
                col(ReferralTable.created_at) >= since,
            )
        )
        return counted.scalar_one()

    async def due(self, now: datetime) -> tuple[ReferralRow, ...]:
        """Open referrals past their end, or past their answer's moment and not nudged."""
        rows = await self._all(
            select(ReferralTable)
            .where(
                col(ReferralTable.state).in_(_OPEN),
                or_(
                    col(ReferralTable.ends_at) <= now,
                    and_(
                        col(ReferralTable.answer_due_at) <= now,
                        col(ReferralTable.nudged).is_(False),
                    ),
                ),
            )
            .order_by(col(ReferralTable.id))
        )
        return tuple(referral_of(row) for row in rows)

    async def _set(self, referral_id: int, **values: int | bool) -> None:
        await self._session.execute(
            update(ReferralTable).where(col(ReferralTable.id) == referral_id).values(values)
        )
