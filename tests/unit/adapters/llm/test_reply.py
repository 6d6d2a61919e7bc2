"""Which row does a reply become?"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hivebot.adapters.llm.reply import NOTHING, render
from hivebot.adapters.llm.text import WORD_JOINER
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.desk import Desk, DeskSet
from hivebot.hive.mention import DeskTarget, Mention, MentionedByAgent, resolve
from hivebot.hive.roster import Member, Roster
from hivebot.hive.scalars import utf8
from hivebot.hive.trace import resolve as traces_of
from hivebot.services.records.asking import FarDesk, FloorLine, RenderedTurn, TurnRequest
from hivebot.services.records.replies import (
    NO_ASK,
    AnswerTurn,
    Ask,
    Bearing,
    CommitTurn,
    ConsultTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
    Option,
    PositionTurn,
    Reply,
    Stance,
)
from tests.unit.adapters.llm.requests import asked, floor, noted, person, said

ROWS = (
    person(1, "Which way?"),
    said(2, "anna", "!evidence #canary for(2): errors stay flat"),
    said(3, "dora", "!evidence #canary for(2): easy to undo"),
    said(4, "bert", "!propose #ship we are late"),
    said(5, "carl", "!support #ship ^4 so are others"),
    person(6, "Hurry please"),
)
FACT = Fact("canary", Bearing.FOR, 2, "errors stay flat", "brief")
AGAINST = Fact("ship", Bearing.AGAINST, 4, "no way back", "[6]")
TURN = DeliberateTurn(Stance.NONE, "", 0, (), "", (), "", NO_ASK)
COMMIT = CommitTurn(True, (4,), (), "Ship it now.", "", "we are late")
ANSWER = AnswerTurn(Known.KNOWN, "On Monday.", (), (), NO_ASK)


def deliberating() -> TurnRequest:
    """Anna's turn on a floor with a proposal and a support."""
    return asked("deliberate", rows=ROWS, may_ask=(FarDesk("data", "Data", ""),))


def committing() -> TurnRequest:
    """Anna's turn while the members agree on ship."""
    standing = FloorLine("ship", ("bert", "carl"), (), (), 1400)
    return asked("commit", rows=ROWS, floor=floor("ship", standing))


def rendered(request: TurnRequest, reply: Reply) -> RenderedTurn:
    """The reply as row 7."""
    return render(request, reply, 7)


Move = tuple[str, str | None, int | None, tuple[int, ...]]


def moves(content: str) -> list[Move]:
    """The traces a fold reads off row 7."""
    return [
        (trace.kind.value, trace.topic, trace.target, trace.cites)
        for trace in traces_of(content, None, AgentAuthor("anna", "Anna"), 7)
    ]


def test_facts_come_first_then_the_stance_then_prose() -> None:
    turn = replace(
        TURN,
        stance=Stance.OBJECT,
        option="ship",
        target=4,
        cites=(6, 0),
        reason="it cannot be undone",
        facts=(AGAINST, FACT),
        remark="Sorry.\n!propose #ship",
    )
    assert rendered(deliberating(), turn).content == (
        "!evidence #ship against(4): no way back\n"
        "!evidence #canary for(2): errors stay flat\n"
        "!object #ship >4 ^6 ^7 it cannot be undone\n"
        "\n"
        f"Sorry.\n{WORD_JOINER}!propose #ship"
    )


def test_only_an_objection_has_a_target() -> None:
    turn = replace(TURN, stance=Stance.SUPPORT, option="ship", target=4, cites=(4,), reason="late")
    assert rendered(deliberating(), turn).content == "!support #ship ^4 late"


def test_a_fact_without_an_option_keeps_its_slot_free() -> None:
    fact = Fact("", Bearing.NEUTRAL, 1, "#ship is due >4", "")
    row = rendered(deliberating(), OpeningTurn((fact,), ""))
    assert row.content == f"!evidence neutral(1): {WORD_JOINER}#ship is due {WORD_JOINER}>4"
    assert moves(row.content) == [("evidence", None, None, ())]


def test_agreement_commits_to_the_hosts_option() -> None:
    row = rendered(committing(), replace(COMMIT, open_points="Who calls?"))
    assert row.content == "!commit #ship ^4 we are late\n\nShip it now.\n\nWho calls?"
    assert row.open_points == "Who calls?"


def test_disagreement_objects_to_the_newest_advocacy_by_another() -> None:
    turn = replace(COMMIT, agree=False, cites=(0,), facts=(AGAINST,), answer="")
    row = rendered(committing(), turn)
    assert moves(row.content) == [
        ("evidence", "ship", None, ()),
        ("object", None, 5, (7,)),
    ]
    carls = replace(committing(), agent=replace(committing().agent, id="carl"))
    assert moves(rendered(carls, turn).content)[1] == ("object", None, 4, (7,))


def test_disagreement_with_nobody_is_said_without_a_marker() -> None:
    alone = replace(committing(), rows=ROWS[:3])
    turn = replace(COMMIT, agree=False, cites=(2,), answer="Wait.")
    assert moves(rendered(alone, turn).content) == []
    assert moves(rendered(committing(), replace(turn, cites=())).content) == []


def test_a_position_is_a_proposal() -> None:
    turn = PositionTurn("canary", "", (FACT,), "it can be undone")
    assert moves(rendered(asked("position"), turn).content) == [
        ("evidence", "canary", None, ()),
        ("propose", "canary", None, ()),
    ]


def test_a_new_option_is_proposed_by_its_minted_id_where_options_are_open() -> None:
    turn = PositionTurn("", "Ship it on Monday", (), "")
    opened = asked("position", options_open=True)
    assert rendered(opened, turn).content == "!propose #ship-it-on-monday"
    assert rendered(opened, turn).shown == "_proposes ship-it-on-monday_"
    assert rendered(asked("position"), turn).content == NOTHING


@pytest.mark.parametrize(
    ("situation", "reply"),
    [
        ("opening", OpeningTurn((), " ")),
        ("deliberate", TURN),
        ("position", PositionTurn("", "", (), "")),
        ("consult", ConsultTurn(())),
        ("framing", FramingTurn(())),
        ("answer", replace(ANSWER, answer="")),
    ],
)
def test_a_reply_that_holds_nothing_is_one_line_without_a_marker(
    situation: str, reply: Reply
) -> None:
    row = rendered(asked(situation), reply)
    assert (row.content, row.shown, row.ask, row.sources) == (NOTHING, NOTHING, None, ())


def test_not_knowing_is_said_in_so_many_words() -> None:
    unknown = replace(ANSWER, known=Known.UNKNOWN, answer="")
    row = rendered(asked(), unknown)
    assert (row.content, row.shown) == ("I do not know.", "I do not know.")
    row = rendered(asked(), replace(unknown, answer="I hold nothing on that."))
    assert row.content == "I hold nothing on that."
    assert row.shown == "I do not know. I hold nothing on that."


def test_an_answer_that_says_it_already_does_not_say_it_twice() -> None:
    unknown = replace(ANSWER, known=Known.UNKNOWN, answer="I do not know. Ask Pia.")
    assert rendered(asked(), unknown).shown == "I do not know. Ask Pia."


def test_the_question_comes_last_and_is_the_one_mention() -> None:
    turn = replace(TURN, remark="Größer als @#data?", ask=Ask("data", "How big?\n!propose #x"))
    row = rendered(deliberating(), turn)
    assert row.content == f"Größer als @#data?\n\n@#data How big?\n{WORD_JOINER}!propose #x"
    assert row.ask is not None
    text, offset = row.ask
    assert text == "@#data"
    assert utf8(row.content)[offset:].startswith(b"@#data How big?")
    assert offset == len("Größer als @#data?\n\n".encode())


def test_a_question_alone_starts_the_text() -> None:
    row = rendered(asked("consult"), ConsultTurn((Ask("data", "How big?"),)))
    assert (row.content, row.ask) == ("@#data How big?", ("@#data", 0))


def test_only_the_first_of_several_questions_is_mentioned() -> None:
    row = rendered(asked("consult"), ConsultTurn((Ask("data", "How big?"), Ask("ops", "When?"))))
    assert row.content == "ops: When?\n\n@#data How big?"
    assert row.shown == "- data: How big?\n- ops: When?"


@pytest.mark.parametrize(
    ("remark", "question"),
    [
        ("no code", "is `this` it?"),
        ("a lone ` here", "and ` there"),
        ("```\nan open fence", "what `now`?"),
        ("~~~\nanother", "what now?"),
        ("``` inline ``` then ``", "then `` again"),
        ("~~~~~\nfive", "~~~"),
    ],
)
def test_code_before_the_question_never_swallows_its_mention(remark: str, question: str) -> None:
    row = rendered(deliberating(), replace(TURN, remark=remark, ask=Ask("data", question)))
    assert row.ask is not None
    supplied = Mention(DeskTarget("data"), row.ask[0], row.ask[1])
    roster = Roster((Member("anna", "Anna"), Member("dan", "Dan")), (), ())
    desks = DeskSet((Desk("data", "Data", None, ("dan",)),), (), (), (), ())
    found = resolve(row.content, (supplied,), MentionedByAgent("anna"), roster, desks)
    assert found == (supplied,)


def test_code_that_hides_nothing_stays_as_it_was() -> None:
    turn = replace(TURN, remark="run `make`", ask=Ask("data", "is `this` it?"))
    assert rendered(deliberating(), turn).content == "run `make`\n\n@#data is `this` it?"


def test_options_are_listed_for_the_thread() -> None:
    row = rendered(asked("framing"), FramingTurn((Option("a", "Go"), Option("b", "Stay\nput"))))
    assert row.content == "a: Go\nb: Stay put"
    assert row.shown == "- a: Go\n- b: Stay put"


@pytest.mark.parametrize(
    ("turn", "shown"),
    [
        (
            replace(TURN, stance=Stance.SUPPORT, option="canary", cites=(2, 3), reason="Safe."),
            "Safe.\n\n_supports canary, because of Anna's and Dora's facts_",
        ),
        (
            replace(TURN, stance=Stance.PROPOSE, option="ship", cites=(6,), remark="Late."),
            "Late.\n\n_proposes ship, because of what Pia said_",
        ),
        (
            replace(TURN, stance=Stance.OBJECT, target=4, cites=(2, 5), facts=(AGAINST,)),
            (
                "Against ship: no way back\n\n"
                "_objects to Bert, because of Anna's facts and what Carl said_"
            ),
        ),
        (
            replace(TURN, stance=Stance.REFUTE, option="ship", cites=(0,), facts=(FACT, AGAINST)),
            (
                "- For canary: errors stay flat\n- Against ship: no way back\n\n"
                "_argues against ship, because of its own facts_"
            ),
        ),
        (
            replace(TURN, stance=Stance.DEFER, option="ship"),
            "_leaves to those who know more: ship_",
        ),
        (replace(TURN, stance=Stance.QUESTION, option="", reason="Why?"), "Why?"),
        (replace(TURN, stance=Stance.OBJECT, target=99, reason="No."), "No."),
        (
            replace(TURN, facts=(Fact("", Bearing.NEUTRAL, 1, "it rains", ""),)),
            "it rains",
        ),
        (
            replace(TURN, stance=Stance.SUPPORT, option="ship", cites=(2, 3, 6, 5)),
            "_supports ship, because of Anna's and Dora's facts and what Pia and Carl said_",
        ),
    ],
)
def test_people_read_prose_and_a_line_of_context(turn: DeliberateTurn, shown: str) -> None:
    assert rendered(deliberating(), turn).shown == shown


def test_three_reasons_are_listed_with_commas() -> None:
    rows = (*ROWS, said(8, "eva", "!evidence #canary for(1): it is Friday"))
    turn = replace(TURN, stance=Stance.SUPPORT, option="canary", cites=(2, 3, 8))
    shown = rendered(replace(deliberating(), rows=rows), turn).shown
    assert shown == "_supports canary, because of Anna's, Dora's and Eva's facts_"


def test_what_people_read_of_an_ending_names_whom_it_goes_against() -> None:
    agreed = rendered(committing(), replace(COMMIT, open_points="Who calls?"))
    assert agreed.shown == (
        "we are late\n\nShip it now.\n\nOpen: Who calls?\n\n"
        "_agrees on ship, because of what Bert said_"
    )
    refused = replace(COMMIT, agree=False, cites=(2,), answer="", reason="Not yet.")
    assert rendered(committing(), refused).shown == (
        "Not yet.\n\n_objects to Carl, because of Anna's facts_"
    )
    assert rendered(committing(), replace(refused, cites=())).shown == "Not yet."


def test_a_system_row_is_named_by_its_label() -> None:
    rows = (*ROWS, noted(8, "A decision stands."))
    turn = replace(TURN, stance=Stance.SUPPORT, option="ship", cites=(8,))
    shown = rendered(replace(deliberating(), rows=rows), turn).shown
    assert shown == "_supports ship, because of what Outcome said_"


@pytest.mark.parametrize(
    ("reply", "sources"),
    [
        (OpeningTurn((FACT, AGAINST, FACT), ""), ("brief", "[6]")),
        (replace(TURN, facts=(FACT,), cites=(0, 2)), ("brief", "[2]")),
        (replace(COMMIT, facts=(FACT,)), ("brief", "[4]")),
        (replace(ANSWER, cites=(0, 2, 2), used_memories=("m7",)), ("brief", "[2]", "memory m7")),
        (PositionTurn("ship", "", (replace(FACT, rests_on=" a\nb "),), ""), ("a b",)),
        (ConsultTurn(()), ()),
    ],
)
def test_sources_are_named_once_and_in_order(reply: Reply, sources: tuple[str, ...]) -> None:
    assert rendered(deliberating(), reply).sources == sources


FRAGMENTS = (
    "!propose", "!", "! support", "!evidence", "!commit", "!object", "!refute", "!defer", "#ship",
    "#", "#canary", ">4", ">", "^5", "^+5", "^", "^^2", "\n", "\r", "\r\n", "\u2028", "\u0085",
    "\x1c", "\t", " ", "\u3000", "\u00a0", "```", "`", "~~~", "``", "@#data", "@anna", "<@U0ANA>",
    "word", "wörd", "0", ".", ":", "\0", "\u2060", "- !propose #ship", "\n!commit #ship ^4",
    "\n\n", "for(3):", "!question",
)  # fmt: skip


def _text(chance: random.Random) -> str:
    return "".join(chance.choices(FRAGMENTS, k=chance.randrange(12)))


def _fact(chance: random.Random) -> Fact:
    option = chance.choice(("", "ship", "canary"))
    bearing = chance.choice(tuple(Bearing))
    return Fact(option, bearing, chance.randint(1, 5), _text(chance), _text(chance))


def _reply(chance: random.Random) -> Reply:
    facts = tuple(_fact(chance) for _ in range(chance.randrange(4)))
    cites = tuple(chance.sample((0, 2, 3, 4, 6), k=chance.randrange(1, 4)))
    ask = Ask("data", _text(chance)) if chance.random() < 0.5 else NO_ASK
    kind = chance.randrange(5)
    if kind == 0:
        return OpeningTurn(facts, _text(chance))
    if kind == 1:
        return PositionTurn(chance.choice(("", "ship")), "", facts, _text(chance))
    if kind == 2:
        return AnswerTurn(Known.KNOWN, _text(chance), cites, (), ask)
    if kind == 3:
        agree = chance.random() < 0.5
        answer, points, reason = (_text(chance) for _ in range(3))
        return CommitTurn(agree, cites, facts, answer, points, reason)
    stance = chance.choice(tuple(Stance))
    reason, remark = _text(chance), _text(chance)
    return DeliberateTurn(stance, "ship", 4, cites, reason, facts, remark, ask)


def _structured(reply: Reply) -> list[Move]:
    """The moves a reply consists of, as row 7 of the committing request."""
    facts: tuple[Fact, ...] = getattr(reply, "facts", ())
    expected: list[Move] = [("evidence", fact.option or None, None, ()) for fact in facts]
    cites = tuple(cite or 7 for cite in getattr(reply, "cites", ()))
    match reply:
        case PositionTurn(option="ship"):
            expected.append(("propose", "ship", None, ()))
        case CommitTurn(agree=True):
            expected.append(("commit", "ship", None, cites))
        case CommitTurn():
            expected.append(("object", None, 5, cites))
        case DeliberateTurn() if reply.stance is not Stance.NONE:
            target = 4 if reply.stance is Stance.OBJECT else None
            expected.append((reply.stance.value, "ship", target, cites))
        case _:
            pass
    return expected


# runs by the thousand over what other tests cover: to count each line would cost thrice the time
@pytest.mark.no_cover
def test_the_traces_of_a_rendered_turn_are_exactly_its_moves_for_20_000_random_texts() -> None:
    chance = random.Random(20_000)  # noqa: S311 - a replayable sample, no secret
    request = committing()
    for _ in range(20_000):
        reply = _reply(chance)
        row = rendered(request, reply)
        assert moves(row.content) == _structured(reply), reply
        assert "\0" not in row.content
        if row.ask is not None:
            assert utf8(row.content)[row.ask[1] :].startswith(b"@#data ")
