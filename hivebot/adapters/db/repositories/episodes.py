"""How far has each deliberation come, and how did it end?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import and_, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from hivebot.adapters.db.codec import decode, encode
from hivebot.adapters.db.repositories.base import Repository
from hivebot.adapters.db.rows import episode_of
from hivebot.adapters.db.tables import EpisodeTable, PrefetchTable
from hivebot.hive.episode import EpisodeState
from hivebot.hive.options import Option
from hivebot.hive.wire import encode_episode_state
from hivebot.services.ports import NewEpisode
from hivebot.services.records.asking import TurnReply
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow, EpisodeStage, Wish

_ENDED = EpisodeStage.ENDED.value
_DECIDED = (EpisodeEnd.CONVERGED.value, EpisodeEnd.CHOSEN.value, EpisodeEnd.LEAD_ANSWERS.value)
_CONSULTING = (EpisodeStage.OPENED.value, EpisodeStage.CONSULTING.value)


class EpisodeRepository(Repository):
    """Deliberations."""

    async def add(self, new: NewEpisode) -> EpisodeRow:
        """Begin one."""
        statement = (
            insert(EpisodeTable)
            .values(
                conversation_id=new.conversation_id,
                log_id=new.log_id,
                desk_id=new.desk_id,
                question_id=new.question_id,
                asker_user_id=new.asker_user_id,
                stage=EpisodeStage.OPENED.value,
                options=[],
                failures=[],
                revision=new.revision,
                progress_id=new.progress_id,
                progressed_at=new.created_at,
                reserved_tokens=new.reserved_tokens,
                reserved_usd_micros=new.reserved_usd_micros,
                created_at=new.created_at,
                consult_due_at=new.consult_due_at,
                deadline_at=new.deadline_at,
            )
            .returning(EpisodeTable)
        )
        return episode_of(await self._the(statement))

    async def get(self, episode_id: int) -> EpisodeRow | None:
        """One row by id."""
        row = await self._one(select(EpisodeTable).where(col(EpisodeTable.id) == episode_id))
        return None if row is None else episode_of(row)

    async def by_log(self, conversation_id: int) -> EpisodeRow | None:
        """The episode whose log this conversation is."""
        row = await self._one(
            select(EpisodeTable).where(col(EpisodeTable.log_id) == conversation_id)
        )
        return None if row is None else episode_of(row)

    async def in_thread(self, conversation_id: int) -> tuple[EpisodeRow, ...]:
        """The episodes of a thread, oldest first."""
        rows = await self._all(
            select(EpisodeTable)
            .where(col(EpisodeTable.conversation_id) == conversation_id)
            .order_by(col(EpisodeTable.id))
        )
        return tuple(episode_of(row) for row in rows)

    async def for_question(self, message_id: int) -> tuple[EpisodeRow, ...]:
        """The episodes about a message."""
        rows = await self._all(
            select(EpisodeTable)
            .where(col(EpisodeTable.question_id) == message_id)
            .order_by(col(EpisodeTable.id))
        )
        return tuple(episode_of(row) for row in rows)

    async def of_desk(self, desk_id: str, limit: int) -> tuple[EpisodeRow, ...]:
        """The newest `limit` of a desk that were deliberated and have ended, newest first."""
        rows = await self._all(
            select(EpisodeTable)
            .where(
                col(EpisodeTable.desk_id) == desk_id,
                col(EpisodeTable.stage) == _ENDED,
                col(EpisodeTable.state).is_not(None),
            )
            .order_by(col(EpisodeTable.id).desc())
            .limit(limit)
        )
        return tuple(episode_of(row) for row in rows)

    async def advance(self, episode_id: int, stage: EpisodeStage) -> EpisodeRow:
        """Set how far it has come."""
        return await self._changed(episode_id, {"stage": stage.value})

    async def begin(
        self, episode_id: int, options: tuple[Option, ...], state: EpisodeState
    ) -> EpisodeRow:
        """Set options and first state; from now on it deliberates."""
        return await self._changed(
            episode_id,
            {
                "stage": EpisodeStage.DELIBERATING.value,
                "options": encode(options),
                "state": dict(encode_episode_state(state)),
            },
        )

    async def add_option(self, episode_id: int, option: Option) -> None:
        """Append an option a member has thought of."""
        row = await self._the(
            select(EpisodeTable).where(col(EpisodeTable.id) == episode_id).with_for_update()
        )
        options = (*episode_of(row).options, option)
        await self._changed(episode_id, {"options": encode(options)})

    async def adopt(self, episode_id: int, state: EpisodeState) -> None:
        """Set the state a committed turn leads to."""
        await self._changed(episode_id, {"state": dict(encode_episode_state(state))})

    async def count_failure(self, episode_id: int, agent_id: str) -> None:
        """A member's model has failed once more."""
        row = await self._the(
            select(EpisodeTable).where(col(EpisodeTable.id) == episode_id).with_for_update()
        )
        failures = dict(episode_of(row).failures)
        failures[agent_id] = failures.get(agent_id, 0) + 1
        await self._changed(episode_id, {"failures": [list(item) for item in failures.items()]})

    async def count_asks(self, episode_id: int, asks: int) -> None:
        """It has put so many more questions to other desks."""
        await self._changed(episode_id, {"asked": col(EpisodeTable.asked) + asks})

    async def progressed(self, episode_id: int, at: datetime) -> None:
        """Its progress message was given a new text, shown at that moment."""
        await self._changed(episode_id, {"progressed_at": at})

    async def wish(self, episode_id: int, wish: Wish, reason: str) -> bool:
        """Note what a person wants of it; False when it has ended."""
        row = await self._one(
            update(EpisodeTable)
            .where(col(EpisodeTable.id) == episode_id, col(EpisodeTable.stage) != _ENDED)
            .values(wish=wish.value, reason=reason)
            .returning(EpisodeTable)
        )
        return row is not None

    async def reopen(
        self, episode_id: int, extra_turns: int, deadline_at: datetime
    ) -> EpisodeRow | None:
        """Let an ended one go on with more turns; None while it runs or once it was decided."""
        row = await self._one(
            update(EpisodeTable)
            .where(
                col(EpisodeTable.id) == episode_id,
                col(EpisodeTable.stage) == _ENDED,
                col(EpisodeTable.ending).not_in(_DECIDED),
                col(EpisodeTable.state).is_not(None),
            )
            .values(
                stage=EpisodeStage.DELIBERATING.value,
                ending="",
                reason="",
                wish="",
                ended_at=None,
                extra_turns=col(EpisodeTable.extra_turns) + extra_turns,
                deadline_at=deadline_at,
            )
            .returning(EpisodeTable)
        )
        return None if row is None else episode_of(row)

    async def end(
        self, episode_id: int, end: EpisodeEnd, topic: str, reason: str, at: datetime
    ) -> EpisodeRow | None:
        """End it and release what was held back; None when it has ended before."""
        row = await self._one(
            update(EpisodeTable)
            .where(col(EpisodeTable.id) == episode_id, col(EpisodeTable.stage) != _ENDED)
            .values(
                stage=_ENDED,
                ending=end.value,
                topic=topic,
                reason=reason,
                ended_at=at,
                reserved_tokens=0,
                reserved_usd_micros=0,
            )
            .returning(EpisodeTable)
        )
        return None if row is None else episode_of(row)

    async def overturn(self, episode_id: int, reason: str) -> EpisodeRow:
        """A converged one was not accepted: it counts as stopped, and may go on."""
        return await self._changed(
            episode_id, {"ending": EpisodeEnd.STOPPED.value, "topic": "", "reason": reason}
        )

    async def wish_choice(self, episode_id: int, topic: str, reason: str) -> bool:
        """Note a person's choice on one that ended undecided; False: it is decided or runs."""
        row = await self._one(
            update(EpisodeTable)
            .where(
                col(EpisodeTable.id) == episode_id,
                col(EpisodeTable.stage) == _ENDED,
                col(EpisodeTable.ending).not_in(_DECIDED),
                col(EpisodeTable.wish) != Wish.CHOOSE.value,
            )
            .values(wish=Wish.CHOOSE.value, topic=topic, reason=reason)
            .returning(EpisodeTable)
        )
        return row is not None

    async def choose(self, episode_id: int) -> EpisodeRow | None:
        """Make the noted choice the end of it; None when none is noted."""
        row = await self._one(
            update(EpisodeTable)
            .where(
                col(EpisodeTable.id) == episode_id,
                col(EpisodeTable.stage) == _ENDED,
                col(EpisodeTable.wish) == Wish.CHOOSE.value,
            )
            .values(ending=EpisodeEnd.CHOSEN.value, wish=Wish.NONE.value)
            .returning(EpisodeTable)
        )
        return None if row is None else episode_of(row)

    async def reserved(self, desk_id: str) -> tuple[int, int]:
        """(tokens, usd_micros) held back by the desk's running ones."""
        tokens, usd_micros = (
            await self._session.execute(
                select(
                    func.coalesce(func.sum(col(EpisodeTable.reserved_tokens)), 0),
                    func.coalesce(func.sum(col(EpisodeTable.reserved_usd_micros)), 0),
                ).where(col(EpisodeTable.desk_id) == desk_id, col(EpisodeTable.stage) != _ENDED)
            )
        ).one()
        return int(tokens), int(usd_micros)

    async def due(self, now: datetime) -> tuple[EpisodeRow, ...]:
        """Running ones past their consulting time or their deadline."""
        rows = await self._all(
            select(EpisodeTable)
            .where(
                col(EpisodeTable.stage) != _ENDED,
                or_(
                    col(EpisodeTable.deadline_at) <= now,
                    and_(
                        col(EpisodeTable.consult_due_at) <= now,
                        col(EpisodeTable.stage).in_(_CONSULTING),
                    ),
                ),
            )
            .order_by(col(EpisodeTable.id))
        )
        return tuple(episode_of(row) for row in rows)

    async def blank(self, episode_id: int) -> None:
        """Erase what the removed question has left."""
        await self._changed(episode_id, {"options": []})
        await self._session.execute(
            delete(PrefetchTable).where(col(PrefetchTable.episode_id) == episode_id)
        )

    async def prefetch(self, episode_id: int, agent_id: str, digest: str, reply: TurnReply) -> None:
        """Keep a blind turn's reply until the market gives that member its turn."""
        kept = {"digest": digest, "reply": encode(reply)}
        await self._session.execute(
            insert(PrefetchTable)
            .values(episode_id=episode_id, agent_id=agent_id, **kept)
            .on_conflict_do_update(index_elements=["episode_id", "agent_id"], set_=kept)
        )

    async def prefetched(self, episode_id: int, agent_id: str) -> tuple[str, TurnReply] | None:
        """The kept reply with the digest of the request it answers."""
        row = await self._one(
            select(PrefetchTable).where(
                col(PrefetchTable.episode_id) == episode_id,
                col(PrefetchTable.agent_id) == agent_id,
            )
        )
        return None if row is None else (row.digest, decode(TurnReply, row.reply))

    async def _changed(self, episode_id: int, values: Mapping[str, object]) -> EpisodeRow:
        statement = (
            update(EpisodeTable)
            .where(col(EpisodeTable.id) == episode_id)
            .values(dict(values))
            .returning(EpisodeTable)
        )
        return episode_of(await self._the(statement))
