"""How is a value read out of a payload whose shape nobody has checked?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

Json: TypeAlias = Mapping[str, object]

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def as_map(value: object) -> Json:
    """The object, or an empty one for anything else."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def as_list(value: object) -> list[object]:
    """The array, or an empty one for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_maps(value: object) -> list[Json]:
    """The objects of an array; its other items are left out."""
    return [cast("Json", item) for item in as_list(value) if isinstance(item, Mapping)]


def as_text(value: object) -> str:
    """The string, or "" for anything else.

    A null character and half a surrogate pair, which JSON can carry and Postgres cannot, become
    U+FFFD.
    """
    return _UNSTORABLE.sub("\ufffd", value) if isinstance(value, str) else ""


def as_whole(value: object) -> int:
    """The whole number 0 to 2**63 - 1, also from a string of digits; 0 for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 19:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        return 0
    return value


def is_true(value: object) -> bool:
    """Whether the value is JSON's true; what is merely truthy is not."""
    return value is True
