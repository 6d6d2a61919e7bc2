"""Why can a model not be asked at all?"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic_ai.models import Model

from hivebot.adapters.llm.models.readiness import obstacle
from tests.unit.adapters.llm.requests import agent


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and addresses of the machine the tests run on do not count."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_the_rule_based_member_needs_nothing() -> None:
    assert obstacle(agent(), {}) == ""


def test_a_model_with_its_key_can_be_asked() -> None:
    assert obstacle(agent(model="openai:small"), {"OPENAI_API_KEY": "sk-x"}) == ""


@pytest.mark.parametrize(("provider", "name"), [("openai", "OPENAI"), ("anthropic", "ANTHROPIC")])
def test_a_missing_key_is_named(provider: str, name: str) -> None:
    assert obstacle(agent(model=f"{provider}:small"), {}) == (
        f"there is no key for it: set {name}_API_KEY, or HIVEBOT_MODEL_KEYS__{name}"
    )


def test_a_missing_address_is_named() -> None:
    assert obstacle(agent(model="ollama:small"), {}) == (
        "ollama:small needs OLLAMA_BASE_URL, or `base_url:` in the agent's configuration"
    )


def test_a_name_that_is_no_models_is_said() -> None:
    assert obstacle(agent(model="nowhere:small"), {}) == "there is no provider nowhere"


def test_a_client_that_is_not_installed_is_said() -> None:
    def source(name: str, base_url: str, environment: Mapping[str, str]) -> Model:
        raise ImportError(name)

    assert obstacle(agent(model="groq:small"), {}, source) == (
        "the client of the provider groq is not installed"
    )
