"""What do the folds see of the rows and the configuration? Pure builders of their inputs.

Source: product.md 3, hive.md 10 and 18.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from hivebot.hive.conversation import GENERAL_DESK, AgentAuthor, Conversation, PersonAuthor
from hivebot.hive.desk import Desk, DeskSet, ResponderMode
from hivebot.hive.mention import (
    AgentTarget,
    DeskTarget,
    Mention,
    MentionAuthor,
    MentionedByAgent,
    MentionedByOther,
    MentionedByPerson,
    resolve,
)
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.roster import Member, Person, Roster
from hivebot.hive.transcript import SessionMessage
from hivebot.services.records.policy import Configuration, DeskConfig, DeskMode
from hivebot.services.records.rows import ConversationRow, MessageRow

_DESK_TOKEN: Final = re.compile(rb"(?:(?<=[ \t\n\f\r(\[{])|^|(?<=\n))@#([^\s,;.?!:)\]}'\"@]+)")
_LEADING_ADDRESS: Final = re.compile(r"^(?:@#?\S+[ \t]*[,:]?[ \t]*)+")


def roster_of(configuration: Configuration, people: Iterable[str] = ()) -> Roster:
    """The agents of a configuration as the folds know them; people are known by id alone."""
    return Roster(
        members=tuple(Member(agent.id, agent.name) for agent in configuration.agents),
        people=tuple(Person(user_id, user_id) for user_id in dict.fromkeys(people) if user_id),
        retired=tuple(agent.id for agent in configuration.agents if agent.retired),
    )


def desks_of(configuration: Configuration) -> DeskSet:
    """The desks of a configuration as the folds know them."""
    return DeskSet(
        declared=tuple(
            Desk(
                id=desk.id,
                name=desk.name,
                description=desk.description or None,
                members=desk.members,
                responder_mode=(
                    ResponderMode.AUTO if desk.mode is DeskMode.SELECT else ResponderMode.LEAD
                ),
            )
            for desk in configuration.desks
        ),
        added=(),
        member_additions=(),
        orders=(),
        retired=tuple(agent.id for agent in configuration.agents if agent.retired),
    )


def conversation_of(row: ConversationRow, configuration: Configuration) -> Conversation:
    """A conversation in canonical form: a desk's id and name, General spelt `General`."""
    desk = configuration.desk(row.desk_id)
    return Conversation(
        desk_id=row.desk_id, desk_name=desk.name if desk else row.desk_id, thread_root=row.root_seq
    )


def active_members(desk: DeskConfig, configuration: Configuration) -> tuple[str, ...]:
    """The desk's members that may speak, in desk order."""
    retired = {agent.id for agent in configuration.agents if agent.retired}
    known = {agent.id for agent in configuration.agents}
    return tuple(member for member in desk.members if member in known and member not in retired)


def mention_author(row: MessageRow) -> MentionAuthor:
    """Who names somebody in this row."""
    match row.author:
        case AgentAuthor(id=agent_id):
            return MentionedByAgent(agent_id)
        case PersonAuthor(id=person_id):
            return MentionedByPerson(person_id)
        case _:
            return MentionedByOther()


def asked_mentions(row: MessageRow, roster: Roster, desks: DeskSet) -> tuple[Mention, ...]:
    """The mentions of a row: an agent's are supplied, a person's are read outside quotes."""
    author = mention_author(row)
    found = resolve(row.content, row.mentions, author, roster, desks)
    if row.mentions is not None:
        return found
    body = row.content.encode()
    # a name is quiet where it was named before, which may have been in a quote
    spoken = tuple(
        replace(mention, quiet=False) for mention in found if not _quoted(body, mention.offset)
    )
    return resolve(row.content, spoken, author, roster, desks)


def _quoted(body: bytes, offset: int) -> bool:
    start = body.rfind(b"\n", 0, offset) + 1
    return body[start:offset].lstrip(b" \t").startswith(b">")


def unknown_desk_names(content: str, desks: DeskSet) -> tuple[str, ...]:
    """The `@#names` of a text that pick out no desk, in order, outside code and quotes."""
    body = content.encode()
    code = code_ranges(body)
    known = {name.lower() for desk in desks.all_desks() for name in (desk.id, desk.name)}
    names = (
        token[1].decode(errors="replace")
        for token in _DESK_TOKEN.finditer(body)
        if not code.holds(token.start()) and not _quoted(body, token.start())
    )
    return tuple(dict.fromkeys(name for name in names if name.lower() not in known))


def elsewhere(mention: Mention, desk: DeskConfig, configuration: Configuration) -> bool:
    """Whether a mention calls another desk, or an agent that sits on another desk only."""
    match mention.target:
        case DeskTarget(id=desk_id):
            return desk_id != desk.id
        case AgentTarget(id=agent_id):
            return agent_id not in active_members(desk, configuration) and any(
                agent_id in other.members for other in configuration.desks
            )
        case _:
            return False


def question_text(content: str) -> str:
    """A question without the names it was addressed to; the whole text when nothing is left."""
    bare = _LEADING_ADDRESS.sub("", content).strip()
    return bare or content.strip()


def session_message(row: MessageRow) -> SessionMessage:
    """A row as the folds read it."""
    return SessionMessage(row.seq, row.author, row.content)


def chat_id(conversation: ConversationRow, configuration: Configuration) -> str | None:
    """The chat as the responder ladder wants it: a desk id, `dm:<user>`, or None for General."""
    if conversation.desk_id.startswith("dm:"):
        return conversation.desk_id
    if conversation.desk_id == GENERAL_DESK or configuration.desk(conversation.desk_id) is None:
        return None
    return conversation.desk_id
