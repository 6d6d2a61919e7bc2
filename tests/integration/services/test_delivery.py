"""Does a wanted message reach Slack once, in order, whatever happens? Source: datapath.md 4."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from hivebot.services.delivery.preparing import permalink
from hivebot.services.ports import NewOutbox
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    OutboxState,
    Quote,
    SendFailure,
    SendResult,
    SourceLink,
)
from hivebot.services.records.rows import OutboxRow
from tests.fakes.poster import PART_LENGTH, FakePoster
from tests.integration.services.world import ADMINS, ANA, PAYMENTS, PLATFORM, TEAM, World

pytestmark = pytest.mark.integration

LOST = SendFailure("ambiguous", "connection")
LIMITED = SendFailure("wait", "ratelimited", retry_after_s=30)


def wanted(
    text: str = "hi", channel_id: str = PAYMENTS, kind: OutboxKind = OutboxKind.POST
) -> NewOutbox:
    user_id = ANA if kind is OutboxKind.EPHEMERAL else ""
    return NewOutbox(kind, Destination(TEAM, channel_id, user_id=user_id), Body(text=text))


def line(text: str) -> NewOutbox:
    return wanted(text, kind=OutboxKind.LINE)


class Watched(FakePoster):
    """A Slack whose history says what a test wants, and that remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0
        self.posted: list[OutboxRow] = []
        self.says: deque[SendFailure | None] = deque()
        self.meanwhile: Callable[[OutboxRow], Awaitable[None]] | None = None

    async def post(self, row: OutboxRow, thread_ts: str, done: tuple[str, ...] = ()) -> SendResult:
        self.posted.append(row)
        if self.meanwhile is not None:
            await self.meanwhile(row)
        return await super().post(row, thread_ts, done)

    async def lookup(
        self, row: OutboxRow, thread_ts: str, since: datetime
    ) -> tuple[str, ...] | SendFailure | None:
        self.looks += 1
        return self.says.popleft() if self.says else await super().lookup(row, thread_ts, since)


@pytest.fixture(autouse=True)
def _slack(world: World) -> None:
    world.poster = Watched()


def watched(world: World, *says: SendFailure | None) -> Watched:
    """The world's Slack, whose history says this first."""
    assert isinstance(world.poster, Watched)
    world.poster.says.extend(says)
    return world.poster


async def come_back(world: World, row: OutboxRow, part: int) -> None:
    """Our own event tells of a part."""
    posted = next(one for one in world.poster.shown if (one.outbox_id, one.part) == (row.id, part))
    async with world.work.begin() as tx:
        await tx.outbox.seen(row.id, part, posted.ts)


async def want(world: World, *new: NewOutbox) -> list[OutboxRow]:
    async with world.work.begin() as tx:
        return [await tx.outbox.add(one) for one in new]


async def send(world: World, channel_id: str = PAYMENTS) -> float | None:
    """Run the channel once; seconds until it is to run again, None when nothing waits."""
    again = await world.delivery.run(TEAM, channel_id)
    return None if again is None else (again - world.clock.now()).total_seconds()


async def now(world: World, row: OutboxRow) -> OutboxRow:
    async with world.work.begin() as tx:
        found = await tx.outbox.get(row.id)
    assert found is not None
    return found


async def state(world: World, row: OutboxRow) -> OutboxState:
    return (await now(world, row)).state


async def revise(world: World, row: OutboxRow, text: str) -> None:
    async with world.work.begin() as tx:
        await tx.outbox.revise(row.id, Body(text=text))


# --- order ----------------------------------------------------------------------------------------


async def test_a_channels_rows_are_posted_in_order_and_others_are_left_alone(
    world: World,
) -> None:
    rows = await want(world, wanted("one"), wanted("far", PLATFORM), wanted("two"))

    assert await send(world) is None

    assert world.poster.texts(PAYMENTS) == ["one", "two"]
    assert world.poster.texts(PLATFORM) == []
    sent = await now(world, rows[0])
    assert (sent.state, sent.sent_revision, sent.attempt) == (OutboxState.SENT, 1, 1)
    assert sent.ts == (world.poster.shown[0].ts,)


async def test_each_post_goes_to_the_thread_that_was_fixed_for_it(world: World) -> None:
    threads = [f"1700000050.00000{number}" for number in range(5)]
    await want(
        world,
        *(
            replace(wanted(ts), destination=Destination(TEAM, PAYMENTS, ts))
            for ts in reversed(threads)
        ),
    )

    await send(world)

    assert [world.poster.texts(PAYMENTS, ts) for ts in threads] == [[ts] for ts in threads]


async def test_a_long_queue_is_handed_back_to_the_other_channels_now_and_then(
    world: World,
) -> None:
    await want(world, *(wanted(str(number)) for number in range(201)))

    assert await send(world) == 0
    assert len(world.poster.shown) == 200
    assert await send(world) is None


async def test_an_ephemeral_is_for_one_person(world: World) -> None:
    await want(world, wanted("psst", kind=OutboxKind.EPHEMERAL))

    await send(world)

    assert world.poster.private_texts(PAYMENTS, ANA) == ["psst"]


async def test_a_deletion_removes_what_another_row_posted(world: World) -> None:
    (row,) = await want(world, wanted("oops"))
    await send(world)
    await want(world, replace(wanted("", kind=OutboxKind.DELETE), target_id=row.id))

    await send(world)

    assert world.poster.shown == []


# --- lines ----------------------------------------------------------------------------------------


async def test_a_line_is_posted_once_and_then_edited(world: World) -> None:
    (row,) = await want(world, line("asked"))
    await send(world)
    await revise(world, row, "answered")

    await send(world)

    assert world.poster.texts(PAYMENTS) == ["answered"]
    assert len(world.poster.shown) == 1
    assert (await now(world, row)).sent_revision == 2


async def test_a_line_skips_the_texts_it_has_grown_out_of(world: World) -> None:
    (row,) = await want(world, line("turn 1"))
    await revise(world, row, "turn 2")
    await revise(world, row, "turn 3")

    await send(world)

    assert world.poster.texts(PAYMENTS) == ["turn 3"]
    assert (await now(world, row)).attempt == 1


async def test_a_line_that_somebody_removed_is_posted_once_more(world: World) -> None:
    (row,) = await want(world, line("asked"))
    await send(world)
    world.poster.shown.clear()
    await revise(world, row, "answered")

    assert await send(world) is None

    assert world.poster.texts(PAYMENTS) == ["answered"]
    assert await state(world, row) is OutboxState.SENT


async def test_a_line_that_had_to_wait_before_it_was_removed_is_posted_once_more(
    world: World,
) -> None:
    (row,) = await want(world, line("asked"))
    await send(world)
    await revise(world, row, "answered")
    world.poster.fail(LIMITED)
    await send(world)
    world.poster.shown.clear()
    world.clock.advance(30)

    await send(world)

    assert world.poster.texts(PAYMENTS) == ["answered"]


async def test_a_post_that_somebody_removed_is_not_posted_again(world: World) -> None:
    (row,) = await want(world, wanted("an answer"))
    await send(world)
    world.poster.shown.clear()
    await revise(world, row, "(removed)")

    assert await send(world) is None

    assert world.poster.shown == []
    assert await state(world, row) is OutboxState.CANCELLED
    assert await world.outbox(ADMINS) == []


# --- Slack says wait ------------------------------------------------------------------------------


async def test_a_limited_channel_waits_keeps_its_order_and_holds_up_no_other(
    world: World,
) -> None:
    await want(world, wanted("one"), wanted("two"), wanted("far", PLATFORM))
    world.poster.fail(LIMITED)

    assert await send(world) == 30
    assert await send(world, PLATFORM) is None
    assert (world.poster.texts(PAYMENTS), world.poster.texts(PLATFORM)) == ([], ["far"])
    world.clock.advance(29)
    assert await send(world) == 1
    world.clock.advance(1)
    assert await send(world) is None
    assert world.poster.texts(PAYMENTS) == ["one", "two"]


@pytest.mark.parametrize(
    ("kind", "method"),
    [(OutboxKind.LINE, "chat.update"), (OutboxKind.EPHEMERAL, "chat.postEphemeral")],
)
async def test_a_limited_method_waits_in_the_whole_workspace(
    world: World, kind: OutboxKind, method: str
) -> None:
    near, far = await want(world, wanted("near", kind=kind), wanted("far", PLATFORM, kind))
    if kind is OutboxKind.LINE:
        await send(world)
        await send(world, PLATFORM)
        await revise(world, near, "near again")
        await revise(world, far, "far again")
    world.poster.fail(replace(LIMITED, per_channel=False))

    assert await send(world) == 30

    assert await send(world, PLATFORM) == 30
    assert await world.rows("select channel_id, method from hold") == [("", method)]
    await want(world, wanted("a post", ADMINS))
    assert await send(world, ADMINS) is None


async def test_a_limited_deletion_waits_by_its_own_method(world: World) -> None:
    (row,) = await want(world, wanted("oops"))
    await send(world)
    await want(world, replace(wanted("", kind=OutboxKind.DELETE), target_id=row.id))
    world.poster.fail(replace(LIMITED, per_channel=False))

    assert await send(world) == 30

    assert await world.rows("select channel_id, method from hold") == [("", "chat.delete")]
    world.clock.advance(30)
    await send(world)
    assert world.poster.shown == []


# --- the answer is lost ---------------------------------------------------------------------------


async def test_a_lost_answer_is_found_by_our_own_event_without_a_look(world: World) -> None:
    (row,) = await want(world, wanted("one"))
    await want(world, wanted("two"))
    slack = watched(world)
    slack.lose()
    assert await send(world) == 3
    await come_back(world, row, 0)

    world.clock.advance(3)
    assert await send(world) is None

    assert (slack.texts(PAYMENTS), slack.looks) == (["one", "two"], 0)
    assert (await now(world, row)).ts == (slack.shown[0].ts,)


async def test_a_lost_answer_is_looked_up_after_three_seconds_and_not_before(
    world: World,
) -> None:
    (row,) = await want(world, wanted("one"))
    slack = watched(world)
    slack.lose()
    await send(world)

    world.clock.advance(2)
    assert await send(world) == 1
    assert slack.looks == 0
    world.clock.advance(1)
    assert await send(world) is None

    assert (slack.texts(PAYMENTS), slack.looks) == (["one"], 1)
    assert await state(world, row) is OutboxState.SENT


async def test_after_a_miss_the_second_look_is_fifteen_seconds_later(world: World) -> None:
    (row,) = await want(world, wanted("one"))
    slack = watched(world, None)
    slack.lose()
    await send(world)

    world.clock.advance(3)
    assert await send(world) == 15
    world.clock.advance(14)
    assert await send(world) == 1
    assert slack.looks == 1
    world.clock.advance(1)
    assert await send(world) is None

    assert (slack.texts(PAYMENTS), slack.looks) == (["one"], 2)
    assert await state(world, row) is OutboxState.SENT


async def test_two_misses_and_it_is_sent_again(world: World) -> None:
    (row,) = await want(world, wanted("one"))
    slack = watched(world)
    slack.fail(LOST)
    await send(world)
    for seconds in (3, 15):
        world.clock.advance(seconds)
        await send(world)

    assert (slack.texts(PAYMENTS), slack.looks) == (["one"], 2)
    sent = await now(world, row)
    assert (sent.state, sent.attempt, sent.lookups) == (OutboxState.SENT, 2, 0)


async def test_a_worker_that_died_before_it_called_slack_is_made_up_for(world: World) -> None:
    (row,) = await want(world, wanted("one"))
    at = world.clock.now()
    async with world.work.begin() as tx:
        assert await tx.outbox.claim(row.id, at, at + timedelta(seconds=3)) is not None

    assert await send(world) == 3
    for seconds in (3, 15):
        world.clock.advance(seconds)
        await send(world)

    assert world.poster.texts(PAYMENTS) == ["one"]


async def test_six_looks_for_nothing_and_it_is_left_as_unknown(world: World) -> None:
    (row, _) = await want(world, wanted("one"), wanted("two"))
    slack = watched(world)
    for _ in range(3):
        slack.fail(LOST)
    for _ in range(6):
        again = await send(world)
        assert again is not None
        world.clock.advance(again)
    await send(world)

    assert (await state(world, row), slack.looks) == (OutboxState.UNKNOWN, 6)
    assert slack.texts(PAYMENTS) == ["two"]
    (told,) = await world.outbox(ADMINS)
    assert "did not say whether a message in C0PAY went through" in told.body.text
    assert told.body.small.endswith(f"Reference P{row.id}")


@pytest.mark.parametrize(
    ("failure", "wait_s"), [(LOST, 15), (replace(LIMITED, retry_after_s=40), 40)]
)
async def test_a_look_that_fails_is_no_miss(
    world: World, failure: SendFailure, wait_s: int
) -> None:
    (row,) = await want(world, wanted("one"))
    slack = watched(world, failure, None)
    slack.fail(LOST)
    await send(world)

    world.clock.advance(3)
    assert await send(world) == wait_s
    world.clock.advance(wait_s)
    assert await send(world) == 15
    assert slack.shown == []
    world.clock.advance(15)
    await send(world)

    assert (slack.texts(PAYMENTS), slack.looks) == (["one"], 3)
    assert (await now(world, row)).attempt == 2


async def test_a_look_that_slack_refuses_leaves_the_row_unknown(world: World) -> None:
    (row, _) = await want(world, wanted("one"), wanted("two"))
    slack = watched(world, SendFailure("scope", "missing_scope", "channels:history"))
    slack.lose()
    await send(world)
    world.clock.advance(3)

    await send(world)

    found = await now(world, row)
    assert (found.state, found.error) == (OutboxState.UNKNOWN, "missing_scope")
    assert slack.texts(PAYMENTS) == ["one", "two"]
    assert len(await world.outbox(ADMINS)) == 1


async def test_a_token_that_dies_before_the_look_leaves_the_row_to_be_looked_up(
    world: World,
) -> None:
    (row,) = await want(world, wanted("one"))
    slack = watched(world, SendFailure("token", "token_revoked"))
    slack.lose()
    await send(world)
    world.clock.advance(3)
    assert await send(world) is None
    assert await state(world, row) is OutboxState.SENDING

    await world.install()
    world.clock.advance(15)
    await send(world)

    assert await state(world, row) is OutboxState.SENT
    assert slack.texts(PAYMENTS) == ["one"]


async def test_a_line_revised_while_its_answer_was_lost_is_edited_once_it_is_found(
    world: World,
) -> None:
    (row,) = await want(world, line("asked"))
    slack = watched(world)
    slack.lose()
    await send(world)
    await revise(world, row, "answered")
    world.clock.advance(3)

    await send(world)

    assert slack.texts(PAYMENTS) == ["answered"]
    assert (await now(world, row)).sent_revision == 2


async def test_of_an_answer_in_parts_only_what_is_missing_is_posted(world: World) -> None:
    text = "a" * PART_LENGTH + "b" * PART_LENGTH + "c"
    (row,) = await want(world, wanted(text))
    slack = watched(world)
    slack.fail(LOST, after=1, applied=True)
    await send(world)
    await come_back(world, row, 1)
    world.clock.advance(3)

    await send(world)

    assert "".join(slack.texts(PAYMENTS)) == text
    assert (await now(world, row)).ts == tuple(one.ts for one in slack.shown)


async def test_parts_our_own_events_tell_of_count_where_the_history_lags(world: World) -> None:
    text = "a" * PART_LENGTH + "b"
    (row,) = await want(world, wanted(text))
    slack = watched(world, None)
    slack.fail(LOST, applied=True)
    await send(world)
    await come_back(world, row, 0)
    world.clock.advance(3)

    await send(world)

    assert "".join(slack.texts(PAYMENTS)) == text


async def test_a_later_part_is_not_taken_for_the_first_one(world: World) -> None:
    (row,) = await want(world, wanted("a" * PART_LENGTH + "b"))
    slack = watched(world, None)
    slack.fail(LOST, after=1, applied=True)
    await send(world)
    await come_back(world, row, 1)
    world.clock.advance(3)
    assert await send(world) == 15
    world.clock.advance(15)

    await send(world)

    assert len(slack.shown) == 2
    assert (await now(world, row)).ts == tuple(one.ts for one in slack.shown)


async def test_an_ephemeral_whose_answer_was_lost_is_never_sent_twice(world: World) -> None:
    (row,) = await want(world, wanted("psst", kind=OutboxKind.EPHEMERAL))
    world.poster.fail(LOST)
    assert await send(world) == 3
    world.clock.advance(3)

    assert await send(world) is None

    assert await state(world, row) is OutboxState.UNKNOWN
    assert world.poster.shown == []


async def test_a_lost_edit_is_made_again(world: World) -> None:
    (row,) = await want(world, line("asked"))
    await send(world)
    await revise(world, row, "answered")
    slack = watched(world)
    slack.fail(LOST)
    slack.fail(LOST)

    assert await send(world) == 3
    world.clock.advance(3)
    assert await send(world) == 15
    world.clock.advance(15)
    assert await send(world) is None

    assert (slack.texts(PAYMENTS), slack.looks) == (["answered"], 0)


async def test_an_edit_that_is_lost_six_times_is_given_up_and_told(world: World) -> None:
    (row,) = await want(world, line("asked"))
    await send(world)
    await revise(world, row, "answered")
    for _ in range(6):
        world.poster.fail(LOST)
    waits = [await send(world)]
    while waits[-1] is not None:
        world.clock.advance(waits[-1])
        waits.append(await send(world))

    assert waits == [3, 15, 15, 15, 15, None]
    assert await state(world, row) is OutboxState.UNKNOWN
    assert len(await world.outbox(ADMINS)) == 1
    await revise(world, row, "answered, late")
    await send(world)
    assert world.poster.texts(PAYMENTS) == ["answered, late"]


async def test_a_worker_that_died_during_an_edit_or_a_deletion_is_made_up_for(
    world: World,
) -> None:
    (row, gone) = await want(world, line("asked"), wanted("oops"))
    await send(world)
    await revise(world, row, "answered")
    (deletion,) = await want(world, replace(wanted("", kind=OutboxKind.DELETE), target_id=gone.id))
    at = world.clock.now()
    async with world.work.begin() as tx:
        for one in (row, deletion):
            await tx.outbox.claim(one.id, at, at + timedelta(seconds=3))
    world.clock.advance(3)

    await send(world)

    assert world.poster.texts(PAYMENTS) == ["answered"]


async def test_a_lost_deletion_is_made_again(world: World) -> None:
    (row,) = await want(world, wanted("oops"))
    await send(world)
    await want(world, replace(wanted("", kind=OutboxKind.DELETE), target_id=row.id))
    world.poster.fail(LOST)

    assert await send(world) == 3
    world.clock.advance(3)
    await send(world)

    assert world.poster.shown == []


async def test_a_worker_that_is_late_writes_nothing(world: World) -> None:
    (row,) = await want(world, wanted("one"))
    slack = watched(world)

    async def overtaken(sending: OutboxRow) -> None:
        async with world.work.begin() as tx:
            await tx.outbox.settle(sending.id, sending.attempt, OutboxState.QUEUED, "rescued")
            await tx.outbox.claim(sending.id, world.clock.now(), world.clock.now())

    slack.meanwhile = overtaken
    slack.fail(SendFailure("not_member", "not_in_channel"))

    await send(world)

    found = await now(world, row)
    assert (found.state, found.attempt) == (OutboxState.SENDING, 2)
    assert await world.outbox(ADMINS) == []


# --- rows that wait for others --------------------------------------------------------------------


@pytest.mark.parametrize("by", ["needs", "thread_of"])
async def test_a_row_that_needs_anothers_ts_holds_up_nothing_and_goes_when_it_is_there(
    world: World, by: str
) -> None:
    (far,) = await want(world, wanted("far", PLATFORM))
    named = {"needs": (far.id,)} if by == "needs" else {"thread_of": far.id}
    await want(world, replace(wanted("waits"), **named), wanted("goes"))

    assert await send(world) is None
    assert [one.text for one in world.poster.shown] == ["goes"]
    await send(world, PLATFORM)
    await world.work_off("deliver")

    assert [one.text for one in world.poster.shown] == ["goes", "far", "waits"]
    (_, posted, waited) = world.poster.shown
    assert waited.thread_ts == ("" if by == "needs" else posted.ts)


async def test_what_a_row_waited_for_in_vain_is_left_out(world: World) -> None:
    (far,) = await want(world, wanted("far", PLATFORM))
    quote = Quote("Lasse", "#platform", f"outbox:{far.id}", "said there")
    body = Body(text="", quotes=(quote,))
    (near,) = await want(world, replace(wanted(), body=body, needs=(far.id,)))
    slack = watched(world)
    slack.fail(SendFailure("not_member", "not_in_channel"))

    await send(world, PLATFORM)
    await world.work_off("deliver")

    posted = next(one for one in slack.posted if one.id == near.id)
    assert posted.body.quotes == (replace(quote, link=""),)


async def test_links_are_built_from_the_workspace_and_the_ts(world: World) -> None:
    (far,) = await want(world, wanted("far", PLATFORM))
    await send(world, PLATFORM)
    ts = world.poster.shown[0].ts.replace(".", "")
    sources = (
        SourceLink("Ana", f"message:{PAYMENTS}/1700000050.000100"),
        SourceLink("status", "https://status.example.com"),
        SourceLink("the runbook"),
    )
    quote = Quote("Lasse", "#platform", f"outbox:{far.id}", "said there")
    await want(world, replace(wanted(), body=Body(text="so", quotes=(quote,), sources=sources)))
    slack = watched(world)

    await send(world)

    posted = slack.posted[-1]
    assert posted.body.quotes[0].link == f"https://hive.slack.com/archives/{PLATFORM}/p{ts}"
    assert [source.link for source in posted.body.sources] == [
        f"https://hive.slack.com/archives/{PAYMENTS}/p1700000050000100",
        "https://status.example.com",
        "",
    ]


async def test_without_an_installation_a_message_links_nowhere(world: World) -> None:
    place = Destination("T0OTHER", PAYMENTS)
    sources = (SourceLink("Ana", f"message:{PAYMENTS}/1700000050.000100"),)
    body = Body(text="so", sources=sources)
    await want(world, NewOutbox(OutboxKind.POST, place, body))
    slack = watched(world)

    await world.delivery.run("T0OTHER", PAYMENTS)

    assert slack.posted[0].body.sources == (SourceLink("Ana"),)


def test_a_permalink_needs_an_address_and_a_ts() -> None:
    assert permalink("https://x.slack.com/", "C1", "1.5") == "https://x.slack.com/archives/C1/p15"
    assert permalink("", "C1", "1.5") == permalink("https://x.slack.com", "C1", "") == ""


# --- Slack refuses by name ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "remedy"),
    [
        (SendFailure("not_member", "not_in_channel"), "invite the bot to the channel"),
        (SendFailure("too_long", "msg_too_long"), "shorten the agent's answers in its brief"),
        (SendFailure("blocks", "invalid_blocks"), "report the reference to the maintainers"),
        (SendFailure("cannot_edit", "cant_update_message"), "check who may edit"),
        (SendFailure("scope", "missing_scope", "chat:write"), "reinstall the app"),
        (SendFailure("refused", "no_text"), "look the error up in Slack's documentation"),
    ],
    ids=lambda value: value.kind if isinstance(value, SendFailure) else "",
)
async def test_a_refusal_ends_the_row_and_tells_the_admins_what_to_do(
    world: World, failure: SendFailure, remedy: str
) -> None:
    (row, _) = await want(world, wanted("one"), wanted("two"))
    world.poster.fail(failure)

    assert await send(world) is None

    found = await now(world, row)
    assert (found.state, found.error) == (OutboxState.FAILED, failure.code)
    assert world.poster.texts(PAYMENTS) == ["two"]
    (told,) = await world.outbox(ADMINS)
    assert f"Slack refused a post in C0PAY: {failure.code}" in told.body.text
    assert failure.detail in told.body.text
    assert remedy in told.body.text


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (SendFailure("archived", "is_archived"), "that channel is archived"),
        (SendFailure("restricted", "restricted_action"), "that channel restricts posting"),
    ],
    ids=lambda value: value.kind if isinstance(value, SendFailure) else "",
)
async def test_a_place_that_takes_no_posts_is_paused_and_its_queue_waits(
    world: World, failure: SendFailure, reason: str
) -> None:
    (row, behind) = await want(world, wanted("one"), wanted("two"))
    world.poster.fail(failure)

    assert await send(world) is None
    assert await send(world) is None

    assert await state(world, row) is OutboxState.FAILED
    assert await state(world, behind) is OutboxState.QUEUED
    async with world.work.begin() as tx:
        assert await tx.workspaces.paused(TEAM, PAYMENTS) == reason
    assert len(await world.outbox(ADMINS)) == 1


async def test_a_thread_that_is_gone_ends_the_row_quietly(world: World) -> None:
    (row,) = await want(world, wanted("an answer"))
    world.poster.fail(SendFailure("thread_gone", "invalid_thread_ts"))

    assert await send(world) is None

    assert await state(world, row) is OutboxState.CANCELLED
    assert await world.outbox(ADMINS) == []


@pytest.mark.parametrize("code", ["token_revoked", "account_inactive", "invalid_auth"])
async def test_a_dead_token_stops_its_workspace_and_no_other(world: World, code: str) -> None:
    (row,) = await want(world, wanted("one"))
    other = Destination("T0OTHER", PAYMENTS)
    await want(world, NewOutbox(OutboxKind.POST, other, Body(text="elsewhere")))
    world.poster.fail(SendFailure("token", code))

    assert await send(world) is None
    assert await send(world) is None
    await world.upkeep.run()
    await world.work_off("deliver")

    assert [one.text for one in world.poster.shown] == ["elsewhere"]
    assert await state(world, row) is OutboxState.QUEUED
    async with world.work.begin() as tx:
        workspace = await tx.workspaces.get(TEAM)
    assert workspace is not None
    assert (workspace.state, workspace.reason) == ("stopped", code)
    await world.install()
    await send(world)
    assert [one.text for one in world.poster.shown] == ["elsewhere", "one"]


async def test_a_refusal_in_the_admin_channel_is_told_nowhere(world: World) -> None:
    await want(world, wanted("one", ADMINS))
    world.poster.fail(SendFailure("not_member", "not_in_channel"))

    assert await send(world, ADMINS) is None

    assert len(await world.outbox()) == 1


async def test_without_an_admin_channel_a_refusal_ends_the_row_alone(world: World) -> None:
    world = World(world.engine, world.clock, replace(world.configuration, admin_channel=""))
    (row,) = await want(world, wanted("one"))
    world.poster.fail(SendFailure("not_member", "not_in_channel"))

    assert await send(world) is None

    assert await state(world, row) is OutboxState.FAILED
    assert len(await world.outbox()) == 1
