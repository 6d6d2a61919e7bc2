"""How does the sandbox's page learn why somebody spoke? Over HTTP, read-only, on this machine."""

from hivebot.entrypoints.why.account import Accounts
from hivebot.entrypoints.why.server import serve_why

__all__ = ["Accounts", "serve_why"]
