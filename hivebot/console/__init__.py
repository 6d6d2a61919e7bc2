"""Where do operators look? Pages over what is stored; off unless a token is set."""

from hivebot.console.server import Console, mount

__all__ = ["Console", "mount"]
