"""How does a test write a roster, a desk set and a mention in one line?"""

from __future__ import annotations

from hivebot.hive.conversation import AgentAuthor, OperatorAuthor
from hivebot.hive.desk import Desk, DeskAddition, DeskOrder, DeskSet, ResponderMode
from hivebot.hive.mention import (
    AgentTarget,
    DeskTarget,
    EveryoneTarget,
    Mention,
    MentionTarget,
    PersonTarget,
)
from hivebot.hive.roster import Member, Person, Roster

AUTO = ResponderMode.AUTO
OPERATOR = OperatorAuthor()


def a_roster(
    *members: str | Member, people: tuple[Person, ...] = (), retired: tuple[str, ...] = ()
) -> Roster:
    return Roster(
        tuple(Member(entry, None) if isinstance(entry, str) else entry for entry in members),
        people,
        retired,
    )


def a_desk(
    desk_id: str, *members: str, name: str | None = None, mode: ResponderMode = ResponderMode.LEAD
) -> Desk:
    return Desk(desk_id, desk_id.title() if name is None else name, None, members, mode)


def desk_set(
    *declared: Desk,
    added: tuple[Desk, ...] = (),
    additions: tuple[tuple[str, str], ...] = (),
    orders: tuple[tuple[str, tuple[str, ...]], ...] = (),
    retired: tuple[str, ...] = (),
) -> DeskSet:
    return DeskSet(
        declared,
        added,
        tuple(DeskAddition(desk_id, agent_id) for desk_id, agent_id in additions),
        tuple(DeskOrder(desk_id, ordered) for desk_id, ordered in orders),
        retired,
    )


def agent(agent_id: str, offset: int = 0, *, quiet: bool = False) -> Mention:
    return _mention(AgentTarget(agent_id), agent_id, offset, quiet=quiet)


def person(person_id: str, offset: int = 0, *, quiet: bool = False) -> Mention:
    return _mention(PersonTarget(person_id), person_id, offset, quiet=quiet)


def desk(desk_id: str, offset: int = 0, *, quiet: bool = False) -> Mention:
    return _mention(DeskTarget(desk_id), f"#{desk_id}", offset, quiet=quiet)


def everyone(offset: int = 0, *, quiet: bool = False) -> Mention:
    return _mention(EveryoneTarget(), "everyone", offset, quiet=quiet)


def _mention(target: MentionTarget, name: str, offset: int, *, quiet: bool) -> Mention:
    return Mention(target, f"@{name}", offset, quiet)


def by_agent(agent_id: str) -> AgentAuthor:
    return AgentAuthor(agent_id, agent_id.title())
