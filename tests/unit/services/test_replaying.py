"""Does a recorded step come out the same again? Source: datapath.md 6."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.errors import DecodeError
from hivebot.hive.wire import encode_episode_state
from hivebot.services.floor import fresh_state, look, working
from hivebot.services.recording import digest, reference, without_text
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.rows import ConversationRow, DecisionRow, MessageRow
from hivebot.services.replaying import Compared, Replayed, Source, recorded, references, replay
from tests.configurations import CONFIGURATION, desk_of, with_agent, without_desk
from tests.fakes.clock import START
from tests.unit.services.episode_rows import episode, message

DESK = desk_of(CONFIGURATION, "data")
LOG = ConversationRow(
    id=2,
    team_id="T0HIVE",
    channel_id="C0DATA",
    thread_ts="1.1",
    desk_id="data",
    audience=Audience.PUBLIC,
    root_seq=1,
    last_seq=1,
)
ROWS = (message(1, content="@hive #canary or #ship?"), message(2, "anna", "!propose #canary"))
STATE = fresh_state(LOG, 1, DESK, CONFIGURATION)


def decision() -> DecisionRow:
    examined = look(episode(), STATE, ROWS, DESK, CONFIGURATION)
    return DecisionRow(
        id=9,
        conversation_id=2,
        message_id=1,
        fold="step",
        input={
            "episode": 7,
            "state": dict(encode_episode_state(STATE)),
            "rows": [reference(row) for row in ROWS],
            "extra_turns": 0,
        },
        result=without_text(working(examined)),
        reason="salience",
        revision=CONFIGURATION.revision,
        next_state=None,
        created_at=START,
    )


def source(row: MessageRow) -> Source:
    return Source(digest(row.content), row, row.content)


SOURCES = tuple(source(row) for row in ROWS)


def again(of: DecisionRow, sources: tuple[Source, ...] = SOURCES) -> Replayed:
    return replay(1, of, sources, episode(), CONFIGURATION)


def different(found: Replayed) -> str:
    assert found.verdict is Compared.DIFFERENT
    return found.parts[0]


def test_the_same_rows_give_the_same_step() -> None:
    found = again(decision())

    assert (found.verdict, found.parts, found.speaker_id) == (Compared.EQUAL, (), "anna")


def test_rows_are_named_with_their_revision_and_digest() -> None:
    assert references(decision()) == tuple((row.id, 1, digest(row.content)) for row in ROWS)


def test_another_standing_is_named_as_the_part_that_differs() -> None:
    changed = decision()
    changed.result["standings"] = []

    assert again(changed).parts == ("standings",)


@pytest.mark.parametrize(
    "gone",
    [
        Source("x", None, None),
        Source(digest(ROWS[1].content), replace(ROWS[1], deleted_at=START), ""),
        Source(digest(ROWS[1].content), ROWS[1], None),
    ],
)
def test_a_row_that_is_gone_is_no_failure(gone: Source) -> None:
    assert again(decision(), (SOURCES[0], gone)).verdict is Compared.ERASED


def test_other_words_than_then_are_different() -> None:
    changed = Source(SOURCES[1].digest, ROWS[1], "!propose #ship")

    assert different(again(decision(), (SOURCES[0], changed))) == (
        "row 2 has other words than it had"
    )


def test_another_revision_is_different() -> None:
    other = with_agent("anna", threshold=5)

    found = replay(1, decision(), SOURCES, episode(), other)
    assert different(found) == f"the configuration {CONFIGURATION.revision} is not kept any more"


def test_a_desk_that_is_not_configured_is_different() -> None:
    gone = replace(without_desk("data"), revision=CONFIGURATION.revision)

    found = replay(1, decision(), SOURCES, episode(), gone)
    assert different(found) == "the desk is not in the configuration"


def test_a_refusal_of_the_folds_is_different() -> None:
    fewer = replace(DESK, members=("bert", "carl"))
    desks = tuple(fewer if one.id == "data" else one for one in CONFIGURATION.desks)

    found = replay(1, decision(), SOURCES, episode(), replace(CONFIGURATION, desks=desks))
    assert different(found).startswith("the folds refuse: ")


def test_an_input_that_cannot_be_read_is_different() -> None:
    broken = replace(decision(), input={})

    assert different(again(broken, ())).startswith("the folds refuse: ")
    with pytest.raises(DecodeError):
        references(broken)


def test_a_result_that_cannot_be_read_has_no_speaker() -> None:
    found = again(replace(decision(), result={}))

    assert different(found).startswith("unreadable: ")
    assert (found.recorded, found.speaker_id) == (None, "")


def test_turns_that_were_added_then_are_taken_from_the_record() -> None:
    lengthened = decision()
    lengthened.input["extra_turns"] = 10

    assert again(lengthened).verdict is Compared.EQUAL


def test_the_runner_up_is_the_next_by_what_it_has_above_its_threshold() -> None:
    then = recorded(decision())

    other = then.runner_up("anna")
    assert other is not None
    assert other.agent_id == "bert"
    assert then.bidder("nobody") is None
    assert replace(then, bidders=()).runner_up("anna") is None
