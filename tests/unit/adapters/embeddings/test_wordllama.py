"""The embedder inside the wheel: no network, like texts alike, and no logging set up by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hivebot.adapters.embeddings import DEFAULT, embedder
from hivebot.adapters.embeddings.wordllama import WIDTH, WordLlamaEmbedder
from hivebot.proxy.vectors import cosine
from hivebot.services.ports.embedding import EmbedderError


async def test_like_texts_have_like_vectors() -> None:
    refund, money, tree = await WordLlamaEmbedder().embed(
        ["refund the customer", "give the money back to the client", "an oak in the forest"]
    )
    assert refund.shape == (WIDTH,)
    assert refund.dtype == np.float32
    assert cosine(refund, money) > cosine(refund, tree)


async def test_a_text_has_the_same_vector_alone_and_in_company() -> None:
    made = WordLlamaEmbedder()
    (alone,) = await made.embed(["short"])
    company = await made.embed(["a long one " * 90] * 20 + ["short"])
    assert np.array_equal(alone, company[-1])


async def test_no_text_needs_no_model(tmp_path: Path) -> None:
    assert await WordLlamaEmbedder(tmp_path).embed([]) == ()


async def test_an_empty_text_has_a_vector_of_zeros_and_a_broken_one_is_read_anyway() -> None:
    empty, broken = await WordLlamaEmbedder().embed(["", "half a pair: \ud800"])
    assert not empty.any()
    assert broken.any()


async def test_the_default_is_named_and_names_its_model() -> None:
    made = embedder(DEFAULT)
    assert made.model == "wordllama:l2_supercat_256"
    assert len(await made.embed(["a", "b"])) == 2


LONE = """
import logging, sys
from pathlib import Path
import wordllama
from hivebot.adapters.embeddings.wordllama import WordLlamaEmbedder
from hivebot.services.ports.embedding import EmbedderError
wordllama.__dict__["__file__"] = sys.argv[1] + "/wordllama.py"
wordllama.WordLlama.resolve_file.__func__.__globals__["__file__"] = sys.argv[1] + "/wordllama.py"
try:
    WordLlamaEmbedder().embed_now(["a"])
except EmbedderError as error:
    print(error.reason)
"""


def test_a_package_without_its_weights_is_said_and_nothing_is_downloaded(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", LONE, str(tmp_path)], check=True, capture_output=True, text=True
    )
    assert said.stdout == "incomplete\n"
    assert list(tmp_path.iterdir()) == []


QUIET = """
import logging
from hivebot.adapters.embeddings.wordllama import WordLlamaEmbedder
WordLlamaEmbedder().embed_now(["a"])
print(logging.getLogger().handlers, logging.getLogger().level)
"""


def test_loading_leaves_the_logging_of_the_process_alone() -> None:
    said = subprocess.run([sys.executable, "-c", QUIET], check=True, capture_output=True, text=True)
    assert said.stdout == "[] 30\n"


def test_an_error_says_a_word_and_no_more() -> None:
    assert str(EmbedderError("incomplete")) == "no vectors: incomplete"
    with pytest.raises(EmbedderError):
        embedder("nonsense")
