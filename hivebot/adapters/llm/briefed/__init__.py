"""What would the built-in rule-based agent say? No network, no chance, no clock.

It fills the same structures as any model and reads its peers only through the rendered lines of
the rows it may see. Source: briefed.md.
"""

from hivebot.adapters.llm.briefed.choosing import choose
from hivebot.adapters.llm.briefed.turns import speak
from hivebot.adapters.llm.briefed.voting import vote

__all__ = ["choose", "speak", "vote"]
