"""Retrieval (memory.md 4.1 to 4.6), rule by rule, and against a slow scan written from the text."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.proxy.activation import Floats, Ints, base_level_activation
from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.proxy.errors import InvalidBoundError
from hivebot.proxy.matrix import ChunkMatrix
from hivebot.proxy.noise import draw, logistic_noise
from hivebot.proxy.retrieval import (
    Normalization,
    Query,
    RetrievalPolicy,
    nearest_below,
    normalized,
    retrieve,
    retrieve_salience,
    score_one,
    seeded,
)
from hivebot.proxy.vectors import EXPERIENCE, Dimension, Vectors, cosine, vector
from tests.unit.proxy.build import found, four, in_order, single, vectors

GATE = "answer_review"


def chunk(name: str, *traces: int, **rest: object) -> Chunk:
    base = Chunk(name, state=GATE, task_type="payments", traces=traces or (9,))
    return replace(base, **rest)  # pyright: ignore[reportArgumentType]


# -- structural filter, section 4.1 -------------------------------------------------------------


def test_an_empty_filter_lets_everything_pass() -> None:
    """Section 4.1."""
    assert found([chunk("a"), chunk("b", state="", task_type="")]).candidates == 2


@pytest.mark.parametrize("kind", [ChunkType.STEERING, ChunkType.REVIEW_CORRECTION])
def test_agnostic_kinds_pass_state_and_task_type_filters(kind: ChunkType) -> None:
    """Section 4.1 and 13.6."""
    other = chunk("s", type=kind, state="", task_type="U0ANA")
    assert found([other], Query(state=GATE, task_type="payments")).ids == ("s",)


@pytest.mark.parametrize("kind", [ChunkType.STEERING, ChunkType.REVIEW_CORRECTION])
def test_agnostic_kinds_do_not_pass_the_type_filter(kind: ChunkType) -> None:
    """Section 4.1 and 13.6."""
    assert found([chunk("s", type=kind)], Query(type=ChunkType.GATE_OUTCOME)).ids == ()


@pytest.mark.parametrize("kind", ["dialog_turn", "discovery_response", "withdrawal"])
def test_every_other_kind_is_bound_to_its_context(kind: str) -> None:
    """Section 4.1: `dialog_turn` included."""
    assert found([chunk("x", type=kind)], Query(state="other")).ids == ()
    assert found([chunk("x", type=kind)], Query(task_type="other")).ids == ()
    assert found([chunk("x", type=kind)], Query(GATE, "payments", kind)).ids == ("x",)


def test_a_chunk_without_a_state_does_not_match_a_state_filter() -> None:
    """Section 4.1."""
    assert found([chunk("x", state="")], Query(state=GATE)).ids == ()


def test_comparison_is_case_sensitive() -> None:
    """Section 4.1."""
    assert found([chunk("x")], Query(state=GATE.upper())).ids == ()


def test_lens_and_outcome_are_never_filtered_on() -> None:
    """Section 4.1."""
    chunks = [chunk("x", lens="risk", outcome="reject"), chunk("y", outcome="approve")]
    assert found(chunks, Query(GATE, "payments")).candidates == 2


# -- threshold, section 4.3 stage 1 -------------------------------------------------------------


def test_equality_with_the_threshold_is_dropped() -> None:
    """Section 4.3: strictly above."""
    policy = RetrievalPolicy(retrieval_threshold=math.log(4**-0.5))
    assert found([chunk("edge", 6), chunk("in", 7)], policy=policy).ids == ("in",)


@pytest.mark.parametrize("age", range(2, 40))
def test_a_threshold_written_as_an_age_drops_that_age_whatever_the_last_bit(age: int) -> None:
    """Section 4.3: equality is dropped; product.md 7: tau = -d ln L."""
    policy = RetrievalPolicy(retrieval_threshold=-0.5 * math.log(age))
    chunks = [chunk("edge", 100 - age), chunk("in", 101 - age)]
    assert found(chunks, clock=100, policy=policy).ids == ("in",)


def test_a_chunk_without_traces_never_survives() -> None:
    """Section 4.5."""
    bare = replace(chunk("x"), traces=())
    assert found([bare], policy=RetrievalPolicy(retrieval_threshold=-1e9)).ids == ()


def test_a_single_trace_is_forgotten_at_age_three() -> None:
    """Section 3.6 and 13.1."""
    assert found([chunk("two", 8), chunk("three", 7)]).ids == ("two",)


# -- normalisation, section 4.3 stage 2 ---------------------------------------------------------


def test_minmax_is_the_default() -> None:
    """Section 0 row 1: the required default."""
    assert RetrievalPolicy().normalization is Normalization.MINMAX


@pytest.mark.parametrize("traces", [(9,), (9, 9, 9, 9, 9)])
def test_a_lone_survivor_counts_one_half_whatever_its_strength(traces: tuple[int, ...]) -> None:
    """Section 4.3 and 13.3 (minmax)."""
    assert found([chunk("x", *traces)]).scores.tolist() == [0.25]


def test_equal_activations_count_one_half_each_even_if_the_last_bit_differs() -> None:
    """Section 4.3: the tolerance of 1e-9."""
    values = np.array([0.3, 0.3 + 5e-10])
    assert normalized(values).tolist() == [0.5, 0.5]
    assert normalized(np.array([0.3, 0.3 + 1e-6])).tolist() == [0.0, 1.0]


def test_what_was_filtered_out_does_not_influence_the_range() -> None:
    """Section 4.3: structural filter and threshold come before the range."""
    alive = [chunk("a", 9, 9), chunk("b", 9)]
    others = [chunk("s", *[9] * 50, state="other"), chunk("f", 1)]
    alone = found(alive, Query(state=GATE))
    assert found([*alive, *others], Query(state=GATE)).scores.tolist() == alone.scores.tolist()


def test_what_top_k_cuts_does_influence_the_range() -> None:
    """Section 4.3."""
    chunks = [chunk("a", 9, 9, 9, 9), chunk("b", 9, 9), chunk("c", 9)]
    cut = found(chunks, policy=RetrievalPolicy(top_k=2))
    assert cut.ids == ("a", "b")
    assert cut.ranked_scores().tolist() == pytest.approx([0.5, 0.25])


@given(st.lists(st.lists(st.integers(80, 99), min_size=1, max_size=4), min_size=1, max_size=6))
def test_tanh_of_a_survivor_lies_between_zero_and_one(rows: list[list[int]]) -> None:
    """Section 4.3 (tanh)."""
    policy = RetrievalPolicy(
        normalization=Normalization.TANH, activation_weight=1.0, semantic_weight=0.0
    )
    result = found(
        [chunk(f"c{place}", *traces) for place, traces in enumerate(rows)],
        clock=100,
        policy=policy,
    )
    assert all(0 < score <= 1 for score in result.scores.tolist())


def test_tanh_does_not_depend_on_the_other_candidates() -> None:
    """Section 4.3 (tanh): absolute."""
    policy = RetrievalPolicy(normalization=Normalization.TANH)
    alone = found([chunk("a")], policy=policy).scores[0]
    assert found([chunk("a"), chunk("b", *[9] * 30)], policy=policy).scores[0] == alone


def test_tanh_of_a_forgotten_chunk_is_negative_and_minus_one_without_traces() -> None:
    """Section 4.3: called on a non-survivor."""
    policy = RetrievalPolicy(
        normalization=Normalization.TANH, activation_weight=1.0, semantic_weight=0.0
    )
    assert -1 < score_one(chunk("x", 1), Query(), 100, policy) < 0
    assert score_one(Chunk("x"), Query(), 100, policy) == -1.0


# -- similarity, section 4.2 --------------------------------------------------------------------


def test_the_divisor_is_four_whatever_is_populated() -> None:
    """Section 4.2 and 13.2."""
    policy = RetrievalPolicy(activation_weight=0.0, semantic_weight=1.0)
    asked = Query(vectors=vectors(situation=[1, 0], stimulus=[1, 0]))
    assert score_one(chunk("x", vectors=four([1, 0])), asked, 10, policy) == pytest.approx(0.5)


def test_a_salience_key_in_the_query_is_ignored() -> None:
    """Section 4.2 and 13.2: salience neither adds nor divides."""
    asked = Query(vectors=vectors(salience=[1, 0], blended=[1, 0]))
    held = vectors(salience=[1, 0], blended=[1, 0])
    assert found([chunk("x", vectors=held)], asked).scores.tolist() == [0.25]


def test_five_scored_dimensions_are_an_option() -> None:
    """Section 0 row 2: five scored, divided by 5, is kept for the ablation."""
    policy = RetrievalPolicy(
        dimensions=(*EXPERIENCE, Dimension.SALIENCE), activation_weight=0.0, semantic_weight=1.0
    )
    asked = Query(vectors=vectors(salience=[1, 0]))
    held = vectors(salience=[1, 0])
    assert score_one(chunk("x", vectors=held), asked, 10, policy) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "held",
    [{}, {"situation": [1, 0, 0]}, {"situation": [0, 0]}],
    ids=["absent", "other length", "zero"],
)
def test_what_cannot_be_compared_adds_nothing_and_still_competes(
    held: dict[str, list[float]],
) -> None:
    """Section 4.2 and 4.5."""
    asked = Query(vectors=vectors(situation=[1, 0]))
    result = found([chunk("x", vectors=vectors(**held))], asked)  # pyright: ignore[reportArgumentType]
    assert result.ids == ("x",)
    assert result.scores.tolist() == [0.25]
    assert result.other_length == (1 if len(held.get("situation", [])) == 3 else 0)


@pytest.mark.parametrize(
    ("asked", "held", "expected"),
    [("m", "m", 0.75), ("m", "", 0.75), ("", "m", 0.75), ("m", "n", 0.25)],
)
def test_another_embedding_model_makes_a_dimension_unusable(
    asked: str, held: str, expected: float
) -> None:
    """Section 0 row 11 and 4.2."""
    query = Query(vectors=four([1, 0]), embedding_model=asked)
    result = found([chunk("x", vectors=four([1, 0]), embedding_model=held)], query)
    assert result.scores.tolist() == pytest.approx([expected])


def test_negative_similarity_is_not_cut_at_zero() -> None:
    """Section 4.2."""
    query = Query(vectors=four([1, 0]))
    result = found([chunk("x", vectors=four([-1, 0]))], query)
    assert result.scores.tolist() == pytest.approx([-0.25])


# -- order, section 4.4 -------------------------------------------------------------------------


def test_equal_scores_keep_insertion_order() -> None:
    """Section 4.4 and 4.5."""
    assert found([chunk("z"), chunk("a"), chunk("m")]).ids == ("z", "a", "m")


def test_the_sequence_decides_not_the_row() -> None:
    """Section 4.4: a sequence number assigned at creation."""
    assert found([chunk("late", sequence=7), chunk("early", sequence=3)]).ids == ("early", "late")


def test_the_id_decides_where_sequences_are_equal() -> None:
    """Section 4.4."""
    matrix = ChunkMatrix.of([chunk("b"), chunk("a"), chunk("c", sequence=-1)])
    assert retrieve(matrix, Query(), 10).ids == ("c", "a", "b")


@pytest.mark.parametrize(("difference", "first"), [(1e-11, "a"), (1e-6, "b")])
def test_scores_are_compared_to_nine_decimals(difference: float, first: str) -> None:
    """Section 4.4."""
    query = Query(vectors=vectors(situation=[1, 0]))
    turned = [math.sqrt(1 - 0.25), 0.5 + difference]
    chunks = [
        chunk("a", vectors=vectors(situation=[0.5, math.sqrt(0.75)])),
        chunk("b", vectors=vectors(situation=turned[::-1])),
    ]
    assert found(chunks, query).ids[0] == first


def test_scores_over_single_precision_are_compared_to_six_decimals() -> None:
    """Section 4.4 and 10.3."""
    held = Vectors(situation=single([0.5, math.sqrt(0.75)]))
    near = Vectors(situation=single([0.5 + 4e-7, math.sqrt(0.75)]))
    query = Query(vectors=Vectors(situation=single([1, 0])))
    result = found([chunk("a", vectors=held), chunk("b", vectors=near)], query)
    assert result.ids == ("a", "b")
    assert result.decimals == 6


@pytest.mark.parametrize("top_k", [0, 1, 2, 5])
def test_the_first_top_k_are_returned(top_k: int) -> None:
    """Section 4.4: zero gives an empty list."""
    policy = RetrievalPolicy(top_k=top_k)
    result = found([chunk("a"), chunk("b"), chunk("c")], policy=policy)
    assert result.ids == ("a", "b", "c")[:top_k]
    assert result.survivors.size == 3


@pytest.mark.parametrize(
    ("bounds", "name"),
    [
        ({"top_k": -1}, "top_k"),
        ({"salience_top_k": -1}, "salience_top_k"),
        ({"decay": -0.1}, "decay"),
        ({"noise_scale": math.nan}, "noise_scale"),
        ({"retrieval_threshold": math.inf}, "retrieval_threshold"),
        ({"activation_weight": math.nan}, "activation_weight"),
        ({"semantic_weight": math.inf}, "semantic_weight"),
        ({"dimensions": ()}, "dimensions"),
    ],
)
def test_a_bound_outside_its_range_is_refused_by_name(bounds: dict[str, object], name: str) -> None:
    """Section 4.4: a negative top_k is invalid."""
    with pytest.raises(InvalidBoundError, match=name):
        RetrievalPolicy(**bounds)  # pyright: ignore[reportArgumentType]


def test_an_empty_store_gives_nothing() -> None:
    """Section 4.5."""
    result = found([])
    assert result.ids == ()
    assert result.candidates == 0


# -- noise, section 3.5 -------------------------------------------------------------------------


def test_noise_is_added_after_weighting() -> None:
    """Section 3.5: one independent draw per scored chunk."""

    def given_draws(rows: Ints) -> Floats:
        return np.array([0.9, 0.2])[rows]

    result = found([chunk("a"), chunk("b")], chance=given_draws)
    assert result.scores.tolist() == pytest.approx(
        [0.25 + logistic_noise(0.9, 0.08), 0.25 + logistic_noise(0.2, 0.08)]
    )


def test_seeded_noise_does_not_depend_on_row_order_and_can_be_replayed() -> None:
    """Section 3.5 (determinism)."""
    chunks = [chunk(f"c{number}", sequence=number + 1) for number in range(9)]
    there = ChunkMatrix.of(chunks)
    back = ChunkMatrix.of(chunks[::-1])
    first = retrieve(there, Query(), 10, chance=seeded(there, 5, 10))
    assert first.ids == retrieve(back, Query(), 10, chance=seeded(back, 5, 10)).ids
    assert first.scores[3] == pytest.approx(0.25 + logistic_noise(draw(5, 10, "c3"), 0.08))


def test_a_draw_of_ones_own_is_added_to_a_single_score() -> None:
    """Section 3.5."""
    quiet = score_one(chunk("a"), Query(), 10)
    assert score_one(chunk("a"), Query(), 10, p=0.9) == pytest.approx(
        quiet + logistic_noise(0.9, 0.08)
    )


# -- against a slow scan ------------------------------------------------------------------------

small = st.lists(st.integers(-3, 3), min_size=2, max_size=2)


@st.composite
def stores(draw_from: st.DrawFn) -> list[Chunk]:
    count = draw_from(st.integers(0, 9))
    return [
        Chunk(
            f"c{place}",
            type=draw_from(st.sampled_from(["gate_outcome", "steering", "dialog_turn"])),
            state=draw_from(st.sampled_from(["", GATE, "referral_review"])),
            task_type=draw_from(st.sampled_from(["payments", "data"])),
            traces=tuple(draw_from(st.lists(st.integers(85, 101), max_size=4))),
            vectors=Vectors(situation=vector(draw_from(small)), response=vector(draw_from(small))),
            embedding_model=draw_from(st.sampled_from(["", "m", "n"])),
            deleted_at=draw_from(st.sampled_from([None, None, 3])),
            sequence=place,
        )
        for place in range(count)
    ]


def passes(each: Chunk, query: Query) -> bool:
    free = each.type in ("steering", "review_correction")
    return (
        each.deleted_at is None
        and (free or query.state in ("", each.state))
        and (free or query.task_type in ("", each.task_type))
        and query.type in ("", each.type)
    )


def similarity(each: Chunk, query: Query) -> float:
    if len({query.embedding_model, each.embedding_model} - {""}) > 1:
        return 0.0
    pairs = ((query.vectors.get(name), each.vectors.get(name)) for name in EXPERIENCE)
    return sum(cosine(a, b) for a, b in pairs if a is not None and b is not None) / 4


def slow_scan(chunks: list[Chunk], query: Query, clock: int, policy: RetrievalPolicy) -> list[str]:
    strengths = {
        each.id: base_level_activation(each.traces, clock, policy.decay)
        for each in chunks
        if passes(each, query)
    }
    kept = {k: b for k, b in strengths.items() if b > policy.retrieval_threshold + 1e-9}
    low, high = min(kept.values(), default=0.0), max(kept.values(), default=0.0)

    def norm(strength: float) -> float:
        if policy.normalization is Normalization.TANH:
            return math.tanh(strength - policy.retrieval_threshold)
        return 0.5 if high - low <= 1e-9 else (strength - low) / (high - low)

    ranked = [
        (-round(0.5 * norm(kept[each.id]) + 0.5 * similarity(each, query), 9), each.sequence, each)
        for each in chunks
        if each.id in kept
    ]
    return [each.id for _, _, each in sorted(ranked, key=lambda one: one[:2])][: policy.top_k]


filters = st.tuples(
    st.sampled_from(["", GATE]),
    st.sampled_from(["", "payments"]),
    st.sampled_from(["", "gate_outcome"]),
)


@given(stores(), filters, st.sampled_from(list(Normalization)), st.integers(0, 5))
def test_retrieval_is_the_slow_scan_of_the_text(
    chunks: list[Chunk], asked: tuple[str, str, str], normalization: Normalization, top_k: int
) -> None:
    """Sections 4.1 to 4.4 together."""
    query = Query(*asked, vectors(situation=[2, 1], response=[0, 1]), "m")
    policy = RetrievalPolicy(normalization=normalization, top_k=top_k, retrieval_threshold=-1.0)
    result = retrieve(ChunkMatrix.of(chunks), query, 100, policy)
    assert list(result.ids) == slow_scan(chunks, query, 100, policy)


@given(stores())
def test_retrieval_writes_nothing(chunks: list[Chunk]) -> None:
    """Section 3.2: retrieval never writes."""
    matrix = ChunkMatrix.of(chunks)
    before = matrix.traces.flat.copy()
    once = retrieve(matrix, Query(), 100)
    retrieve_salience(matrix, vector([1.0]), 100)
    assert matrix.traces.flat.tolist() == before.tolist()
    assert retrieve(matrix, Query(), 100).ids == once.ids


# -- what nearly came to mind -------------------------------------------------------------------


def test_the_strongest_forgotten_candidate_is_named() -> None:
    """product.md 7."""
    chunks = [chunk("in"), chunk("weak", 1), chunk("near", 5), chunk("away", 6, state="other")]
    assert nearest_below(in_order(*chunks), Query(state=GATE), 10) == "near"


def test_without_a_forgotten_candidate_nobody_is_named() -> None:
    chunks = [chunk("in"), replace(chunk("bare"), traces=())]
    assert nearest_below(in_order(*chunks), Query(), 10) is None


# -- salience, section 4.6 ----------------------------------------------------------------------


def surprised(name: str, values: list[float], **rest: object) -> Chunk:
    return chunk(name, **{"vectors": vectors(salience=values), **rest})


def asked_about(
    *chunks: Chunk, by: list[float] | None, model: str = "", **bounds: int
) -> tuple[str, ...]:
    query = None if by is None else vector(by)
    policy = RetrievalPolicy(**bounds)  # pyright: ignore[reportArgumentType]
    return retrieve_salience(in_order(*chunks), query, 10, policy, model).ids


def test_salience_knows_no_structural_filter() -> None:
    """Section 4.6."""
    away = surprised("x", [1, 0], state="other", task_type="other", type="dialog_turn")
    assert asked_about(away, by=[1, 0]) == ("x",)


def test_salience_does_not_see_soft_deleted_chunks() -> None:
    """Section 4.6 and 8.3."""
    assert asked_about(surprised("x", [1, 0], deleted_at=4), by=[1, 0]) == ()


@pytest.mark.parametrize(
    ("held", "model"), [([1, 0, 0], ""), ([1, 0], "n")], ids=["other length", "other model"]
)
def test_salience_drops_what_it_cannot_compare(held: list[float], model: str) -> None:
    """Section 4.6 and 13.5: dropped, unlike in 4.3."""
    odd = surprised("odd", held, embedding_model=model)
    assert asked_about(odd, surprised("x", [0, 1]), by=[1, 0], model="m") == ("x",)


def test_a_zero_salience_vector_stays_with_similarity_zero() -> None:
    """Section 4.6."""
    chunks = surprised("zero", [0, 0]), surprised("against", [-1, 0]), surprised("with", [1, 0])
    assert asked_about(*chunks, by=[1, 0]) == ("with", "zero", "against")


def test_activation_does_not_rank_salience() -> None:
    """Section 4.6: no activation term, no noise, no weights."""
    chunks = surprised("strong", [1, 1], traces=(9, 9, 9)), surprised("weak", [1, 0])
    assert asked_about(*chunks, by=[1, 0]) == ("weak", "strong")


@pytest.mark.parametrize("by", [None, []])
def test_without_a_query_no_surprise_comes_to_mind(by: list[float] | None) -> None:
    assert asked_about(surprised("x", [1, 0]), by=by) == ()


def test_salience_has_a_top_k_of_its_own() -> None:
    """Section 4.6: top 5."""
    many = [surprised(f"c{number}", [1, 0]) for number in range(7)]
    assert len(asked_about(*many, by=[1, 0])) == 5
    assert len(asked_about(*many, by=[1, 0], salience_top_k=2)) == 2


def test_salience_reports_candidates_and_survivors() -> None:
    """Section 3.6: survivors of candidates are logged per retrieval."""
    matrix = in_order(surprised("a", [1, 0]), surprised("old", [1, 0], traces=(1,)), chunk("b"))
    result = retrieve_salience(matrix, single([1, 0]), 10)
    assert (result.candidates, result.survivors.size, result.decimals) == (2, 1, 6)
    assert retrieve_salience(in_order(chunk("b")), vector([1.0]), 10).candidates == 0
