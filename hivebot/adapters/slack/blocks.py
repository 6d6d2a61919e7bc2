"""How does a wanted message look in Slack? A body to parts of text and blocks, within every limit.

Source: product.md 3, slack.md 6, rights.md 5, datapath.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from hivebot.adapters.slack import limits
from hivebot.adapters.slack.links import LinkRule, own_link
from hivebot.adapters.slack.mrkdwn import Fence, Prose, pieces
from hivebot.adapters.slack.parting import Unit, Verbatim, part, safe_cut, shown
from hivebot.adapters.slack.plain import cut, is_blank, plain, reveal, sendable
from hivebot.adapters.slack.shapes import Json
from hivebot.errors import HivebotError
from hivebot.services.records.outgoing import Body, Button, Menu, Persona, Quote

PART_ROOM: Final = 3_900
"""Characters of one part: all of its text then fits the fallback, which Slack wants short."""

WIDE_ROOM: Final = 11_000
"""Characters of one part where no further part can be posted; its fallback is cut."""

TEAR_MIN: Final = 1_000
"""Less room than this is not filled with the beginning of something that has to be torn."""

TAIL_MAX: Final = 1_900
"""Characters of the small print, and of the line of sources."""

HEADING_MAX: Final = 300
EMPTY_NOTICE: Final = "_There is nothing to show._"
CUT_NOTICE: Final = "_The rest does not fit into this message._"
RULE_BASED: Final = "(rule-based)"


class RenderError(HivebotError):
    """A body breaks its contract: a button's value or action is longer than Slack's limit."""

    code: ClassVar[str] = "render"


@dataclass(frozen=True, slots=True)
class RenderedPart:
    """One message. `text` says all that the blocks show, unless the part was made wide."""

    text: str
    blocks: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Room of each part, and how many parts there may be; 0 for any number."""

    room: int
    most: int = 0


def render(body: Body, *, tag: str, named: bool) -> tuple[RenderedPart, ...]:
    """The parts of a message, at least one, each valid alone.

    Order: the persona's name where Slack does not show it (`named` false), heading and mentions,
    quotes, text, what no longer stands, small print and sources, buttons and menu; the last two
    stand in the last part. The parts are the same with and without the name. `tag` names row and
    revision: block ids are made of it.

    Raises:
        RenderError: a button's value or action is too long.
    """
    return _Message(body, tag, named=named).parts(_Layout(PART_ROOM))


def render_into(body: Body, count: int, *, tag: str, named: bool) -> tuple[RenderedPart, ...]:
    """At most `count` parts: as `render`, else wider ones, else cut with a notice.

    Raises:
        RenderError: a button's value or action is too long.
    """
    message = _Message(body, tag, named=named)
    parts = message.parts(_Layout(PART_ROOM))
    return parts if len(parts) <= count else message.parts(_Layout(WIDE_ROOM, count))


def shown_name(persona: Persona) -> str:
    """The name under which a persona posts; a rule-based one is labelled."""
    name = " ".join(reveal(sendable(persona.name)).split()) or "agent"
    if not persona.rule_based:
        return cut(name, limits.USERNAME_MAX)
    return f"{cut(name, limits.USERNAME_MAX - len(RULE_BASED) - 1)} {RULE_BASED}"


class _Message:
    """Lays one body out."""

    __slots__ = ("_body", "_name", "_named", "_rule", "_tag", "_tail")

    def __init__(self, body: Body, tag: str, *, named: bool) -> None:
        self._body = body
        self._tag = tag
        self._named = named
        self._rule = LinkRule.of(body.link_hosts, body.link_exact)
        persona = body.persona
        self._name = f"*{plain(shown_name(persona))}*" if persona is not None else ""
        self._tail = _Tail(body, self._rule)

    def parts(self, layout: _Layout) -> tuple[RenderedPart, ...]:
        units = [*self._units()]
        packed = _pack(units, layout.room, self._tail)
        if layout.most and len(packed) > layout.most:
            packed = self._cut(packed, layout)
        last = len(packed) - 1
        return tuple(self._part(at, held, last=at == last) for at, held in enumerate(packed))

    def _cut(self, packed: list[list[Unit]], layout: _Layout) -> list[list[Unit]]:
        """The longest beginning that fits with a notice at its end."""
        kept = [unit for held in packed[: layout.most] for unit in held]
        fitting = _pack([*kept, Prose(CUT_NOTICE)], layout.room, self._tail)
        while len(fitting) > layout.most and kept:
            kept.pop()
            fitting = _pack([*kept, Prose(CUT_NOTICE)], layout.room, self._tail)
        return fitting[: layout.most]

    def _units(self) -> Iterator[Unit]:
        head = [*self._head()]
        said = [*self._said()]
        if not said and all(line == self._name for line in head):
            said = [Prose(EMPTY_NOTICE)]
        if head and said and isinstance(said[0], Prose):
            said[0] = Prose("\n".join((*head, said[0].text)))
        elif head:
            said.insert(0, Prose("\n".join(head)))
        yield from said

    def _head(self) -> Iterator[str]:
        """Lines above everything else; the name is measured even where Slack shows it."""
        if self._name:
            yield self._name
        heading = " ".join(sendable(self._body.heading).split())
        if heading:
            yield f"*{plain(cut(heading, HEADING_MAX))}*"
        users = [f"<@{one}>" for one in self._body.mention_users if _is_id(one, "UW")]
        groups = [f"<!subteam^{one}>" for one in self._body.mention_groups if _is_id(one, "S")]
        if users or groups:
            yield " ".join((*users, *groups))

    def _said(self) -> Iterator[Unit]:
        for quote in self._body.quotes:
            if not quote.struck:
                yield from _quoted(quote, self._rule)
        if not is_blank(self._body.text):
            yield from pieces(self._body.text, self._rule)
        for quote in self._body.quotes:
            if quote.struck:
                yield from _quoted(quote, self._rule)

    def _labels(self) -> list[str]:
        """What there is to press."""
        menu = self._body.menu
        labels = [one.label for one in self._body.buttons]
        return [*labels, *(one.label for one in menu.choices)] if menu is not None else labels

    def _part(self, at: int, units: list[Unit], *, last: bool) -> RenderedPart:
        sections = _merged(units)
        if at == 0 and self._named and self._name:
            sections = _unnamed(sections, self._name)
        texts = [shown(section) for section in sections]
        blocks = [_section(section) for section in sections]
        if last:
            texts.extend(self._tail.lines)
            blocks.extend(self._tail.blocks())
        text = "\n".join(texts) or " ".join(f"[{plain(label)}]" for label in self._labels())
        ids = (f"{self._tag}-{at}-{number}" for number in range(len(blocks)))
        numbered = tuple(
            {**block, "block_id": block_id} for block, block_id in zip(blocks, ids, strict=True)
        )
        return RenderedPart(_short(text), numbered)


class _Tail:
    """What stands at the end of the last part."""

    __slots__ = ("_rows", "lines")

    def __init__(self, body: Body, rule: LinkRule) -> None:
        small = plain(cut(" ".join(sendable(body.small).split()), TAIL_MAX // 2))
        links = [own_link(sendable(one.link), one.label, rule) for one in body.sources]
        self.lines = [line for line in (cut_line(small), _listed(links)) if line]
        rows = [[_button(one) for one in row] for row in _rows(body.buttons)]
        if body.menu is not None:
            rows = _with_menu(rows, body.menu)
        self._rows = tuple(rows)

    @property
    def size(self) -> int:
        """Characters of its lines and the line feeds before them."""
        return sum(len(line) + 1 for line in self.lines)

    @property
    def block_count(self) -> int:
        """Blocks it takes."""
        return bool(self.lines) + len(self._rows)

    def blocks(self) -> Iterator[dict[str, object]]:
        if self.lines:
            elements = [{"type": "mrkdwn", "text": one, "verbatim": True} for one in self.lines]
            yield {"type": "context", "elements": elements}
        for row in self._rows:
            yield {"type": "actions", "elements": row}


def cut_line(line: str) -> str:
    """A line of mrkdwn, cut outside of tokens where it is longer than the small print may be."""
    return line if len(line) <= TAIL_MAX else f"{line[: safe_cut(line, TAIL_MAX - 1)]}…"


def _listed(links: list[str]) -> str:
    """`From: …` with as many links as there is room for."""
    line = ""
    for number, one in enumerate(links):
        more = f" and {len(links) - number} more"
        if len(line) + len(one) + len(more) + 2 > TAIL_MAX:
            return f"{line}{more}" if line else f"From:{more}"
        line = f"{line}, {one}" if line else f"From: {one}"
    return line


def _rows(buttons: tuple[Button, ...]) -> Iterator[list[Button]]:
    """Rows of buttons: in each an action stands once, as Slack asks."""
    row: list[Button] = []
    for button in buttons:
        if len(row) == limits.ACTIONS_MAX or any(one.action == button.action for one in row):
            yield row
            row = []
        row.append(button)
    if row:
        yield row


def _with_menu(rows: list[list[Json]], menu: Menu) -> list[list[Json]]:
    """The rows with the menu at the end of the last."""
    if any(len(one.value) > limits.OPTION_VALUE_MAX for one in menu.choices):
        raise RenderError("a choice's value is longer than Slack takes")
    options = [
        {
            "text": {"type": "plain_text", "text": cut(one.label, limits.OPTION_TEXT_MAX)},
            "value": one.value,
        }
        for one in menu.choices
    ]
    shown_menu = {"type": "overflow", "action_id": menu.action, "options": options}
    if not rows or len(rows[-1]) == limits.ACTIONS_MAX:
        return [*rows, [shown_menu]]
    return [*rows[:-1], [*rows[-1], shown_menu]]


def _button(button: Button) -> Json:
    if len(button.value) > limits.BUTTON_VALUE_MAX or len(button.action) > limits.ACTION_ID_MAX:
        raise RenderError("a button's value or action is longer than Slack takes")
    label = cut(" ".join(sendable(button.label).split()) or "…", limits.BUTTON_TEXT_MAX)
    shown_button: dict[str, object] = {
        "type": "button",
        "action_id": button.action,
        "text": {"type": "plain_text", "text": label, "emoji": True},
    }
    if button.value:
        shown_button["value"] = button.value
    if button.style:
        shown_button["style"] = button.style
    if button.confirm:
        shown_button["confirm"] = _confirm(button.confirm)
    return shown_button


def _confirm(question: str) -> Json:
    """Slack's own question before a press counts."""
    asked = cut(sendable(question), limits.CONFIRM_TEXT_MAX)
    return {
        "title": {"type": "plain_text", "text": "Are you sure?"},
        "text": {"type": "plain_text", "text": asked},
        "confirm": {"type": "plain_text", "text": "Yes"},
        "deny": {"type": "plain_text", "text": "No"},
    }


def _is_id(text: str, kinds: str) -> bool:
    return text[:1] in tuple(kinds) and text.isascii() and text.isalnum() and text.upper() == text


def _quoted(quote: Quote, rule: LinkRule) -> Iterator[Unit]:
    """Author, place and link, and below them the words with a bar at their side."""
    author = " ".join(sendable(quote.author).split()) or "somebody"
    place = " ".join(sendable(quote.place).split())
    above = f"*{plain(cut(author, HEADING_MAX))}*"
    if place:
        above += f", {plain(cut(place, HEADING_MAX))}"
    if quote.link.startswith("http"):
        above += f" · {own_link(sendable(quote.link), 'open', rule)}"
    if quote.plain:
        yield Prose(above)
        yield Verbatim(reveal(sendable(quote.text)), quote.struck)
        return
    lines: list[str] = []
    for piece in pieces(quote.text, rule):
        if lines:
            lines.append("&gt;")
        lines.extend(_quoted_lines(piece))
    yield Prose("\n".join((above, *lines)))


def _quoted_lines(piece: Prose | Fence) -> Iterable[str]:
    """Slack cannot show a fence inside of a quote: there each line is code by itself."""
    if isinstance(piece, Prose):
        return [
            line if line.startswith("&gt;") else f"&gt; {line}" for line in piece.text.split("\n")
        ]
    inside = (line.replace("`", "\u02cb") for line in piece.lines)
    return [f"&gt; `{line}`" if line.strip() else "&gt;" for line in inside]


def _pack(units: list[Unit], room: int, tail: _Tail) -> list[list[Unit]]:
    """Units in parts, in order, torn only where a whole part would not hold them."""
    packer = _Packer(room)
    for unit in units:
        packer.put(unit)
    return packer.finished(tail)


class _Packer:
    """Fills parts; `left` is what the open one still takes."""

    __slots__ = ("_left", "_parts", "_room")

    def __init__(self, room: int) -> None:
        self._room = room
        self._parts: list[list[Unit]] = [[]]
        self._left = room

    def put(self, unit: Unit) -> None:
        rest: Unit | None = unit
        while rest is not None:
            fresh = not self._parts[-1]
            taken, following = part(rest, min(limits.SECTION_MAX, self._left - 2))
            torn = following is not None
            whole_elsewhere = len(shown(rest)) <= min(limits.SECTION_MAX, self._room - 2)
            if not fresh and (taken is None or (torn and (whole_elsewhere or self._is_narrow()))):
                self._open()
                continue
            self._hold(taken or rest)
            rest = following if taken else None

    def _is_narrow(self) -> bool:
        return self._left < TEAR_MIN or len(self._parts[-1]) >= _SECTIONS_MAX

    def _hold(self, unit: Unit) -> None:
        if len(self._parts[-1]) >= _SECTIONS_MAX:
            self._open()
        self._parts[-1].append(unit)
        self._left -= len(shown(unit)) + 2

    def _open(self) -> None:
        self._parts.append([])
        self._left = self._room

    def finished(self, tail: _Tail) -> list[list[Unit]]:
        blocks = len(self._parts[-1]) + tail.block_count
        if self._parts[-1] and (tail.size > self._left or blocks > limits.MESSAGE_BLOCKS_MAX):
            self._open()
        return self._parts


_SECTIONS_MAX: Final = 40
"""Units of one part; the rest of Slack's blocks is for buttons and small print."""


def _merged(units: list[Unit]) -> list[Unit]:
    """Neighbouring paragraphs as one section where it holds them."""
    merged: list[Unit] = []
    for unit in units:
        before = merged[-1] if merged else None
        if isinstance(before, Prose) and isinstance(unit, Prose):
            text = f"{before.text}\n\n{unit.text}"
            if len(text) <= limits.SECTION_MAX:
                merged[-1] = Prose(text)
                continue
        merged.append(unit)
    return merged


def _unnamed(sections: list[Unit], name: str) -> list[Unit]:
    """The sections without the name at their start, which Slack shows by itself."""
    text = shown(sections[0]).removeprefix(name).lstrip("\n")
    return [Prose(text), *sections[1:]] if text else sections[1:]


def _section(unit: Unit) -> dict[str, object]:
    if isinstance(unit, Verbatim):
        words: dict[str, object] = {"type": "text", "text": unit.text}
        if unit.struck:
            words["style"] = {"strike": True}
        quote = {"type": "rich_text_quote", "elements": [words]}
        return {"type": "rich_text", "elements": [quote]}
    text = {"type": "mrkdwn", "text": shown(unit), "verbatim": True}
    return {"type": "section", "text": text, "expand": True}


def _short(text: str) -> str:
    """The fallback, cut outside of tokens where a part was made wide."""
    if len(text) <= limits.TEXT_MAX:
        return text
    return f"{text[: safe_cut(text, limits.TEXT_MAX - 1)]}…"
