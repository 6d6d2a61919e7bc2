"""Do transcripts, turns, referrals and decisions keep what use cases rely on?

Source: datapath.md 2, 3 and 5.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.mention import DeskTarget, Mention
from hivebot.hive.trace import Trace, TraceKind
from hivebot.services.ports import NewDecision, StoreConflictError
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.asking import ReplyFailure, Spent, TurnReply
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Known, Shape
from hivebot.services.records.rows import MessageRole, ReferralState, TurnRow, TurnState
from tests.fakes.clock import START, FakeClock
from tests.integration.seeds import (
    TEAM,
    after,
    conversation,
    copied,
    message,
    new_message,
    new_post,
    new_referral,
    new_turn,
)

pytestmark = pytest.mark.integration

REPLY = TurnReply(
    reply=AnswerTurn(Known.KNOWN, "yes", (1,), (), NO_ASK),
    shape=Shape.RETRIED,
    spent=Spent(tokens_in=10, tokens_out=5, cost_usd_micros=7),
)
FAILURE = ReplyFailure("timed_out", "(no answer)", again=True, spent=Spent(tokens_in=3))


async def test_a_place_is_one_conversation(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        channel = await conversation(tx)
        thread = await conversation(tx, thread_ts="1.0", root_seq=1)
        assert (channel.root_seq, channel.last_seq, channel.muted) == (None, 0, False)
        assert thread.root_seq == 1
        assert await conversation(tx, thread_ts="1.0", root_seq=9) == thread
        assert await tx.conversations.find(TEAM, "C1", "1.0") == thread
        assert await tx.conversations.find(TEAM, "C1", "2.0") is None
        assert await tx.conversations.get(channel.id) == channel
        assert await tx.conversations.get(0) is None


async def test_desk_and_audience_follow_the_channel_while_numbers_stay(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        first = await message(tx)
        again = await tx.conversations.ensure(
            TEAM, "C1", "", desk_id="legal", audience=Audience.SHARED, root_seq=None
        )
        assert (again.id, again.last_seq) == (first.conversation_id, 1)
        assert (again.desk_id, again.audience) == ("legal", Audience.SHARED)


async def test_a_conversation_notes_whom_it_answered_and_that_it_is_muted(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        place = await conversation(tx)
        await tx.conversations.set_answered(place.id, "U1")
        await tx.conversations.set_muted(place.id, muted=True)
        found = await tx.conversations.get(place.id)
        assert found == replace(place, answered_user_id="U1", muted=True)


async def test_locks_are_taken_in_order_of_id_whatever_order_is_given(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        ids = [(await conversation(tx, channel)).id for channel in ("C1", "C2", "C3")]
        locked = await tx.conversations.lock([ids[2], ids[0], ids[2], ids[1]])
        assert [row.id for row in locked] == ids


async def test_two_crossing_appends_under_locks_do_not_deadlock(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        one, two = await conversation(tx, "C1"), await conversation(tx, "C2")

    async def cross(first: int, second: int) -> None:
        for _ in range(20):
            async with work.begin() as tx:
                await tx.conversations.lock([first, second])
                await tx.messages.append(new_message(first))
                await tx.messages.append(new_message(second))

    await asyncio.gather(cross(one.id, two.id), cross(two.id, one.id))
    async with work.begin() as tx:
        rows = await tx.conversations.lock([one.id, two.id])
    assert [row.last_seq for row in rows] == [40, 40]


async def test_crossing_appends_without_locks_are_a_conflict_for_the_use_case(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        one, two = await conversation(tx, "C1"), await conversation(tx, "C2")
    both = asyncio.Barrier(2)

    async def cross(first: int, second: int) -> None:
        async with work.begin() as tx:
            await tx.messages.append(new_message(first))
            await both.wait()
            await tx.messages.append(new_message(second))

    ended = await asyncio.gather(
        cross(one.id, two.id), cross(two.id, one.id), return_exceptions=True
    )
    assert {type(end) for end in ended} == {type(None), StoreConflictError}


async def test_sequences_are_dense_from_one_under_concurrency(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        place = await conversation(tx)

    async def append() -> int:
        async with work.begin() as tx:
            await tx.conversations.lock([place.id])
            return (await tx.messages.append(new_message(place.id))).seq

    assert sorted(await asyncio.gather(*(append() for _ in range(8)))) == list(range(1, 9))


async def test_a_rolled_back_append_leaves_no_gap(work: PostgresUnitOfWork) -> None:
    async def fail() -> None:
        async with work.begin() as tx:
            await message(tx)
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    async with work.begin() as tx:
        assert (await message(tx)).seq == 1


async def test_a_row_comes_back_as_it_was_appended(work: PostgresUnitOfWork) -> None:
    author = AgentAuthor("anna", "Anna")
    trace = Trace(1, author, TraceKind.PROPOSE, "ship", None, (), "!propose #ship", 0)
    async with work.begin() as tx:
        place = await conversation(tx)
        first = await message(tx)
        turn = await tx.turns.add(new_turn(first))
        new = replace(
            new_message(place.id, "!propose #ship\x00", "2.0"),
            role=MessageRole.RETURN,
            author=author,
            user_id="U1",
            user_team_id="T9",
            shown="ship it",
            addressed=True,
            wakes=True,
            mentions=(Mention(DeskTarget("legal"), "@#legal", 3, quiet=True),),
            traces=(trace,),
            turn_id=turn.id,
            copy_of=first.id,
            judged=True,
            files=("a.txt",),
        )
        row = await tx.messages.append(new)
        assert await tx.messages.get(row.id) == row
        assert await tx.messages.by_turn(turn.id) == row
        assert await tx.messages.get(0) is None
        assert await tx.messages.by_turn(0) is None
    assert (row.seq, row.revision, row.created_at, row.deleted_at) == (2, 1, START, None)
    assert row.content == "!propose #ship\ufffd"
    assert (row.author, row.role, row.traces, row.mentions) == (
        author,
        MessageRole.RETURN,
        (trace,),
        new.mentions,
    )
    assert (row.shown, row.files, row.judged, row.copy_of) == (
        "ship it",
        ("a.txt",),
        True,
        first.id,
    )
    assert (first.mentions, first.traces) == (None, ())


async def test_rows_are_found_by_place_window_and_number(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        rows = [await message(tx, ts=f"{number}.0") for number in range(1, 6)]
        place = rows[0].conversation_id
        thread = await conversation(tx, thread_ts="1.0", root_seq=1)
        root = await tx.messages.append(copied(new_message(thread.id, ts="1.0"), rows[0]))
        assert await tx.messages.find(TEAM, "C1", "1.0") == (rows[0], root)
        assert await tx.messages.find(TEAM, "C2", "1.0") == ()
        assert await tx.messages.window(place, 2) == (rows[4], rows[3])
        assert await tx.messages.window(place, 2, before=3) == (rows[1], rows[0])
        assert await tx.messages.since(place, 3) == (rows[3], rows[4])


async def test_rows_are_judged_once_each(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        rows = [await message(tx) for _ in range(3)]
        await tx.messages.mark_judged(rows[1].id)
        unjudged = await tx.messages.unjudged(rows[0].conversation_id)
        assert [row.id for row in unjudged] == [rows[0].id, rows[2].id]


async def test_an_edit_keeps_the_old_text_as_a_revision(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    async with work.begin() as tx:
        row = await message(tx, "one")
        await tx.messages.revise(row.id, "two", addressed=False, at=START)
        edited = await tx.messages.revise(row.id, "three", addressed=True, at=START)
    assert (edited.content, edited.revision, edited.addressed) == ("three", 3, True)
    async with engine.connect() as connection:
        kept = await connection.execute(
            text("select revision, content from message_revision order by revision")
        )
        assert [tuple(row) for row in kept] == [(1, "one"), (2, "two")]


async def test_erasing_leaves_the_number_and_no_word(
    work: PostgresUnitOfWork, engine: AsyncEngine
) -> None:
    async with work.begin() as tx:
        row = await message(tx, "planted")
        await tx.messages.revise(row.id, "planted again", addressed=False, at=START)
        await tx.messages.erase(row.id, START + after(1))
        erased = await tx.messages.get(row.id)
    assert erased is not None
    assert (erased.seq, erased.content, erased.shown, erased.wakes) == (1, "", "", False)
    assert (erased.mentions, erased.traces, erased.files) == (None, (), ())
    assert erased.deleted_at == START + after(1)
    async with engine.connect() as connection:
        for table in ("message", "message_revision"):
            rows = await connection.scalars(text(f"select t::text from {table} t"))  # noqa: S608
            assert not any("planted" in kept for kept in rows)


async def test_copies_are_followed_through_copies(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        source = await message(tx)
        new = new_message(source.conversation_id)
        first = await tx.messages.append(copied(new, source))
        second = await tx.messages.append(copied(new, first))
        beside = await tx.messages.append(copied(new, source))
        await message(tx)
        assert await tx.messages.copies(source.id) == (first, second, beside)
        assert await tx.messages.copies(second.id) == ()


async def test_a_root_is_filled_and_a_post_gets_its_ts(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await message(tx, "")
        await tx.messages.fill(row.id, "the root's text")
        await tx.messages.set_ts(row.id, "1.0")
        found = await tx.messages.get(row.id)
        assert found == replace(row, content="the root's text", ts="1.0")


async def test_a_conversation_has_one_open_turn(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        trigger = await message(tx)
        assert await tx.turns.open_turn(trigger.conversation_id) is None
        turn = await tx.turns.add(new_turn(trigger))
        with pytest.raises(StoreConflictError):
            await tx.turns.add(new_turn(trigger))
        waits = await tx.turns.add(new_turn(trigger, TurnState.WAITING))
        with pytest.raises(StoreConflictError):
            await tx.turns.authorise(waits.id, None)
        assert await tx.turns.open_turn(trigger.conversation_id) == turn
        assert await tx.turns.get(turn.id) == turn
        assert await tx.turns.get(0) is None
    assert (turn.attempt, turn.shape, turn.reply, turn.created_at) == (0, None, None, START)
    assert (turn.notes, turn.reason, turn.agent_id) == (("a note",), "asked", "anna")


async def test_waiting_turns_are_opened_in_order_of_arrival(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        trigger = await message(tx)
        first, second = [await tx.turns.add(new_turn(trigger, TurnState.WAITING)) for _ in range(2)]
        assert await tx.turns.waiting(trigger.conversation_id) == (first, second)
        opened = await tx.turns.authorise(first.id, None)
        assert opened.state is TurnState.AUTHORISED
        with pytest.raises(StoreConflictError):
            await tx.turns.authorise(first.id, None)
        assert await tx.turns.waiting(trigger.conversation_id) == (second,)


async def claimed(work: PostgresUnitOfWork) -> TurnRow:
    async with work.begin() as tx:
        turn = await tx.turns.add(new_turn(await message(tx)))
        running = await tx.turns.claim(turn.id)
    assert running is not None
    assert (running.state, running.attempt) == (TurnState.RUNNING, 1)
    return running


async def test_only_the_newest_claim_may_commit(work: PostgresUnitOfWork) -> None:
    turn = await claimed(work)
    async with work.begin() as tx:
        again = await tx.turns.claim(turn.id)
        assert again is not None
        assert again.attempt == 2
        assert not await tx.turns.commit(turn.id, 1, REPLY)
        assert not await tx.turns.choose(turn.id, 1, "bo", "selected")
        assert await tx.turns.choose(turn.id, 2, "bo", "selected")
        assert await tx.turns.commit(turn.id, 2, REPLY)
        assert not await tx.turns.commit(turn.id, 2, REPLY)
        assert await tx.turns.claim(turn.id) is None
        done = await tx.turns.get(turn.id)
    assert done is not None
    assert (done.state, done.agent_id, done.reason) == (TurnState.COMMITTED, "bo", "selected")
    assert (done.shape, done.reply) == (Shape.RETRIED, REPLY.reply)
    assert (done.tokens_in, done.tokens_out, done.cost_usd_micros) == (10, 5, 7)


async def test_a_failed_reply_is_committed_with_its_reason(work: PostgresUnitOfWork) -> None:
    turn = await claimed(work)
    async with work.begin() as tx:
        assert await tx.turns.commit(turn.id, 1, FAILURE, "the model timed out")
        done = await tx.turns.get(turn.id)
    assert done is not None
    assert (done.state, done.shape, done.reply) == (TurnState.COMMITTED, Shape.FAILED, None)
    assert (done.reason, done.tokens_in) == ("the model timed out", 3)


@pytest.mark.parametrize("state", [TurnState.FAILED, TurnState.CANCELLED])
async def test_a_turn_is_closed_once_and_frees_its_conversation(
    work: PostgresUnitOfWork, state: TurnState
) -> None:
    turn = await claimed(work)
    async with work.begin() as tx:
        assert await tx.turns.close(turn.id, state, "stopped")
        assert not await tx.turns.close(turn.id, TurnState.FAILED, "late")
        assert not await tx.turns.commit(turn.id, turn.attempt, REPLY)
        assert await tx.turns.open_turn(turn.conversation_id) is None
        done = await tx.turns.get(turn.id)
    assert done is not None
    assert (done.state, done.reason) == (state, "stopped")


async def test_turns_are_found_by_what_they_serve_and_by_neglect(
    work: PostgresUnitOfWork, clock: FakeClock
) -> None:
    turn = await claimed(work)
    async with work.begin() as tx:
        other = await message(tx)
        waits = await tx.turns.add(
            replace(new_turn(other, TurnState.WAITING), question_id=turn.question_id)
        )
        assert [row.id for row in await tx.turns.for_message(turn.trigger_id)] == [
            turn.id,
            waits.id,
        ]
        assert [row.id for row in await tx.turns.for_message(other.id)] == [waits.id]
        assert await tx.turns.stale(START) == ()
        assert await tx.turns.stale(START + after(1)) == (turn,)
        clock.advance(60)
        await tx.turns.claim(turn.id)
        assert await tx.turns.stale(START + after(60)) == ()


async def test_a_question_crosses_once(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        question, far = await message(tx), await conversation(tx, "C2")
        first = await tx.referrals.add(new_referral(question, far))
        assert first is not None
        assert await tx.referrals.add(new_referral(question, far)) is None
        assert await tx.referrals.add(new_referral(question, far, 2)) is not None
        assert await tx.referrals.get(first.id) == first
        assert await tx.referrals.lock(first.id) == first
        assert await tx.referrals.get(0) is None
        assert len(await tx.referrals.for_question(question.id)) == 2
    assert (first.state, first.visited) == (ReferralState.ASKED, ("ops", "legal"))
    assert (first.status_id, first.post_id, first.answer_id, first.nudged) == (None,) * 3 + (False,)


async def test_a_referral_ends_once_and_may_be_answered_late(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        question, far = await message(tx), await conversation(tx, "C2")
        owed = await tx.referrals.add(new_referral(question, far))
        assert owed is not None
        post, status = await tx.outbox.add(new_post()), await tx.outbox.add(new_post())
        await tx.referrals.link(owed.id)
        await tx.referrals.link(owed.id, post_id=post.id)
        await tx.referrals.link(owed.id, status_id=status.id)
        assert await tx.referrals.end(owed.id, ReferralState.EXPIRED, "no answer")
        assert not await tx.referrals.end(owed.id, ReferralState.ANSWERED, "")
        await tx.referrals.late_answer(owed.id, question.id)
        found = await tx.referrals.get(owed.id)
    assert found == replace(
        owed,
        state=ReferralState.EXPIRED,
        reason="no answer",
        post_id=post.id,
        status_id=status.id,
        answer_id=question.id,
        late=True,
    )


@pytest.mark.parametrize(
    ("seconds", "nudged", "due"),
    [(59, False, False), (60, False, True), (60, True, False), (600, True, True)],
)
async def test_a_referral_is_due_when_late_and_again_at_its_end(
    work: PostgresUnitOfWork, seconds: int, *, nudged: bool, due: bool
) -> None:
    async with work.begin() as tx:
        question, far = await message(tx), await conversation(tx, "C2")
        owed = await tx.referrals.add(new_referral(question, far))
        assert owed is not None
        if nudged:
            await tx.referrals.nudge(owed.id)
        found = await tx.referrals.due(START + after(seconds))
        assert [row.id for row in found] == ([owed.id] if due else [])
        await tx.referrals.end(owed.id, ReferralState.ANSWERED, "", answer_id=question.id)
        assert await tx.referrals.due(START + after(seconds)) == ()


async def test_questions_between_two_desks_are_counted(
    work: PostgresUnitOfWork, clock: FakeClock
) -> None:
    async def count(to: str, since: datetime) -> int:
        return await tx.referrals.count_since("ops", to, since)

    async with work.begin() as tx:
        question, far = await message(tx), await conversation(tx, "C2")
        await tx.referrals.add(new_referral(question, far, 1))
        clock.advance(10)
        await tx.referrals.add(new_referral(question, far, 2))
        assert await count("legal", START) == 2
        assert await count("legal", START + after(1)) == 1
        assert await count("ops", START) == 0


async def test_decisions_are_kept_in_order(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await message(tx)
        new = NewDecision(
            row.conversation_id, row.id, "dispatch", {"rows": [[1, 1]]}, {"to": None}, "why", "r1"
        )
        first = await tx.decisions.add(new)
        second = await tx.decisions.add(replace(new, next_state={"phase": "blind"}))
        assert await tx.decisions.for_message(row.id) == (first, second)
        assert await tx.decisions.get(first.id) == first
        assert await tx.decisions.get(0) is None
    assert (first.input, first.result, first.next_state) == ({"rows": [[1, 1]]}, {"to": None}, None)
    assert second.next_state == {"phase": "blind"}
