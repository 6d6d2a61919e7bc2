"""Does a channel's queue keep its order, its holds and its claims? Source: datapath.md 4."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.adapters.db.repositories.outbox import method_of
from hivebot.adapters.db.unit_of_work import PostgresUnitOfWork
from hivebot.services.ports import NewOutbox, Transaction
from hivebot.services.records.outgoing import Body, OutboxKind, OutboxState
from hivebot.services.records.rows import OutboxRow, WorkspaceRow
from tests.fakes.clock import START
from tests.integration.seeds import TEAM, after, message, new_post, new_turn, posted

pytestmark = pytest.mark.integration

WORKSPACE = WorkspaceRow(TEAM, "https://x.slack.com", "UBOT", "BBOT", "A1")


async def next_text(tx: Transaction, seconds: float = 0, channel_id: str = "C1") -> str | None:
    row = await tx.outbox.next_due(TEAM, channel_id, START + after(seconds))
    return None if row is None else row.body.text


async def claimed(tx: Transaction, new: NewOutbox) -> OutboxRow:
    row = await tx.outbox.add(new)
    taken = await tx.outbox.claim(row.id, START, START + after(3))
    assert taken is not None
    return taken


async def state_of(tx: Transaction, row: OutboxRow) -> OutboxState:
    found = await tx.outbox.get(row.id)
    assert found is not None
    return found.state


async def test_a_row_comes_back_as_it_was_wanted(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        shown = await message(tx)
        turn = await tx.turns.add(new_turn(shown))
        root = await tx.outbox.add(new_post())
        new = replace(
            new_post("hi"),
            message_id=shown.id,
            turn_id=turn.id,
            thread_of=root.id,
            target_id=root.id,
            needs=(root.id,),
        )
        row = await tx.outbox.add(new)
        assert await tx.outbox.get(row.id) == row
        assert await tx.outbox.get(0) is None
        assert await tx.outbox.for_message(shown.id) == (row,)
        assert await tx.outbox.for_turn(turn.id) == (row,)
    assert (row.state, row.destination, row.body) == (
        OutboxState.QUEUED,
        new.destination,
        new.body,
    )
    assert (row.needs, row.thread_of, row.target_id) == ((root.id,), root.id, root.id)
    assert (row.attempt, row.lookups, row.revision, row.sent_revision) == (0, 0, 1, 0)
    assert (row.ts, row.seen, row.error, row.created_at) == ((), (), "", START)


async def test_rows_go_in_order_and_channels_do_not_wait_for_each_other(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        assert await next_text(tx) is None
        first = await tx.outbox.add(new_post("one"))
        await tx.outbox.add(new_post("two"))
        await tx.outbox.add(new_post("far", "C2"))
        assert await next_text(tx) == "one"
        assert await next_text(tx, channel_id="C2") == "far"
        assert await tx.outbox.channels_waiting(START) == ((TEAM, "C1"), (TEAM, "C2"))
        await posted(tx, first, "1.0")
        assert await next_text(tx) == "two"


async def test_a_row_on_its_way_keeps_its_place_until_it_is_to_be_looked_for(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        taken = await claimed(tx, new_post("one"))
        await tx.outbox.add(new_post("two"))
        assert (taken.state, taken.attempt, taken.sending_at) == (OutboxState.SENDING, 1, START)
        assert await tx.outbox.claim(taken.id, START, START) is None
        assert await next_text(tx, 2) is None
        assert await tx.outbox.channels_waiting(START + after(2)) == ()
        assert await tx.outbox.next_moment(TEAM, "C1") == START + after(3)
        assert await next_text(tx, 3) == "one"
        await tx.outbox.looked(taken.id, START + after(15))
        assert await next_text(tx, 3) is None
        found = await tx.outbox.next_due(TEAM, "C1", START + after(15))
        assert found is not None
        assert (found.state, found.lookups) == (OutboxState.SENDING, 1)


async def test_what_was_sent_is_recorded_on_the_row_and_on_its_message(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        shown = await message(tx)
        row = await claimed(tx, replace(new_post(), message_id=shown.id))
        assert await tx.outbox.sent(row.id, row.attempt, row.revision, ("1.0", "2.0"))
        assert not await tx.outbox.sent(row.id, row.attempt, row.revision, ("9.0",))
        found = await tx.outbox.get(row.id)
        assert found is not None
        assert (found.state, found.ts, found.sent_revision) == (
            OutboxState.SENT,
            ("1.0", "2.0"),
            1,
        )
        assert await tx.outbox.next_moment(TEAM, "C1") is None
        assert await tx.outbox.by_ts(TEAM, "C1", "2.0") == found
        assert await tx.outbox.by_ts(TEAM, "C2", "2.0") is None
        named = await tx.messages.get(shown.id)
        assert named is not None
        assert named.ts == "1.0"


async def test_an_ephemeral_gives_its_message_no_ts(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        shown = await message(tx)
        new = replace(new_post(kind=OutboxKind.EPHEMERAL), message_id=shown.id)
        await posted(tx, await tx.outbox.add(new), "1.0")
        named = await tx.messages.get(shown.id)
        assert named is not None
        assert named.ts == ""


async def test_an_older_attempt_writes_nothing(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await claimed(tx, new_post())
        assert await tx.outbox.settle(row.id, 1, OutboxState.QUEUED, "lost")
        again = await tx.outbox.claim(row.id, START, START)
        assert again is not None
        assert again.attempt == 2
        assert not await tx.outbox.sent(row.id, 1, 1, ("1.0",))
        assert not await tx.outbox.settle(row.id, 1, OutboxState.FAILED, "late")
        assert await state_of(tx, row) is OutboxState.SENDING


async def test_a_row_is_tried_again_at_its_moment(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await claimed(tx, new_post("one"))
        await tx.outbox.add(new_post("two"))
        later = START + after(30)
        assert await tx.outbox.settle(row.id, 1, OutboxState.QUEUED, "ratelimited", later)
        assert await next_text(tx, 29) is None
        assert await tx.outbox.next_moment(TEAM, "C1") == later
        assert await next_text(tx, 30) == "one"


async def test_a_row_that_was_never_tried_can_be_cancelled(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await tx.outbox.add(new_post())
        assert await tx.outbox.settle(row.id, row.attempt, OutboxState.CANCELLED, "removed")
        assert await next_text(tx) is None
        assert not await tx.outbox.settle(row.id, row.attempt, OutboxState.FAILED, "again")


async def test_a_line_is_edited_to_its_newest_text(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await tx.outbox.add(new_post("one", kind=OutboxKind.LINE))
        await tx.outbox.revise(row.id, Body(text="two"))
        sent = await posted(tx, row, "1.0")
        assert (sent.state, sent.sent_revision) == (OutboxState.SENT, 2)
        revised = await tx.outbox.revise(row.id, Body(text="three"))
        assert (revised.state, revised.revision, revised.ts) == (OutboxState.QUEUED, 3, ("1.0",))
        assert await next_text(tx) == "three"


async def test_a_line_that_changes_on_its_way_is_queued_when_it_has_arrived(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        row = await claimed(tx, new_post("one", kind=OutboxKind.LINE))
        revised = await tx.outbox.revise(row.id, Body(text="two"))
        assert revised.state is OutboxState.SENDING
        assert await tx.outbox.sent(row.id, row.attempt, row.revision, ("1.0",))
        assert await next_text(tx) == "two"
        found = await tx.outbox.get(row.id)
        assert found is not None
        assert (found.state, found.ts) == (OutboxState.QUEUED, ("1.0",))


async def test_a_line_whose_post_is_gone_is_posted_anew(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await posted(tx, await tx.outbox.add(new_post(kind=OutboxKind.LINE)), "1.0")
        await tx.outbox.seen(row.id, 0, "1.0")
        await tx.outbox.forget_ts(row.id)
        found = await tx.outbox.get(row.id)
        assert found is not None
        assert (found.state, found.ts, found.seen) == (OutboxState.QUEUED, (), ())
        assert found.sent_revision == 0


async def test_our_own_posts_are_remembered_once_each(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await claimed(tx, new_post())
        for part, ts in ((1, "2.0"), (0, "1.0"), (1, "2.0")):
            await tx.outbox.seen(row.id, part, ts)
        await tx.outbox.seen(0, 0, "1.0")
        found = await tx.outbox.get(row.id)
        assert found is not None
        assert found.seen == ((1, "2.0"), (0, "1.0"))


@pytest.mark.parametrize("by", ["thread_of", "needs"])
async def test_a_row_that_needs_a_ts_waits_without_holding_up_the_next(
    work: PostgresUnitOfWork, by: str
) -> None:
    async with work.begin() as tx:
        root = await tx.outbox.add(new_post("root", "C2"))
        named: dict[str, object] = {by: root.id if by == "thread_of" else (root.id,)}
        waits = await tx.outbox.add(replace(new_post("waits"), **named))
        await tx.outbox.add(new_post("goes"))
        assert await next_text(tx) == "goes"
        assert await tx.outbox.waiters(root.id) == ((TEAM, "C1"),)
        await posted(tx, root, "1.0")
        assert await next_text(tx) == "waits"
        await posted(tx, waits, "2.0")
        assert await tx.outbox.waiters(root.id) == ()


@pytest.mark.parametrize("end", [OutboxState.FAILED, OutboxState.CANCELLED, OutboxState.UNKNOWN])
async def test_a_row_that_needs_what_never_came_goes_without(
    work: PostgresUnitOfWork, end: OutboxState
) -> None:
    async with work.begin() as tx:
        root = await claimed(tx, new_post("root", "C2"))
        await tx.outbox.add(replace(new_post("waits"), thread_of=root.id))
        assert await next_text(tx) is None
        assert await tx.outbox.next_moment(TEAM, "C1") is None
        await tx.outbox.settle(root.id, root.attempt, end, "gone")
        assert await next_text(tx) == "waits"


async def test_a_held_channel_waits_and_others_do_not(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        await tx.outbox.add(new_post("near"))
        await tx.outbox.add(new_post("far", "C2"))
        await tx.outbox.hold(TEAM, "C1", "", START + after(30))
        await tx.outbox.hold(TEAM, "C1", "", START + after(10))
        assert await next_text(tx, 29) is None
        assert await next_text(tx, 0, "C2") == "far"
        assert await tx.outbox.next_moment(TEAM, "C1") == START + after(30)
        assert await tx.outbox.channels_waiting(START) == ((TEAM, "C2"),)
        assert await next_text(tx, 30) == "near"


async def test_a_held_method_holds_the_rows_that_use_it_in_every_channel(
    work: PostgresUnitOfWork,
) -> None:
    async with work.begin() as tx:
        line = await tx.outbox.add(new_post("line", "C2", OutboxKind.LINE))
        await posted(tx, line, "1.0")
        await tx.outbox.revise(line.id, Body(text="edit"))
        await tx.outbox.add(new_post("post"))
        await tx.outbox.hold(TEAM, "", "chat.postMessage", START + after(30))
        assert await next_text(tx) is None
        assert await next_text(tx, 0, "C2") == "edit"
        await tx.outbox.hold(TEAM, "", "chat.update", START + after(30))
        assert await next_text(tx, 0, "C2") is None


@pytest.mark.parametrize(
    ("kind", "posted_before", "method"),
    [
        (OutboxKind.POST, False, "chat.postMessage"),
        (OutboxKind.POST, True, "chat.update"),
        (OutboxKind.LINE, False, "chat.postMessage"),
        (OutboxKind.LINE, True, "chat.update"),
        (OutboxKind.EPHEMERAL, False, "chat.postEphemeral"),
        (OutboxKind.DELETE, False, "chat.delete"),
    ],
)
def test_each_row_is_sent_by_one_method(
    kind: OutboxKind, method: str, *, posted_before: bool
) -> None:
    assert method_of(kind, posted=posted_before) == method


async def test_nothing_goes_while_the_workspace_is_stopped(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        await tx.workspaces.put(WORKSPACE)
        await tx.outbox.add(new_post("one"))
        assert await next_text(tx) == "one"
        await tx.workspaces.stop(TEAM, "token_revoked")
        assert await next_text(tx) is None
        assert await tx.outbox.next_moment(TEAM, "C1") is None


async def test_nothing_goes_while_the_channel_is_paused(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        await tx.outbox.add(new_post("one"))
        await tx.workspaces.pause_channel(TEAM, "C1", "is_archived")
        assert await next_text(tx) is None
        await tx.workspaces.pause_channel(TEAM, "C1", "")
        assert await next_text(tx) == "one"


async def test_a_blanked_row_keeps_no_word(work: PostgresUnitOfWork) -> None:
    async with work.begin() as tx:
        row = await tx.outbox.add(new_post("planted"))
        await tx.outbox.blank(row.id)
        found = await tx.outbox.get(row.id)
        assert found is not None
        assert found.body == Body(text="")
