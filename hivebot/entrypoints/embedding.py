"""Which embedder is in force? The configuration's, made when the first text asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hivebot.adapters.embeddings import DEFAULT, embedder
from hivebot.proxy.vectors import Vector
from hivebot.services.ports import Policies
from hivebot.services.ports.embedding import Embedder
from hivebot.services.records.policy import EmbedderConfig


def named_embedder(config: EmbedderConfig, environment: Mapping[str, str]) -> Embedder:
    """The embedder of that name, with the keys that are known.

    Raises:
        EmbedderError: The name is no embedder's.
    """
    stem = config.model.partition(":")[0].replace("-", "_").replace("/", "_").upper()
    address = {f"{stem}_BASE_URL": config.base_url} if config.base_url else {}
    return embedder(config.model, {**environment, **address})


class ConfiguredEmbedder:
    """Whatever the configuration in force names; another one after a reload."""

    def __init__(self, policies: Policies, environment: Mapping[str, str]) -> None:
        self._policies = policies
        self._environment = environment
        self._made: tuple[EmbedderConfig, Embedder] | None = None

    @property
    def model(self) -> str:
        """Provider and model, as it is stored with every vector; the name where it is none's."""
        config = self._policies.current().embedder
        # only the one that is shipped is stored by another name than it is configured by
        return self._current().model if config.model == DEFAULT else config.model

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector for each text.

        Raises:
            EmbedderError: No text has a vector then; so too where the name is no embedder's.
        """
        return await self._current().embed(texts)

    def _current(self) -> Embedder:
        config = self._policies.current().embedder
        if self._made is None or self._made[0] != config:
            self._made = config, named_embedder(config, self._environment)
        return self._made[1]
