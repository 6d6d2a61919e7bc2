"""What do the folds see of rows and configuration? Source: product.md 3, hive.md 10 and 18."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.conversation import (
    GENERAL_DESK,
    AgentAuthor,
    OperatorAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.hive.desk import ResponderMode
from hivebot.hive.mention import (
    AgentTarget,
    DeskTarget,
    EveryoneTarget,
    Mention,
    MentionAuthor,
    MentionedByAgent,
    MentionedByOther,
    MentionedByPerson,
    MentionTarget,
    PersonTarget,
)
from hivebot.services.records.policy import DeskMode
from hivebot.services.snapshots import (
    active_members,
    asked_mentions,
    chat_id,
    conversation_of,
    desks_of,
    elsewhere,
    mention_author,
    question_text,
    roster_of,
    session_message,
    unknown_desk_names,
)
from tests.configurations import CONFIGURATION, desk_of, with_agent, with_desk
from tests.unit.services.rows import CHANNEL, MESSAGE, THREAD, written

PAYMENTS = desk_of(CONFIGURATION, "payments")
ROSTER, DESKS = roster_of(CONFIGURATION), desks_of(CONFIGURATION)


def named(content: str, author: TranscriptAuthor | None = None) -> list[MentionTarget]:
    """Whom a text calls."""
    found = asked_mentions(written(content, author), ROSTER, DESKS)
    return [mention.target for mention in found if not mention.quiet]


# --- the configuration ----------------------------------------------------------------------------


def test_people_are_known_by_id_alone_and_once() -> None:
    roster = roster_of(with_agent("otto", retired=True), ["U0ANA", "", "U0BEN", "U0ANA"])

    assert [(one.id, one.label) for one in roster.people] == [
        ("U0ANA", "U0ANA"),
        ("U0BEN", "U0BEN"),
    ]
    assert roster.retired == ("otto",)
    assert ("pia", "Pia") in {(one.id, one.name) for one in roster.members}
    roster.validate()


def test_desks_are_declared_in_order_with_their_way_of_choosing() -> None:
    desks = desks_of(with_desk("payments", mode=DeskMode.SELECT, description=""))

    assert [desk.id for desk in desks.declared] == ["payments", "platform", "data"]
    assert [desk.responder_mode for desk in desks.declared] == [
        ResponderMode.AUTO,
        ResponderMode.LEAD,
        ResponderMode.LEAD,
    ]
    assert desks.declared[0].description is None
    desks.validate()


def test_whoever_is_retired_or_not_configured_may_not_speak() -> None:
    configuration = with_desk("payments", with_agent("otto", retired=True))
    desk = replace(desk_of(configuration, "payments"), members=("nobody", "otto", "pia"))

    assert active_members(desk, configuration) == ("pia",)


@pytest.mark.parametrize(
    ("desk_id", "name", "chat"),
    [
        ("payments", "Payments", "payments"),
        ("dm:U0ANA", "dm:U0ANA", "dm:U0ANA"),
        (GENERAL_DESK, GENERAL_DESK, None),
        ("gone", "gone", None),
    ],
)
def test_a_conversation_is_named_by_its_desk(desk_id: str, name: str, chat: str | None) -> None:
    row = replace(CHANNEL, desk_id=desk_id)

    place = conversation_of(row, CONFIGURATION)

    assert (place.desk_id, place.desk_name, place.thread_root) == (desk_id, name, None)
    assert chat_id(row, CONFIGURATION) == chat


def test_a_thread_is_named_by_its_roots_number_in_the_channel() -> None:
    assert conversation_of(THREAD, CONFIGURATION).thread_root == 7


# --- who is named ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("author", "as_named"),
    [
        (AgentAuthor("pia", "Pia"), MentionedByAgent("pia")),
        (PersonAuthor("U0ANA", ""), MentionedByPerson("U0ANA")),
        (SystemAuthor("bot", "alert"), MentionedByOther()),
        (OperatorAuthor(), MentionedByOther()),
    ],
)
def test_who_names_somebody_is_who_wrote_the_row(
    author: TranscriptAuthor, as_named: MentionAuthor
) -> None:
    assert mention_author(written("", author)) == as_named


def test_a_persons_words_are_read_for_names() -> None:
    assert named("@pia or @#platform, @everyone?") == [
        AgentTarget("pia"),
        DeskTarget("platform"),
        EveryoneTarget(),
    ]


@pytest.mark.parametrize(
    "text",
    ["`@#platform`", "```\n@#platform\n```", "> @#platform why?", "so\n \t> he asked @#platform"],
)
def test_code_and_quotes_ask_nobody(text: str) -> None:
    assert named(text) == []


def test_a_greater_than_sign_within_a_line_is_no_quote() -> None:
    assert named("5 > 3, @#platform") == [DeskTarget("platform")]
    assert named("> quoted\n@#platform") == [DeskTarget("platform")]


def test_a_name_quoted_first_still_calls_where_it_is_spoken() -> None:
    assert named("> @#platform said no\nthen why, @#platform?") == [DeskTarget("platform")]


def test_an_agents_row_names_whom_the_host_supplied_and_nobody_else() -> None:
    text = "@pia says: > @#platform and @#data"
    mention = Mention(DeskTarget("platform"), "@#platform", text.index("@#platform"))
    row = written(text, AgentAuthor("otto", "Otto"))

    assert asked_mentions(replace(row, mentions=()), ROSTER, DESKS) == ()
    assert asked_mentions(replace(row, mentions=(mention,)), ROSTER, DESKS) == (mention,)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("@#legal why?", ("legal",)),
        ("(@#legal), @#Legal and @#legal!", ("legal", "Legal")),
        ("@#platform @#PLATFORM @#Data", ()),
        ("`@#legal` and > @#legal", ("legal",)),
        ("> @#legal", ()),
        ("```\n@#legal\n```", ()),
        ("mail@#legal #legal @legal", ()),
        ("so\n@#größe", ("größe",)),
    ],
)
def test_names_of_desks_nobody_has_are_found_outside_code_and_quotes(
    text: str, unknown: tuple[str, ...]
) -> None:
    assert unknown_desk_names(text, DESKS) == unknown


@pytest.mark.parametrize(
    ("target", "far"),
    [
        (DeskTarget("platform"), True),
        (DeskTarget("payments"), False),
        (AgentTarget("lasse"), True),
        (AgentTarget("pia"), False),
        (AgentTarget("nobody"), False),
        (PersonTarget("U0BEN"), False),
        (EveryoneTarget(), False),
    ],
)
def test_other_desks_and_those_who_sit_on_them_alone_are_elsewhere(
    target: MentionTarget, *, far: bool
) -> None:
    assert elsewhere(Mention(target, "@x", 0), PAYMENTS, CONFIGURATION) is far


# --- the words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("@#platform why?", "why?"),
        ("@hive @pia, @#platform: why @otto?", "why @otto?"),
        ("why, @#platform?", "why, @#platform?"),
        ("@#platform", "@#platform"),
        (" @#platform ", "@#platform"),
        ("@pia\nwhy?", "why?"),
    ],
)
def test_a_question_loses_the_names_it_is_addressed_to(content: str, words: str) -> None:
    assert question_text(content) == words


def test_a_row_is_read_by_number_author_and_words() -> None:
    seen = session_message(MESSAGE)

    assert (seen.sequence, seen.author, seen.content) == (7, MESSAGE.author, "why?")
