"""Which vendor's model is behind a name, and with which key?

The environment is passed in; nothing here reads it. Source: product.md 6 and 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model, parse_model_id
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.providers.openai import OpenAIProvider

NO_KEY: Final = "no-key"
"""Sent to servers that want no key; their clients want one that is not empty."""

_OPENAI_LIKE: Final = frozenset({"openai", "openai-chat", "openai-responses"})


class ModelSource(Protocol):
    """Makes a model of its configured name."""

    def __call__(self, name: str, base_url: str, environment: Mapping[str, str]) -> Model:
        """Build a model without any request.

        Raises:
            UserError: The name is no model's, or its key is missing.
        """
        ...


def build_model(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
    """Build the model behind a name such as `openai:…`, `anthropic:…` or `ollama:…`.

    Args:
        name: Provider and model, joined by a colon.
        base_url: Address of a server that speaks the provider's protocol, "" for the vendor's own.
            A server behind an address is spoken to in chat completions where it is OpenAI's
            protocol, because few others speak the newer one.
        environment: Where keys are looked up, as `PROVIDER_API_KEY`. Without one the vendor's
            client looks where it always does.

    Raises:
        UserError: The name is no model's, or its key is missing.
    """
    provider_name, model_name = parse_model_id(name)
    if provider_name is None:
        message = "a model is named by its provider and its name, joined by a colon"
        raise UserError(message)
    key = environment.get(_key_name(provider_name), "")
    if base_url and provider_name in _OPENAI_LIKE:
        return OpenAIChatModel(model_name, provider=OpenAIProvider(base_url, key or NO_KEY))
    return infer_model(name, lambda wanted: _provider(wanted, base_url, key))


def _provider(name: str, base_url: str, key: str) -> Provider[Any]:
    """Make the vendor's client, handing over only what is configured."""
    given = {"base_url": base_url, "api_key": key}
    arguments = {each: value for each, value in given.items() if value}
    try:
        return infer_provider_class(name)(**arguments) if arguments else infer_provider(name)
    except ValueError as exc:
        message = f"there is no provider {name}"
        raise UserError(message) from exc
    except TypeError as exc:
        message = f"the provider {name} takes no {' and no '.join(arguments)}"
        raise UserError(message) from exc


def _key_name(provider: str) -> str:
    stem = "openai" if provider in _OPENAI_LIKE else provider
    return f"{stem.replace('-', '_').replace('/', '_').upper()}_API_KEY"
