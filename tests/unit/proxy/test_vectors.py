"""Vectors and their similarity (memory.md 2 and 4.2)."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike, NDArray

from hivebot.errors import HivebotError
from hivebot.proxy.errors import InvalidVectorError, LengthMismatchError
from hivebot.proxy.vectors import (
    Dimension,
    Vectors,
    cosine,
    storable,
    unit,
    unit_rows,
    vector,
)
from tests.unit.proxy.build import single, vectors

components = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8)


@pytest.mark.parametrize("values", [[1.0, math.nan], [math.inf], [-math.inf, 0.0], [1.0, None]])
def test_vectors_with_nan_or_infinity_are_refused(values: ArrayLike) -> None:
    """Section 2 (hivebot MUST refuse)."""
    with pytest.raises(InvalidVectorError, match="a vector holds NaN or infinity"):
        storable(values)


@pytest.mark.parametrize("values", [["a", "b"], [[1.0], [1.0, 2.0]], object()])
def test_what_is_no_list_of_numbers_is_no_vector(values: ArrayLike) -> None:
    with pytest.raises(InvalidVectorError, match="is not a list of numbers"):
        vector(values)


@pytest.mark.parametrize("values", [[[1.0, 2.0]], 3.0])
def test_what_is_not_flat_is_no_vector(values: ArrayLike) -> None:
    with pytest.raises(InvalidVectorError, match="is not flat"):
        vector(values)


@pytest.mark.parametrize("values", [None, [], [0.0, 0.0]])
def test_an_empty_or_all_zero_vector_is_stored_as_absent(values: list[float] | None) -> None:
    """Section 2 (hivebot MUST) and 10.3."""
    assert storable(values) is None


def test_any_other_vector_is_stored_as_it_is() -> None:
    kept = storable([0, 2])
    assert kept is not None
    assert kept.tolist() == [0.0, 2.0]
    assert kept.dtype == np.float64


def test_single_precision_stays_single() -> None:
    """Section 10.3: pgvector's vectors are single precision."""
    assert single([1, 2]).dtype == np.float32


def test_a_vector_cannot_be_changed_and_is_a_copy() -> None:
    source = np.array([1.0, 2.0])
    made = vector(source)
    source[0] = 9.0
    assert made.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        made[0] = 5.0


@pytest.mark.parametrize(("left", "right"), [([1.0], [1.0, 2.0]), ([], [1.0]), ([0.0], [])])
def test_vectors_of_different_lengths_have_no_cosine(left: list[float], right: list[float]) -> None:
    """Section 4.2 and 13.5."""
    with pytest.raises(LengthMismatchError) as met:
        cosine(left, right)
    assert met.value.details() == {"left": len(left), "right": len(right)}
    assert met.value.code == "length_mismatch"
    assert isinstance(met.value, HivebotError)


def test_an_error_of_the_memory_survives_a_process_border() -> None:
    again = pickle.loads(pickle.dumps(LengthMismatchError(left=1, right=2)))  # noqa: S301
    assert str(again) == "vectors of 1 and 2 components cannot be compared"


@pytest.mark.parametrize(("left", "right"), [([], []), ([0.0, 0.0], [1.0, 2.0])])
def test_nothing_and_zero_resemble_nothing(left: list[float], right: list[float]) -> None:
    """Section 4.2."""
    assert cosine(left, right) == 0.0


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_the_size_of_a_vector_does_not_matter(scale: float) -> None:
    assert cosine([scale, 2 * scale], [1.0, 2.0]) == pytest.approx(1.0)


@given(components)
def test_the_cosine_is_symmetric_bounded_and_kept_negative(values: list[float]) -> None:
    """Section 4.2: range -1..1, negative values are kept."""
    other = values[::-1]
    assert cosine(values, other) == cosine(other, values)
    assert abs(cosine(values, other)) <= 1 + 1e-9
    flipped = [-each for each in other]
    assert cosine(values, flipped) == pytest.approx(-cosine(values, other), abs=1e-12)


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(0, 5), st.integers(0, 5)),
        elements=st.floats(-100, 100).map(lambda value: round(value, 3)),
    )
)
def test_unit_rows_have_length_one_or_zero(matrix: NDArray[np.float64]) -> None:
    for row, scaled in zip(matrix, unit_rows(matrix), strict=True):
        length = float(np.linalg.norm(scaled))
        assert length == pytest.approx(1.0 if row.any() else 0.0)


def test_a_unit_vector_keeps_its_precision() -> None:
    assert unit(single([3, 4])).dtype == np.float32


def test_an_empty_vector_counts_as_absent() -> None:
    """Section 4.2."""
    held = Vectors(situation=vector([]), artifact=vector([1.0]))
    assert held.get(Dimension.SITUATION) is None
    assert [name for name, _ in held.present()] == [Dimension.ARTIFACT]


def test_two_sets_of_vectors_are_equal_when_their_components_are() -> None:
    left, right = vectors(situation=[1, 2], salience=[3]), vectors(situation=[1, 2], salience=[3])
    assert left == right
    assert hash(left) == hash(right)
    assert left != vectors(situation=[1, 2])
    assert left != vectors(situation=[1, 9], salience=[3])
    assert left != "vectors"
