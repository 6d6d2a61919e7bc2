"""Which files make up the configuration, and what do they say together?

A file, or a directory whose `*.yaml` and `*.yml` files are read in order of their names: their
lists of agents and desks are joined, any other key may stand in one of them only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Final, TypeVar

from hivebot.adapters.config_files.findings import Finding, Path, Places
from hivebot.adapters.config_files.yaml_tree import Value, parse

SIZE_MAX: Final = 1_000_000
"""Bytes of the whole configuration."""

_JOINED: Final = frozenset({"agents", "desks"})
_REFUSED: Final = -1
_SUFFIXES: Final = frozenset({".yaml", ".yml"})

_Part = TypeVar("_Part")


@dataclass(slots=True)
class Source:
    """What the files say, before it is known whether it makes sense."""

    data: dict[str, Value] = field(default_factory=dict[str, Value])
    places: Places = field(default_factory=Places)
    findings: list[Finding] = field(default_factory=list[Finding])


def read(path: FilePath) -> Source:
    """Read a file or a directory of files; whatever is wrong becomes a finding."""
    source = Source()
    size = 0
    for file in _files(path, source):
        text, length = _text(file, SIZE_MAX - size, source)
        size += length
        if text is not None:
            _add(source, str(file), text)
    return source


def files_in(path: FilePath) -> list[FilePath]:
    """Name the files that count: the one, or those of a directory in order of their names.

    Raises:
        OSError: The directory may not be read.
    """
    if not path.is_dir():
        return [path]
    return sorted(
        entry
        for entry in path.iterdir()
        if entry.suffix in _SUFFIXES and not entry.name.startswith(".")
    )


def _files(path: FilePath, source: Source) -> list[FilePath]:
    try:
        found = files_in(path)
    except OSError as error:
        source.findings.append(unreadable(path, error))
        return []
    if not found:
        said = "holds no YAML file"
        remedy = "put a file such as hivebot.yaml there, or name another place"
        source.findings.append(Finding(str(path), 0, "", said, remedy))
    return found


def _text(file: FilePath, room: int, source: Source) -> tuple[str | None, int]:
    """Give a file's text, or None with a finding, and its length in bytes."""
    name = str(file)
    try:
        if file.exists() and not file.is_file():
            remedy = "name a YAML file, or a directory of them"
            source.findings.append(Finding(name, 0, "", "is not a file", remedy))
            return None, 0
        with file.open("rb") as stream:
            content = stream.read(room + 1)
    except (OSError, ValueError) as error:
        source.findings.append(unreadable(file, error))
        return None, 0
    if len(content) > room:
        said = f"makes the configuration larger than {SIZE_MAX:,} bytes"
        source.findings.append(Finding(name, 0, "", said, "shorten it: briefs are not the place"))
        return None, room
    try:
        return content.decode("utf-8-sig"), len(content)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        source.findings.append(Finding(name, line, "", "is not text", "save it in UTF-8"))
        return None, len(content)


def unreadable(path: FilePath, error: Exception) -> Finding:
    """Say why the system does not let a file be read."""
    if isinstance(error, FileNotFoundError):
        return Finding(str(path), 0, "", "does not exist", "name another place (HIVEBOT_CONFIG)")
    if isinstance(error, PermissionError):
        remedy = "let the account that runs hivebot read it"
        return Finding(str(path), 0, "", "may not be read", remedy)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "no such name"
    return Finding(str(path), 0, "", f"cannot be read: {reason.lower()}", "name another place")


def _add(source: Source, file: str, text: str) -> None:
    places = Places()
    value, findings = parse(text, file, places)
    source.findings.extend(findings)
    if value is None:
        if not findings:
            remedy = "copy config/hivebot.yaml and edit it"
            source.findings.append(Finding(file, 1, "", "is empty", remedy))
    elif not isinstance(value, dict):
        remedy = "begin with `agents:` and `desks:`"
        source.findings.append(Finding(file, 1, "", "is not a mapping of keys", remedy))
    else:
        source.places.lines.setdefault((), (file, 1))
        _merge(source, value, places)


def _merge(source: Source, value: dict[str, Value], places: Places) -> None:
    shifts: dict[str, int] = {}
    for key, part in value.items():
        present = source.data.get(key)
        if key not in source.data:
            source.data[key] = part
        elif key in _JOINED and isinstance(present, list) and isinstance(part, list):
            shifts[key] = len(present)
            present.extend(part)
        else:
            file, line = places.of((key,))
            first = "{}:{}".format(*source.places.of((key,)))
            said = f"is written in two files, first at {first}"
            source.findings.append(Finding(file, line, key, said, "keep one of the two"))
            shifts[key] = _REFUSED
    for path, place in _shifted(places.lines, shifts):
        source.places.lines.setdefault(path, place)
    for path, label in _shifted(places.labels, shifts):
        source.places.labels[path] = label


def _shifted(parts: dict[Path, _Part], shifts: dict[str, int]) -> Iterator[tuple[Path, _Part]]:
    """Move the entries of a joined list behind those that were there; drop refused keys."""
    for path, part in parts.items():
        shift = shifts.get(str(path[0]), 0) if path else 0
        if shift == _REFUSED:
            continue
        if len(path) > 1 and isinstance(at := path[1], int):
            yield (path[0], at + shift, *path[2:]), part
        else:
            yield path, part
