"""What a person sees of a chunk: its life as a plot, its texts as data, its vectors counted."""

from __future__ import annotations

from dataclasses import replace

from hivebot.entrypoints.memory_views import (
    PLOT_HEIGHT,
    PLOT_WIDTH,
    activation_plot,
    chunk_lines,
    excerpt,
    exported,
    parts_sheet,
)
from hivebot.hive.crossing import Audience
from hivebot.proxy.chunks import Chunk, HiddenTraces
from hivebot.proxy.retrieval import RetrievalPolicy
from hivebot.services.records.memories import (
    PerceptTexts,
    RememberedChunk,
    Scope,
    Sources,
)
from tests.fakes.clock import START
from tests.unit.proxy.build import vectors

POLICY = RetrievalPolicy()


def remembered(chunk: Chunk) -> RememberedChunk:
    return RememberedChunk(
        memory_id=1,
        chunk=chunk,
        scope=Scope(Audience.PUBLIC),
        sources=Sources(),
        texts=PerceptTexts(),
        by_human=True,
        created_at=START,
    )


def columns(plot: list[str]) -> list[int]:
    """In which row the point of each column is, from the top."""
    field = [line[9:].ljust(PLOT_WIDTH)[:PLOT_WIDTH] for line in plot[:PLOT_HEIGHT]]
    return [
        next(row for row, line in enumerate(field) if line[column] == "•")
        for column in range(PLOT_WIDTH)
    ]


def test_a_chunk_that_is_used_once_sinks_below_the_threshold() -> None:
    plot = activation_plot(Chunk("a", traces=(1,)), 20, POLICY)
    rows = columns(plot)
    assert rows == sorted(rows)
    level = next(row for row, line in enumerate(plot) if line.endswith("threshold"))
    assert rows[0] < level < rows[-1]
    assert plot[0].startswith("   0.00 │•")
    assert plot[-1].split() == ["1", "interaction", "20"]


def test_a_chunk_that_is_used_again_rises_there() -> None:
    rows = columns(activation_plot(Chunk("a", traces=(1, 20, 20)), 40, POLICY))
    peak = min(range(PLOT_WIDTH), key=rows.__getitem__)
    assert 28 <= peak <= 31
    assert rows[peak - 1] > rows[peak] < rows[-1]


def test_what_was_just_remembered_is_one_line_above_the_threshold() -> None:
    plot = activation_plot(Chunk("a", traces=(5,)), 5, POLICY)
    assert set(columns(plot)) == {0}
    level = [line.endswith("threshold") for line in plot].index(True)
    assert level == PLOT_HEIGHT - 1


def test_a_threshold_at_the_only_strength_needs_no_scale() -> None:
    plot = activation_plot(Chunk("a", traces=(5,)), 5, replace(POLICY, retrieval_threshold=0.0))
    assert set(columns(plot)) == {0}


def test_compacted_traces_count_from_the_first_on() -> None:
    chunk = Chunk("a", traces=(30, 31), hidden=HiddenTraces(count=8, first=3))
    plot = activation_plot(chunk, 40, POLICY)
    assert plot[-1].split()[0] == "3"
    assert "traces      8 from 3 on, then 30, 31" in chunk_lines(remembered(chunk), 40, POLICY)


def test_a_chunk_without_traces_has_no_life_to_draw() -> None:
    lines = chunk_lines(remembered(Chunk("a")), 3, POLICY)
    assert lines[-1] == "no traces: it never comes to mind"
    assert "traces      none" in lines
    assert "outcome     (none)" in lines


def test_vectors_are_counted_and_their_model_named() -> None:
    lone = replace(Chunk("a", traces=(1,)), vectors=vectors(artifact=[1, 0, 0]))
    assert "vectors     artifact 3 (unnamed model)" in chunk_lines(remembered(lone), 1, POLICY)
    empty = Chunk("a", traces=(1,), embedding_model="m")
    assert "vectors     none (m)" in chunk_lines(remembered(empty), 1, POLICY)


def test_long_texts_are_cut_and_made_harmless() -> None:
    assert excerpt("one\n two") == "one two"
    assert excerpt("x" * 61) == "x" * 59 + "…"
    assert excerpt("a\x1b]0;b") == "a\ufffd]0;b"


def test_compacted_traces_are_exported_as_count_and_first() -> None:
    line = exported(remembered(Chunk("a", hidden=HiddenTraces(7, 2))), vectors=False)
    assert '"hidden_traces": 7, "hidden_first": 2' in line


def test_no_retrieval_makes_an_empty_table() -> None:
    sheet = parts_sheet([])
    assert (sheet.rows, sheet.notes) == ([], [])
