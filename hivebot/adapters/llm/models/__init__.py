"""Who answers for an agent? The port `Models`: a provider's model, or the rule-based member.

Source: turns.md 3 and 5, product.md 6.
"""

from hivebot.adapters.llm.models.agent_models import AgentModels
from hivebot.adapters.llm.models.provider import ModelSource, build_model

__all__ = ["AgentModels", "ModelSource", "build_model"]
