"""Which words name whom?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from hivebot.hive.desk import DeskSet
from hivebot.hive.mention.records import (
    AgentTarget,
    DeskTarget,
    EveryoneTarget,
    MentionTarget,
    PersonTarget,
)
from hivebot.hive.roster import Person, Roster
from hivebot.hive.scalars import WHITE_SPACE, is_blank, is_letter_or_digit

CLOSERS: Final = frozenset(WHITE_SPACE + ",;.?!:)]}'\"")
"""Characters that end a token. Source: hive.md section 5.3."""

_GROUP_WORDS: Final = ("everyone", "channel", "here")
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+")

_Alias: TypeAlias = tuple[str, MentionTarget]


class Aliases:
    """Every word that names somebody, built once per text.

    A word that names two different targets names nobody: it fails closed.

    Source: hive.md sections 5.1 and 5.3.
    """

    __slots__ = ("_all", "_desks")

    def __init__(self, roster: Roster, desks: DeskSet) -> None:
        desk_aliases = tuple(_desk_aliases(desks))
        self._desks = _unambiguous(desk_aliases)
        self._all = _unambiguous(
            (
                *_agent_aliases(roster),
                *_person_aliases(roster.people),
                *desk_aliases,
                *((word, EveryoneTarget()) for word in _GROUP_WORDS),
            )
        )

    def target(self, name: str, *, desk_only: bool) -> MentionTarget | None:
        """Give the one target of a name, in any case; None when there is none or several."""
        return (self._desks if desk_only else self._all).get(name.lower())


def opens_name(ch: str) -> bool:
    """Say whether a name may begin with this character. Source: hive.md sections 5.1 and 5.3."""
    return ch == "_" or is_letter_or_digit(ch)


def slugs(people: Iterable[Person]) -> Iterator[tuple[Person, str]]:
    """Hand out each person's slug, in people order; a label without ASCII letters gets none.

    A slug keeps ASCII letters and digits in lower case and joins them by `_`. A taken one is
    numbered from `_2` on, and what was reached by numbering is taken too.

    Source: hive.md section 5.1.
    """
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for person in people:
        plain = "_".join(_ASCII_WORD.findall(person.label)).lower()
        if not plain:
            continue
        slug = plain
        while slug in taken:
            numbers[plain] = numbers.get(plain, 1) + 1
            slug = f"{plain}_{numbers[plain]}"
        taken.add(slug)
        yield person, slug


def _agent_aliases(roster: Roster) -> Iterator[_Alias]:
    for member in roster.active_members():
        target = AgentTarget(member.id)
        yield member.id, target
        if member.name is not None and not is_blank(member.name):
            yield member.name, target


def _person_aliases(people: tuple[Person, ...]) -> Iterator[_Alias]:
    for person in people:
        if not is_blank(person.label):
            yield person.label, PersonTarget(person.id)
    for person, slug in slugs(people):
        yield slug, PersonTarget(person.id)


def _desk_aliases(desks: DeskSet) -> Iterator[_Alias]:
    for desk in desks.all_desks():
        target = DeskTarget(desk.id)
        yield desk.id, target
        yield desk.name, target


def _unambiguous(aliases: Iterable[_Alias]) -> dict[str, MentionTarget]:
    targets: dict[str, MentionTarget | None] = {}
    for text, target in aliases:
        if not _can_be_written(text):
            continue
        name = text.lower()
        targets[name] = target if targets.get(name, target) == target else None
    return {name: target for name, target in targets.items() if target is not None}


def _can_be_written(alias: str) -> bool:
    return opens_name(alias[0]) and CLOSERS.isdisjoint(alias)
