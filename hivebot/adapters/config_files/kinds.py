"""Which kinds of value does the file format know beside text and numbers?"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Final, TypeAlias, TypeVar, cast

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from hivebot.adapters.config_files.findings import shown
from hivebot.services.records.policy import Reach, ReachKind

_FLAGS: Final[Mapping[str, bool]] = {
    "yes": True, "no": False, "true": True, "false": False, "on": True, "off": False,
}  # fmt: skip

_CALLS_EVERYONE: Final = frozenset({"everyone", "channel", "here"})

_Item = TypeVar("_Item", bound=Hashable)


def misfit(message: str, remedy: str) -> PydanticCustomError:
    """Give the error by which a value's own check tells pydantic what is wrong and what mends it.

    The second part travels in the error's context.
    """
    return PydanticCustomError("misfit", "{message}", {"message": message, "remedy": remedy})


def _flag(value: object) -> object:
    if isinstance(value, str) and (meaning := _FLAGS.get(value.lower())) is not None:
        return meaning
    raise misfit(f"{shown(value)} is neither yes nor no", "write yes or no")


Flag: TypeAlias = Annotated[
    bool,
    BeforeValidator(_flag),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"enum": ["yes", "no", "on", "off"]}]}),
]
"""A switch, as the format's own words: yes or no."""


def _matching(pattern: str, said: str) -> tuple[AfterValidator, WithJsonSchema]:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if compiled.fullmatch(value) is None:
            raise misfit(f"{shown(value)} does not fit", f"write {said}")
        return value

    return AfterValidator(check), WithJsonSchema({"type": "string", "pattern": f"^(?:{pattern})$"})


def _not_everyone(value: str) -> str:
    if value.lower() in _CALLS_EVERYONE:
        raise misfit(f"{shown(value)} is reserved: `@{value}` calls everyone", "take another id")
    return value


_ID = _matching(
    "[A-Za-z0-9_][A-Za-z0-9_-]{0,63}",
    "one word of at most 64 letters, digits, - and _, so that people can mention it",
)
Id: TypeAlias = Annotated[str, _ID[0], AfterValidator(_not_everyone), _ID[1]]
"""Id of an agent or desk; a mention alias."""

_TOPIC = _matching("[a-z0-9-]{1,24}", "a slug of at most 24 characters of a-z, 0-9 and -")
Topic: TypeAlias = Annotated[str, _TOPIC[0], _TOPIC[1]]
"""A topic or option, as traces name it."""

_OPTION = _matching("[a-z0-9-]{0,24}", "a slug of at most 24 characters of a-z, 0-9 and -")
OptionOrNone: TypeAlias = Annotated[str, _OPTION[0], _OPTION[1]]
"""An option's id, or "" for a fact that bears on none."""

_CHANNEL = _matching(
    r"[CG][A-Z0-9]{1,30}|#[^\s#]{1,80}", 'a channel id such as C0PAY, or its name as "#payments"'
)
Channel: TypeAlias = Annotated[str, _CHANNEL[0], _CHANNEL[1]]
"""A channel's id, or its name behind `#` until it is resolved."""

_CHANNEL_OR_NONE = _matching(
    r"|[CG][A-Z0-9]{1,30}|#[^\s#]{1,80}", 'a channel id such as C0PAY, or its name as "#payments"'
)
ChannelOrNone: TypeAlias = Annotated[str, _CHANNEL_OR_NONE[0], _CHANNEL_OR_NONE[1]]

_USER = _matching("[UW][A-Z0-9]{1,30}", "a user id such as U0ANA, never a name")
UserId: TypeAlias = Annotated[str, _USER[0], _USER[1]]

_STEWARD = _matching("[UWS][A-Z0-9]{1,30}", "the id of a user (U0ANA) or user group (S0PLAT)")
StewardId: TypeAlias = Annotated[str, _STEWARD[0], _STEWARD[1]]

_BOT = _matching("B[A-Z0-9]{1,30}", "a bot id such as B0ALERT")
BotId: TypeAlias = Annotated[str, _BOT[0], _BOT[1]]

_GROUP = _matching("|S[A-Z0-9]{1,30}", "the id of a user group such as S0PLAT")
UserGroupOrNone: TypeAlias = Annotated[str, _GROUP[0], _GROUP[1]]

_MODEL = _matching(
    r"briefed|[a-z][a-z0-9-]*:\S{1,200}", "`briefed`, or provider:name such as openai:gpt-5-mini"
)
Model: TypeAlias = Annotated[str, _MODEL[0], _MODEL[1]]

_MODEL_OR_NONE = _matching(
    r"|briefed|[a-z][a-z0-9-]*:\S{1,200}", "`briefed`, or provider:name such as openai:gpt-5-mini"
)
ModelOrNone: TypeAlias = Annotated[str, _MODEL_OR_NONE[0], _MODEL_OR_NONE[1]]

_ICON = _matching(r"|:[a-z0-9_+'-]{1,100}:|https://\S{1,500}", "an emoji as `:gear:`, or https://…")
IconOrNone: TypeAlias = Annotated[str, _ICON[0], _ICON[1]]

_BASE_URL = _matching(r"|https?://\S{1,500}", "an address that begins with https:// or http://")
BaseUrlOrNone: TypeAlias = Annotated[str, _BASE_URL[0], _BASE_URL[1]]

_HOST = _matching(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", "a host such as docs.example.com")
Host: TypeAlias = Annotated[str, _HOST[0], _HOST[1]]

Line: TypeAlias = Annotated[str, Field(max_length=400)]
"""A sentence."""

Usd: TypeAlias = Annotated[
    Decimal,
    Field(ge=0, le=1_000_000, decimal_places=6),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1_000_000}),
]
"""US dollars, to the millionth."""


def _once(values: Sequence[_Item]) -> Sequence[_Item]:
    for at, value in enumerate(values):
        if value in values[:at]:
            raise misfit(f"lists {shown(value)} twice", "keep one of the two")
    return values


Distinct: Final = AfterValidator(cast("Callable[[object], object]", _once))
"""Refuses a list that names one thing twice."""


def _reach(value: object) -> Reach:
    if isinstance(value, list):
        names = cast("list[object]", value)
        if not all(isinstance(name, str) and name for name in names):
            raise misfit("lists something that is no id of a desk", "write [platform] or the like")
        desks = tuple(str(name) for name in _once(cast("list[str]", names)))
        return Reach(ReachKind.DESKS, desks) if desks else Reach(ReachKind.NONE)
    if isinstance(value, str) and value in {"none", "any", "gate"}:
        return Reach(ReachKind(value))
    raise misfit(
        f"{shown(value)} is neither none, any or gate nor a list", "write a list: [platform]"
    )


ReachValue: TypeAlias = Annotated[
    Reach,
    PlainValidator(_reach),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["none", "any", "gate"]},
                {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            ]
        }
    ),
]
"""With whom a desk exchanges questions."""
