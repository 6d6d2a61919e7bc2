"""What holds for every deliberation, however it goes?"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hivebot.hive.attention import AgentThreshold, Assessment, BidReason, bids_of, explain
from hivebot.hive.conversation import AgentAuthor, Conversation, OperatorAuthor, PersonAuthor
from hivebot.hive.desk import Desk, DeskSet
from hivebot.hive.directory import WEIGHT_CEILING, DirectoryPolicy, directory
from hivebot.hive.episode import (
    EpisodePolicy,
    EpisodeState,
    Speak,
    examine,
    step,
)
from hivebot.hive.quorum import QuorumPolicy, standings
from hivebot.hive.roster import Member, Roster
from hivebot.hive.salience import SalienceWeights, salience
from hivebot.hive.trace import Trace, TraceKind, deduplicate, read, resolve
from hivebot.hive.transcript import SessionMessage
from tests.unit.hive.room import agent, trace

# runs by the thousand over what other tests cover: to count each line would cost thrice the time
pytestmark = pytest.mark.no_cover

MEMBERS = ("anna", "carl", "sven")
TOPICS = ("a", "b", "c")
ROSTER = Roster(tuple(Member(one, one) for one in MEMBERS), (), ())
DESKS = DeskSet((Desk("ops", "Ops", None, MEMBERS),), (), (), (), ())
unhurried = settings(deadline=None, max_examples=60)
"""A slow machine is no failure."""

FRESH = EpisodeState(conversation=Conversation("ops", "Ops"), watermark=0)

authors = st.sampled_from(
    [*map(agent, MEMBERS), agent("guest"), OperatorAuthor(), PersonAuthor("pat", "Pat")]
)
topics = st.none() | st.sampled_from(TOPICS)
numbers = st.integers(0, 14)


@st.composite
def traces(draw: st.DrawFn) -> tuple[Trace, ...]:
    """Traces with one address each, so that their order alone says nothing."""
    addresses = draw(st.lists(st.tuples(numbers, st.integers(0, 2)), max_size=16, unique=True))
    return tuple(
        replace(
            trace(draw(st.sampled_from(TraceKind)), sequence, draw(authors), offset=offset),
            topic=draw(topics),
            target=draw(st.none() | numbers),
            cites=tuple(draw(st.lists(numbers, max_size=3, unique=True))),
        )
        for sequence, offset in addresses
    )


def marker(kind: TraceKind, words: list[str]) -> str:
    """A line that leads with a bang."""
    return f"!{kind} {' '.join(words)}"


markers = st.builds(
    marker,
    st.sampled_from(TraceKind),
    st.lists(
        st.sampled_from([f"#{topic}" for topic in TOPICS])
        | numbers.map("^{}".format)
        | numbers.map(">{}".format),
        max_size=4,
    ),
)
contents = st.lists(markers | st.just("just words") | st.just("```"), max_size=3).map("\n".join)
quorums = st.builds(
    QuorumPolicy,
    threshold=st.integers(1, 3),
    window=st.integers(1, 20),
    require_grounded=st.booleans(),
    refutation_cap=st.none() | st.integers(1, 3),
    require_evidential=st.booleans(),
)
directories = st.builds(
    DirectoryPolicy,
    half_life=st.integers(1, 30),
    specialisation=st.integers(0, 65_535),
    credibility=st.integers(0, 65_535),
    prior=st.integers(0, 65_535),
    discredit=st.integers(0, 65_535),
    window=st.integers(1, 20),
    floor=st.integers(-5, 5000),
)
affinities = st.lists(st.tuples(st.sampled_from(TOPICS), st.integers(0, 255)), max_size=3).map(
    tuple
)
thresholds = st.lists(
    st.builds(AgentThreshold, st.sampled_from(MEMBERS), st.integers(-9000, 9000), affinities),
    max_size=3,
    unique_by=lambda record: record.agent_id,
).map(tuple)
weights = st.builds(
    SalienceWeights,
    recency=st.integers(0, 65_535),
    importance=st.integers(0, 65_535),
    relevance=st.integers(0, 65_535),
    half_life=st.integers(1, 30),
)
policies = st.builds(
    EpisodePolicy,
    turn_budget=st.integers(0, 12),
    blind_round=st.booleans(),
    dominance_cap=st.integers(0, 100),
    repetition_cap=st.integers(0, 3),
    directory=st.none() | directories,
    defer_cap=st.none() | st.integers(1, 3),
    quorum=quorums,
    weights=weights,
)


@st.composite
def rooms(draw: st.DrawFn) -> tuple[SessionMessage, ...]:
    """Messages with rising sequences."""
    said = draw(st.lists(st.tuples(authors, contents), max_size=12))
    return tuple(SessionMessage(at, author, text) for at, (author, text) in enumerate(said, 1))


def assessed(
    given_traces: tuple[Trace, ...], records: tuple[AgentThreshold, ...], policy: EpisodePolicy
) -> tuple[Assessment, ...]:
    """The market at 14, with standings and directory folded from the same traces."""
    known = policy.directory and directory(given_traces, 14, policy.directory, records)
    return explain(
        given_traces,
        standings(given_traces, 14, policy.quorum),
        MEMBERS,
        records,
        at=14,
        weights=policy.weights,
        dominance_cap=policy.dominance_cap,
        repetition_cap=policy.repetition_cap,
        quorum=policy.quorum,
        directory=known,
        directory_policy=policy.directory,
        defer_cap=policy.defer_cap,
    )


@unhurried
@given(traces(), thresholds, policies, st.randoms(use_true_random=False))
def test_shuffled_and_repeated_traces_change_nothing(
    said: tuple[Trace, ...],
    records: tuple[AgentThreshold, ...],
    policy: EpisodePolicy,
    chance: Random,
) -> None:
    delivered = [*said, *said]
    chance.shuffle(delivered)
    again = tuple(delivered)
    assert standings(again, 14, policy.quorum) == standings(said, 14, policy.quorum)
    assert assessed(again, records, policy) == assessed(said, records, policy)
    if policy.directory is not None:
        assert directory(again, 14, policy.directory, records) == directory(
            said, 14, policy.directory, records
        )


@unhurried
@given(rooms(), thresholds, policies)
def test_messages_delivered_twice_change_no_step(
    said: tuple[SessionMessage, ...], records: tuple[AgentThreshold, ...], policy: EpisodePolicy
) -> None:
    state = replace(FRESH, thresholds=records)
    once = step(state, said, ROSTER, DESKS, policy)
    assert step(state, said + said, ROSTER, DESKS, policy) == once
    twice = tuple(message for message in said for _ in range(2))
    assert step(state, twice, ROSTER, DESKS, policy) == once


@unhurried
@given(traces(), thresholds, policies)
def test_a_pull_is_the_sum_of_the_salience_of_what_is_not_saturated(
    said: tuple[Trace, ...], records: tuple[AgentThreshold, ...], policy: EpisodePolicy
) -> None:
    cap = policy.repetition_cap
    full = {
        one.topic
        for one in standings(said, 14, policy.quorum)
        if cap and len(one.supporters) >= cap
    }
    pulling = [
        one
        for one in deduplicate(said)
        if not (one.kind is TraceKind.SUPPORT and one.topic in full)
    ]
    declared = {record.agent_id: record.affinity for record in records}
    for one in assessed(said, records, policy):
        affinity = declared.get(one.agent_id, ())
        assert one.pull == sum(
            salience(
                heard,
                14,
                policy.weights,
                next((value for topic, value in affinity if topic == heard.topic), 50),
            )
            for heard in pulling
        )


@unhurried
@given(traces(), thresholds, policies)
def test_bids_are_the_members_whose_urge_reaches_their_threshold_in_order(
    said: tuple[Trace, ...], records: tuple[AgentThreshold, ...], policy: EpisodePolicy
) -> None:
    assessments = assessed(said, records, policy)
    assert [one.agent_id for one in assessments] == list(MEMBERS)
    assert [bid.agent_id for bid in bids_of(assessments)] == [
        one.agent_id for one in assessments if one.urge >= one.threshold
    ]
    assert all(bid.urge >= 0 for bid in bids_of(assessments))
    if policy.directory is None:
        assert BidReason.KNOWS not in {one.reason for one in assessments}


@unhurried
@given(traces(), thresholds, directories)
def test_credibility_and_weight_stay_in_bounds_and_entries_in_order(
    said: tuple[Trace, ...], records: tuple[AgentThreshold, ...], policy: DirectoryPolicy
) -> None:
    entries = directory(said, 14, policy, records).entries
    assert all(entry.credibility >= 0 for entry in entries)
    assert all(0 <= entry.weight <= WEIGHT_CEILING for entry in entries)
    pairs = [(entry.topic, entry.agent_id) for entry in entries]
    assert pairs == sorted(set(pairs))


@unhurried
@given(traces(), directories, st.lists(numbers, min_size=1, max_size=3, unique=True), topics)
def test_own_citations_never_change_ones_credibility(
    said: tuple[Trace, ...], policy: DirectoryPolicy, cites: list[int], topic: str | None
) -> None:
    # a question deposits nothing, so that only its citations could count
    question = trace(TraceKind.QUESTION, 14, "anna", topic=topic, cites=tuple(cites), offset=99)
    credibilities = [
        {
            entry.topic: entry.credibility
            for entry in directory(spoken, 14, policy, ()).entries
            if entry.agent_id == "anna" and entry.credibility
        }
        for spoken in (said, (*said, question))
    ]
    assert credibilities[0] == credibilities[1]


@unhurried
@given(st.text(alphabet=st.sampled_from("! #>^+0119aé\u2028\u3000\x1c\r\n`~"), max_size=60))
def test_reading_is_total_and_offsets_are_at_bangs(body: str) -> None:
    raw = body.encode()
    for prefix in ("", "!propose ", "!object #é\n"):
        for one in resolve(prefix + body, None, agent("anna"), 3):
            text = one.text.encode()
            assert text.startswith(b"!")
            assert (prefix.encode() + raw)[one.offset :].startswith(text)


@unhurried
@given(st.text(), st.lists(st.text(), max_size=3))
def test_reading_is_total_on_any_text(body: str, lines: list[str]) -> None:
    whole = "\n".join([body, *(f"!evidence {line}" for line in lines)])
    found = resolve(whole, None, agent("anna"), 3)
    assert all(whole.encode()[one.offset :].startswith(one.text.encode()) for one in found)
    assert resolve(whole, found, agent("anna"), 3) == found


@unhurried
@given(st.lists(contents, min_size=15, max_size=15), policies)
def test_an_episode_of_any_speakers_ends_within_its_budget(
    speeches: list[str], policy: EpisodePolicy
) -> None:
    state = FRESH
    transcript: list[SessionMessage] = [SessionMessage(1, OperatorAuthor(), "Decide.")]
    for speech in speeches:
        working = examine(state, transcript, ROSTER, DESKS, policy)
        if not isinstance(working.step, Speak):
            break
        turn = working.step.turn
        assert turn.next_state.spent == state.spent + 1
        state = turn.next_state
        author = AgentAuthor(turn.agent_id, turn.agent_id)
        transcript.append(SessionMessage(len(transcript) + 1, author, speech))
    assert state.spent <= policy.turn_budget
    assert not isinstance(step(state, transcript, ROSTER, DESKS, policy), Speak)


@unhurried
@given(rooms())
def test_reading_in_pieces_is_reading_at_once(said: tuple[SessionMessage, ...]) -> None:
    pieces = [one for message in said for one in read([message])]
    assert tuple(pieces) == read(said)


def leads_to_a_fact(one: Trace, live: tuple[Trace, ...]) -> bool:
    """The chain of section 13.1, searched from its start as it is written there."""
    visited: set[int] = set()
    pending = list(one.cites)
    while pending:
        sequence = pending.pop()
        if sequence in visited:
            continue
        visited.add(sequence)
        for met in live:
            if met.sequence == sequence:
                if met.kind is TraceKind.EVIDENCE:
                    return True
                pending.extend(met.cites)
    return False


@unhurried
@given(traces(), st.integers(1, 20))
def test_evidential_supporters_are_those_whose_chain_leads_to_a_fact(
    said: tuple[Trace, ...], window: int
) -> None:
    agreeable = tuple(one for one in said if one.kind not in {TraceKind.OBJECT, TraceKind.REFUTE})
    live = tuple(one for one in agreeable if 14 - window <= one.sequence <= 14)
    expected = {
        (one.topic, one.agent_id)
        for one in live
        if one.topic is not None and one.agent_id is not None
        if one.kind is TraceKind.PROPOSE
        or (one.kind is TraceKind.SUPPORT and leads_to_a_fact(one, live))
    }
    counted = standings(agreeable, 14, QuorumPolicy(window=window, require_evidential=True))
    assert {(one.topic, agent_id) for one in counted for agent_id in one.supporters} == expected
