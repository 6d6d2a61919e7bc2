"""What vectors do texts have in the static model that is shipped inside a wheel?

Source: product.md 12, rights.md 6 (no weights downloaded at run time).
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hivebot.proxy.vectors import Vector, vector
from hivebot.services.ports.embedding import EmbedderError

WIDTH: Final = 256
_BATCH: Final = 16
"""Texts of one batch are padded to the longest, so a long one makes many of them dear."""


class _Inference(Protocol):
    def embed(self, texts: list[str], *, batch_size: int) -> NDArray[np.float32]: ...


class WordLlamaEmbedder:
    """Averages of word vectors: about 40 µs a line of text, loaded in a quarter of a second.

    Args:
        directory: Where weights and tokenizer are; None for the package's own directory.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self._loading = threading.Lock()
        self._loaded: _Inference | None = None

    @property
    def model(self) -> str:
        """Provider and model, as it is stored with every vector."""
        return f"wordllama:l2_supercat_{WIDTH}"

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector of 256 numbers for each text; zeros for an empty one.

        Raises:
            EmbedderError: The package is incomplete.
        """
        if not texts:
            return ()
        return await asyncio.to_thread(self.embed_now, texts)

    def embed_now(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """The same in the calling thread.

        Raises:
            EmbedderError: The package is incomplete.
        """
        # the tokenizer refuses what is no text, and half a surrogate pair is none
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        found = self._inference().embed(readable, batch_size=_BATCH)
        return tuple(vector(row) for row in found)

    def _inference(self) -> _Inference:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._directory)
            return self._loaded


def _load(directory: Path | None) -> _Inference:
    # the package sets up logging for the whole process when it is imported, unless somebody has
    root, placeholder = logging.getLogger(), logging.NullHandler()
    root.addHandler(placeholder)
    try:
        import wordllama
    finally:
        root.removeHandler(placeholder)
    here = directory or Path(wordllama.__file__).parent
    try:
        made = wordllama.WordLlama.load(cache_dir=here, dim=WIDTH, disable_download=True)
    except OSError as exc:
        raise EmbedderError("incomplete") from exc
    return cast("_Inference", made)
