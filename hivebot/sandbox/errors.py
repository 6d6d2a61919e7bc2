"""How does the sandbox say no?"""

from __future__ import annotations

from typing import ClassVar

from hivebot.sandbox.shapes import Json


class SandboxError(Exception):
    """Anything the sandbox raises on purpose.

    Attributes:
        code: Stable snake_case name of the kind.
    """

    code: ClassVar[str] = "sandbox"


class SlackError(SandboxError):
    """A call is refused with one of Slack's own error names.

    Attributes:
        error: Slack's name, such as ``channel_not_found``.
        details: Further fields of the answer, such as ``response_metadata``.
        status: HTTP status of the answer; Slack refuses with 200 except when it limits or fails.
        retry_after_s: Value of the ``Retry-After`` header, in seconds, or None for no header.
    """

    code: ClassVar[str] = "slack"

    def __init__(
        self,
        error: str,
        details: Json | None = None,
        *,
        status: int = 200,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(error)
        self.error = error
        self.details: Json = details or {}
        self.status = status
        self.retry_after_s = retry_after_s

    def body(self) -> Json:
        """Return the JSON body of the refusal."""
        return {"ok": False, "error": self.error, **self.details}


class ControlError(SandboxError):
    """A person's act in the sandbox is impossible, as a Slack client would not offer it.

    Attributes:
        reason: Stable snake_case name of what is wrong, such as ``no_such_button``.
        detail: One line for whoever wrote the test.
    """

    code: ClassVar[str] = "control"

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class RealTokenError(SandboxError):
    """The environment holds a token that the sandbox did not mint.

    Attributes:
        names: The variables concerned; their values are never shown.
    """

    code: ClassVar[str] = "real_token"

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(
            "real-looking Slack tokens in " + ", ".join(names) + ": unset them, the sandbox mints "
            "its own (xoxb-sandbox-…, xapp-sandbox-…)"
        )
        self.names = names


class WaitError(SandboxError):
    """What a test waited for did not come in time.

    Attributes:
        seen: The rows that did match, for the failure message.
    """

    code: ClassVar[str] = "wait"

    def __init__(self, condition: Json, seen: list[Json]) -> None:
        super().__init__(f"waited in vain for {condition}; saw {seen}")
        self.seen = seen
