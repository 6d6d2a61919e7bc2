"""How does an agent's markdown look in Slack? Markdown to pieces of mrkdwn that cannot ping.

Every character of the text is data: all that is active in the result is minted here. Source:
product.md 3 "Posted text can never ping", rights.md 5, slack.md 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from hivebot.adapters.slack.links import LinkRule, link
from hivebot.adapters.slack.plain import code, is_blank, plain, sendable
from hivebot.adapters.slack.text import escape

WIDEST_TABLE: Final = 100
"""Characters of a table's line up to which its columns are aligned."""

_TARGET: Final = (
    r"\(\s*(?P<{0}>[^()\s<>\[\]]*(?:\([^()\s<>\[\]]*\)[^()\s<>\[\]]*)*)"
    r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)"
)
_INLINE: Final = re.compile(
    r"\\(?P<literal>[\\`*_{}\[\]()#+.!~>|-])"
    r"|(?P<ticks>`+)"
    r"|(?P<image>!)?\[(?P<label>[^\[\]\n]*)\]"
    + _TARGET.format("target")
    + r"|<(?P<auto>(?i:https?://|mailto:)[^<>\s]*)>"
    r"|(?P<bare>(?i:(?<![a-z0-9])(?:https?://|www\.))[^\s<>\"`|\[\]]+)"
    r"|(?P<run>\*+|_+|~+)"
)
_ITEM: Final = re.compile(r"(?P<indent> *)[-*+] +(?:\[(?P<box>[ xX])\] +)?(?P<rest>.*)", re.DOTALL)
_HEADING: Final = re.compile(r"#{1,6} +(?P<rest>.*)", re.DOTALL)
_QUOTED: Final = re.compile(r" {0,3}> ?(?P<rest>.*)", re.DOTALL)
_RULE: Final = re.compile(r" {0,3}(?:(?:- ?){3,}|(?:\* ?){3,}|(?:_ ?){3,})")
_FENCE: Final = re.compile(r" *(?P<run>`{3,}|~{3,})(?P<info>[^`]*)")
_STARTS: Final = ("#", "-", "*", "+", "_")
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+#.-]{1,20}")
_BOXES: Final = {" ": "☐ ", "x": "☑ ", "X": "☑ "}
_TRAILING: Final = ".,;:!?'*_~"
_MARKS: Final = {"*": "_", "**": "*", "_": "_", "__": "*", "~~": "~", "***": "*_"}
_ANYWHERE: Final = ("**", "~~", "***")
"""Marks that may stand inside of a word, as languages without spaces need."""
_JOINT: Final = "\u200b"
"""Lets Slack see the edge of a word where a mark touches letters."""


@dataclass(frozen=True, slots=True)
class Prose:
    """One paragraph of mrkdwn; its lines may be parted anywhere."""

    text: str


@dataclass(frozen=True, slots=True)
class Fence:
    """Code, escaped, whose lines may be parted when the fence is closed and opened again."""

    language: str
    lines: tuple[str, ...]

    def shown(self) -> str:
        """The fence as mrkdwn."""
        return "\n".join((f"```{self.language}", *self.lines, "```"))


Piece = Prose | Fence


def mrkdwn(markdown: str, rule: LinkRule) -> str:
    """The whole text as mrkdwn."""
    return "\n\n".join(
        piece.text if isinstance(piece, Prose) else piece.shown()
        for piece in pieces(markdown, rule)
    )


def pieces(markdown: str, rule: LinkRule) -> tuple[Piece, ...]:
    """Paragraphs and fences of a text, in order; blank ones are left out.

    Slack knows neither headings nor tables nor lists: a heading becomes bold, a table a fence with
    aligned columns, a list item starts with a bullet. Pictures become links. Linear time.
    """
    return tuple(_Paragraphs(sendable(markdown).split("\n"), rule).read())


class _Paragraphs:
    """Walks the lines of a text once."""

    __slots__ = ("_at", "_lines", "_rule")

    def __init__(self, lines: list[str], rule: LinkRule) -> None:
        self._lines = lines
        self._rule = rule
        self._at = 0

    def read(self) -> Iterator[Piece]:
        paragraph: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            fence = self._special(line)
            if fence is not None or not line.strip():
                yield from _prose(paragraph)
                paragraph = []
            else:
                paragraph.append(_line(line.rstrip(), self._rule))
            if fence is None:
                self._at += 1
            elif any(inside.strip() for inside in fence.lines):
                yield fence
        yield from _prose(paragraph)

    def _special(self, line: str) -> Fence | None:
        if "```" in line or "~~~" in line:
            return self._fence(line)
        return self._table(line) if "|" in line else None

    def _fence(self, line: str) -> Fence | None:
        opening = _FENCE.fullmatch(line)
        if opening is None:
            return None
        run = opening["run"]
        indent = len(line) - len(line.lstrip(" "))
        inside: list[str] = []
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            closing = line.strip()
            if len(closing) >= len(run) and not closing.strip(run[0]):
                break
            own = len(line) - len(line.lstrip(" "))
            inside.append(_code_line(line[min(indent, own) :]))
        info = _LANGUAGE.match(opening["info"].strip())
        return Fence(info[0] if info else "", tuple(inside))

    def _table(self, line: str) -> Fence | None:
        following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        if not _is_ruler(following):
            return None
        rows = [_cells(line)]
        self._at += 2
        while self._at < len(self._lines) and "|" in self._lines[self._at]:
            rows.append(_cells(self._lines[self._at]))
            self._at += 1
        return Fence("", tuple(_code_line(row) for row in _aligned(rows)))


def _prose(lines: list[str]) -> Iterator[Prose]:
    text = "\n".join(lines)
    if not is_blank(text):
        yield Prose(text)


def _code_line(line: str) -> str:
    return escape(line).replace("```", f"`{_JOINT}`{_JOINT}`")


def _is_ruler(line: str) -> bool:
    line = line.strip()
    return "|" in line and "-" in line and not line.strip("|-: ")


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in line.split("|")]


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    columns = max(len(row) for row in rows)
    widths = [
        max((len(row[at]) for row in rows if at < len(row)), default=0) for at in range(columns)
    ]
    aligned = sum(widths) + 3 * columns <= WIDEST_TABLE
    for number, row in enumerate(rows):
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield " | ".join(padded if aligned else row).rstrip()
        if number == 0 and aligned:
            yield "-+-".join("-" * width for width in widths)


def _line(line: str, rule: LinkRule) -> str:
    quoted = _QUOTED.fullmatch(line) if ">" in line else None
    return f"&gt; {_unquoted(quoted['rest'], rule)}" if quoted else _unquoted(line, rule)


def _unquoted(line: str, rule: LinkRule) -> str:
    if not line.lstrip(" ").startswith(_STARTS):
        return inline(line, rule)
    if _RULE.fullmatch(line):
        return "———"
    heading = _HEADING.fullmatch(line)
    if heading:
        title = inline(heading["rest"].rstrip().rstrip("#").rstrip(), rule, bold=False)
        return f"*{title}*" if title else ""
    item = _ITEM.fullmatch(line)
    if item:
        box = _BOXES.get(item["box"] or "", "")
        return f"{item['indent']}• {box}{inline(item['rest'], rule)}"
    return inline(line, rule)


def inline(line: str, rule: LinkRule, *, bold: bool = True) -> str:
    """One line's spans as mrkdwn; with `bold` false its bold marks are dropped."""
    if _INLINE.search(line) is None:
        return plain(line)
    return _Spans(line, rule, bold=bold).read()


_Run: TypeAlias = tuple[str, int, bool]
"""Marks that wait for their other half: the run, its place in the output, touched by a letter."""


class _Spans:
    """Replaces the spans of one line; marks become active only in pairs."""

    __slots__ = ("_bold", "_line", "_open", "_out", "_rule", "_ticks", "_waiting")

    def __init__(self, line: str, rule: LinkRule, *, bold: bool) -> None:
        self._line = line
        self._rule = rule
        self._bold = bold
        self._out: list[str] = []
        self._open: list[_Run] = []
        self._waiting: dict[str, int] = {}
        self._ticks = _tick_runs(line)

    def read(self) -> str:
        at = 0
        match = _INLINE.search(self._line)
        while match is not None:
            if match.start() > at:
                self._out.append(plain(self._line[at : match.start()]))
            at = self._span(match)
            match = _INLINE.search(self._line, at)
        self._out.append(plain(self._line[at:]))
        return "".join(self._out)

    def _span(self, match: re.Match[str]) -> int:
        """Write one span; returns where reading goes on."""
        kind = match.lastgroup
        if kind == "run":
            self._mark(match[0], match.start(), match.end())
        elif kind == "ticks":
            return self._code(match)
        elif kind == "bare":
            return self._bare(match)
        elif kind == "literal":
            self._out.append(plain(match["literal"]))
        else:
            self._link(match)
        return match.end()

    def _code(self, match: re.Match[str]) -> int:
        closing = self._ticks.after(len(match["ticks"]), match.end())
        if closing is None:
            self._out.append(match["ticks"].replace("`", "\u02cb"))
            return match.end()
        inside = self._line[match.end() : closing]
        self._out.append(code(inside.strip(" ") or inside))
        return closing + len(match["ticks"])

    def _bare(self, match: re.Match[str]) -> int:
        end = match.start() + _address_length(match["bare"])
        self._out.append(link(self._line[match.start() : end], "", self._rule))
        return end

    def _link(self, match: re.Match[str]) -> None:
        url = match["auto"] if match["auto"] is not None else match["target"]
        label = match["label"] or ""
        if match["image"]:
            label = f"image: {label}" if label.strip() else "image"
        self._out.append(link(url, label, self._rule) if url else plain(label))

    def _mark(self, run: str, start: int, end: int) -> None:
        before = self._line[start - 1] if start else " "
        after = self._line[end] if end < len(self._line) else " "
        inner_before, inner_after = _is_word(before), _is_word(after)
        pairs = run in _ANYWHERE or (run in _MARKS and not (inner_before and inner_after))
        opens = pairs and not after.isspace()
        closes = pairs and not before.isspace()
        if closes and self._waiting.get(run):
            self._close(run, glued=inner_after)
            return
        self._out.append(run)
        if opens:
            self._waiting[run] = self._waiting.get(run, 0) + 1
            self._open.append((run, len(self._out) - 1, inner_before))

    def _close(self, run: str, *, glued: bool) -> None:
        """Pair a run with the last open one like it; those opened in between stay literal."""
        while True:
            marks, at, opening_glued = self._open.pop()
            self._waiting[marks] -= 1
            if marks == run:
                break
        mark = self._shown(run)
        self._out[at] = f"{_JOINT if opening_glued and mark else ''}{mark}"
        self._out.append(f"{mark[::-1]}{_JOINT if glued and mark else ''}")

    def _shown(self, run: str) -> str:
        mark = _MARKS[run]
        return mark if self._bold else mark.replace("*", "")


def _address_length(found: str) -> int:
    """Length without the punctuation and unmatched brackets that end a sentence."""
    end = len(found)
    unmatched = found.count(")") - found.count("(")
    while end and (found[end - 1] in _TRAILING or (found[end - 1] == ")" and unmatched > 0)):
        unmatched -= found[end - 1] == ")"
        end -= 1
    return end


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


class _TickRuns:
    """Where runs of backticks of each length start, for one forward pass."""

    __slots__ = ("_next", "_starts")

    def __init__(self, starts: dict[int, list[int]]) -> None:
        self._starts = starts
        self._next = dict.fromkeys(starts, 0)

    def after(self, length: int, at: int) -> int | None:
        """The first run of exactly `length` at or behind `at`; `at` never goes back."""
        starts, index = self._starts[length], self._next[length]
        while index < len(starts) and starts[index] < at:
            index += 1
        self._next[length] = index
        return starts[index] if index < len(starts) else None


def _tick_runs(line: str) -> _TickRuns:
    starts: dict[int, list[int]] = {}
    for match in re.finditer("`+", line):
        starts.setdefault(len(match[0]), []).append(match.start())
    return _TickRuns(starts)
