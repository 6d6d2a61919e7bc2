"""What becomes of something that arrives? Source: datapath.md 1 and 2, product.md 3 and 10."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from hivebot.hive.conversation import PersonAuthor, SystemAuthor
from hivebot.services.inert import WORD_JOINER
from hivebot.services.intake import Receipt
from hivebot.services.records.arrivals import (
    Audience,
    EventKey,
    HomeOpened,
    Ignored,
    ReactionChanged,
    Speaker,
    SpeakerKind,
)
from hivebot.services.records.rows import MessageRole, TurnState
from hivebot.services.sessions import read_session
from tests.integration.services.world import (
    ANA,
    BEN,
    CONFIGURATION,
    PAYMENTS,
    PLATFORM,
    TEAM,
    World,
    deleted,
    edited,
    key,
    next_ts,
    payload_of,
    person,
    said,
)

pytestmark = pytest.mark.integration

ALERT = Speaker(SpeakerKind.BOT, "", TEAM, "B0ALERT", "alert")


async def payloads(world: World) -> list[object]:
    """What is kept of each event, in order of arrival."""
    return [kept for (kept,) in await world.rows("select payload from inbox_event order by id")]


async def seqs(world: World, channel_id: str, thread_ts: str = "") -> list[int]:
    return [row.seq for row in await world.log(channel_id, thread_ts)]


# --- one message, however it comes ----------------------------------------------------------------


async def test_a_message_is_one_row_and_one_job(world: World) -> None:
    message = said("hello there")

    assert await world.hear(message) is Receipt.STORED

    place = await world.place(PAYMENTS)
    (row,) = await world.log(PAYMENTS)
    assert (row.seq, row.content, row.ts, row.user_id) == (1, "hello there", message.ts, ANA)
    assert (row.author, row.role, row.wakes) == (PersonAuthor(ANA, ""), MessageRole.SPEECH, True)
    assert (place.desk_id, place.audience) == ("payments", Audience.PUBLIC)
    assert await world.jobs() == [("route", {"conversation_id": place.id})]


async def test_a_retry_after_a_slow_ack_changes_nothing(world: World) -> None:
    message = said("@pia why?", event_id="Ev1")

    assert await world.hear(message) is Receipt.STORED
    assert await world.hear(message) is Receipt.DUPLICATE_EVENT

    assert await world.texts(PAYMENTS) == ["@pia why?"]
    assert len(await world.jobs()) == 1


async def test_a_retry_is_run_when_the_first_delivery_never_came(world: World) -> None:
    world.clock.advance(60)

    assert await world.hear(said("@pia why?", event_id="Ev2")) is Receipt.STORED
    await world.work_off("route")

    assert [turn.agent_id for turn in await world.all_turns()] == ["pia"]


async def test_the_same_message_under_many_event_ids_is_one_row(world: World) -> None:
    message = said("@pia why?")

    receipts = [await world.hear(replace(message, key=key())) for _ in range(11)]

    assert receipts == [Receipt.STORED, *[Receipt.DUPLICATE_MESSAGE] * 10]
    assert await world.texts(PAYMENTS) == ["@pia why?"]
    assert len(await world.jobs()) == 1


async def test_the_marks_outlive_the_payloads(world: World) -> None:
    message = said("@pia why?", event_id="Ev3")
    await world.hear(message)
    world.clock.advance(8 * 86_400)

    await world.upkeep.run()

    assert await payloads(world) == [None]
    assert await world.hear(message) is Receipt.DUPLICATE_EVENT
    assert await world.hear(replace(message, key=key())) is Receipt.DUPLICATE_MESSAGE


async def test_equal_event_ids_of_two_teams_are_two_events(world: World) -> None:
    await world.hear(said("one", event_id="Ev4"))
    other = replace(said("two"), key=EventKey("T0OTHER", "Ev4", 1))

    assert await world.hear(other) is Receipt.STORED


@pytest.mark.parametrize("mention_first", [True, False])
async def test_a_message_and_its_mention_are_one_addressed_row_in_either_order(
    world: World, *, mention_first: bool
) -> None:
    message = said("hm")
    twin = replace(message, key=key(), addressed=True)
    pair = (twin, message) if mention_first else (message, twin)

    assert [await world.hear(one) for one in pair] == [Receipt.STORED, Receipt.DUPLICATE_MESSAGE]

    (row,) = await world.log(PAYMENTS)
    assert (row.addressed, row.judged) == (True, False)


async def test_a_mention_that_comes_after_its_message_was_passed_over_is_judged(
    world: World,
) -> None:
    message = said("why do refunds take so long?")
    await world.hear(message)
    await world.work_off("route")
    assert await world.all_turns() == []

    await world.hear(replace(message, key=key(), addressed=True))
    await world.work_off("route")

    assert len(await world.all_turns()) == 1
    await world.hear(replace(message, key=key(), addressed=True))
    await world.work_off("route")
    assert len(await world.all_turns()) == 1


async def test_a_mention_that_comes_after_the_answer_asks_nobody_again(world: World) -> None:
    message = said("@pia why do refunds take so long?")
    await world.hear(message)
    await world.work_off()
    (answered,) = await world.all_turns()

    await world.hear(replace(message, key=key(), addressed=True))
    await world.work_off()

    assert [turn.id for turn in await world.all_turns()] == [answered.id]


# --- news out of order ----------------------------------------------------------------------------


async def test_a_message_that_was_deleted_before_it_came_leaves_no_text(world: World) -> None:
    message = said("a secret")
    await world.hear(deleted(message))

    assert await world.hear(message) is Receipt.DELETED_BEFORE

    assert await world.log(PAYMENTS) == ()
    assert await world.jobs() == []
    assert "a secret" not in str(await payloads(world))


async def test_an_edit_before_its_message_gives_the_message_its_text(world: World) -> None:
    message = said("@pia why?")

    assert await world.hear(edited(message, "never mind", addressed=True)) is (
        Receipt.REVISION_PENDING
    )
    await world.hear(message)

    (row,) = await world.log(PAYMENTS)
    assert (row.content, row.addressed, row.revision) == ("never mind", True, 1)


async def test_an_edit_after_the_deletion_keeps_nothing(world: World) -> None:
    message = said("a secret")
    await world.hear(message)
    assert "a secret" in str(await payloads(world))
    await world.hear(deleted(message))

    assert await world.hear(edited(message, "a secret, edited")) is Receipt.DELETED_BEFORE

    assert await world.texts(PAYMENTS) == [""]
    assert "a secret" not in str(await payloads(world))
    assert await world.rows("select content from pending_revision") == []


async def test_an_edit_of_an_unjudged_message_is_what_is_judged(world: World) -> None:
    message = said("lunch, anybody?")
    await world.hear(message)

    assert await world.hear(edited(message, "@pia why do refunds wait?")) is Receipt.REVISED
    await world.work_off("route")

    assert [turn.agent_id for turn in await world.all_turns()] == ["pia"]
    (row, *_) = await world.log(PAYMENTS)
    assert row.revision == 2
    assert await world.rows("select revision, content from message_revision") == [
        (1, "lunch, anybody?")
    ]


async def test_an_edit_of_a_judged_message_starts_no_turn(world: World) -> None:
    message = said("lunch, anybody?")
    await world.hear(message)
    await world.work_off()

    await world.hear(edited(message, "@pia why do refunds wait?"))
    await world.work_off()

    assert await world.texts(PAYMENTS) == ["@pia why do refunds wait?"]
    assert await world.all_turns() == []


async def test_an_edit_that_changes_no_word_is_no_revision(world: World) -> None:
    message = said("lunch?")
    await world.hear(message)

    await world.hear(edited(message, "lunch?"))

    assert (await world.log(PAYMENTS))[0].revision == 1


async def test_an_edited_root_is_edited_in_its_thread_too(world: World) -> None:
    root = said("what is the limit")
    await world.hear(root)
    await world.hear(said("it is 100", thread_ts=root.ts, by=person(BEN)))

    await world.hear(edited(root, "what is the limit?"))

    assert await world.texts(PAYMENTS) == ["what is the limit?"]
    assert await world.texts(PAYMENTS, root.ts) == ["what is the limit?", "it is 100"]


# --- threads --------------------------------------------------------------------------------------


async def test_a_thread_of_twenty_rows_under_channel_row_seven_is_its_own_log(
    world: World,
) -> None:
    for number in range(1, 7):
        await world.hear(said(f"row {number}"))
    root = said("the root")
    await world.hear(root)
    for number in range(2, 21):
        await world.hear(said(f"reply {number}", thread_ts=root.ts))

    assert await seqs(world, PAYMENTS) == [1, 2, 3, 4, 5, 6, 7]
    assert await seqs(world, PAYMENTS, root.ts) == list(range(1, 21))
    thread = await world.place(PAYMENTS, root.ts)
    assert (thread.root_seq, thread.desk_id) == (7, "payments")
    (copy, *replies) = await world.log(PAYMENTS, root.ts)
    assert (copy.content, copy.copy_of) == ("the root", (await world.log(PAYMENTS))[6].id)
    assert all(reply.copy_of is None for reply in replies)
    async with world.work.begin() as tx:
        seen = await read_session(tx.messages, thread, 30)
    assert [row.seq for row in seen] == list(range(1, 21))


async def test_a_reply_to_a_root_we_never_saw_stands_under_a_row_for_it(world: World) -> None:
    root_ts = next_ts()

    await world.hear(said("@pia look at this", thread_ts=root_ts))

    (stand_in,) = await world.log(PAYMENTS)
    assert (stand_in.role, stand_in.content, stand_in.ts) == (MessageRole.BACKFILLED, "", root_ts)
    (copy, reply) = await world.log(PAYMENTS, root_ts)
    assert (copy.content, copy.judged, copy.copy_of) == ("", True, stand_in.id)
    assert (reply.seq, reply.content) == (2, "@pia look at this")
    assert (await world.place(PAYMENTS, root_ts)).root_seq == stand_in.seq


async def test_a_root_that_comes_after_its_reply_takes_its_place_and_is_answered(
    world: World,
) -> None:
    root = said("@pia why do refunds wait?")
    await world.hear(said("same here", thread_ts=root.ts, by=person(BEN)))
    await world.work_off()
    assert await world.all_turns() == []

    assert await world.hear(root) is Receipt.STORED
    await world.work_off()

    (stored,) = await world.log(PAYMENTS)
    assert (stored.seq, stored.role, stored.user_id) == (1, MessageRole.SPEECH, ANA)
    assert (await world.texts(PAYMENTS, root.ts))[:2] == [root.text, "same here"]
    (turn,) = await world.all_turns()
    assert (turn.agent_id, turn.asker_user_id, turn.state) == ("pia", ANA, TurnState.COMMITTED)
    assert await world.hear(replace(root, key=key())) is Receipt.DUPLICATE_MESSAGE


async def test_a_root_that_comes_after_its_reply_and_its_edit_has_the_edited_words(
    world: World,
) -> None:
    root = said("which day?")
    for news in (said("monday", thread_ts=root.ts), edited(root, "which hour?"), root):
        await world.hear(news)

    assert await world.texts(PAYMENTS) == ["which hour?"]
    assert await world.texts(PAYMENTS, root.ts) == ["which hour?", "monday"]


async def test_messages_that_come_together_are_stored_once_whatever_else_is_known_of_them(
    world: World,
) -> None:
    twice, gone, changed, plain = (said(word) for word in ("twice", "gone", "changed", "plain"))
    for news in (deleted(gone), edited(changed, "changed before")):
        await world.hear(news)
    intake = world.intake
    together = [twice, replace(twice, key=key()), gone, changed, plain, plain]

    receipts = await asyncio.gather(*(intake.receive(one, payload_of(one)) for one in together))

    assert receipts == [
        Receipt.STORED,
        Receipt.DUPLICATE_MESSAGE,
        Receipt.DELETED_BEFORE,
        Receipt.STORED,
        Receipt.STORED,
        Receipt.DUPLICATE_EVENT,
    ]
    assert sorted(await world.texts(PAYMENTS)) == ["changed before", "plain", "twice"]


async def test_messages_that_come_together_to_many_channels_need_one_decision_in_each(
    world: World,
) -> None:
    intake = world.intake
    together = [said(f"message {n}", place) for n in range(3) for place in (PAYMENTS, PLATFORM)]

    await asyncio.gather(*(intake.receive(one, payload_of(one)) for one in together))

    assert await world.texts(PAYMENTS) == ["message 0", "message 1", "message 2"]
    assert await world.texts(PLATFORM) == ["message 0", "message 1", "message 2"]
    places = [(await world.place(one)).id for one in (PAYMENTS, PLATFORM)]
    assert {arguments["conversation_id"] for _, arguments in await world.jobs()} == set(places)


async def test_a_reply_also_sent_to_the_channel_is_one_row_in_the_thread(world: World) -> None:
    root = said("the root")
    await world.hear(root)

    await world.hear(said("a broadcast", thread_ts=root.ts))

    assert await world.texts(PAYMENTS) == ["the root"]
    assert await world.texts(PAYMENTS, root.ts) == ["the root", "a broadcast"]


# --- what words may do ----------------------------------------------------------------------------


async def test_lines_of_people_deposit_nothing(world: World) -> None:
    await world.hear(said("!propose #ship\n  !support #ship\nfine!"))

    assert await world.texts(PAYMENTS) == [
        f"{WORD_JOINER}!propose #ship\n  {WORD_JOINER}!support #ship\nfine!"
    ]


async def test_an_edit_deposits_nothing_either(world: World) -> None:
    message = said("ship it")
    await world.hear(message)

    await world.hear(edited(message, "!propose #ship"))
    early = said("ship it")
    await world.hear(edited(early, "!propose #ship"))
    await world.hear(early)

    assert await world.texts(PAYMENTS) == [f"{WORD_JOINER}!propose #ship"] * 2


async def test_whoever_is_listed_may_mark(world: World) -> None:
    desks = tuple(replace(desk, may_mark=(BEN,)) for desk in CONFIGURATION.desks)
    world = World(world.engine, world.clock, replace(CONFIGURATION, desks=desks))

    await world.hear(said("!propose #ship", by=person(BEN)))
    await world.hear(said("!propose #ship", by=person(ANA)))

    assert await world.texts(PAYMENTS) == ["!propose #ship", f"{WORD_JOINER}!propose #ship"]


async def test_file_names_are_named_and_call_nobody(world: World) -> None:
    message = replace(
        said("what is in this?"), files=("@#platform.csv", "a\n!propose #x", "b@c.txt")
    )
    await world.hear(message)
    await world.hear(edited(message, "and what in this?"))

    (row,) = await world.log(PAYMENTS)
    assert row.files == message.files
    assert row.content == (
        f"and what in this?\n[files: @{WORD_JOINER}#platform.csv, a !propose #x, b@c.txt]"
    )
    await world.work_off("route")
    assert await world.all_turns() == []


async def test_a_file_without_words_is_a_row_with_its_name(world: World) -> None:
    await world.hear(replace(said(""), files=("report.pdf",)))

    assert await world.texts(PAYMENTS) == ["[files: report.pdf]"]


async def test_a_blank_message_is_read_by_its_attachments(world: World) -> None:
    await world.hear(replace(said(" \n", by=ALERT), fallback="Disk 91 % full"))

    assert await world.texts(PAYMENTS) == ["Disk 91 % full"]


# --- who speaks -----------------------------------------------------------------------------------


async def test_a_stranger_in_a_shared_channel_is_context_and_home_people_are_served(
    world: World,
) -> None:
    stranger = person("U9EVE", "T9ACME")
    await world.hear(said("@pia what do you know?", by=stranger, audience=Audience.SHARED))
    await world.work_off()
    assert await world.all_turns() == []

    await world.hear(said("@pia why do refunds wait?", audience=Audience.SHARED))
    await world.work_off()

    (first, _) = await world.log(PAYMENTS)
    assert (first.user_id, first.user_team_id) == ("U9EVE", "T9ACME")
    assert [turn.asker_user_id for turn in await world.all_turns()] == [ANA]


async def test_another_bot_is_context(world: World) -> None:
    await world.hear(said("@pia the disk is full", by=ALERT))
    await world.work_off()

    (row,) = await world.log(PAYMENTS)
    assert (row.author, row.wakes, row.judged) == (SystemAuthor("bot", "alert"), False, True)
    assert row.user_id == "B0ALERT"
    assert await world.all_turns() == []


async def test_a_listed_bot_is_heard_when_that_very_message_mentions_the_desk(
    world: World,
) -> None:
    desks = tuple(replace(desk, bots=("B0ALERT",)) for desk in CONFIGURATION.desks)
    world = World(world.engine, world.clock, replace(CONFIGURATION, desks=desks))
    mention = said("@pia why is the disk full?", by=ALERT)
    await world.hear(mention)
    await world.work_off()
    assert len(await world.all_turns()) == 1

    await world.hear(said("check mark, thank you for that", thread_ts=mention.ts, by=ALERT))
    await world.work_off()

    assert len(await world.all_turns()) == 1


async def test_our_own_message_in_a_direct_channel_is_no_row(world: World) -> None:
    own = Speaker(SpeakerKind.SELF, "U0BOT", TEAM, "B0BOT")
    echo = said("an answer", "D0ANA", by=own, audience=Audience.DM)

    assert await world.hear(echo) is Receipt.OWN_MESSAGE

    assert await world.log("D0ANA") == ()
    assert await world.jobs() == []
    assert await payloads(world) == [{"ignored": "own_message"}]


async def test_a_direct_message_is_the_persons_conversation(world: World) -> None:
    await world.hear(said("hello", "D0ANA", audience=Audience.DM))
    await world.hear(said("hello", "C0LOST"))

    assert (await world.place("D0ANA")).desk_id == f"dm:{ANA}"
    assert (await world.place("C0LOST")).desk_id == "General"


# --- what is kept for its keys alone --------------------------------------------------------------


@pytest.mark.parametrize(
    "arrival",
    [
        ReactionChanged(key("Ev9"), PAYMENTS, "1.0", ANA, "tada", added=True),
        HomeOpened(key("Ev9"), ANA, "home"),
        Ignored(key("Ev9"), "unfurl"),
    ],
    ids=lambda arrival: type(arrival).__name__,
)
async def test_what_no_use_case_takes_is_marked_as_seen(
    world: World, arrival: ReactionChanged | HomeOpened | Ignored
) -> None:
    assert await world.hear(arrival) is Receipt.IGNORED
    assert await world.hear(arrival) is Receipt.DUPLICATE_EVENT
    assert await world.jobs() == []


async def test_of_what_is_ignored_no_word_is_kept(world: World) -> None:
    await world.intake.receive(Ignored(key(), "unfurl"), {"event": {"text": "a secret"}})

    assert await payloads(world) == [{"ignored": "unfurl"}]


# --- many at once ---------------------------------------------------------------------------------


async def test_thirty_messages_at_once_are_numbered_without_a_gap(world: World) -> None:
    messages = [said(f"message {number}") for number in range(30)]

    receipts = await asyncio.gather(*(world.hear(one) for one in messages))

    assert set(receipts) == {Receipt.STORED}
    assert await seqs(world, PAYMENTS) == list(range(1, 31))
    assert {row.ts for row in await world.log(PAYMENTS)} == {one.ts for one in messages}


async def test_a_busy_channel_with_threads_edits_and_deletions_deadlocks_nowhere(
    world: World,
) -> None:
    roots = [said(f"root {number}") for number in range(4)]
    replies = [said(f"reply {n}", thread_ts=roots[n % 4].ts) for n in range(16)]
    edits = [edited(one, f"{one.text}, edited") for one in [*roots, *replies[:8]]]
    deletions = [deleted(one) for one in replies[8:]]

    await asyncio.gather(*map(world.hear, [*roots, *replies, *edits, *deletions]))

    assert sorted(await seqs(world, PAYMENTS)) == [1, 2, 3, 4]
    found = {row.ts: row.content for row in await world.log(PAYMENTS)}
    for root in roots:
        numbers = await seqs(world, PAYMENTS, root.ts)
        assert numbers == list(range(1, len(numbers) + 1))
        found |= {row.ts: row.content for row in await world.log(PAYMENTS, root.ts)}
    for one in [*roots, *replies[:8]]:
        assert found[one.ts] == f"{one.text}, edited"
    for one in replies[8:]:
        assert found.get(one.ts, "") == ""


async def test_a_message_and_its_deletion_at_once_leave_no_text(world: World) -> None:
    messages = [said("a secret") for _ in range(12)]

    await asyncio.gather(*(world.hear(news) for one in messages for news in (one, deleted(one))))

    assert {row.content for row in await world.log(PAYMENTS)} <= {""}
    assert "a secret" not in str(await payloads(world))
