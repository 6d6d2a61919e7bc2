"""The columns that all chunks of one memory are laid out in."""

from __future__ import annotations

import numpy as np
import pytest

from hivebot.proxy.activation import TraceTable
from hivebot.proxy.chunks import Chunk
from hivebot.proxy.errors import DuplicateChunkError
from hivebot.proxy.matrix import ChunkMatrix, Labels, VectorBlock, block_of
from hivebot.proxy.vectors import Dimension, vector
from tests.unit.proxy.build import in_order, single, vectors

EVERY = np.arange(3)


def three() -> ChunkMatrix:
    return in_order(
        Chunk("a", vectors=vectors(situation=[1, 0]), embedding_model="m"),
        Chunk("b", vectors=vectors(situation=[1, 1, 1])),
        Chunk("c", vectors=vectors(situation=[1, 1]), embedding_model="other"),
    )


def test_a_memory_counts_its_chunks() -> None:
    assert len(three()) == 3
    assert len(ChunkMatrix.of([])) == 0


def test_an_id_used_twice_is_refused() -> None:
    with pytest.raises(DuplicateChunkError, match="'a' is used twice"):
        ChunkMatrix.of([Chunk("a"), Chunk("a")])


def test_rows_of_another_length_are_counted_not_raised() -> None:
    """Section 4.2: logged, not raised."""
    found = three().cosines(Dimension.SITUATION, vector([1.0, 0.0]), "", EVERY)
    assert found.values.tolist() == pytest.approx([1.0, 0.0, 0.5**0.5])
    assert found.comparable.tolist() == [True, False, True]
    assert found.other_length == 1


def test_rows_of_another_model_are_not_comparable() -> None:
    """Section 4.2 (hivebot only): an unnamed model is comparable with any."""
    found = three().cosines(Dimension.SITUATION, vector([1.0, 0.0]), "m", EVERY)
    assert found.comparable.tolist() == [True, False, False]
    assert found.values[2] == 0.0
    assert found.other_length == 1


@pytest.mark.parametrize("query", [None, []])
def test_without_a_query_vector_nothing_is_comparable(query: list[float] | None) -> None:
    asked = None if query is None else vector(query)
    found = three().cosines(Dimension.SITUATION, asked, "", EVERY)
    assert not found.comparable.any()
    assert found.other_length == 0


def test_a_percept_nobody_has_is_not_comparable() -> None:
    found = three().cosines(Dimension.ARTIFACT, vector([1.0]), "", EVERY)
    assert not found.comparable.any()


def test_single_precision_on_either_side_is_reported() -> None:
    """Section 4.4: compared to 6 decimals when single precision took part."""
    doubles = three()
    assert not doubles.cosines(Dimension.SITUATION, vector([1.0, 0.0]), "", EVERY).single
    assert doubles.cosines(Dimension.SITUATION, single([1, 0]), "", EVERY).single
    singles = ChunkMatrix.from_arrays(
        ids=("a",),
        sequence=np.array([0]),
        traces=TraceTable.of([[1]]),
        live=np.array([True]),
        types=["gate_outcome"],
        states=["s"],
        task_types=["t"],
        models=[""],
        blocks={Dimension.SITUATION: (block_of(np.array([0]), np.array([[3, 4]], np.float32)),)},
    )
    found = singles.cosines(Dimension.SITUATION, vector([3.0, 4.0]), "", np.array([0]))
    assert found.single
    assert found.values[0] == pytest.approx(1.0, abs=1e-6)


def test_a_block_finds_the_rows_it_holds() -> None:
    block = block_of(np.array([2, 5, 9]), np.eye(3))
    held, places = block.locate(np.array([0, 5, 9, 11]))
    assert held.tolist() == [False, True, True, False]
    assert places.tolist() == [1, 2]
    assert block.width == 3


def test_an_empty_block_holds_nothing() -> None:
    block = VectorBlock(np.zeros(0, np.int64), np.zeros((0, 2)))
    held, places = block.locate(np.array([0, 1]))
    assert held.tolist() == [False, False]
    assert places.size == 0


@pytest.mark.parametrize("places", [[4], [4, 0, 1, 2, 3]])
def test_few_and_many_rows_are_compared_alike(places: list[int]) -> None:
    block = block_of(np.arange(5), np.arange(10.0).reshape(5, 2) + 1)
    expected = [float(block.units[place] @ np.array([0.6, 0.8])) for place in places]
    got = block.cosines(np.array(places), np.array([0.6, 0.8]))
    assert got.tolist() == pytest.approx(expected)


def test_labels_compare_exactly_and_case_sensitively() -> None:
    """Section 4.1."""
    labels = Labels.of(["a", "A", "", "a"])
    assert labels.equal("a").tolist() == [True, False, False, True]
    assert labels.equal("b").tolist() == [False] * 4
    assert labels.among(frozenset({"A", "", "z"})).tolist() == [False, True, True, False]
