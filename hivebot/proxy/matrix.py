"""How are the chunks of one memory laid out, so that all of them can be judged at once?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hivebot.proxy.activation import Floats, Ints, TraceTable
from hivebot.proxy.chunks import AGNOSTIC_TYPES, Chunk
from hivebot.proxy.errors import DuplicateChunkError
from hivebot.proxy.noise import id_hashes
from hivebot.proxy.vectors import Dimension, Float, Vector, unit, unit_rows

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """One text per row, as small numbers.

    Attributes:
        codes: Number of each row's text.
        names: Number of each text that occurs.
    """

    codes: Ints
    names: Mapping[str, int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Labels:
        """Number the texts in order of first appearance."""
        names: dict[str, int] = {}
        codes = [names.setdefault(text, len(names)) for text in texts]
        return cls(np.array(codes, np.int64), names)

    def equal(self, text: str) -> Mask:
        """Say which rows have exactly this text."""
        return self.codes == self.names.get(text, -1)

    def among(self, texts: frozenset[str]) -> Mask:
        """Say which rows have one of these texts."""
        return np.isin(self.codes, [self.names.get(text, -1) for text in texts])


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """The vectors of one percept and one length, scaled to length 1.

    Attributes:
        rows: Rows of the memory that have such a vector, ascending.
        units: One unit vector for each of `rows`; zeros stay zeros.
    """

    rows: Ints
    units: NDArray[Float]

    @property
    def width(self) -> int:
        """Give the number of components."""
        return self.units.shape[1]

    def locate(self, rows: Ints) -> tuple[Mask, Ints]:
        """Say which of some rows have a vector here, and where those stand in `units`."""
        if not self.rows.size:
            return np.zeros(rows.size, np.bool_), self.rows
        places = np.minimum(np.searchsorted(self.rows, rows), self.rows.size - 1)
        found = self.rows[places] == rows
        return found, places[found]

    def cosines(self, places: Ints, query: NDArray[Float]) -> Floats:
        """Compare the vectors at some places with one unit vector of the same length."""
        if 2 * places.size >= self.rows.size:  # reading past the others beats copying these
            return np.asarray((self.units @ query)[places], np.float64)
        return np.asarray(self.units[places] @ query, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Cosines:
    """How one percept of some rows compares with the query's.

    Attributes:
        values: Cosine of each row, 0 where the two cannot be compared.
        comparable: Which rows could be compared.
        other_length: Rows with a vector of another length, to be logged.
        single: A single-precision vector took part.

    Source: memory.md 4.2.
    """

    values: Floats
    comparable: Mask
    other_length: int = 0
    single: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ChunkMatrix:
    """All chunks of one memory in columns; row `i` of each column is the same chunk.

    Attributes:
        ids: Unique ids.
        sequence: Insertion order.
        id_rank: Rank of the id where two rows share a sequence, else 0 throughout.
        hashes: 64-bit hash of each id, for noise.
        traces: Interaction numbers.
        live: Rows that are not softly deleted.
        types: Kinds of chunk.
        states: Kinds of gate.
        task_types: Desks or categories.
        models: Embedding models; "" compares with any.
        agnostic: Rows that pass the state and the task-type filter.
        blocks: Vectors by percept, one block for each length that occurs.

    Source: memory.md 2.
    """

    ids: tuple[str, ...]
    sequence: Ints
    id_rank: Ints
    hashes: NDArray[np.uint64]
    traces: TraceTable
    live: Mask
    types: Labels
    states: Labels
    task_types: Labels
    models: Labels
    agnostic: Mask
    blocks: Mapping[Dimension, tuple[VectorBlock, ...]]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> ChunkMatrix:
        """Lay out chunks; row `i` is `chunks[i]`.

        Raises:
            DuplicateChunkError: Two chunks share an id.
            InvalidTraceError: A trace does not fit.
        """
        return cls.from_arrays(
            ids=tuple(chunk.id for chunk in chunks),
            sequence=np.array([chunk.sequence for chunk in chunks], np.int64),
            traces=TraceTable.of(
                [chunk.traces for chunk in chunks], [chunk.hidden for chunk in chunks]
            ),
            live=np.array([chunk.live for chunk in chunks], np.bool_),
            types=[chunk.type for chunk in chunks],
            states=[chunk.state for chunk in chunks],
            task_types=[chunk.task_type for chunk in chunks],
            models=[chunk.embedding_model for chunk in chunks],
            blocks=_blocks(chunks),
        )

    @classmethod
    def from_arrays(
        cls,
        *,
        ids: tuple[str, ...],
        sequence: Ints,
        traces: TraceTable,
        live: Mask,
        types: Sequence[str],
        states: Sequence[str],
        task_types: Sequence[str],
        models: Sequence[str],
        blocks: Mapping[Dimension, tuple[VectorBlock, ...]],
    ) -> ChunkMatrix:
        """Take columns that are laid out already, one entry for each row.

        Raises:
            DuplicateChunkError: Two rows share an id.
        """
        _refuse_duplicates(ids)
        kinds = Labels.of(types)
        return cls(
            ids=ids,
            sequence=sequence,
            id_rank=_id_rank(ids, sequence),
            hashes=id_hashes(ids),
            traces=traces,
            live=live,
            types=kinds,
            states=Labels.of(states),
            task_types=Labels.of(task_types),
            models=Labels.of(models),
            agnostic=kinds.among(frozenset(AGNOSTIC_TYPES)),
            blocks=blocks,
        )

    def ids_of(self, rows: Ints) -> tuple[str, ...]:
        """Give the ids of some rows, in the order named."""
        places: list[int] = rows.tolist()
        return tuple(self.ids[place] for place in places)

    def cosines(
        self, dimension: Dimension, query: Vector | None, model: str, rows: Ints
    ) -> Cosines:
        """Compare one percept of some rows with the query's vector.

        A row is not comparable when either side has no vector, when the lengths differ, or when
        both sides name an embedding model and the names differ.

        Source: memory.md 4.2.
        """
        values = np.zeros(rows.size)
        comparable = np.zeros(rows.size, np.bool_)
        if query is None or query.size == 0:
            return Cosines(values, comparable)
        same_model = self._same_model(model, rows)
        other_length, single = 0, query.dtype == np.float32
        for block in self.blocks.get(dimension, ()):
            found, places = block.locate(rows)
            if block.width != query.size:
                other_length += int(np.count_nonzero(found & same_model))
                continue
            direction = unit(query).astype(block.units.dtype)
            values[found] = block.cosines(places, direction)
            comparable |= found
            single = single or block.units.dtype == np.float32
        comparable &= same_model
        values[~comparable] = 0.0
        return Cosines(values, comparable, other_length, single)

    def _same_model(self, model: str, rows: Ints) -> Mask:
        if not model:
            return np.ones(rows.size, np.bool_)
        return (self.models.equal(model) | self.models.equal(""))[rows]


def block_of(rows: Ints, vectors: NDArray[Float]) -> VectorBlock:
    """Take the vectors of some rows (ascending), one per line of a matrix, all of one length."""
    return VectorBlock(rows, unit_rows(vectors))


def _blocks(chunks: Sequence[Chunk]) -> dict[Dimension, tuple[VectorBlock, ...]]:
    found: dict[Dimension, dict[int, list[tuple[int, Vector]]]] = {}
    for row, chunk in enumerate(chunks):
        for dimension, values in chunk.vectors.present():
            found.setdefault(dimension, {}).setdefault(values.size, []).append((row, values))
    return {
        dimension: tuple(
            block_of(
                np.array([row for row, _ in members], np.int64),
                np.stack([values for _, values in members]),
            )
            for members in by_width.values()
        )
        for dimension, by_width in found.items()
    }


def _refuse_duplicates(ids: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise DuplicateChunkError(chunk_id=each)
        seen.add(each)


def _id_rank(ids: tuple[str, ...], sequence: Ints) -> Ints:
    rank = np.zeros(len(ids), np.int64)
    if np.unique(sequence).size < sequence.size:
        rank[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return rank
