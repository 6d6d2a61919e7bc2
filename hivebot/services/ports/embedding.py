"""What do the use cases need of an embedding model? A protocol only; adapters fulfil it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from hivebot.proxy.vectors import Vector
from hivebot.services.ports import PortError


class EmbedderError(PortError):
    """The texts have no vectors for now; whatever they belong to is kept without.

    Attributes:
        reason: What is wrong, as a short word for logs: never a text, never what a vendor said.
    """

    code: ClassVar[str] = "embedder"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"no vectors: {reason}")


class Embedder(Protocol):
    """Gives texts their vectors."""

    @property
    def model(self) -> str:
        """Provider and model, as it is stored with every vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One finite vector for each text, in order; all of one length.

        Raises:
            EmbedderError: No text has a vector then.
        """
        ...
