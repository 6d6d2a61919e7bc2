"""Which embedder is in force: memory.md 2, product.md 8."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from hivebot.entrypoints.embedding import ConfiguredEmbedder, named_embedder
from hivebot.services.ports.embedding import EmbedderError
from hivebot.services.records.policy import Configuration, EmbedderConfig
from tests.configurations import CONFIGURATION


@dataclass
class InForce:
    """Policies of which one configuration is in force."""

    configuration: Configuration = CONFIGURATION

    def current(self) -> Configuration:
        return self.configuration

    async def revision(self, revision: str) -> Configuration:
        raise AssertionError(revision)


async def test_the_one_that_is_shipped_is_the_default() -> None:
    """memory.md 2: the name of provider and model stands with each vector."""
    embedder = ConfiguredEmbedder(InForce(), {})
    (found,) = await embedder.embed(["a refund"])
    assert (embedder.model, found.size) == ("wordllama:l2_supercat_256", 256)


async def test_another_one_is_in_force_after_a_reload() -> None:
    policies = InForce()
    embedder = ConfiguredEmbedder(policies, {})
    assert embedder.model.startswith("wordllama:")
    changed = EmbedderConfig("openai:text-embedding-3-small", "http://127.0.0.1:9/v1")
    policies.configuration = replace(CONFIGURATION, embedder=changed)
    assert embedder.model == "openai:text-embedding-3-small"
    with pytest.raises(EmbedderError, match="unavailable"):
        await embedder.embed(["a refund"])


async def test_a_name_of_no_embedder_fails_when_a_text_asks() -> None:
    policies = InForce(replace(CONFIGURATION, embedder=EmbedderConfig("nothing")))
    embedder = ConfiguredEmbedder(policies, {})
    assert embedder.model == "nothing"
    with pytest.raises(EmbedderError, match="misnamed"):
        await embedder.embed(["a refund"])


def test_an_embedder_is_made_with_the_keys_that_are_known() -> None:
    made = named_embedder(EmbedderConfig("openai:x", ""), {"OPENAI_API_KEY": "k"})
    assert made.model == "openai:x"
