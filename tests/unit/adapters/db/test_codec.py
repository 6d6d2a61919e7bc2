"""Does every record come back from JSON as it went in?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql

from hivebot.adapters.db.codec import decode, decode_union, encode
from hivebot.adapters.db.rows import conversation_of
from hivebot.adapters.db.tables import ConversationTable
from hivebot.adapters.db.tables.columns import AnyJson, storable
from hivebot.hive.conversation import (
    AgentAuthor,
    OperatorAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.hive.mention import Mention
from hivebot.hive.trace import Trace, TraceKind
from hivebot.services.records.outgoing import Body, Button, Persona, Quote, SourceLink
from hivebot.services.records.replies import Reply

texts = st.text(max_size=20)


@dataclass(frozen=True, slots=True)
class Sample:
    """A record of a kind no stored row has."""

    style: Literal["", "primary"]
    pair: tuple[int, str] = (0, "")
    added_since: bool = False


def any_of(kinds: object) -> st.SearchStrategy[object]:
    return st.one_of(*(st.from_type(cast("type[object]", kind)) for kind in get_args(kinds)))


def through_json(value: object) -> object:
    return json.loads(json.dumps(encode(value)))


def accepted(kind: object, value: object) -> None:
    assert decode_union(kind, through_json(value)) == value


def refused(kind: object, data: object) -> None:
    with pytest.raises(ValueError, match=r"not a|none of|is not a valid|zip"):
        decode_union(kind, data)


@given(any_of(TranscriptAuthor))
def test_every_author_comes_back(author: object) -> None:
    accepted(TranscriptAuthor, author)


@given(any_of(Reply))
def test_every_reply_comes_back(reply: object) -> None:
    accepted(Reply, reply)


@given(st.from_type(Body))
def test_every_body_comes_back(body: Body) -> None:
    assert decode(Body, through_json(body)) == body


@given(st.lists(st.from_type(Mention)))
def test_every_list_of_mentions_comes_back(mentions: list[Mention]) -> None:
    accepted(tuple[Mention, ...], tuple(mentions))


def test_a_trace_comes_back_with_its_author_and_kind() -> None:
    trace = Trace(
        sequence=7,
        author=AgentAuthor("anna", "Anna"),
        kind=TraceKind.SUPPORT,
        topic="ship",
        target=None,
        cites=(1, 2),
        text="!support #ship ^1 ^2",
        offset=0,
    )
    accepted(tuple[Trace, ...], (trace,))


def test_authors_with_the_same_fields_stay_apart() -> None:
    authors = (PersonAuthor("x", "X"), AgentAuthor("x", "X"), SystemAuthor("x", "X"))
    assert len({json.dumps(encode(author)) for author in (*authors, OperatorAuthor())}) == 4


def test_a_body_full_of_everything_comes_back() -> None:
    accepted(
        Body,
        Body(
            text="t",
            persona=Persona("Anna", ":bee:", rule_based=True),
            quotes=(Quote("Bo", "#ops", "", "words"),),
            sources=(SourceLink("brief"),),
            buttons=(Button("stop", "Stop", "1", "danger"),),
            mention_users=("U1",),
        ),
    )


def test_a_field_that_was_added_since_has_its_default() -> None:
    assert decode(Sample, {"style": "primary"}) == Sample(style="primary")


def test_a_field_that_is_gone_is_passed_over() -> None:
    assert decode(Sample, {"style": "", "gone": 1}) == Sample(style="")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (Sample, {"style": "loud"}),
        (Sample, {"style": "", "pair": [1]}),
        (Sample, {"style": "", "pair": "ab"}),
        (Sample, {"style": "", "added_since": 1}),
        (Sample, ["style"]),
        (TraceKind, "shout"),
        (TranscriptAuthor, {"is": "Mention"}),
        (TranscriptAuthor, {"id": "x", "label": "X"}),
        (TranscriptAuthor, "anna"),
    ],
    ids=str,
)
def test_what_is_not_of_the_kind_is_refused(kind: object, data: object) -> None:
    refused(kind, data)


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_any_text_is_made_storable(text: str) -> None:
    made = storable(text)
    made.encode()
    assert "\x00" not in made
    assert storable(made) == made


@given(texts)
def test_storable_text_is_kept(text: str) -> None:
    if "\x00" not in text:
        assert storable(text) == text


def test_json_is_made_storable_in_every_depth() -> None:
    given = {"a\x00": ["b\ud800", {"c": "d\x00"}, 1, None, True]}
    made = AnyJson().process_bind_param(cast("dict[str, object]", given), postgresql.dialect())
    assert made == {"a\ufffd": ["b\ufffd", {"c": "d\ufffd"}, 1, None, True]}


def test_a_row_that_is_not_stored_is_no_record() -> None:
    with pytest.raises(ValueError, match="not stored"):
        conversation_of(
            ConversationTable(team_id="T", channel_id="C", thread_ts="", desk_id="", audience="dm")
        )
