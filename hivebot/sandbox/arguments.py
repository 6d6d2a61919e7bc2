"""What did the caller pass? Slack takes forms, JSON and query strings alike."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json, as_list, as_map, as_maps

_TRUE = {"true", "1", "yes", True}


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call; an empty string counts as absent, as Slack has it."""

    values: Json = field(default_factory=dict[str, object])

    def optional(self, name: str) -> str | None:
        """Return a string argument, or None."""
        value = self.values.get(name)
        if value is None or isinstance(value, dict | list):
            return None
        return str(value) or None

    def text(self, name: str) -> str:
        """Return a string argument, or the empty string."""
        return self.optional(name) or ""

    def required(self, name: str) -> str:
        """Return a string argument that must be there.

        Raises:
            SlackError: ``invalid_arguments`` naming it.
        """
        value = self.optional(name)
        if value is None:
            message = f"[ERROR] missing required field: {name}"
            raise SlackError("invalid_arguments", {"response_metadata": {"messages": [message]}})
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a truth value, however it is spelt."""
        value = self.values.get(name)
        if value is None or value == "":
            return default
        return value in _TRUE if isinstance(value, str | bool | int) else default

    def number(self, name: str, default: int) -> int:
        """Return a whole number.

        Raises:
            SlackError: ``invalid_arguments`` when it is none.
        """
        value = self.optional(name)
        if value is None:
            return default
        try:
            return int(value)
        except ValueError as exc:
            raise SlackError("invalid_arguments") from exc

    def given(self, name: str) -> bool:
        """Return whether the argument was passed at all, even empty."""
        return self.values.get(name) is not None

    def objects(self, name: str, error: str) -> list[Json] | None:
        """Return a list of objects, parsing it where it comes as a JSON string.

        Raises:
            SlackError: ``error`` when it is something else.
        """
        value = self._parsed(name, error)
        if value is None:
            return None
        items, found = as_list(value), as_maps(value)
        if items is not value or len(found) != len(items):
            raise SlackError(error)
        return found

    def mapping(self, name: str, error: str) -> Json | None:
        """Return an object, parsing it where it comes as a JSON string.

        Raises:
            SlackError: ``error`` when it is something else.
        """
        value = self._parsed(name, error)
        if value is None:
            return None
        found = as_map(value)
        if found is not value:
            raise SlackError(error)
        return found

    def _parsed(self, name: str, error: str) -> object:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            parsed: object = json.loads(value)
        except ValueError as exc:
            raise SlackError(error) from exc
        return parsed
