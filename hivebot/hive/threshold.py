"""How eager is each member to speak, and about which topics?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hivebot.hive.errors import DuplicateAgentThresholdError


@dataclass(frozen=True, slots=True)
class AgentThreshold:
    """What the attention market keeps about one agent between turns.

    Attributes:
        agent_id: The agent, a member of the room or not.
        threshold: Urge it must reach to bid, thousandths, i64.
        affinity: (topic, relevance) pairs, u8; the first pair of a topic counts.

    Source: hive.md sections 14 and 15.
    """

    agent_id: str
    threshold: int = 0
    affinity: tuple[tuple[str, int], ...] = ()

    def relevances(self) -> dict[str, int]:
        """Give the relevance of each declared topic."""
        # a later pair of the same topic must not win
        return dict(reversed(self.affinity))


def by_agent(thresholds: Iterable[AgentThreshold]) -> dict[str, AgentThreshold]:
    """Index the records by agent, in their order.

    Raises:
        DuplicateAgentThresholdError: Two records are for one agent.

    Source: hive.md sections 14 and 15.
    """
    indexed: dict[str, AgentThreshold] = {}
    for record in thresholds:
        if record.agent_id in indexed:
            raise DuplicateAgentThresholdError(record.agent_id)
        indexed[record.agent_id] = record
    return indexed
