"""Does every fold of the proxy memory answer its worked cases, within the tolerance?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict, cast

import pytest

from hivebot.entrypoints.folds.memory import FOLDS, SINGLE_TOLERANCE, close_json

DATA = Path(__file__).parent / "data" / "memory"


class Case(TypedDict):
    name: str
    input: dict[str, object]
    expect: object


def files() -> dict[str, list[Case]]:
    return {
        path.stem: cast("list[Case]", json.loads(path.read_text("utf-8")))
        for path in sorted(DATA.glob("*.json"))
    }


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, case, id=f"{name}: {case['name']}")
        for name, cases in files().items()
        for case in cases
    ],
)
def test_a_worked_case_is_answered_as_written(name: str, case: Case) -> None:
    fold = FOLDS[f"memory.{name}"]
    answer = fold.answer(case["input"])
    assert fold.matches(answer, case["expect"]), answer


def test_every_file_of_cases_has_a_fold_and_every_fold_has_a_file() -> None:
    assert set(FOLDS) == {f"memory.{name}" for name in files()}


def answer(name: str, **keys: object) -> object:
    return FOLDS[f"memory.{name}"].answer(keys)


@pytest.mark.parametrize(
    ("actual", "expect", "right"),
    [
        (1.0, 1, True),
        (1.0, 1 + 9e-10, True),
        (1.0, 1 + 2e-9, False),
        (True, 1, False),
        (True, True, True),
        ("-inf", "-inf", True),
        ("-inf", 0.0, False),
        ([1, 2], [1, 2.0], True),
        ([1, 2], [1], False),
        ([1, 2], [2, 1], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, [1], False),
        (None, None, True),
        (None, 0, False),
    ],
)
def test_numbers_are_compared_with_a_tolerance_and_the_rest_exactly(
    actual: object,
    expect: object,
    right: bool,  # noqa: FBT001  a column
) -> None:
    assert close_json(actual, expect) is right


def test_scores_over_single_precision_have_a_wider_tolerance() -> None:
    assert close_json([0.5], [0.500009], SINGLE_TOLERANCE)
    assert not close_json([0.5], [0.50002], SINGLE_TOLERANCE)


def test_a_refusal_is_its_code() -> None:
    assert answer("cosine", a=[], b=[1.0]) == {"error": "length_mismatch"}
    chunks: list[object] = []
    asked = {"chunks": chunks, "query": {}, "clock": 1, "params": {"top_k": -1}}
    assert answer("retrieve", **asked) == {"error": "invalid_bound"}


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("cosine", {"a": ["x"], "b": [1]}),
        ("cosine", {"a": [True], "b": [1]}),
        ("cosine", {}),
        ("soft_delete", {"ops": [{"op": "explode"}]}),
        (
            "calibrate",
            {
                "agent_confidence": 1,
                "memory_depth": 3,
                "genuine_tension": False,
                "today": "tomorrow",
                "roll": 0.5,
            },
        ),
    ],
)
def test_an_input_that_does_not_decode_says_so(name: str, keys: dict[str, object]) -> None:
    assert answer(name, **keys) == {"error": "decode"}


def test_no_sum_is_written_minus_infinity() -> None:
    assert answer("base_level_activation", traces=[], clock=5) == "-inf"
    assert answer("petrov_hybrid", traces=[], clock=5, k=2) == {"approx": "-inf", "exact": "-inf"}


def test_an_absent_or_empty_or_unknown_dimension_adds_nothing() -> None:
    none: list[float] = []
    chunk = {"traces": [9], "embeddings": {"situation": None, "artifact": none}}
    query = {"embeddings": {"situation": [1.0], "artifact": [1.0], "unheard": [1.0]}}
    quiet = answer("composite_tanh", chunk=chunk, query=query, clock=10)
    bare = answer("composite_tanh", chunk={"traces": [9]}, query={"embeddings": None}, clock=10)
    assert quiet == bare


def test_noise_is_added_where_scale_and_draws_are_given() -> None:
    chunk, query = {"id": "a", "traces": [9], "p": 0.75}, {"state": ""}
    noise = answer("logistic_noise", p=0.75, s=0.08)
    minmax = answer("composite_minmax", chunks=[chunk], query=query, clock=10, params={"s": 0.08})
    assert isinstance(noise, float)
    assert close_json(minmax, {"scores": {"a": 0.25 + noise}})
    params = {"s": 0.08, "p": 0.75}
    loud = answer("composite_tanh", chunk=chunk, query=query, clock=10, params=params)
    still = answer("composite_tanh", chunk=chunk, query=query, clock=10)
    assert isinstance(still, float)
    assert close_json(loud, still + noise)


@pytest.mark.parametrize(
    ("moment", "guard"),
    [
        ("2026-03-18T23:59:59Z", "staleness"),
        ("2026-03-19T00:30:00+02:00", "staleness"),
        ("2026-03-19T00:30:00", "none"),
        ("", "none"),
        (None, "none"),
    ],
)
def test_staleness_works_with_timestamps(moment: str | None, guard: str) -> None:
    """Section 0 row 9."""
    found = answer(
        "calibrate",
        agent_confidence=0.9,
        memory_depth=3,
        genuine_tension=False,
        accuracy={"last_updated": moment},
        today="2026-03-26",
        roll=0.5,
    )
    assert isinstance(found, dict)
    assert found["guard"] == guard


def test_an_empty_accuracy_is_none() -> None:
    found = answer(
        "calibrate",
        agent_confidence=0.9,
        memory_depth=3,
        genuine_tension=False,
        accuracy={},
        today="2026-03-26T10:00:00+00:00",
        roll=0.5,
    )
    assert found == {"confidence": 0.9, "guard": "none"}


def test_interactions_without_predictions_leave_no_record_but_move_the_clock() -> None:
    """Section 5.5."""
    silent = {"outcome": "approve", "state": "s", "task_type": "t"}
    assert answer("accuracy_record", interactions=[silent]) == {"records": {}, "clock": 1}


def test_without_a_salience_query_nothing_is_found() -> None:
    held = {"id": "a", "traces": [9], "embeddings": {"salience": [1.0]}}
    assert answer("retrieve_salience", chunks=[held], query={}, clock=10) == {"ids": []}


def test_a_missing_judge_asks_nothing_and_keeps_everything() -> None:
    """Section 8.3."""
    notes = [
        {"id": name, "content": "send status updates", "created_at": str(place)}
        for place, name in enumerate("ab")
    ]
    assert answer("consolidation_file", entries=notes, verdicts=None) == {
        "keep": ["a", "b"],
        "asked": [],
    }


def test_a_hidden_chunk_takes_traces_and_counts_for_nothing() -> None:
    """Section 7 (rule 5) and 8.3."""
    ops = [
        {"op": "create", "id": "a", "traces": [1]},
        {"op": "depth"},
        {"op": "soft_delete", "id": "a", "clock": 5},
        {"op": "reinforce", "id": "a", "clock": 6},
        {"op": "reinforce", "id": "ghost", "clock": 6},
        {"op": "traces", "id": "a"},
        {"op": "traces", "id": "ghost"},
        {"op": "depth"},
        {"op": "retrieve"},
        {"op": "purge", "clock": 10, "window": 5},
        {"op": "traces", "id": "a"},
    ]
    assert answer("soft_delete", ops=ops) == [
        {"depth": 1},
        {"traces": [1, 6]},
        {"traces": []},
        {"depth": 0},
        {"ids": []},
        {"purged": 1},
        {"traces": []},
    ]
