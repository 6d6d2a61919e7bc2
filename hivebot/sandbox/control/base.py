"""How is an act of the control API read and answered?"""

from __future__ import annotations

from abc import ABC, abstractmethod

from pydantic import BaseModel, ConfigDict

from hivebot.sandbox.bench import Bench
from hivebot.sandbox.shapes import Json


class Act(BaseModel, ABC):
    """One request of the control API: its fields are the JSON body or the query."""

    model_config = ConfigDict(extra="forbid")

    @abstractmethod
    async def run(self, bench: Bench) -> Json:
        """Carry it out and return the fields of the answer.

        Raises:
            ControlError: It is impossible; nothing has changed.
        """
