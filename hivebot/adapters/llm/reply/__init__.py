"""How does a filled schema become a committed row? Pure: the same reply gives the same row.

Source: turns.md 3 and 4.
"""

from hivebot.adapters.llm.reply.rendering import NOTHING, render

__all__ = ["NOTHING", "render"]
