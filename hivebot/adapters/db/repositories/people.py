"""Where does one person stand in the tables, and how do they leave?

Statements over many tables, by hand: each says which columns can name a person.
"""

# ruff: noqa: S608 - nothing but names of ours is put into these statements

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from sqlalchemy import TextClause, text

from hivebot.adapters.db.codec import encode
from hivebot.adapters.db.repositories.base import Repository
from hivebot.services.ports.people import SpokenAt
from hivebot.services.records.outgoing import Body

NOBODY: Final = "nobody"
"""Stands in JSON where a person's id stood."""

_SAID: Final = text(
    """
    select place.team_id, place.channel_id, min(place.thread_ts), message.ts
    from message join conversation as place on place.id = message.conversation_id
    where message.deleted_at is null and message.ts <> ''
        and (message.user_id = :user or place.desk_id = 'dm:' || :user)
    group by place.team_id, place.channel_id, message.ts
    order by message.ts
    """
)

_CORRECTED: Final = """
    from gate join message on
        (gate.kind = 'answer_review' and message.turn_id = gate.turn_id)
        or (gate.kind = 'referral_review' and message.role = 'question' and message.referral_id in (
            select referral.id from referral where referral.question_id = gate.question_id
                and gate.task_type = referral.from_desk_id || '>' || referral.to_desk_id))
        or (gate.kind = 'decision_review' and message.role = 'outcome'
            and message.conversation_id = gate.conversation_id
            and position(gate.words in message.content) > 0)
    where gate.actor_user_id = :user and gate.state = 'corrected' and message.deleted_at is null
"""
"""What was said in the words a steward put in the place of others at a gate."""

_BLANKING: Final = (
    "update message as held set content = '', shown = '', deleted_at = now()"
    f" where id in (select message.id {_CORRECTED})"
)

_PUT: Final = text(
    f"""
    select distinct place.team_id, place.channel_id, place.thread_ts, said.ts
    from (select message.conversation_id, message.ts {_CORRECTED} and message.ts <> '') as said
    join conversation as place on place.id = said.conversation_id order by said.ts
    """
)

_REFUSED: Final = "a steward did not approve it"
_REFUSALS: Final = (
    ("turn", "reason"),
    ("referral", "reason"),
    ("episode", "reason"),
    ("message", "content"),
    ("message", "shown"),
    ("gate", "artifact"),
)
"""Columns in which a steward's reason may stand behind these words."""

_REFUSALS_IN_JSON: Final = (
    ("outbox", "body"),
    ("turn", "reply"),
    ("turn", "notes"),
    ("gate", "draft"),
)
"""Columns of JSON in which it may."""

_THEIR_WORDS: Final = "gate.actor_user_id = :user and gate.words <> ''"

# A payload that has the id as a value is theirs, or tells of them; a text that only mentions them
# is somebody else's.
_THEIRS: Final = (
    "jsonb_path_exists(payload, '$.** ? (@ == $user)',"
    " jsonb_build_object('user', cast(:user as text)))"
)
_THEIR_DIRECT: Final = "(select {} from conversation where desk_id = 'dm:' || :user)"
_TO_THEM: Final = (
    "(outbox.user_id = :user or channel_id = :user"
    f" or channel_id in {_THEIR_DIRECT.format('channel_id')}) and body <> cast(:blank as jsonb)"
)

# The order matters: an event's payload says which edits wait for a message of theirs.
_REMOVING: Final = (
    f"""
    delete from pending_revision as edit using inbox_event as event
    where event.team_id = edit.team_id and edit.ts = any(event.about) and {_THEIRS}
    """,
    f"update inbox_event set payload = null where {_THEIRS}",
    f"""
    update message set content = '', shown = '', traces = '[]', files = '[]', mentions = null,
        deleted_at = coalesce(deleted_at, now())
    where conversation_id in {_THEIR_DIRECT.format("id")}
    """,
    f"update turn set reply = null where conversation_id in {_THEIR_DIRECT.format('id')}",
    f"""
    update outbox set body = cast(:blank as jsonb),
        state = case when state = 'queued' and cardinality(ts) = 0 then 'cancelled' else state end
    where {_TO_THEM}
    """,
    f"""
    update outbox set channel_id = '{NOBODY}'
    where channel_id = :user and state not in ('queued', 'sending')
    """,
    f"""
    insert into usage (desk_id, day, turns, tokens, usd_micros)
    select 'dm:{NOBODY}', day, turns, tokens, usd_micros from usage where desk_id = 'dm:' || :user
    on conflict (desk_id, day) do update set turns = usage.turns + excluded.turns,
        tokens = usage.tokens + excluded.tokens,
        usd_micros = usage.usd_micros + excluded.usd_micros
    """,
    "delete from usage where desk_id = 'dm:' || :user",
    "delete from procrastinate_jobs where args::text ~ :word and status <> 'doing'",
)

_PLAIN: Final = (
    ("message", "user_id"),
    ("turn", "asker_user_id"),
    ("referral", "person_user_id"),
    ("episode", "asker_user_id"),
    ("conversation", "answered_user_id"),
    ("outbox", "user_id"),
    ("gate", "asker_user_id"),
    ("gate", "actor_user_id"),
    ("suggestion", "user_id"),
    ("suggestion", "actor_user_id"),
)
"""Columns that hold one person's id."""

_DIRECT: Final = (("conversation", "desk_id", "dm:"),)
"""Columns that hold it with something before it."""

_JSON: Final = (
    ("message", "author"),
    ("outbox", "body"),
    ("decision", "input"),
    ("decision", "result"),
    ("decision", "next_state"),
)
"""Columns of JSON that may name somebody."""


class PeopleRepository(Repository):
    """What is stored of people beside their messages."""

    async def said(self, user_id: str) -> tuple[SpokenAt, ...]:
        """Every message of theirs, or in their words, or in their direct conversation."""
        found: list[SpokenAt] = []
        for statement in (_SAID, _PUT):
            rows = await self._session.execute(statement, {"user": user_id})
            found += [SpokenAt(*row) for row in rows.all()]
        return tuple(found)

    async def known(self, user_id: str) -> Mapping[str, int]:
        """How much there is that `forget` would remove, by kind."""
        named = 0
        for query in _naming():
            named += await self._counted(query, user_id)
        return {
            "events": await self._counted(f"from inbox_event where {_THEIRS}", user_id),
            "memories": await self._counted(
                "from chunk where :user = any(user_ids)"
                " or task_type in (:user, 'review:' || :user)",
                user_id,
            ),
            "private posts": await self._counted(f"from outbox where {_TO_THEM}", user_id),
            "rows that name them": named,
        }

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Remove it, in this transaction; how much it was, by kind."""
        found = await self.known(user_id)
        for statement in (*_unsaying(), *_REMOVING, *_renaming()):
            await self._session.execute(*_bound(statement, user_id))
        return found

    async def _counted(self, rest: str, user_id: str) -> int:
        counted = await self._session.execute(*_bound(f"select count(*) {rest}", user_id))
        return int(counted.scalar_one())


def _naming() -> list[str]:
    """For each column, the rows that name the person there."""
    plain = [f"from {table} where {column} = :user" for table, column in _PLAIN]
    direct = [
        f"from {table} where {column} = '{before}' || :user" for table, column, before in _DIRECT
    ]
    inside = [f"from {table} where {column}::text ~ :word" for table, column in _JSON]
    return [*plain, *direct, *inside]


def _unsaying() -> list[str]:
    """For each column, what takes a steward's reason out of it; then the words themselves go."""
    told = f"'{_REFUSED} (' || gate.words || ')'"
    # the text begins and ends with none of them, so only those of JSON are taken off
    as_json = f"btrim(to_jsonb({told})::text, '\"')"
    plain = [
        f"update {table} as held set {column} = replace(held.{column}, {told}, '{_REFUSED}')"
        f" from gate where {_THEIR_WORDS} and position({told} in held.{column}) > 0"
        for table, column in _REFUSALS
    ]
    inside = [
        f"update {table} as held set {column} ="
        f" cast(replace(held.{column}::text, {as_json}, '{_REFUSED}') as jsonb)"
        f" from gate where {_THEIR_WORDS} and position({as_json} in held.{column}::text) > 0"
        for table, column in _REFUSALS_IN_JSON
    ]
    return [
        *plain,
        *inside,
        _BLANKING,
        "update gate set words = '' where actor_user_id = :user",
        "update gate set prediction = null where :user in (actor_user_id, asker_user_id)",
    ]


def _renaming() -> list[str]:
    """For each column, what makes it name nobody."""
    plain = [f"update {table} set {column} = '' where {column} = :user" for table, column in _PLAIN]
    direct = [
        f"update {table} set {column} = '{before}{NOBODY}' where {column} = '{before}' || :user"
        for table, column, before in _DIRECT
    ]
    inside = [
        f"update {table} set {column} ="
        f" cast(regexp_replace({column}::text, :word, '{NOBODY}', 'g') as jsonb)"
        f" where {column}::text ~ :word"
        for table, column in _JSON
    ]
    return [*plain, *direct, *inside]


def _bound(statement: str, user_id: str) -> tuple[TextClause, dict[str, object]]:
    """A statement with those of our parameters that it names."""
    given = {"user": user_id, "word": rf"\m{user_id}\M", "blank": _BLANK}
    clause = text(statement)
    return clause, {name: value for name, value in given.items() if f":{name}" in statement}


_BLANK: Final = json.dumps(encode(Body(text="")))
