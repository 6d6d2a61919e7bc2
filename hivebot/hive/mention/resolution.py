"""Which mentions does this text hold, today?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final

from hivebot.hive.desk import DeskSet
from hivebot.hive.errors import HiveError
from hivebot.hive.mention.aliases import CLOSERS, Aliases, opens_name
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.mention.records import (
    AgentTarget,
    Mention,
    MentionAuthor,
    MentionedByAgent,
    MentionedByPerson,
    MentionTarget,
    PersonTarget,
)
from hivebot.hive.roster import Roster
from hivebot.hive.scalars import utf8

PING_CAP: Final = 50
"""Most mentions of one text that ping; more of them only name. Source: hive.md section 5.5."""

_ASCII_CLOSERS: Final = re.escape("".join(sorted(ch for ch in CLOSERS if ch.isascii())).encode())
_WIDE_CLOSERS: Final = b"|".join(ch.encode() for ch in sorted(CLOSERS) if not ch.isascii())
# A token that reaches another `@` is none, so it ends there and no byte is looked at twice.
_TOKEN: Final = re.compile(
    rb"@(?<![^ \t\n\f\r(\[{]@)#?+"
    rb"(?:[^@\x80-\xff" + _ASCII_CLOSERS + rb"]++|(?!" + _WIDE_CLOSERS + rb")[\x80-\xff])++(?!@)"
)


def resolve(
    body: str,
    supplied: Sequence[Mention] | None,
    author: MentionAuthor,
    roster: Roster,
    desks: DeskSet,
) -> tuple[Mention, ...]:
    """Give the mentions of a text in order of offset; nothing on a malformed roster or desk set.

    1. With no supplied list the mentions are extracted from the body.
    2. With one, an empty one included, its entries are checked against the body instead: what is
       not written there is dropped, what no longer names its target is made quiet.
    3. Repeated offsets and self mentions go, repeated targets and all beyond `PING_CAP` are quiet.

    Total on any text; the time is linear in it, apart from sorting.

    Source: hive.md section 5.
    """
    try:
        roster.validate()
        desks.validate()
    except HiveError:
        return ()
    tokens = dict(_tokens(utf8(body)))
    if not tokens:
        # most texts name nobody, and a large roster makes many aliases
        return ()
    aliases = Aliases(roster, desks)
    if supplied is None:
        return _normalised(_extracted(tokens.items(), aliases), author)
    return _normalised(_revalidated(tokens, aliases, supplied), author)


def _tokens(body: bytes) -> Iterator[tuple[int, str]]:
    """Walk the offsets and texts of everything written like a mention, outside code."""
    code = code_ranges(body)
    texts: dict[bytes, str] = {}
    for token in _TOKEN.finditer(body):
        raw = token[0]
        if raw not in texts:
            texts[raw] = _token_text(raw)
        if texts[raw] and not code.holds(token.start()):
            yield token.start(), texts[raw]


def _token_text(raw: bytes) -> str:
    text = raw.decode("utf-8", "surrogatepass")
    return text if opens_name(_name(text)[0]) else ""


def _name(text: str) -> str:
    return text[2:] if _desk_only(text) else text[1:]


def _desk_only(text: str) -> bool:
    return text.startswith("@#")


def _target(text: str, aliases: Aliases) -> MentionTarget | None:
    return aliases.target(_name(text), desk_only=_desk_only(text))


def _extracted(tokens: Iterable[tuple[int, str]], aliases: Aliases) -> Iterator[Mention]:
    targets: dict[str, MentionTarget | None] = {}
    for offset, text in tokens:
        if text not in targets:
            targets[text] = _target(text, aliases)
        target = targets[text]
        if target is not None:
            yield Mention(target, text, offset)


def _revalidated(
    tokens: Mapping[int, str], aliases: Aliases, supplied: Iterable[Mention]
) -> Iterator[Mention]:
    for entry in supplied:
        # Equal to the whole token at its offset: within the body, at boundaries, not in code.
        if tokens.get(entry.offset) != entry.text:
            continue
        # Aliases name only who is current, so a target that is not differs from any of theirs.
        if _target(entry.text, aliases) == entry.target:
            yield entry
        else:
            yield _hushed(entry)


def _normalised(mentions: Iterable[Mention], author: MentionAuthor) -> tuple[Mention, ...]:
    kept: list[Mention] = []
    offsets: set[int] = set()
    targets: set[MentionTarget] = set()
    pings = 0
    for mention in sorted(mentions, key=attrgetter("offset")):
        if mention.offset in offsets or _is_self(mention.target, author):
            continue
        offsets.add(mention.offset)
        quiet = mention.quiet or mention.target in targets or pings == PING_CAP
        targets.add(mention.target)
        pings += not quiet
        kept.append(mention if mention.quiet == quiet else _hushed(mention))
    return tuple(kept)


def _hushed(mention: Mention) -> Mention:
    return Mention(mention.target, mention.text, mention.offset, quiet=True)


def _is_self(target: MentionTarget, author: MentionAuthor) -> bool:
    if isinstance(author, MentionedByAgent):
        return target == AgentTarget(author.id)
    if isinstance(author, MentionedByPerson):
        return target == PersonTarget(author.id)
    return False
