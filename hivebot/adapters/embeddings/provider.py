"""What vectors do texts have in a provider's model?

Any embedder pydantic-ai knows. What a vendor says in an error is repeated nowhere: it may hold the
text or the key.

Source: product.md 6 and 8, memory.md 2.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic_ai import exceptions as vendor
from pydantic_ai.embeddings import EmbeddingModel, infer_embedding_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from hivebot.proxy.errors import InvalidVectorError
from hivebot.proxy.vectors import Vector, vector
from hivebot.services.ports.embedding import EmbedderError

TIMEOUT_S: Final = 30.0
BATCH: Final = 96
"""Texts of one request; the lowest limit of the providers known."""

_NO_KEY: Final = "no-key"

_REASONS: Final[tuple[tuple[type[Exception], str], ...]] = (
    # the first that fits; subclasses before their bases
    (TimeoutError, "timed_out"),
    (vendor.ModelTimeoutError, "timed_out"),
    (vendor.ModelRequestTimeout, "timed_out"),
    (vendor.ModelRateLimitError, "rate_limited"),
    (vendor.ModelQuotaExceededError, "misconfigured"),
    (vendor.ModelRequestRejectedError, "misconfigured"),
    (vendor.UserError, "misconfigured"),
    (vendor.UnexpectedModelBehavior, "malformed"),
    (vendor.ModelAPIError, "unavailable"),
    (vendor.AgentRunError, "unavailable"),
    (InvalidVectorError, "malformed"),
    (ImportError, "misconfigured"),
)

EXPECTED: Final[tuple[type[Exception], ...]] = tuple(kind for kind, _ in _REASONS)
"""What a request may raise without anything being wrong in this program."""


class ProviderEmbedder:
    """A provider's model; texts are sent as documents on both sides, so that like meets like.

    Args:
        name: Provider and model, joined by a colon.
        environment: Keys as `PROVIDER_API_KEY`, other addresses as `PROVIDER_BASE_URL`.
        timeout_s: Seconds until a request is given up.
    """

    def __init__(
        self, name: str, environment: Mapping[str, str], timeout_s: float = TIMEOUT_S
    ) -> None:
        provider, colon, model = name.partition(":")
        if not (provider and colon and model):
            raise EmbedderError("misnamed")
        self._name = name
        self._environment = environment
        self._timeout_s = timeout_s
        self._built: tuple[EmbeddingModel, Provider[Any]] | None = None

    @property
    def model(self) -> str:
        """Provider and model, as it is stored with every vector."""
        return self._name

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector for each text, in as many requests as it takes.

        Raises:
            EmbedderError: A request failed, or answered with something else than these vectors.
        """
        if not texts:
            return ()
        try:
            found = await self._requests(texts)
        except EXPECTED as exc:
            raise EmbedderError(reason_of(exc)) from exc
        if len({each.size for each in found}) > 1 or len(found) != len(texts):
            raise EmbedderError("malformed")
        return tuple(found)

    async def _requests(self, texts: Sequence[str]) -> list[Vector]:
        if self._built is None:
            self._built = self._build()
        model, provider = self._built
        found: list[Vector] = []
        async with provider:  # its connections are closed with it
            for start in range(0, len(texts), BATCH):
                batch = texts[start : start + BATCH]
                async with asyncio.timeout(self._timeout_s):
                    found.extend(map(vector, await _answered(model, batch)))
        return found

    def _build(self) -> tuple[EmbeddingModel, Provider[Any]]:
        provider = self._provider(self._name.partition(":")[0])
        return infer_embedding_model(self._name, provider_factory=lambda _: provider), provider

    def _provider(self, name: str) -> Provider[Any]:
        """Make the vendor's client, handing over only what is configured."""
        stem = name.replace("-", "_").replace("/", "_").upper()
        key = self._environment.get(f"{stem}_API_KEY", "")
        base_url = self._environment.get(f"{stem}_BASE_URL", "")
        given = {"base_url": base_url, "api_key": key or (_NO_KEY if base_url else "")}
        arguments = {each: value for each, value in given.items() if value}
        try:
            return infer_provider_class(name)(**arguments) if arguments else infer_provider(name)
        except ValueError as exc:
            raise vendor.UserError("there is no such provider") from exc
        except TypeError as exc:
            raise vendor.UserError("the provider takes no such setting") from exc


async def _answered(model: EmbeddingModel, texts: Sequence[str]) -> Sequence[Sequence[float]]:
    try:
        return (await model.embed(texts, input_type="document")).embeddings
    except (AttributeError, KeyError, TypeError, ValueError) as exc:
        # what the vendors' clients stumble over when an answer has another shape
        raise vendor.UnexpectedModelBehavior("no embeddings in the answer") from exc


def reason_of(error: BaseException) -> str:
    """Say in one word what a vendor's exception comes to.

    Raises:
        KeyError: It is none of `EXPECTED`.
    """
    for expected, reason in _REASONS:
        if isinstance(error, expected):
            return reason
    raise KeyError(type(error).__name__)
