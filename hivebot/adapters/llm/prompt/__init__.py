"""What is a model shown? Pure: the same request gives the same text, byte for byte.

Source: turns.md 2.
"""

from hivebot.adapters.llm.prompt.assembly import Prompt, prompt_of
from hivebot.adapters.llm.prompt.fitting import tokens

__all__ = ["Prompt", "prompt_of", "tokens"]
