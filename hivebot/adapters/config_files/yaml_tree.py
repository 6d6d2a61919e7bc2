"""What does one YAML file say, and on which line?

Stricter than YAML: no tags, no merge keys, no repeated keys, one document. Every plain scalar stays
the text that was written, except null; what it means is for the format to say. So `off` is a word,
`503` can be a word, and an amount of money is never a float.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias, cast

import yaml
from yaml.reader import ReaderError

from hivebot.adapters.config_files.findings import Finding, Path, Places

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"

DEPTH_MAX: Final = 30
NODES_MAX: Final = 100_000
"""Parts of one file with every alias written out; a bound on what a few lines can unfold to."""

_LABEL: Final = re.compile(r"[\w-]{1,64}")
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


class _TooDeepError(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Loader(yaml.SafeLoader):
    """Composes nodes, notes the lines of tags and stops before it is too deep."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.tagged: list[int] = []
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose as ever, counting levels."""
        event = cast("yaml.Event", self.peek_event())  # pyright: ignore[reportUnknownMemberType]
        mark = event.start_mark
        line = 0 if mark is None else mark.line + 1
        if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None) is not None:
            self.tagged.append(line)
        if self._depth >= DEPTH_MAX:
            raise _TooDeepError(line)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def parse(text: str, file: str, places: Places) -> tuple[Value, list[Finding]]:
    """Read one file's text.

    Args:
        text: What the file holds.
        file: Its name, for messages.
        places: Takes the line of every key and entry.

    Returns:
        What it says, as far as it could be read, and what is wrong with it.
    """
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
    except _TooDeepError as error:
        return None, [
            _finding(file, error.line, f"is nested more than {DEPTH_MAX} levels deep", "flatten it")
        ]
    except ReaderError as error:
        line = text.count("\n", 0, int(error.position)) + 1
        return None, [
            _finding(file, line, "holds a control character", "remove it: only text is read")
        ]
    except yaml.MarkedYAMLError as error:
        return None, [_syntax(file, error)]
    reader = _Reader(file, places)
    value = reader.value(root, ()) if root is not None else None
    tags = [
        _finding(file, line, "uses a YAML tag (`!…`)", "remove it, or write the text in quotes")
        for line in loader.tagged
    ]
    return value, tags + reader.findings()


def _syntax(file: str, error: yaml.MarkedYAMLError) -> Finding:
    line = 0 if error.problem_mark is None else error.problem_mark.line + 1
    problem = error.problem or "it cannot be read"
    if "\\t" in problem:
        remedy = "indent with spaces, never with tabs"
    elif "but found another document" in problem:
        remedy = "remove the line `---` between them"
    else:
        remedy = "look at indentation, colons and quotes on this line and the one before"
    return _finding(file, line, f"is not YAML: {problem}", remedy)


def _finding(file: str, line: int, message: str, remedy: str, key: str = "") -> Finding:
    return Finding(file, line, key, message, remedy)


class _Reader:
    """Turns nodes into values and notes where they stand."""

    def __init__(self, file: str, places: Places) -> None:
        self._reported: list[tuple[int, Path, str, str]] = []
        self._file = file
        self._places = places
        self._open: set[int] = set()
        self._left = NODES_MAX

    def value(self, node: yaml.Node, path: Path) -> Value:
        """Give what a node says; parts that cannot be read are left out."""
        self._left -= 1
        if isinstance(node, yaml.ScalarNode):
            text = str(cast("object", node.value))
            return None if node.style is None and text in _NULLS else text
        if id(node) in self._open:
            self._report(node, path, "refers to itself", "write the value out")
            return None
        if self._left < 0:
            self._report_once(node, path)
            return None
        self._open.add(id(node))
        try:
            return self._collection(node, path)
        finally:
            self._open.discard(id(node))

    def _collection(self, node: yaml.Node, path: Path) -> Value:
        if isinstance(node, yaml.SequenceNode):
            entries = cast("list[yaml.Node]", node.value)
            return [self._entry(entry, (*path, at)) for at, entry in enumerate(entries)]
        mapping: dict[str, Value] = {}
        for key, entry in self._keys(cast("yaml.MappingNode", node), path):
            mapping[key] = self.value(entry, (*path, key))
        if isinstance(label := mapping.get("id"), str) and _LABEL.fullmatch(label):
            self._places.labels[path] = label
        return mapping

    def _entry(self, node: yaml.Node, path: Path) -> Value:
        self._note(node, path)
        return self.value(node, path)

    def _keys(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, yaml.Node]]:
        lines: dict[str, int] = {}
        for key, entry in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            if not isinstance(key, yaml.ScalarNode):
                self._report(
                    key, path, "has a key that is no word", "write a word before the colon"
                )
                continue
            name = str(cast("object", key.value))
            place = (*path, name)
            if name in lines:
                said = f"is written twice, first on line {lines[name]}"
                self._report(key, place, said, "keep one of the two")
            elif name == "<<":
                said = "is a merge key, which is not read here"
                self._report(key, place, said, "write the keys out")
            else:
                lines[name] = key.start_mark.line + 1
                self._note(key, place)
                yield name, entry

    def _note(self, node: yaml.Node, path: Path) -> None:
        self._places.lines[path] = (self._file, node.start_mark.line + 1)

    def _report_once(self, node: yaml.Node, path: Path) -> None:
        said = f"unfolds to more than {NODES_MAX} values"
        if all(message != said for _, _, message, _ in self._reported):
            self._report(node, path, said, "use fewer aliases")

    def _report(self, node: yaml.Node, path: Path, message: str, remedy: str) -> None:
        self._reported.append((node.start_mark.line + 1, path, message, remedy))

    def findings(self) -> list[Finding]:
        """Give what was reported; only now is it known how the entries around it are called."""
        return [
            _finding(self._file, line, message, remedy, self._places.key(path))
            for line, path, message, remedy in self._reported
        ]
