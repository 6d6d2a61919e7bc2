"""What does a client make of typed text, and what does a reader see of Slack's text?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hivebot.sandbox.settings import Settings
from hivebot.sandbox.shapes import Json, as_list, as_map, as_maps, as_text
from hivebot.sandbox.world import Person, World

SPECIAL = ("here", "channel", "everyone")
_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_TYPED = re.compile(
    r"(?P<url>https?://[^\s<>|]+)"
    r"|(?<![\w@#/])@(?P<name>[a-z0-9][a-z0-9._-]*)"
    r"|(?<![\w&#/])#(?P<channel>[a-z0-9][a-z0-9_-]*)"
)
_TOKEN = re.compile(r"<(?P<mark>[@#!]?)(?P<target>[^<>|]*)(?:\|(?P<label>[^<>]*))?>")
_STRAY_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")


def escape(text: str) -> str:
    """Escape the three characters Slack escapes, the ampersand first."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """Decode the three entities once, the ampersand last."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def stored(text: str) -> str:
    """Return an app's text as Slack keeps it: stray ampersands are escaped."""
    return _STRAY_AMPERSAND.sub("&amp;", text)


def typed(text: str, person: Person, world: World, settings: Settings) -> str:
    """Return what the client of ``person`` sends for ``text``.

    Names become tokens outside of code: `@name` a user, a user group or a special mention,
    `#channel` (also in `@#channel`) a channel the person can see, in the form the settings ask
    for; links get angle brackets; the rest is escaped.

    Source: product.md section 3, canonical text.
    """

    def token(match: re.Match[str]) -> str:
        if match["url"]:
            return f"<{match['url']}>"
        if match["channel"]:
            return _channel_token(match["channel"], person, world, settings) or match[0]
        return _name_token(match["name"], world) or match[0]

    parts = _CODE.split(escape(text))
    return "".join(
        part if index % 2 else _TYPED.sub(token, part) for index, part in enumerate(parts)
    )


def _name_token(name: str, world: World) -> str | None:
    bare = name.rstrip("._-")
    rest = name[len(bare) :]
    if bare in SPECIAL:
        return f"<!{bare}>{rest}"
    for person in world.people:
        if person.name == bare:
            return f"<@{person.id}>{rest}"
    for group in world.groups:
        if group.handle == bare:
            return f"<!subteam^{group.id}|@{group.handle}>{rest}"
    return None


def _channel_token(name: str, person: Person, world: World, settings: Settings) -> str | None:
    if settings.channel_form == "literal":
        return None
    for channel in world.channels:
        visible = not channel.is_private or person.id in channel.members
        if channel.name == name and channel.kind == "channel" and visible:
            forms = {"labelled": f"|{name}", "bare": "", "empty": "|"}
            return f"<#{channel.id}{forms[settings.channel_form]}>"
    return None


def plain(text: str, world: World) -> str:
    """Return Slack's text as a reader sees it: names for tokens, entities decoded."""
    return unescape(_TOKEN.sub(lambda match: _shown(match, world), text))


def _shown(match: re.Match[str], world: World) -> str:
    mark, target, label = match["mark"], match["target"], match["label"]
    if mark == "@":
        return "@" + next((one.name for one in world.people if one.id == target), target)
    if mark == "#":
        return "#" + next((one.name for one in world.channels if one.id == target), label or target)
    if mark == "!":
        return _shown_special(target, label, world)
    return label or target


def _shown_special(target: str, label: str | None, world: World) -> str:
    kind, _, group_id = target.partition("^")
    if kind == "subteam":
        group = next((one for one in world.groups if one.id == group_id), None)
        return f"@{group.handle}" if group else (label or target)
    return label or f"@{kind}"


def mentioned(text: str, world: World) -> list[str]:
    """Return whom ``text`` notifies: user ids, `here`, `channel`, `everyone`; groups expanded."""
    found: dict[str, None] = {}
    for match in _TOKEN.finditer(text):
        mark, target = match["mark"], match["target"]
        kind, _, group_id = target.partition("^")
        if mark == "@":
            found[target] = None
        elif mark == "!" and kind == "subteam":
            members = [group.users for group in world.groups if group.id == group_id]
            found.update(dict.fromkeys(user for users in members for user in users))
        elif mark == "!" and kind in SPECIAL:
            found[kind] = None
    return list(found)


def rich_text(text: str) -> list[Json]:
    """Return the rich-text block a client sends beside the text it stands for."""
    sections: list[Json] = []
    for index, part in enumerate(re.split(r"```(.*?)```", text, flags=re.DOTALL)):
        if index % 2:
            sections.append(_section("rich_text_preformatted", [_literal(part)]))
        elif part.strip():
            sections.extend(_paragraphs(part.strip("\n")))
    return [{"type": "rich_text", "block_id": "typed", "elements": list[object](sections)}]


def _paragraphs(text: str) -> Iterator[Json]:
    lines: list[str] = []
    quoted = False
    for line in text.split("\n"):
        is_quote = line.startswith("&gt;")
        if lines and is_quote != quoted:
            yield _spans(lines, quoted=quoted)
            lines = []
        quoted = is_quote
        lines.append(line.removeprefix("&gt;").removeprefix(" ") if is_quote else line)
    yield _spans(lines, quoted=quoted)


def _spans(lines: list[str], *, quoted: bool) -> Json:
    elements: list[Json] = []
    for index, part in enumerate(re.split(r"`([^`\n]+)`", "\n".join(lines))):
        if index % 2:
            elements.append({**_literal(part), "style": {"code": True}})
        else:
            elements.extend(_inline(part))
    return _section("rich_text_quote" if quoted else "rich_text_section", elements)


def _section(kind: str, elements: list[Json]) -> Json:
    return {"type": kind, "elements": list[object](elements)}


def _literal(text: str) -> Json:
    return {"type": "text", "text": unescape(text)}


def _inline(text: str) -> Iterator[Json]:
    at = 0
    for match in _TOKEN.finditer(text):
        if match.start() > at:
            yield _literal(text[at : match.start()])
        yield _element(match)
        at = match.end()
    if at < len(text):
        yield _literal(text[at:])


def _element(match: re.Match[str]) -> Json:
    mark, target = match["mark"], match["target"]
    kind, _, group_id = target.partition("^")
    if mark == "@":
        return {"type": "user", "user_id": target}
    if mark == "#":
        return {"type": "channel", "channel_id": target}
    if kind == "subteam":
        return {"type": "usergroup", "usergroup_id": group_id}
    if mark == "!":
        return {"type": "broadcast", "range": target}
    link: Json = {"type": "link", "url": unescape(target)}
    return {**link, "text": unescape(match["label"])} if match["label"] else link


def formatted_texts(blocks: object) -> Iterator[tuple[str, str]]:
    """Yield every text of ``blocks`` in reading order as (kind, text).

    The kind is ``mrkdwn`` where Slack reads tokens and ``plain`` where it does not.
    """
    for block in as_maps(blocks):
        kind = as_text(block.get("type"))
        if kind in {"mrkdwn", "markdown"}:
            yield "mrkdwn", as_text(block.get("text"))
        elif kind == "plain_text":
            yield "plain", as_text(block.get("text"))
        elif kind == "rich_text":
            yield "mrkdwn", "\n".join(map(_rich_line, as_maps(block.get("elements"))))
        else:
            yield from formatted_texts(_children(block))


def _children(block: Json) -> list[object]:
    one = [block[key] for key in ("title", "text", "label", "hint") if key in block]
    many = [item for key in ("fields", "elements") for item in as_list(block.get(key))]
    rows = [cell for row in as_list(block.get("rows")) for cell in as_list(row)]
    accessory = [as_map(block[key]) for key in ("accessory", "element") if key in block]
    return [*one, *many, *rows, *accessory]


def _rich_line(section: Json) -> str:
    return "".join(_rich_word(element) for element in as_maps(section.get("elements")))


def _rich_word(element: Json) -> str:
    kind = as_text(element.get("type"))
    forms = {
        "user": f"<@{element.get('user_id')}>",
        "channel": f"<#{element.get('channel_id')}>",
        "usergroup": f"<!subteam^{element.get('usergroup_id')}>",
        "broadcast": f"<!{element.get('range')}>",
        "emoji": f":{element.get('name')}:",
        "link": f"<{element.get('url')}|{element.get('text') or element.get('url')}>",
    }
    if kind in {"rich_text_section", "rich_text_list", "rich_text_quote"}:
        return _rich_line(element)
    return forms.get(kind, escape(as_text(element.get("text"))))
