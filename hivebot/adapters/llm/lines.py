"""Which structures does a small model mean by the lines it writes?

Nothing is read leniently behind this: what comes out is validated, mended and rendered like the
answer of any other model. Source: turns.md 3, `lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hivebot.hive.options import slug
from hivebot.hive.scalars import trim
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import (
    NO_ASK,
    AnswerTurn,
    Ask,
    Bearing,
    CommitTurn,
    ConsultTurn,
    DeliberateTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
    Option,
    PositionTurn,
    Reply,
    Stance,
)

_FENCED: Final = re.compile(r"(```|~~~)[^\n]*\n(.*?)\n?\1\s*", re.DOTALL)
_MARKER: Final = re.compile(r"(?:[\s\-*>_`#]|\d+[.)])*!\s*([A-Za-z]+)[\s:*_`]*(.*)")
_BULLET: Final = re.compile(r"\s*(?:[-*>•]|\d+[.)])\s+")
_ASK: Final = re.compile(r"(?:[\s\-*>]|\d+[.)])*@#([\w-]+)[\s:,]+(.+)")
_OPTION: Final = re.compile(
    r"#?([A-Za-z0-9-]{1,24})\s*(?::|\s[-–—]\s)\s*(.+)|#([A-Za-z0-9-]+)\s+(.+)"
)
_CITE: Final = re.compile(r"\^\s*\[?\+?(\d{1,19})\]?[,;]?|\[\^?(\d{1,19})\][,;]?")
_TARGET: Final = re.compile(r">\s*\[?(\d{1,19})\]?[,;]?")
_WEIGHT: Final = re.compile(
    r"\*{0,2}(for|against|neutral)\b\*{0,2}\s*(?:\(?\s*(\d)\s*(?:/\s*5)?\s*\)?)?\s*:?",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"#([^\s:,;]+)[:,;]?")
_KNOWN: Final = re.compile(r"\s*known\s*:\s*(known|partly|unknown)\s*", re.IGNORECASE)
_UNKNOWING: Final = ("i do not know", "i don't know", "i don’t know")
_OPEN: Final = re.compile(r"\s*\**open(?: points?)?\**\s*:\**\s*(.+)", re.IGNORECASE)

_AGREEING: Final = frozenset({"commit", "support", "propose"})
_STANCES: Final = frozenset(stance.value for stance in Stance if stance is not Stance.NONE)
_MIDDLE: Final = 3


@dataclass(frozen=True, slots=True)
class _Move:
    """One marker line, its slots read."""

    kind: str
    option: str
    target: int
    cites: tuple[int, ...]
    bearing: Bearing
    strength: int
    text: str


@dataclass(slots=True)
class _Read:
    """What the lines of a text are, by kind."""

    facts: list[Fact] = field(default_factory=list[Fact])
    moves: list[_Move] = field(default_factory=list[_Move])
    asks: list[Ask] = field(default_factory=list[Ask])
    prose: list[str] = field(default_factory=list[str])

    def text(self) -> str:
        """The prose as one text."""
        return trim("\n".join(self.prose))


def read_lines(request: TurnRequest, text: str) -> Reply:
    """Build the structure of the situation from loosely written lines. Total on any text.

    The first stance counts; later ones are kept as prose, so that nothing said is lost.
    """
    if request.situation == "framing":
        return FramingTurn(tuple(_options(_unfenced(text))))
    read = _read(request, _unfenced(text))
    match request.situation:
        case "opening" | "relay":
            return OpeningTurn(tuple(read.facts), _with_moves(read, read.moves))
        case "position":
            return _position(read)
        case "deliberate":
            return _deliberate(read)
        case "commit":
            return _commit(read)
        case "answer":
            return _answer(read)
        case "consult":
            return ConsultTurn(tuple(read.asks))


def _position(read: _Read) -> PositionTurn:
    first = next((move for move in read.moves if move.kind in _AGREEING), None)
    rest = [move for move in read.moves if move is not first]
    prose = _with_moves(read, rest)
    if first is None:
        return PositionTurn("", "", tuple(read.facts), prose)
    reason = " ".join(part for part in (first.text, prose) if part)
    return PositionTurn(first.option, "", tuple(read.facts), reason)


def _deliberate(read: _Read) -> DeliberateTurn:
    first = next((move for move in read.moves if move.kind in _STANCES), None)
    rest = [move for move in read.moves if move is not first]
    return DeliberateTurn(
        stance=Stance(first.kind) if first is not None else Stance.NONE,
        option=first.option if first is not None else "",
        target=first.target if first is not None else 0,
        cites=first.cites if first is not None else (),
        reason=first.text if first is not None else "",
        facts=tuple(read.facts),
        remark=_with_moves(read, rest),
        ask=read.asks[-1] if read.asks else NO_ASK,
    )


def _commit(read: _Read) -> CommitTurn:
    first = read.moves[0] if read.moves else None
    points = [found[1] for line in read.prose if (found := _OPEN.fullmatch(line))]
    read.prose = [line for line in read.prose if not _OPEN.fullmatch(line)]
    return CommitTurn(
        agree=first is not None and first.kind in _AGREEING,
        cites=first.cites if first is not None else (),
        facts=tuple(read.facts),
        answer=_with_moves(read, read.moves[1:]),
        open_points=" ".join(points),
        reason=first.text if first is not None else "",
    )


def _answer(read: _Read) -> AnswerTurn:
    said = [found[1].lower() for line in read.prose if (found := _KNOWN.fullmatch(line))]
    read.prose = [line for line in read.prose if not _KNOWN.fullmatch(line)]
    answer = _with_moves(read, read.moves)
    unknowing = answer.lower().startswith(_UNKNOWING) or (not answer and bool(read.asks))
    known = Known(said[0]) if said else (Known.UNKNOWN if unknowing else Known.KNOWN)
    cites = dict.fromkeys(_number(found) for found in _CITE.finditer(answer))
    return AnswerTurn(known, answer, tuple(cites), (), read.asks[-1] if read.asks else NO_ASK)


def _read(request: TurnRequest, text: str) -> _Read:
    read = _Read()
    for line in text.split("\n"):
        marked, asked = _MARKER.fullmatch(line), _ASK.fullmatch(line)
        kind = marked[1].casefold() if marked is not None else ""
        if marked is not None and kind == "evidence":
            read.facts.append(_fact(_move(request, kind, marked[2])))
        elif marked is not None and kind in _STANCES | _AGREEING:
            read.moves.append(_move(request, kind, marked[2]))
        elif asked is not None and request.may_ask:
            read.asks.append(Ask(asked[1], trim(asked[2])))
        else:
            read.prose.append(line)
    return read


def _move(request: TurnRequest, kind: str, rest: str) -> _Move:
    option, target, cites = "", 0, list[int]()
    bearing, strength = Bearing.NEUTRAL, _MIDDLE
    weighed = False
    while rest := rest.lstrip(" \t*_"):
        if not option and (named := _option(request.options, rest)):
            option, rest = named
        elif found := _CITE.match(rest):
            cites.append(_number(found))
            rest = rest[found.end() :]
        elif not target and (found := _TARGET.match(rest)):
            target, rest = int(found[1]), rest[found.end() :]
        elif kind == "evidence" and not weighed and (found := _WEIGHT.match(rest)):
            weighed = True
            bearing = Bearing(found[1].lower())
            strength = int(found[2] or _MIDDLE)
            rest = rest[found.end() :]
        else:
            break
    text = rest.strip(" \t*_:")
    return _Move(kind, option, target, tuple(dict.fromkeys(cites)), bearing, strength, text)


def _fact(move: _Move) -> Fact:
    rests_on = f"[{move.cites[0]}]" if move.cites else ""
    return Fact(move.option, move.bearing, move.strength, move.text, rests_on)


def _option(options: Iterable[Option], rest: str) -> tuple[str, str] | None:
    """Read an option slot: a listed text or id, the longest first, else one word."""
    if not rest.startswith("#"):
        return None
    spelled = [(name, option.id) for option in options for name in (option.text, option.id)]
    for name, option_id in sorted(spelled, key=lambda each: -len(each[0])):
        end = 1 + len(name)
        if name and rest[1:end].casefold() == name.casefold() and not rest[end : end + 1].isalnum():
            return option_id, rest[end:].lstrip(":,;")
    word = _WORD.match(rest)
    return (word[1], rest[word.end() :]) if word is not None else None


def _options(text: str) -> Iterable[Option]:
    """Read listed options: `#id text`, `id: text`, or a bullet whose text makes the id."""
    for line in text.split("\n"):
        bare = _BULLET.sub("", line, count=1).strip(" \t*_`")
        named = _OPTION.fullmatch(bare)
        if named is not None:
            yield Option(slug(named[1] or named[3]), trim(named[2] or named[4]).strip("*"))
        elif _BULLET.match(line) and bare:
            yield Option(slug(bare), bare)


def _with_moves(read: _Read, moves: Sequence[_Move]) -> str:
    """Give the prose, behind what later markers said."""
    said = [move.text for move in moves if move.text]
    return trim("\n".join([*said, read.text()]))


def _number(found: re.Match[str]) -> int:
    return int(found[1] or found[2])


def _unfenced(text: str) -> str:
    """Take off one fence round the whole text."""
    whole = trim(text)
    found = _FENCED.fullmatch(whole)
    return trim(found[2]) if found is not None else whole
