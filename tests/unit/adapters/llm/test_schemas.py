"""What is a model made to fill in?"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import ValidationError
from pydantic_ai.models import (
    _anthropic_schema_limits as limits,
)

from hivebot.adapters.llm import schemas
from hivebot.adapters.llm.schemas import SCHEMAS, Strict, from_reply, schema_for, to_reply
from hivebot.services.records.asking import FarDesk
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
from tests.unit.adapters.llm.requests import asked

FACT = Fact("canary", Bearing.FOR, 2, "it was tried", "brief")
REPLIES: tuple[tuple[str, Reply], ...] = (
    ("opening", OpeningTurn((FACT,), "that is all")),
    ("relay", OpeningTurn((), "")),
    ("position", PositionTurn("canary", "", (FACT,), "it was tried")),
    (
        "deliberate",
        DeliberateTurn(Stance.OBJECT, "ship", 7, (5, 0), "no", (FACT,), "", Ask("data", "how?")),
    ),
    ("commit", CommitTurn(True, (5,), (), "canary", "cost", "tried")),
    ("answer", AnswerTurn(Known.PARTLY, "some", (2,), ("m1",), Ask("data", "how?"))),
    ("consult", ConsultTurn((Ask("data", "how?"),))),
    ("framing", FramingTurn((Option("a", "A"), Option("b", "B")))),
)


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.__name__)
def test_no_parameter_is_optional_or_a_union_by_the_vendors_own_count(
    schema: type[Strict],
) -> None:
    described = schema.model_json_schema()
    counted = limits._parameter_counts([described, *described.get("$defs", {}).values()])  # pyright: ignore[reportPrivateUsage]
    assert counted == (0, 0)
    assert limits.exceeded_limit([described], None) is None


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.__name__)
def test_a_schema_costs_between_half_and_1_7_kilobytes(schema: type[Strict]) -> None:
    size = len(json.dumps(schema.model_json_schema(), separators=(",", ":")))
    assert 500 <= size <= 1700


@pytest.mark.parametrize(("situation", "reply"), REPLIES)
def test_a_reply_survives_the_way_through_its_schema(situation: str, reply: Reply) -> None:
    request = asked(situation, may_ask=(FarDesk("data", "Data", ""),), defer=True, refute=True)
    assert to_reply(from_reply(reply, schema_for(request))) == reply


@pytest.mark.parametrize("asking", [False, True])
@pytest.mark.parametrize("defer", [False, True])
@pytest.mark.parametrize("refute", [False, True])
def test_a_floor_turn_is_offered_only_what_the_policy_allows(
    *, asking: bool, defer: bool, refute: bool
) -> None:
    desks = (FarDesk("data", "Data", ""),) if asking else ()
    schema = schema_for(asked("deliberate", may_ask=desks, defer=defer, refute=refute))
    described = schema.model_json_schema()
    stances = described["properties"]["stance"]["enum"]
    assert ("defer" in stances, "refute" in stances) == (defer, refute)
    assert ("ask" in described["properties"]) == asking
    assert described["title"] == "DeliberateTurn"


def test_an_answer_without_an_ask_asks_nobody() -> None:
    schema = schema_for(asked("answer"))
    assert "ask" not in schema.model_json_schema()["properties"]
    filled = schema.model_validate(
        {"known": "known", "answer": "a", "cites": [], "used_memories": []}
    )
    assert to_reply(filled) == AnswerTurn(Known.KNOWN, "a", (), (), NO_ASK)


def test_a_floor_turn_without_an_ask_asks_nobody() -> None:
    turn = DeliberateTurn(Stance.NONE, "", 0, (), "", (), "hm", Ask("data", "how?"))
    schema = schema_for(asked("deliberate"))
    assert to_reply(from_reply(turn, schema)) == replace(turn, ask=NO_ASK)


def test_a_missing_or_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        schemas.OpeningTurn.model_validate({"facts": []})
    with pytest.raises(ValidationError):
        schemas.OpeningTurn.model_validate({"facts": [], "remark": "", "mood": "good"})


def test_a_stance_that_was_not_offered_is_refused() -> None:
    turn = DeliberateTurn(Stance.DEFER, "ship", 0, (), "", (), "", NO_ASK)
    with pytest.raises(ValidationError):
        from_reply(turn, schema_for(asked("deliberate")))


def test_a_part_is_no_turn() -> None:
    with pytest.raises(TypeError, match="Ask is no turn"):
        to_reply(schemas.Ask(desk="", question=""))
