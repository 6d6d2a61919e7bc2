"""Streams of decisions: read, split and generated (proxy-experiment.md, data)."""

from __future__ import annotations

from collections import Counter

import pytest

from hivebot.bench.proxy.decisions import (
    OUTCOMES,
    Decision,
    DecisionError,
    DecisionStream,
    halves,
    read_streams,
)
from hivebot.bench.proxy.generator import SETTINGS, GeneratorPolicy, generate

LINE = '{"decider": "p1", "request": "r", "context": "c", "outcome": "approve", "words": "w"}'


def test_lines_of_one_person_keep_their_order() -> None:
    other = LINE.replace("p1", "p2")
    later = LINE.replace('"r"', '"second"')
    first = Decision("r", "c", "approve", "w")
    assert read_streams([LINE, "", other, later]) == (
        DecisionStream("p1", (first, Decision("second", "c", "approve", "w"))),
        DecisionStream("p2", (first,)),
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2 is no object"),
        (LINE.replace("approve", "maybe"), "line 2 has an outcome that is none of the three"),
        (LINE.replace('"decider": "p1", ', ""), "line 2 has no text 'decider'"),
        (LINE.replace('"w"', "3"), "line 2 has no text 'words'"),
    ],
)
def test_a_line_that_is_no_decision_is_named_by_its_number(line: str, problem: str) -> None:
    with pytest.raises(DecisionError) as met:
        read_streams([LINE, line])
    assert str(met.value) == problem


def test_deciders_are_split_in_two_and_never_shared() -> None:
    streams = [DecisionStream(f"p{number}", ()) for number in range(7)]
    choosing, testing = halves(streams, 1)
    assert (len(choosing), len(testing)) == (3, 4)
    assert {each.decider for each in (*choosing, *testing)} == {each.decider for each in streams}


def test_the_split_depends_on_seed_and_pseudonym_only() -> None:
    streams = [DecisionStream(f"p{number}", ()) for number in range(8)]
    assert halves(streams, 1) == halves(streams[::-1], 1)
    assert halves(streams, 1) != halves(streams, 2)


def test_the_same_seed_makes_the_same_text() -> None:
    policy = GeneratorPolicy(deciders=2, decisions=10)
    assert generate(policy, 5) == generate(policy, 5)
    assert generate(policy, 5) != generate(policy, 6)


def test_the_registered_populations_are_three_by_two() -> None:
    assert [(each.contexts, each.dialog_per_mille) for each in SETTINGS] == [
        (1, 0),
        (1, 300),
        (4, 0),
        (4, 300),
        (12, 0),
        (12, 300),
    ]
    assert SETTINGS[1].name == "1 contexts, dialog 0.3"
    assert all(each.deciders >= 24 and each.decisions >= 120 for each in SETTINGS)


def test_contexts_outcomes_and_dialogs_are_as_asked() -> None:
    policy = GeneratorPolicy(contexts=4, deciders=6, decisions=200, dialog_per_mille=300)
    decisions = [each for stream in generate(policy) for each in stream.decisions]
    assert len({each.context for each in decisions}) == 4
    assert {each.outcome for each in decisions} == set(OUTCOMES)
    share = sum(bool(each.dialog) for each in decisions) / len(decisions)
    assert 0.25 < share < 0.35


def test_without_drift_and_slips_a_subject_always_ends_the_same() -> None:
    policy = GeneratorPolicy(deciders=3, decisions=60, drift_per_mille=0, slips_per_mille=0)
    for stream in generate(policy):
        outcomes: dict[tuple[str, str], set[str]] = {}
        for each in stream.decisions:
            subject = next(word for word in _SUBJECT_WORDS if word in each.request)
            outcomes.setdefault((each.context, subject), set()).add(each.outcome)
        assert all(len(found) == 1 for found in outcomes.values())


def test_a_drift_changes_preferences_half_way() -> None:
    policy = GeneratorPolicy(
        contexts=1, subcases=1, deciders=20, decisions=40, drift_per_mille=1000, slips_per_mille=0
    )
    for stream in generate(policy):
        before = {each.outcome for each in stream.decisions[:20]}
        after = {each.outcome for each in stream.decisions[20:]}
        assert len(before) == len(after) == 1
        assert before != after


def test_slips_are_as_rare_as_asked() -> None:
    policy = GeneratorPolicy(
        contexts=1, subcases=1, deciders=20, decisions=100, drift_per_mille=0, slips_per_mille=50
    )
    slips = 0
    for stream in generate(policy):
        counts = Counter(each.outcome for each in stream.decisions)
        slips += len(stream.decisions) - counts.most_common(1)[0][1]
    assert 60 < slips < 140


_SUBJECT_WORDS = ("retry", "rename", "skip", "reviewer", "delete", "translate")
