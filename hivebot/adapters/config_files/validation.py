"""Does what the files say fit the format? If not, what exactly is wrong, and where?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Final, TypeAlias, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from hivebot.adapters.config_files.findings import (
    Path,
    Remark,
    did_you_mean,
    listed,
    shown,
)
from hivebot.adapters.config_files.format import ConfigFile
from hivebot.adapters.config_files.yaml_tree import Value

_Said: TypeAlias = tuple[str, str, str]
"""Message, remedy, nearest."""


def validate(data: Mapping[str, Value]) -> tuple[ConfigFile | None, list[Remark]]:
    """Fit the files' data to the format.

    What does not fit is taken out and the rest tried again, so that the rest is judged too.

    Returns:
        The file, or None when something without a default is missing or wrong; and what is wrong.
    """
    remarks: list[Remark] = []
    rest: dict[str, Value] = deepcopy(dict(data))
    while True:
        try:
            return ConfigFile.model_validate(rest), remarks
        except ValidationError as error:
            fresh = _innermost(error.errors(include_url=False))
        # what is missing now because it was taken out has been reported
        known = {
            remark.path[:length] for remark in remarks for length in range(len(remark.path) + 1)
        }
        remarks += [_remark(path, detail) for path, detail in fresh.items() if path not in known]
        doubtful = {_doubtful(rest, path) for path in fresh}
        if () in doubtful:
            return None, remarks
        for path in doubtful:
            _remove(rest, path)


def _innermost(details: Iterable[ErrorDetails]) -> dict[Path, ErrorDetails]:
    """Index faults by path, without lists that are too short only because entries are faulty."""
    fresh = {_path(detail): detail for detail in details}
    around = {path[:length] for path in fresh for length in range(len(path))}
    return {
        path: detail
        for path, detail in fresh.items()
        if detail["type"] != "too_short" or path not in around
    }


def _path(detail: ErrorDetails) -> Path:
    location = detail["loc"]
    # pydantic's mark for "the key itself"
    return location[:-1] if location and location[-1] == "[key]" else location


def _remark(path: Path, detail: ErrorDetails) -> Remark:
    kind = detail["type"]
    if kind == "missing":
        message, remedy, near = "is missing", f"write it: {_description(path)}", ""
    elif kind == "extra_forbidden":
        message, remedy, near = _unknown_key(path)
    elif detail["input"] is None:
        message, remedy, near = _empty(path)
    else:
        explain = _EXPLAINED.get(kind, _plain)
        message, remedy, near = explain(detail)
        remedy = remedy or _description(path)
    return Remark(path, message, remedy, near)


def _unknown_key(path: Path) -> _Said:
    name = str(path[-1])
    model = _model_at(path[:-1])
    known = list(model.model_fields)
    for field in known:
        for inner in _models_in(model.model_fields[field].annotation):
            if name in inner.model_fields:
                return "unknown key", f"it belongs under `{field}:`", name
    remedy, near = did_you_mean(name, known, f"known here: {', '.join(known)}")
    if not remedy.startswith("did"):
        remedy = f"the nearest known key is `{near}`; {remedy}"
    return "unknown key", remedy, near


def _empty(path: Path) -> _Said:
    if path[-1] in {"channel", "admin_channel"}:
        return "is empty", 'write the name in quotes ("#payments"): # begins a comment', ""
    return "is empty", "write a value, or remove the line for the default", ""


def _misfit(detail: ErrorDetails) -> _Said:
    return detail["msg"], str(detail.get("ctx", {}).get("remedy", "")), ""


def _plain(detail: ErrorDetails) -> _Said:
    return _continued(detail["msg"]), "", ""


def _choice(detail: ErrorDetails) -> _Said:
    expected = str(detail.get("ctx", {}).get("expected", ""))
    names = [name.strip("'") for name in expected.replace(" or ", ", ").split(", ")]
    given = detail["input"]
    message = f"must be {listed(names)}, not {shown(given)}"
    if not isinstance(given, str):
        return message, "", ""
    remedy, near = did_you_mean(given, names, "")
    return message, remedy, near


def _whole(detail: ErrorDetails) -> _Said:
    return f"must be a whole number, not {shown(detail['input'])}", "", ""


def _number(detail: ErrorDetails) -> _Said:
    return f"must be a number with at most 6 decimals, not {shown(detail['input'])}", "", ""


def _bound(words: str, name: str) -> Callable[[ErrorDetails], _Said]:
    def explain(detail: ErrorDetails) -> _Said:
        bound = detail.get("ctx", {}).get(name)
        return f"must be {words} {bound}, not {shown(detail['input'])}", "", ""

    return explain


def _length(words: str, name: str, one: str, many: str) -> Callable[[ErrorDetails], _Said]:
    def explain(detail: ErrorDetails) -> _Said:
        bound = detail.get("ctx", {}).get(name)
        return f"must have {words} {bound} {one if bound == 1 else many}", "", ""

    return explain


def _must_be(what: str) -> Callable[[ErrorDetails], _Said]:
    def explain(detail: ErrorDetails) -> _Said:
        return f"must be {what}, not {shown(detail['input'])}", "", ""

    return explain


_EXPLAINED: Final[Mapping[str, Callable[[ErrorDetails], _Said]]] = {
    "misfit": _misfit,
    "enum": _choice,
    "literal_error": _choice,
    "int_parsing": _whole,
    "int_parsing_size": _whole,
    "int_type": _whole,
    "int_from_float": _whole,
    "decimal_parsing": _number,
    "decimal_type": _number,
    "decimal_max_places": _number,
    "finite_number": _number,
    "greater_than_equal": _bound("at least", "ge"),
    "less_than_equal": _bound("at most", "le"),
    "string_too_short": _length("at least", "min_length", "character", "characters"),
    "string_too_long": _length("at most", "max_length", "character", "characters"),
    "too_short": _length("at least", "min_length", "entry", "entries"),
    "too_long": _length("at most", "max_length", "entry", "entries"),
    "string_type": _must_be("text"),
    "list_type": _must_be("a list"),
    "tuple_type": _must_be("a list"),
    "dict_type": _must_be("a mapping of keys"),
    "model_type": _must_be("a mapping of keys"),
}


def _model_at(path: Path) -> type[BaseModel]:
    """Give the model of the mapping at a path that the format knows."""
    model: type[BaseModel] = ConfigFile
    for part in path:
        if isinstance(part, str):
            model = next(_models_in(model.model_fields[part].annotation))
    return model


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in cast("tuple[object, ...]", get_args(annotation)):
        yield from _models_in(argument)


def _description(path: Path) -> str:
    """Say what the key at a path is for; the key around it, for a list entry or a free key."""
    model: type[BaseModel] = ConfigFile
    said = ""
    for part in path:
        if isinstance(part, str) and (field := model.model_fields.get(part)) is not None:
            said = field.description or ""
            model = next(_models_in(field.annotation), model)
    return _continued(said).rstrip(".")


def _continued(sentence: str) -> str:
    """Begin a sentence small, unless its first word is all capitals."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def _doubtful(data: dict[str, Value], path: Path) -> Path:
    """Give the innermost key around a fault that can be left out; () when there is none."""
    for length in range(len(path), 0, -1):
        around = path[:length]
        if around in {("agents",), ("desks",)}:
            return ()
        holder = _holder(data, around)
        if isinstance(holder, dict) and around[-1] in holder:
            return around
    return ()


def _remove(data: dict[str, Value], path: Path) -> None:
    holder = _holder(data, path)
    if isinstance(holder, dict):
        holder.pop(str(path[-1]), None)


def _holder(data: dict[str, Value], path: Path) -> Value:
    holder: Value = data
    for part in path[:-1]:
        holder = _part(holder, part)
    return holder


def _part(holder: Value, part: str | int) -> Value:
    if isinstance(holder, dict) and isinstance(part, str):
        return holder.get(part)
    if isinstance(holder, list) and isinstance(part, int):
        return holder[part]
    return None
