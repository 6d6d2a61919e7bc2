"""What did a person type, before Slack rewrote it? Slack's text and blocks to canonical text.

Source: product.md 3 "Canonical text", rights.md 5, slack.md 6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from hivebot.adapters.slack.shapes import Json, as_list, as_map, as_maps, as_text
from hivebot.services.records.arrivals import TextContext

WORD_JOINER: Final = "\u2060"
"""Breaks what would be read as a mention or a token, and is not seen."""

READABLE_MAX: Final = 8_000
"""Characters kept of a message's attachments and blocks."""

_TOKEN: Final = re.compile(
    r"<(?P<mark>[@#!]?)(?P<target>[^<>|\n]*)(?:\|(?P<label>[^<>\n]*))?>"
    r"|@&lt;#(?P<escaped>[CGD][A-Z0-9]{2,})(?:\|[^&<>\n]{0,80})?&gt;"
)
_USER: Final = re.compile(r"[UW][A-Z0-9]+")
_CHANNEL: Final = re.compile(r"[CGD][A-Z0-9]+")
_GROUP: Final = re.compile(r"subteam\^(S[A-Z0-9]+)")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ENTITY: Final = re.compile(r"&(lt|gt|amp);")
_DECODED: Final = {"lt": "<", "gt": ">", "amp": "&"}
_FORGED: Final = re.compile(
    r"<(?=@[UW][A-Z0-9]|#[CGD][A-Z0-9]|!(?:here|channel|everyone)\b|!(?:subteam|date)\^)"
)
_OPENED: Final = re.compile(r"(^|[ \t\n\f\r(\[{])(?=@)")
_OPENERS: Final = " \t\n\f\r([{"
_CLOSERS: Final = ",;.?!:)]}'\""
_SPECIAL: Final = ("here", "channel", "everyone")


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """What the mention grammar reads.

    Attributes:
        addressed: The bot's own token stands in it.
    """

    text: str
    addressed: bool


def escape(text: str) -> str:
    """Escape the three characters Slack escapes, the ampersand first."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def decode(text: str) -> str:
    """Decode the three entities once: what `&amp;` gives is not read again."""
    return _ENTITY.sub(lambda match: _DECODED[match[1]], text)


def canonical(text: str, context: TextContext) -> CanonicalText:
    """Canonical text of Slack's `text`, in one pass and linear time.

    Every form of a bound desk becomes `@#desk`; a channel without `@` becomes `#desk` where one is
    bound; other people, channels and groups keep their ids. Entities are decoded once, after the
    tokens. What then looks like a token gets a word joiner behind its `<`; a mention in a link's
    label or in a quoted line gets one before its `@`, so that it asks nobody.

    Source: product.md 3, rights.md 5.
    """
    reader = _Reader(text, context)
    read = _FORGED.sub(f"<{WORD_JOINER}", reader.read())
    return CanonicalText(_quiet_quotes(read), reader.addressed)


class _Reader:
    """Replaces the tokens of one text."""

    __slots__ = ("_bot", "_desks", "_groups", "_out", "_source", "addressed")

    def __init__(self, source: str, context: TextContext) -> None:
        self._source = source
        self._desks = dict(context.desk_by_channel)
        self._groups = dict(context.desk_by_group)
        self._bot = context.bot_user_id
        self._out: list[str] = []
        self.addressed = False

    def read(self) -> str:
        at = 0
        for match in _TOKEN.finditer(self._source):
            self._put(decode(self._source[at : match.start()]))
            self._put(self._token(match))
            at = match.end()
        self._put(decode(self._source[at:]))
        return "".join(self._out)

    def _put(self, text: str) -> None:
        if text:
            self._out.append(text)

    def _token(self, match: re.Match[str]) -> str:
        if match["escaped"]:
            desk = self._desks.get(match["escaped"])
            return self._apart(f"@#{desk}", match, _mention_ends) if desk else decode(match[0])
        mark, target, label = match["mark"], match["target"], match["label"] or ""
        if mark == "@" and _USER.fullmatch(target):
            self.addressed = self.addressed or target == self._bot
            return self._apart(f"@{target}", match, _id_ends)
        if mark == "#" and _CHANNEL.fullmatch(target):
            return self._channel(target, match)
        if mark == "!":
            return self._special(target, label, match)
        if not mark and _SCHEME.match(target):
            return _quiet(_link(decode(target), _one_line(decode(label))))
        return decode(match[0])

    def _channel(self, target: str, match: re.Match[str]) -> str:
        desk = self._desks.get(target)
        return self._apart(f"#{desk or target}", match, _mention_ends if desk else _id_ends)

    def _special(self, target: str, label: str, match: re.Match[str]) -> str:
        group = _GROUP.fullmatch(target)
        if group is not None:
            desk = self._groups.get(group[1])
            if desk is None:
                return self._apart(f"@{group[1]}", match, _id_ends)
            return self._gap() + self._apart(f"@#{desk}", match, _mention_ends)
        if target in _SPECIAL:
            return self._gap() + self._apart(f"@{target}", match, _mention_ends)
        return _quiet(_one_line(decode(label))) if label else decode(match[0])

    def _gap(self) -> str:
        """A space where the text before would keep a mention from opening."""
        return " " if self._out and self._out[-1][-1] not in _OPENERS else ""

    def _apart(self, text: str, match: re.Match[str], ends: Callable[[str], bool]) -> str:
        following = self._source[match.end() : match.end() + 1]
        return text if not following or ends(following) else f"{text} "


def _mention_ends(following: str) -> bool:
    """Whether the mention grammar ends a desk's name before this character."""
    return following in _CLOSERS or (following.isspace() and not "\x1c" <= following <= "\x1f")


def _id_ends(following: str) -> bool:
    """Whether an id ends before this character of Slack's text."""
    return not (following.isalnum() or following in "_<")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _quiet(text: str) -> str:
    """Keep mentions in text that somebody else has worded from opening."""
    return _OPENED.sub(rf"\1{WORD_JOINER}", text)


def _link(url: str, label: str) -> str:
    """A link as text that keeps its address; what Slack made a link by itself stays as typed."""
    bare = url.removeprefix("mailto:").removeprefix("tel:")
    if not label or label == bare:
        return bare
    scheme, _, rest = url.partition("://")
    if scheme in {"http", "https"} and rest.rstrip("/") == label.rstrip("/"):
        return label
    return f"{label} ({url})"


def _quiet_quotes(text: str) -> str:
    """Keep mentions in quoted lines outside of fences from opening."""
    if ">" not in text:
        return text
    lines: list[str] = []
    fenced = to_the_end = False
    for line in text.split("\n"):
        start = line.lstrip(" ")
        to_the_end = to_the_end or (start.startswith(">>>") and not fenced)
        quoted = not fenced and (to_the_end or start.startswith(">"))
        if not quoted and line.count("```") % 2:
            fenced = not fenced
        lines.append(_quiet(line) if quoted else line)
    return "\n".join(lines)


def rich_source(blocks: object) -> str:
    """Slack's text for the rich-text blocks among `blocks`, "" when there are none."""
    sections = (
        section
        for block in as_maps(blocks)
        if block.get("type") == "rich_text"
        for section in as_maps(block.get("elements"))
    )
    return "\n".join(part for section in sections for part in _rich_section(section))


def _rich_section(section: Json) -> Iterator[str]:
    kind = section.get("type")
    if kind == "rich_text_list":
        indent = "  " * max(0, min(8, _small(section.get("indent"))))
        for item in as_maps(section.get("elements")):
            yield f"{indent}• {_rich_line(item)}"
        return
    text = _rich_line(section)
    if kind == "rich_text_preformatted":
        yield f"```\n{text}\n```"
    elif kind == "rich_text_quote":
        yield "\n".join(f"&gt; {line}" for line in text.split("\n"))
    else:
        yield text


def _small(value: object) -> int:
    return value if isinstance(value, int) else 0


def _rich_line(section: Json) -> str:
    return "".join(_rich_word(element) for element in as_maps(section.get("elements")))


def _rich_word(element: Json) -> str:
    kind = as_text(element.get("type"))
    text = escape(as_text(element.get("text")))
    if kind == "text":
        return f"`{text}`" if as_map(element.get("style")).get("code") is True else text
    if kind == "link":
        url = escape(as_text(element.get("url")))
        return f"<{url}|{_one_line(text)}>" if text else f"<{url}>"
    field, form = _RICH_WORDS.get(kind, ("fallback", "{}"))
    value = escape(as_text(element.get(field)))
    return form.format(value) if value else text


_RICH_WORDS: Final = {
    "user": ("user_id", "<@{}>"),
    "channel": ("channel_id", "<#{}>"),
    "usergroup": ("usergroup_id", "<!subteam^{}>"),
    "broadcast": ("range", "<!{}>"),
    "emoji": ("name", ":{}:"),
}


def readable(blocks: object, attachments: object) -> str:
    """Slack's text of everything a reader sees in blocks and attachments, one line each.

    At most `READABLE_MAX` characters; a longer one ends in an ellipsis.
    """
    lines = [*_block_lines(blocks, _DEPTH), *_attachment_lines(attachments)]
    text = "\n".join(line for line in lines if line.strip())
    return text if len(text) <= READABLE_MAX else text[: READABLE_MAX - 1] + "…"


_DEPTH: Final = 4
"""Levels of nesting followed; Slack's own blocks have three."""


def _block_lines(blocks: object, depth: int) -> Iterator[str]:
    for block in as_maps(blocks):
        kind = as_text(block.get("type"))
        if kind in {"mrkdwn", "markdown"}:
            yield as_text(block.get("text"))
        elif kind in {"plain_text", "raw_text"}:
            yield escape(as_text(block.get("text")))
        elif kind == "rich_text":
            yield rich_source([block])
        elif depth:
            yield from _block_lines(_inside(block), depth - 1)
            yield escape(as_text(block.get("alt_text")))


def _inside(block: Json) -> list[object]:
    one = [block[key] for key in ("title", "text", "description") if key in block]
    many = [item for key in ("fields", "elements") for item in as_maps(block.get(key))]
    cells = [cell for row in as_list(block.get("rows")) for cell in as_maps(row)]
    return [*one, *many, *cells]


def _attachment_lines(attachments: object) -> Iterator[str]:
    for attachment in as_maps(attachments):
        lines = [as_text(attachment.get(key)) for key in ("pretext", "title", "text")]
        lines.extend(
            f"{as_text(field.get('title'))}: {as_text(field.get('value'))}"
            for field in as_maps(attachment.get("fields"))
        )
        lines.extend(_block_lines(attachment.get("blocks"), _DEPTH))
        if not any(line.strip() for line in lines):
            lines = [as_text(attachment.get("fallback"))]
        yield from lines
