"""Does a message go from everywhere it was copied to, once it is removed? Source: datapath.md 7."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from hivebot.services.erasure import WITHDRAWN, Erased
from hivebot.services.lines import REMOVED
from hivebot.services.ports import NewOutbox
from hivebot.services.presses import Press
from hivebot.services.records.arrivals import MessageArrived, MessageDeleted, Speaker, SpeakerKind
from hivebot.services.records.asking import ReplyFailure, TurnReply, TurnRequest
from hivebot.services.records.episodes import EpisodeEnd
from hivebot.services.records.memories import PerceptTexts, Sources
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    OutboxState,
    SendFailure,
)
from hivebot.services.records.replies import NO_ASK, AnswerTurn, Ask, Known
from hivebot.services.records.rows import MessageRole, OutboxRow, ReferralState, TurnKind, TurnState
from hivebot.services.turns import Spoken
from tests.fakes.models import ScriptedModels
from tests.integration.memory.seeds import new
from tests.integration.services.world import (
    ADMINS,
    ANA,
    BOT,
    DATA,
    PAYMENTS,
    PLATFORM,
    TEAM,
    World,
    deleted,
    edited,
    key,
    payload_of,
    said,
)

pytestmark = pytest.mark.integration

WORD = "zebrafish"
QUESTION = f"@#platform why does the {WORD} charge time out?"
GONE = f"({REMOVED})"
OWN = Speaker(SpeakerKind.SELF, BOT, TEAM, "B0BOT")


async def found(world: World, word: str = WORD) -> set[str]:
    """`table.column` of every text, JSON or list in the database that holds the word."""
    columns = await world.rows(
        "select table_name, column_name from information_schema.columns"
        " join information_schema.tables using (table_schema, table_name)"
        " where table_schema = 'public' and table_type = 'BASE TABLE'"
        " and data_type in ('text', 'character varying', 'json', 'jsonb', 'ARRAY')"
    )
    holding: set[str] = set()
    for table, column in columns:
        statement = f'select count(*) from "{table}" where "{column}"::text ilike :word'  # noqa: S608
        ((count,),) = await world.rows(statement, word=f"%{word}%")
        if count:
            holding.add(f"{table}.{column}")
    return holding


async def asked(world: World, words: str = QUESTION) -> MessageArrived:
    """A question that has arrived."""
    question = said(words)
    await world.hear(question)
    return question


def answer(words: str, ask: Ask = NO_ASK) -> AnswerTurn:
    return AnswerTurn(Known.KNOWN, words, (), (), ask)


def scripted(world: World) -> ScriptedModels:
    models = ScriptedModels()
    world.models = models
    return models


async def post_of(world: World, channel_id: str, number: int = 0) -> OutboxRow:
    rows = [row for row in await world.outbox(channel_id) if row.kind is OutboxKind.POST]
    return rows[number]


def removal_of(row: OutboxRow) -> MessageDeleted:
    """Somebody removes what we posted."""
    place = row.destination
    return MessageDeleted(key(), place.channel_id, row.ts[0], place.thread_ts)


# --- a planted word -------------------------------------------------------------------------------


async def test_a_question_that_crossed_and_came_home_is_gone_from_every_table(
    world: World,
) -> None:
    question = await asked(world)
    await world.work_off()
    await world.hear(edited(question, f"{QUESTION} please"))
    echo = said(f"why does the {WORD} charge time out?", PLATFORM, by=OWN)
    await world.hear(echo)
    assert await found(world) == {
        "inbox_event.payload",
        "message.content",
        "message_revision.content",
        "outbox.body",
    }

    assert await world.hear(deleted(question)) is Erased.ERASED
    await world.work_off()

    assert await found(world) == set()
    await world.hear(replace(echo, key=key()))
    await world.hear(replace(question, key=key()))
    assert await found(world) == set()
    assert world.poster.texts(PLATFORM)[0] == GONE
    assert WORD not in str(world.poster.shown)
    assert [row.seq for row in await world.log(PAYMENTS, question.ts)] == [1, 2, 3]


async def test_what_was_brought_home_goes_and_its_speakers_own_words_stay(world: World) -> None:
    models = scripted(world)
    models.will("lasse", "answer", answer(f"The {WORD} gateway is slow."))
    models.will("pia", "answer", answer("Ask again tomorrow."))
    question = await asked(world)
    await world.work_off()
    assert WORD in world.poster.texts(PAYMENTS, question.ts)[-1]

    await world.hear(deleted(question))
    await world.work_off()

    assert await found(world) == {"message.content", "message.shown", "outbox.body", "turn.reply"}
    holding = await world.rows(
        "select channel_id, role from message join conversation on conversation.id ="
        " conversation_id where content like :word or shown like :word",
        word=f"%{WORD}%",
    )
    assert holding == [(PLATFORM, "speech")]
    far_question, far_answer = world.poster.texts(PLATFORM)
    assert (far_question, WORD in far_answer) == (GONE, True)
    assert world.poster.texts(PAYMENTS, question.ts)[-1] == f"{REMOVED}\nAsk again tomorrow."


async def test_a_question_an_agent_put_for_a_person_goes_with_the_persons_own(
    world: World,
) -> None:
    models = scripted(world)
    ask = Ask("platform", "Why is the gateway slow?")
    models.will("pia", "answer", answer("I ask them.", ask), answer("They do not know."))
    question = await asked(world, f"@pia why is the {WORD} slow?")
    await world.work_off()
    assert world.poster.texts(PLATFORM)[0].endswith("Why is the gateway slow?")

    await world.hear(deleted(question))
    await world.work_off()

    assert world.poster.texts(PLATFORM)[0] == GONE
    assert (await world.texts(PLATFORM))[0] == ""
    assert await found(world) == set()


async def test_a_copy_for_a_second_desk_goes_too(world: World) -> None:
    question = await asked(world, f"@#platform and @#data: why is the {WORD} slow?")
    await world.work_off()
    (root, *_) = await world.log(PAYMENTS, question.ts)
    press = Press(TEAM, PAYMENTS, question.ts, ANA, f"{root.id}:data")
    await world.presses.ask_too(press)
    await world.work_off()

    await world.hear(deleted(question))
    await world.work_off()

    assert await found(world) == set()


async def test_earlier_texts_go_with_the_last(world: World) -> None:
    message = await asked(world, f"the {WORD}")
    await world.hear(edited(message, "nothing"))
    assert "message_revision.content" in await found(world)

    await world.hear(deleted(message))

    assert await found(world) == set()
    assert await world.rows("select revision, content from message_revision") == [(1, "")]


async def test_a_removed_root_goes_from_channel_and_thread_and_its_numbers_stay(
    world: World,
) -> None:
    root = await asked(world, f"the {WORD}")
    await world.hear(said("a reply", thread_ts=root.ts))

    await world.hear(deleted(root))

    assert await world.texts(PAYMENTS) == [""]
    assert await world.texts(PAYMENTS, root.ts) == ["", "a reply"]
    (row,) = await world.log(PAYMENTS)
    assert (row.seq, row.deleted_at, row.user_id) == (1, world.clock.now(), ANA)
    assert await found(world) == set()


async def test_a_deletion_is_taken_once_by_its_key_and_harmless_under_another(
    world: World,
) -> None:
    message = await asked(world, f"the {WORD}")
    removal = deleted(message)

    assert await world.hear(removal) is Erased.ERASED
    assert await world.hear(removal) is Erased.DUPLICATE
    assert await world.hear(replace(removal, key=key())) is Erased.ERASED

    assert await world.texts(PAYMENTS) == [""]


async def test_of_the_deletion_itself_no_word_is_kept(world: World) -> None:
    removal = deleted(said(f"the {WORD}"))

    assert await world.hear(removal) is Erased.TOMBSTONED

    assert payload_of(removal)["event_id"] == removal.key.event_id
    assert await world.rows("select payload from inbox_event") == [({},)]


# --- work that serves it --------------------------------------------------------------------------


async def test_a_question_removed_before_anybody_looked_asks_nobody(world: World) -> None:
    question = replace(said(f"@hive {WORD}?"), addressed=True)
    await world.hear(question)

    await world.hear(deleted(question))
    await world.work_off()

    assert await world.all_turns() == []
    assert await world.outbox() == []


async def test_a_turn_that_has_not_begun_is_called_off(world: World) -> None:
    question = await asked(world, f"@pia what of the {WORD}?")
    await world.work_off("route")

    await world.hear(deleted(question))
    await world.work_off()

    (turn,) = await world.all_turns()
    assert (turn.state, turn.reason, turn.attempt) == (TurnState.CANCELLED, WITHDRAWN, 0)
    assert world.poster.shown == []


class Interrupted(ScriptedModels):
    """Something happens while the model is asked."""

    def __init__(self, during: Callable[[], Awaitable[object]]) -> None:
        super().__init__()
        self._during = during

    async def reply(self, request: TurnRequest) -> TurnReply | ReplyFailure:
        await self._during()
        return await super().reply(request)


async def test_a_question_removed_while_the_model_thinks_is_not_answered_and_not_tried_again(
    world: World,
) -> None:
    question = await asked(world, f"@pia what of the {WORD}?")
    await world.work_off("route")
    models = Interrupted(lambda: world.hear(deleted(question)))
    world.models = models
    (turn,) = await world.all_turns()

    assert await world.turns.run(turn.id) is Spoken.LOST
    await world.work_off()

    assert len(models.requests) == 1
    assert world.poster.shown == []
    assert await world.outbox() == []
    assert await found(world) == set()


async def test_a_question_removed_while_it_waits_on_the_far_desk_is_taken_back(
    world: World,
) -> None:
    question = await asked(world)
    await world.work_off("route", "deliver")

    await world.hear(deleted(question))
    await world.work_off()

    (referral,) = await world.all_referrals()
    assert (referral.state, referral.reason) == (ReferralState.REFUSED, WITHDRAWN)
    assert [turn.state for turn in await world.all_turns()] == [TurnState.CANCELLED]
    assert world.poster.texts(PLATFORM) == [GONE]
    (line,) = world.poster.texts(PAYMENTS, question.ts)
    assert line.startswith(f"The question was {REMOVED}")


async def test_a_far_answer_to_a_removed_question_brings_nothing_home(world: World) -> None:
    question = await asked(world)
    await world.work_off("route", "deliver")
    await world.work_off("speak")

    await world.hear(deleted(question))
    await world.work_off()

    assert [row.role for row in await world.log(PAYMENTS, question.ts)] == [MessageRole.SPEECH]
    assert [turn.kind for turn in await world.all_turns()] == [TurnKind.REFERRED]
    assert len(world.poster.texts(PAYMENTS, question.ts)) == 1


# --- an answer is removed -------------------------------------------------------------------------


async def test_a_removed_far_answer_is_taken_out_of_the_message_that_quotes_it(
    world: World,
) -> None:
    models = scripted(world)
    models.will("lasse", "answer", answer(f"The {WORD} is slow."))
    models.will("pia", "answer", answer("That is all."))
    question = await asked(world, "@#platform why is it slow?")
    await world.work_off()

    await world.hear(removal_of(await post_of(world, PLATFORM, 1)))
    await world.work_off()

    assert world.poster.texts(PAYMENTS, question.ts)[-1] == f"{REMOVED}\nThat is all."
    assert await world.texts(PLATFORM) == ["why is it slow?", ""]
    assert WORD not in " ".join(await world.texts(PAYMENTS, question.ts))


async def test_a_far_answer_removed_before_it_was_passed_on_is_told(world: World) -> None:
    question = await asked(world, "@#platform why is it slow?")
    await world.work_off("route")
    await world.work_off("deliver", "speak")
    await world.work_off("deliver", "route")
    (_, sponsor) = await world.all_turns()
    assert (sponsor.kind, sponsor.state) == (TurnKind.SPONSOR, TurnState.AUTHORISED)

    await world.hear(removal_of(await post_of(world, PLATFORM, 1)))
    await world.work_off()

    (_, sponsor) = await world.all_turns()
    assert sponsor.state is TurnState.CANCELLED
    (line,) = world.poster.texts(PAYMENTS, question.ts)
    assert line.startswith("#platform has answered, and the answer was removed there")


# --- what was posted of it ------------------------------------------------------------------------


async def test_what_was_not_posted_yet_never_is(world: World) -> None:
    question = await asked(world)
    await world.work_off("route")
    far = await post_of(world, PLATFORM)

    await world.hear(deleted(question))
    await world.work_off()

    assert world.poster.texts(PLATFORM) == []
    (row,) = await world.outbox(PLATFORM)
    assert (row.id, row.state) == (far.id, OutboxState.CANCELLED)
    assert await found(world) == set()


@pytest.mark.parametrize("shown", [False, True])
async def test_a_private_line_about_it_is_kept_no_longer_and_never_said_again(
    world: World, *, shown: bool
) -> None:
    question = await asked(world, f"@#{WORD} why does the charge time out?")
    await (world.work_off() if shown else world.work_off("route"))
    (line,) = await world.outbox()
    assert WORD in line.body.text

    await world.hear(deleted(question))
    await world.work_off()

    assert await found(world) == set()
    assert len(world.poster.shown) == (1 if shown else 0)
    (line,) = await world.outbox()
    assert line.state is (OutboxState.SENT if shown else OutboxState.CANCELLED)


async def test_a_private_line_slack_refuses_is_no_answer_somebody_waits_for(world: World) -> None:
    await asked(world, "@#platfrom why does the charge time out?")
    await world.work_off("route")
    world.poster.fail(SendFailure("not_member", "not_in_channel"))
    await world.work_off()
    told = [row.destination.channel_id for row in await world.outbox()]
    assert ANA not in told


async def test_what_may_have_been_posted_says_that_it_was_removed(world: World) -> None:
    question = await asked(world)
    await world.work_off("route")
    world.poster.lose()
    await world.delivery.run(TEAM, PLATFORM)
    assert WORD in world.poster.texts(PLATFORM)[0]

    await world.hear(deleted(question))
    world.clock.advance(3)
    await world.delivery.run(TEAM, PLATFORM)

    assert world.poster.texts(PLATFORM) == [GONE]
    assert await found(world) == set()


async def test_what_slack_refused_is_blanked_and_not_sent_after_all(world: World) -> None:
    question = await asked(world)
    await world.work_off("route")
    world.poster.fail(SendFailure("not_member", "not_in_channel"))
    await world.delivery.run(TEAM, PLATFORM)

    await world.hear(deleted(question))
    await world.work_off()

    assert world.poster.texts(PLATFORM) == []
    assert (await post_of(world, PLATFORM)).state is OutboxState.FAILED
    assert await found(world) == set()


async def test_rows_that_wait_for_what_is_never_posted_go_without_it(world: World) -> None:
    question = await asked(world)
    await world.work_off("route")
    far = await post_of(world, PLATFORM)
    waits = NewOutbox(OutboxKind.POST, Destination(TEAM, ADMINS), Body(text="so"), needs=(far.id,))
    async with world.work.begin() as tx:
        await tx.outbox.add(waits)

    await world.hear(deleted(question))
    await world.work_off()

    assert world.poster.texts(ADMINS) == ["so"]


# --- deliberations --------------------------------------------------------------------------------


async def test_a_deliberation_about_a_removed_question_ends_and_keeps_none_of_its_words(
    world: World,
) -> None:
    question = said(f"@hive the ingest is ready: #{WORD}, #revert or #ship?", DATA, addressed=True)
    await world.hear(question)
    await world.work_off("route")
    await world.work_off("deliver")
    assert "episode.options" in await found(world)

    await world.hear(deleted(question))
    await world.work_off()

    assert await found(world) == set()
    async with world.work.begin() as tx:
        (row,) = await tx.episodes.for_question((await world.log(DATA, question.ts))[0].id)
    assert (row.end, row.options) == (EpisodeEnd.STOPPED, ())
    assert world.poster.texts(DATA, question.ts) == [GONE]
    assert [turn.state for turn in await world.all_turns()] == [TurnState.CANCELLED]


async def test_an_outcome_goes_with_the_question_it_decided(world: World) -> None:
    question = said("@hive the ingest is ready: #canary, #revert or #ship?", DATA, addressed=True)
    await world.hear(question)
    await world.work_off()
    (_, outcome) = await world.log(DATA, question.ts)
    assert outcome.role is MessageRole.OUTCOME
    assert "canary" in outcome.content

    await world.hear(deleted(question))
    await world.work_off()

    assert await world.texts(DATA, question.ts) == ["", ""]
    assert world.poster.texts(DATA, question.ts)[0] == GONE


# --- at the same moment ---------------------------------------------------------------------------


async def test_a_removal_while_the_question_crosses_leaves_no_copy(world: World) -> None:
    questions = [await asked(world) for _ in range(4)]
    place = await world.place(PAYMENTS)
    await world.routing.run(place.id)
    threads = [await world.place(PAYMENTS, question.ts) for question in questions]

    await asyncio.gather(
        *(world.routing.run(thread.id) for thread in threads),
        *(world.hear(deleted(question)) for question in questions),
    )
    await world.work_off()

    assert await found(world) == set()
    assert WORD not in str(world.poster.shown)


# --- what was remembered, and what an answer was made from ----------------------------------------


async def test_what_was_remembered_of_a_removed_message_is_gone(world: World) -> None:
    message = await asked(world, f"the {WORD}")
    async with world.work.begin() as tx:
        memory = await tx.memories.ensure(TEAM, "payments")
        (row, *_) = await tx.messages.find(TEAM, PAYMENTS, message.ts)
        sources = Sources(message_ids=(row.id,))
        texts = PerceptTexts(f"the {WORD}", "a draft")
        await tx.memories.record(memory.id, new("chunk-1", sources=sources, texts=texts))
    assert "chunk.stimulus" in await found(world)

    await world.hear(deleted(message))

    assert await found(world) == set()


async def test_an_answer_that_is_removed_leaves_nothing_of_what_it_was_made_from(
    world: World,
) -> None:
    models = scripted(world)
    models.will("pia", "answer", answer(f"The {WORD} is fine."))
    await asked(world, "@pia how is it?")
    await world.work_off()
    assert "turn.reply" in await found(world)

    await world.hear(removal_of(await post_of(world, PAYMENTS)))
    await world.work_off()

    assert await found(world) == set()
