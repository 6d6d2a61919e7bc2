"""How is a value read out of JSON that nobody has checked yet?"""

from __future__ import annotations

import json
from typing import TypeAlias, cast

Json: TypeAlias = dict[str, object]


def as_map(value: object) -> Json:
    """Return ``value`` as an object; anything else is an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return ``value`` as an array; anything else is an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_maps(value: object) -> list[Json]:
    """Return the objects of an array, leaving out whatever is not an object."""
    return [cast("Json", item) for item in as_list(value) if isinstance(item, dict)]


def as_text(value: object) -> str:
    """Return ``value`` if it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


def as_number(value: object, default: float) -> float:
    """Return ``value`` as a float; truth values and anything else give ``default``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return float(value)


def parse_object(raw: str | bytes) -> Json | None:
    """Return the JSON object in ``raw``, or None when it is not one."""
    try:
        value: object = json.loads(raw)
    except ValueError:
        return None
    return cast("Json", value) if isinstance(value, dict) else None


def compact(value: object) -> str:
    """Return ``value`` as JSON without spaces, as Slack sends it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
