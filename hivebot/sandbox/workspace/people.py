"""What may people do, and what does the app hear of it?"""

from __future__ import annotations

from dataclasses import dataclass, field

from hivebot.sandbox import events, text
from hivebot.sandbox.errors import ControlError, SlackError
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.workspace import posting, views
from hivebot.sandbox.workspace.core import Workspace
from hivebot.sandbox.world import Channel, Message, Person


@dataclass(frozen=True, slots=True)
class Say:
    """What a person types; ``raw`` sends ``text`` as Slack text, tokens and all.

    A file is any of Slack's fields by name, and ``content`` for what stands in it.
    """

    text: str
    thread_ts: str | None = None
    raw: bool = False
    broadcast: bool = False
    files: list[Json] = field(default_factory=list[Json])


def say(ws: Workspace, user: str, channel_id: str, words: Say) -> Message:
    """Post what a person typed.

    Raises:
        ControlError: The person cannot write there, or the thread is gone.
    """
    person, channel = _present(ws, user, channel_id)
    if channel.is_archived:
        raise ControlError("is_archived", channel.id)
    root = _root(ws, channel, words.thread_ts)
    sent = words.text if words.raw else text.typed(words.text, person, ws.world, ws.settings)
    message = Message(
        ts=ws.mint_ts(),
        channel=channel.id,
        posted_at=ws.clock(),
        text=sent,
        user=person.id,
        team=person.team_id,
        client_msg_id=ws.mint_id("client-"),
        thread_ts=root.ts if root else None,
        subtype=_subtype(words, root),
        blocks=text.rich_text(sent) if ws.settings.rich_text and sent else [],
        files=[_file(ws, one, person) for one in words.files],
    )
    ws.world.messages.append(message)
    ws.tell_message(message, channel)
    ws.changed()
    return message


def _subtype(words: Say, root: Message | None) -> str | None:
    if words.files:
        return "file_share"
    return "thread_broadcast" if root and words.broadcast else None


def _file(ws: Workspace, file: Json, person: Person) -> Json:
    file_id = ws.mint_id("F")
    name = str(file.get("name", "file.txt"))
    content = str(file.get("content", ""))
    ws.world.files[file_id] = content
    given = {key: value for key, value in file.items() if key != "content"}
    return {
        "id": file_id,
        "name": name,
        "title": name,
        "mimetype": "text/plain",
        "filetype": name.rpartition(".")[2],
        "size": len(content.encode()),
        "user": person.id,
        "mode": "hosted",
        "url_private": f"{ws.base_url}/files/{file_id}/{name}",
        **given,
    }


def _present(ws: Workspace, user: str, channel_id: str) -> tuple[Person, Channel]:
    person, channel = ws.acting(user), ws.place(channel_id)
    if person.id not in channel.members:
        raise ControlError("not_in_channel", f"{person.name} is not in {channel.name}")
    return person, channel


def _root(ws: Workspace, channel: Channel, thread_ts: str | None) -> Message | None:
    try:
        return posting.thread_root(ws, channel, thread_ts)
    except SlackError as exc:
        raise ControlError("no_such_thread", str(thread_ts)) from exc


def bot_say(ws: Workspace, bot_id: str, channel_id: str, draft: posting.Draft) -> Message:
    """Post as another app's bot, with any text, blocks and attachments.

    Raises:
        ControlError: There is no such bot, channel or thread.
    """
    channel = ws.place(channel_id)
    bot = next((one for one in ws.world.bots if one.id == bot_id), None)
    if bot is None:
        raise ControlError("no_such_bot", bot_id)
    root = _root(ws, channel, draft.thread_ts)
    message = Message(
        ts=ws.mint_ts(),
        channel=channel.id,
        posted_at=ws.clock(),
        text=draft.text or "",
        subtype="bot_message",
        bot_id=bot.id,
        app_id=bot.app_id,
        user=bot.user_id,
        username=draft.username or bot.name,
        thread_ts=root.ts if root else None,
        blocks=draft.blocks or [],
        attachments=draft.attachments or [],
        extra=draft.extra,
    )
    ws.world.messages.append(message)
    ws.tell_message(message, channel)
    ws.changed()
    return message


def edit(ws: Workspace, user: str, channel_id: str, ts: str, words: Say) -> Message:
    """Edit a person's own message.

    Raises:
        ControlError: It is not theirs or not there.
    """
    person, channel, message = _own(ws, user, channel_id, ts)
    before = events.message_json(message, ws.world, ws.settings)
    sent = words.text if words.raw else text.typed(words.text, person, ws.world, ws.settings)
    message.text = sent
    message.blocks = text.rich_text(sent) if ws.settings.rich_text and sent else []
    event_ts = ws.mint_ts()
    message.edited = {"user": person.id, "ts": event_ts}
    after = events.message_json(message, ws.world, ws.settings)
    ws.emit(events.changed_event(after, before, channel, event_ts), channel)
    if ws.settings.mention_on_edit and ws.names_bot(message, channel):
        again = events.message_event(message, channel, ws.world, ws.settings, None)
        ws.emit({**events.mention_event(again), "event_ts": event_ts}, channel)
    ws.changed()
    return message


def delete(ws: Workspace, user: str, channel_id: str, ts: str) -> None:
    """Delete a person's own message; an admin may delete anybody's.

    Raises:
        ControlError: It is not theirs or not there.
    """
    _, channel, message = _own(ws, user, channel_id, ts, admin=True)
    posting.remove(ws, channel, message)


def _own(
    ws: Workspace, user: str, channel_id: str, ts: str, *, admin: bool = False
) -> tuple[Person, Channel, Message]:
    person, channel = _present(ws, user, channel_id)
    message = ws.message(channel.id, ts)
    if message is None:
        raise ControlError("no_such_message", ts)
    if message.user != person.id and not (admin and person.is_admin):
        raise ControlError("not_their_message", ts)
    return person, channel, message


def react(
    ws: Workspace, user: str, channel_id: str, ts: str, name: str, *, added: bool = True
) -> None:
    """Add or remove a person's reaction.

    Raises:
        ControlError: The message is not there, or the reaction is there already or not at all.
    """
    person, channel = _present(ws, user, channel_id)
    try:
        posting.react(ws, channel.id, ts, name, person.id, added=added)
    except SlackError as exc:
        raise ControlError(exc.error, ts) from exc


def unfurl(ws: Workspace, channel_id: str, ts: str, attachments: list[Json]) -> None:
    """Let Slack attach a preview to a message: a hidden change that nobody made.

    A message posted with unfurling off is left alone.

    Raises:
        ControlError: The message is not there.
    """
    channel = ws.place(channel_id)
    message = ws.message(channel.id, ts)
    if message is None:
        raise ControlError("no_such_message", ts)
    if not message.unfurl:
        return
    before = events.message_json(message, ws.world, ws.settings)
    message.attachments = [*message.attachments, *attachments]
    after = events.message_json(message, ws.world, ws.settings)
    ws.emit(events.changed_event(after, before, channel, ws.mint_ts()), channel)
    ws.changed()


def open_home(ws: Workspace, user: str, tab: str) -> None:
    """Open the app's Home or Messages tab.

    Raises:
        ControlError: Nobody has this id, or the account is deactivated.
    """
    person = ws.acting(user)
    shown = views.home(ws, person.id)
    direct = [one.id for one in ws.world.channels if one.kind == "im" and person.id in one.members]
    event: Json = {
        "type": "app_home_opened",
        "user": person.id,
        "channel": direct[0] if direct else f"D0{person.id[2:]}",
        "tab": tab,
        "event_ts": ws.mint_ts(),
    }
    ws.emit({**event, "view": views.view_json(ws, shown)} if shown else event)
    ws.changed()
