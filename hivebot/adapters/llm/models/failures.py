"""What kind of failure is it when a model gives no usable reply, and which line says so?

Nothing a vendor says is in the line: it becomes a row, and rows hold no secrets.
Source: turns.md 5, product.md 10.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from pydantic_ai import exceptions as vendor

from hivebot.services.records.asking import ReplyFailure, ReplyFailureKind, Spent

LINES: Final = MappingProxyType[ReplyFailureKind, str](
    {
        "timed_out": "(no answer: the model timed out)",
        "declined": "(declined)",
        "malformed": "(no answer: the model's reply could not be read)",
        "empty": "(no answer: the model returned nothing)",
        "rate_limited": "(no answer: the model's provider takes no more requests for now)",
        "unavailable": "(no answer: the model cannot be reached)",
        "misconfigured": "(no answer: the model is not set up)",
    }
)

_AGAIN: Final = frozenset[ReplyFailureKind]({"rate_limited", "unavailable"})

_KINDS: Final[tuple[tuple[type[Exception], ReplyFailureKind], ...]] = (
    # the first that fits; subclasses before their bases
    (TimeoutError, "timed_out"),
    (vendor.RunTimedOut, "timed_out"),
    (vendor.ModelRequestTimeout, "timed_out"),
    (vendor.ModelTimeoutError, "timed_out"),
    (vendor.ContentFilterError, "declined"),
    (vendor.ModelRateLimitError, "rate_limited"),
    (vendor.ModelQuotaExceededError, "misconfigured"),
    (vendor.ModelRequestRejectedError, "misconfigured"),
    (vendor.UserError, "misconfigured"),
    (vendor.UnexpectedModelBehavior, "malformed"),
    (vendor.UsageLimitExceeded, "malformed"),
    (vendor.ModelAPIError, "unavailable"),
    (vendor.AgentRunError, "unavailable"),
    (ImportError, "misconfigured"),
)

EXPECTED: Final[tuple[type[Exception], ...]] = tuple(kind for kind, _ in _KINDS)
"""What a call may raise without anything being wrong in this program."""


def kind_of(error: BaseException) -> ReplyFailureKind:
    """Say what a vendor's exception comes to.

    Raises:
        KeyError: It is none of `EXPECTED`.
    """
    for expected, kind in _KINDS:
        if isinstance(error, expected):
            return kind
    raise KeyError(type(error).__name__)


def failure(kind: ReplyFailureKind, spent: Spent) -> ReplyFailure:
    """Make the record of a failure; trying later helps against limits and outages alone."""
    return ReplyFailure(kind, LINES[kind], kind in _AGAIN, spent)
