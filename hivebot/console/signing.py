"""Who is signed in? Tokens, sessions and forms that cannot be forged. Pure.

Source: rights.md 6.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SESSION_S: Final = 8 * 3600
"""Seconds a session lasts."""

ATTEMPTS_MAX: Final = 10
"""Wrong tokens from everywhere within a window, before every further one is refused unread."""

WINDOW_S: Final = 60


class Role(StrEnum):
    """What a token is for, the least first."""

    VIEWER = "viewer"
    STEWARD = "steward"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Keys:
    """The tokens that sign in, as (role, token); changing any of them ends every session."""

    tokens: tuple[tuple[Role, str], ...]

    def role_of(self, token: str) -> Role | None:
        """The role of a token; every one is compared, in constant time."""
        given = hashlib.sha256(token.encode()).digest()
        found: Role | None = None
        for role, known in self.tokens:
            if hmac.compare_digest(given, hashlib.sha256(known.encode()).digest()):
                found = role
        return found

    def sealed(self, role: Role, until_s: int) -> str:
        """The value of a session's cookie."""
        said = f"{role.value}.{until_s}"
        return f"{said}.{self._sign('session', said)}"

    def opened(self, cookie: str, now_s: int) -> Role | None:
        """The role a cookie stands for; None when it is forged or over."""
        said, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("session", said).encode()):
            return None
        role, _, until = said.partition(".")
        return Role(role) if now_s < int(until) else None

    def form(self, cookie: str) -> str:
        """The hidden value of forms shown to the holder of a cookie."""
        return self._sign("form", cookie)

    def _sign(self, what: str, text: str) -> str:
        key = hashlib.sha256(repr(self.tokens).encode()).digest()
        return hmac.new(key, f"{what}:{text}".encode(), hashlib.sha256).hexdigest()


def keys_of(written: Sequence[tuple[str, str]]) -> Keys:
    """Keys of what the environment says, which has been checked."""
    return Keys(tuple((Role(role), token) for role, token in written))


class Attempts:
    """Counts wrong tokens."""

    def __init__(self) -> None:
        self._wrong: list[int] = []

    def blocked(self, now_s: int) -> bool:
        """Whether too many were wrong lately."""
        self._wrong = [at for at in self._wrong if now_s - at < WINDOW_S]
        return len(self._wrong) >= ATTEMPTS_MAX

    def wrong(self, now_s: int) -> None:
        """One more was."""
        self._wrong.append(now_s)
