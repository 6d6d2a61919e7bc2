"""Which embedder is behind a name? The one shipped with the program, or a provider's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hivebot.services.ports.embedding import Embedder

DEFAULT: Final = "wordllama"
"""Static vectors of 256 numbers from inside a wheel: no key, no network, no request."""


def embedder(name: str = DEFAULT, environment: Mapping[str, str] | None = None) -> Embedder:
    """Make an embedder of its configured name; nothing is loaded or asked before the first text.

    Args:
        name: `wordllama`, or provider and model as `openai:text-embedding-3-small`.
        environment: Where keys are looked up, as `PROVIDER_API_KEY`, and addresses of servers that
            speak a provider's protocol, as `PROVIDER_BASE_URL`.

    Raises:
        EmbedderError: The name is no embedder's.
    """
    if name == DEFAULT:
        from hivebot.adapters.embeddings.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    from hivebot.adapters.embeddings.provider import ProviderEmbedder

    return ProviderEmbedder(name, environment or {})


__all__ = ["DEFAULT", "embedder"]
