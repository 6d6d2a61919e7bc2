"""What can be typed after `/hive`? One table, which the help and the app's manifest are made of.

Source: product.md 9, rights.md 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Command:
    """One word.

    Attributes:
        word: What is typed.
        takes: What follows it, "" for nothing.
        does: What it does, in a few words.
        admins: Only people listed in `admins:` may use it.
    """

    word: str
    takes: str
    does: str
    admins: bool = False

    @property
    def usage(self) -> str:
        """The word with what follows it."""
        return f"{self.word} {self.takes}".strip()


COMMANDS: Final = (
    Command("ask", "question", "has this channel's desk deliberate a question"),
    Command("desks", "", "lists the desks you can open"),
    Command("who-knows", "#topic", "says who showed to know a topic when it was deliberated last"),
    Command("memory", "", "says what this channel's desk remembers of what was decided"),
    Command("policy", "", "shows the rules this channel's desk runs under", admins=True),
    Command("reload", "", "reads the configuration files again", admins=True),
    Command("mute", "", "keeps the bot silent in this channel until it is mentioned"),
    Command("help", "", "shows this list"),
)

HINT: Final = " | ".join(command.usage for command in COMMANDS)
"""What Slack shows beside the command."""

IN_THREADS: Final = ("why", "stop", "mute", "help")
"""Words for threads, where slash commands do not work: said to the bot after its mention."""

REPLIED: Final[Mapping[str, int]] = MappingProxyType(
    {"desks": 0, "who-knows": 1, "memory": 0, "policy": 0, "reload": 0}
)
"""Words of the slash command that a reply in a thread is answered to as well, with how many words
follow each; those of `IN_THREADS` are decided where messages are."""
