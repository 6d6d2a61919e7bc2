"""What would a new configuration change?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Final, cast

from hivebot.services.records.policy import (
    AgentConfig,
    BriefFact,
    Configuration,
    DeskConfig,
    Reach,
    ReachKind,
)

_LONGEST: Final = 60

_FLAT: Final = frozenset({"policy"})
"""Records the file format does not show as a level of its own."""

_LONG_TEXTS: Final = frozenset({"brief"})

_WRITTEN: Final[Mapping[tuple[str, str], str]] = {
    ("referral", "per_hour"): "referrals_per_hour",
    ("referral", "shown"): "referrals_shown",
    ("episode", "shown"): "deliberation",
    ("episode", "options_open"): "options",
    ("memory", "retrieval_threshold"): "tau",
    ("memory", "dimensions"): "scored_dimensions",
    ("price", "input_usd_micros"): "input_usd",
    ("price", "output_usd_micros"): "output_usd",
    ("budget", "usd_micros_per_day"): "usd_per_day",
}
"""What the format calls a field of a record, where it is not the same."""


def diff(old: Configuration, new: Configuration) -> list[str]:
    """List what `new` would change, by the keys of the file format; nothing when they are equal.

    `+` and `-` stand before agents and desks that come and go, `~` before a key that changes. Texts
    are cut, briefs not shown.
    """
    lines = list(_values("", _top(old), _top(new)))
    lines += _things("agent", old.agents, new.agents)
    lines += _things("desk", old.desks, new.desks)
    return lines


def _top(configuration: Configuration) -> dict[str, str]:
    left_out = {"revision", "agents", "desks"}
    flat = dict(_flat("", configuration))
    return {key: value for key, value in flat.items() if key.split(".")[0] not in left_out}


def _things(
    kind: str,
    old: Sequence[AgentConfig] | Sequence[DeskConfig],
    new: Sequence[AgentConfig] | Sequence[DeskConfig],
) -> Iterator[str]:
    before = {thing.id: thing for thing in old}
    after = {thing.id: thing for thing in new}
    for ident in before:
        if ident not in after:
            yield f"- {kind} {ident}"
    for ident, thing in after.items():
        if ident not in before:
            yield f"+ {kind} {ident}"
        else:
            was, now = dict(_flat("", before[ident])), dict(_flat("", thing))
            yield from _values(f"{kind} {ident}: ", was, now)
    kept = [ident for ident in before if ident in after]
    if kept != [ident for ident in after if ident in before]:
        yield f"~ the order of {kind}s"


def _values(owner: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        was, now = old.get(key, "null"), new.get(key, "null")
        if was == now:
            continue
        if key.rpartition(".")[2] in _LONG_TEXTS:
            yield f"~ {owner}{key}: {len(was)} characters -> {len(now)} characters, other text"
        else:
            yield f"~ {owner}{key}: {_cut(was)} -> {_cut(now)}"


def _flat(prefix: str, value: object) -> Iterator[tuple[str, str]]:
    """Walk a record's fields down to what one line of the file would hold."""
    if isinstance(value, Reach) or not is_dataclass(value):
        yield prefix, _text(value)
        return
    for field in fields(value):
        part = cast("object", getattr(value, field.name))
        group = prefix.rpartition(".")[2]
        if field.name in _FLAT:
            yield from _flat(prefix, part)
            continue
        name = _WRITTEN.get((group, field.name), field.name)
        if name != field.name and (form := _FORMS.get(name)) is not None:
            part = form(part)
        yield from _flat(f"{prefix}.{name}" if prefix else name, part)


def _usd(micros: object) -> object:
    return (Decimal(str(micros)) / 1_000_000).normalize()


_FORMS: Final[Mapping[str, Callable[[object], object]]] = {
    "input_usd": _usd,
    "output_usd": _usd,
    "usd_per_day": _usd,
    "options": lambda is_open: "open" if is_open else "listed",
}


def _text(value: object) -> str:
    """Write a value as the file would."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Reach):
        return _text(value.desks) if value.kind is ReachKind.DESKS else value.kind.value
    if isinstance(value, BriefFact):
        bears = f"{value.option} {value.bearing} {value.strength}".strip()
        return f"{value.text} ({bears}, about {_text(value.about)})"
    if isinstance(value, tuple):
        return f"[{', '.join(_text(part) for part in cast('tuple[object, ...]', value))}]"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if value is None:
        return "null"
    return str(value) or '""'


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
