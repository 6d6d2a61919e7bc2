"""How is a token kept so that who reads the rows cannot use it?

Source: rights.md 6, datapath.md 9.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import ClassVar, Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from hivebot.services.ports import PortError

SEALED: Final = "sealed:"
"""What a sealed text begins with; no token of Slack's does."""

_GONE: Final = "a stored token was sealed with a key that HIVEBOT_SECRET_KEYS does not have"

_PURPOSE: Final = b"hivebot installation tokens"


class UnsealableError(PortError):
    """None of the keys opens it: the key it was sealed with has been taken out."""

    code: ClassVar[str] = "unsealable"


class Seal:
    """Seals with the first key, opens with any: that is how a key is replaced."""

    def __init__(self, keys: Sequence[str]) -> None:
        """Derive a Fernet key from each text.

        Args:
            keys: At least one, each as hard to guess as a password has to be.

        Raises:
            ValueError: there is none.
        """
        self._fernet = MultiFernet([Fernet(_derived(key)) for key in keys])

    def seal(self, text: str) -> str:
        """Give the text sealed; a sealed one is given back as it is."""
        if text.startswith(SEALED):
            return text
        return SEALED + self._fernet.encrypt(text.encode()).decode()

    def open(self, text: str) -> str:
        """Give the text that was sealed.

        Raises:
            UnsealableError: it is not sealed, was changed, or its key is gone.
        """
        if not text.startswith(SEALED):
            raise UnsealableError(_GONE)
        try:
            return self._fernet.decrypt(text.removeprefix(SEALED)).decode()
        except InvalidToken:
            # not chained: the sealed text may not reach a log
            raise UnsealableError(_GONE) from None


def _derived(key: str) -> bytes:
    made = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(key.encode())
    return base64.urlsafe_b64encode(made)
