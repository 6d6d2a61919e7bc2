"""Why can a model not be asked at all? Said in words before anything is spent.

Source: turns.md 3, product.md 8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pydantic_ai.exceptions import UserError

from hivebot.adapters.llm.models.provider import ModelSource, build_model
from hivebot.services.records.policy import AgentConfig

_VARIABLE: Final = re.compile(r"`([A-Z][A-Z0-9_]+)`")
_KEY: Final = "_API_KEY"


def obstacle(
    agent: AgentConfig, environment: Mapping[str, str], source: ModelSource = build_model
) -> str:
    """Say why an agent's model cannot be asked, and what to do; "" when it can.

    No request is made: a wrong key is found out by the first call.

    Args:
        agent: Its model and address are looked at.
        environment: Where keys are looked up.
        source: Makes a model of its name.
    """
    if agent.rule_based:
        return ""
    try:
        source(agent.model, agent.base_url, environment)
    except UserError as error:
        return _said(agent, str(error))
    except ImportError:
        provider = agent.model.partition(":")[0]
        return f"the client of the provider {provider} is not installed"
    return ""


def _said(agent: AgentConfig, words: str) -> str:
    """Put the vendor's advice in the terms of this program."""
    named = _VARIABLE.search(words)
    if named is None:
        return words
    variable = named[1]
    if variable.endswith(_KEY):
        provider = variable.removesuffix(_KEY)
        return f"there is no key for it: set {variable}, or HIVEBOT_MODEL_KEYS__{provider}"
    return f"{agent.model} needs {variable}, or `base_url:` in the agent's configuration"
