"""What may the app write, and what stands in the channel afterwards?"""

from __future__ import annotations

from dataclasses import dataclass, field

from hivebot.sandbox import events
from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.text import stored
from hivebot.sandbox.validation import MAX_TEXT, check_message_blocks
from hivebot.sandbox.workspace.core import Workspace
from hivebot.sandbox.world import Channel, Ephemeral, Message


@dataclass(frozen=True, slots=True)
class Draft:
    """What the app asks to be posted; None means that the argument was left out."""

    text: str | None = None
    markdown_text: str | None = None
    blocks: list[Json] | None = None
    attachments: list[Json] | None = None
    thread_ts: str | None = None
    broadcast: bool = False
    username: str | None = None
    icons: Json | None = None
    metadata: Json | None = None
    unfurl: bool = True
    extra: Json = field(default_factory=dict[str, object])


def post(ws: Workspace, channel_id: str, draft: Draft) -> Message:
    """Post a message of the app and return it.

    Checked in this order: the channel is visible, the bot is in it, it is not archived, there is
    something to post, it fits, the thread exists.

    Raises:
        SlackError: Slack's name of the first check that failed.
    """
    return put(ws, writable(ws, channel_id), draft)


def put(ws: Workspace, channel: Channel, draft: Draft) -> Message:
    """Post a message of the app where it may be, without asking whether it may.

    Raises:
        SlackError: Slack's name of the first check of the content or thread that failed.
    """
    text, blocks = _content(draft)
    root = thread_root(ws, channel, draft.thread_ts)
    ts = ws.mint_ts()
    message = Message(
        ts=ts,
        channel=channel.id,
        posted_at=ws.clock(),
        text=stored(text),
        user=ws.world.app.bot_user,
        bot_id=ws.world.app.bot_id,
        app_id=ws.world.app.id,
        username=draft.username,
        icons=draft.icons,
        subtype="thread_broadcast" if root and draft.broadcast else None,
        thread_ts=root.ts if root else None,
        blocks=numbered(blocks, ts),
        attachments=draft.attachments or [],
        metadata=draft.metadata,
        unfurl=draft.unfurl,
        team=ws.world.team.id,
    )
    ws.world.messages.append(message)
    ws.tell_message(message, channel)
    ws.changed()
    return message


def writable(ws: Workspace, channel_id: str) -> Channel:
    """Return a channel the app may write to; a user id means the DM with that person.

    Raises:
        SlackError: ``channel_not_found``, ``not_in_channel`` or ``is_archived``.
    """
    if ws.person(channel_id) is not None:
        channel_id = direct(ws, channel_id).id
    channel = ws.visible_channel(channel_id)
    if not ws.bot_in(channel):
        raise SlackError("not_in_channel")
    if channel.is_archived:
        raise SlackError("is_archived")
    return channel


def direct(ws: Workspace, user: str) -> Channel:
    """Return the DM of the bot and a person, opening it where needed.

    Raises:
        SlackError: ``user_not_found``, ``user_disabled``, or ``cannot_dm_bot``.
    """
    person = ws.person(user)
    if person is None:
        raise SlackError("user_not_found")
    if person.deleted:
        raise SlackError("user_disabled")
    if person.is_bot:
        raise SlackError("cannot_dm_bot")
    bot = ws.world.app.bot_user
    for channel in ws.world.channels:
        if channel.kind == "im" and set(channel.members) == {bot, user}:
            return channel
    opened = Channel(id=f"D0{user[2:]}", name=user, kind="im", members=[bot, user])
    ws.world.channels.append(opened)
    return opened


def thread_root(ws: Workspace, channel: Channel, thread_ts: str | None) -> Message | None:
    """Return the head of the thread, or None for a post outside of threads.

    Raises:
        SlackError: ``invalid_thread_ts`` for a message that is gone, unknown, or itself a reply.
    """
    if not thread_ts:
        return None
    root = ws.message(channel.id, thread_ts)
    if root is None or (root.thread_ts and root.thread_ts != root.ts):
        raise SlackError("invalid_thread_ts")
    return root


def numbered(blocks: list[Json], ts: str) -> list[Json]:
    """Return blocks with an id each, minted where the app gave none."""
    return [
        {**block, "block_id": block.get("block_id") or f"b{index}-{ts}"}
        for index, block in enumerate(blocks)
    ]


def _content(draft: Draft) -> tuple[str, list[Json]]:
    if draft.markdown_text is not None:
        if draft.text is not None or draft.blocks is not None:
            raise SlackError("markdown_text_conflict")
        blocks: list[Json] = [{"type": "markdown", "text": draft.markdown_text}]
        check_message_blocks(blocks)
        return draft.markdown_text, blocks
    text = draft.text or ""
    check_text(text, draft.blocks or draft.attachments)
    check_message_blocks(draft.blocks or [])
    return text, draft.blocks or []


def check_text(text: str, others: list[Json] | None) -> None:
    """Check the length of a text.

    Raises:
        SlackError: ``no_text`` when there is nothing else either, ``msg_too_long``.
    """
    if not text.strip() and not others:
        raise SlackError("no_text")
    if len(text) > MAX_TEXT:
        raise SlackError("msg_too_long")


def update(ws: Workspace, channel_id: str, ts: str, draft: Draft) -> Message:
    """Change a message of the app; what the draft leaves out stays as it was.

    Raises:
        SlackError: ``channel_not_found``, ``message_not_found``, ``cant_update_message`` for
            somebody else's, ``is_inactive`` in an archived channel, or a check of the content.
    """
    channel, message = _own(ws, channel_id, ts, "cant_update_message")
    if channel.is_archived:
        raise SlackError("is_inactive")
    given = (draft.text, draft.markdown_text, draft.blocks, draft.attachments)
    if all(one is None for one in given):
        raise SlackError("no_text")
    kept = message.blocks if draft.blocks is None and draft.markdown_text is None else []
    text, blocks = _content(_with_kept(draft, kept))
    before = events.message_json(message, ws.world, ws.settings)
    message.text = stored(text)
    message.blocks = kept or numbered(blocks, ts)
    if draft.attachments is not None:
        message.attachments = draft.attachments
    if draft.metadata is not None:
        message.metadata = draft.metadata
    event_ts = ws.mint_ts()
    message.edited = {"user": ws.world.app.bot_user, "ts": event_ts}
    after = events.message_json(message, ws.world, ws.settings)
    ws.emit(events.changed_event(after, before, channel, event_ts), channel, own=True)
    ws.changed()
    return message


def _with_kept(draft: Draft, kept: list[Json]) -> Draft:
    """Return the draft with the blocks that stand already, which allow an empty text."""
    if not kept:
        return draft
    return Draft(text=draft.text, blocks=kept, attachments=draft.attachments)


def delete(ws: Workspace, channel_id: str, ts: str) -> None:
    """Delete a message of the app.

    Raises:
        SlackError: ``channel_not_found``, ``message_not_found`` or ``cant_delete_message``.
    """
    channel, message = _own(ws, channel_id, ts, "cant_delete_message")
    remove(ws, channel, message)


def remove(ws: Workspace, channel: Channel, message: Message) -> None:
    """Take a message away, whoever does it, and tell the app."""
    before = events.message_json(message, ws.world, ws.settings)
    replies = ws.thread(channel.id, message.ts)
    ws.world.messages.remove(message)
    event_ts = ws.mint_ts()
    if replies and ws.settings.parent_deletion == "tombstone":
        event = events.changed_event(events.tombstone(before), before, channel, event_ts)
    else:
        event = events.deleted_event(before, channel, event_ts)
    ws.emit(event, channel, own=message.bot_id == ws.world.app.bot_id)
    ws.changed()


def _own(ws: Workspace, channel_id: str, ts: str, refusal: str) -> tuple[Channel, Message]:
    channel = ws.visible_channel(channel_id)
    message = ws.message(channel.id, ts)
    if message is None:
        raise SlackError("message_not_found")
    if message.bot_id != ws.world.app.bot_id:
        raise SlackError(refusal)
    return channel, message


def post_ephemeral(ws: Workspace, channel_id: str, user: str, draft: Draft) -> Ephemeral:
    """Show a message to one member of a channel.

    Raises:
        SlackError: As for ``post``; ``user_not_found``, or ``user_not_in_channel``.
    """
    channel = writable(ws, channel_id)
    if ws.person(user) is None:
        raise SlackError("user_not_found")
    if user not in channel.members:
        raise SlackError("user_not_in_channel")
    thread_root(ws, channel, draft.thread_ts)
    return show_draft(ws, channel.id, user, draft)


def show_draft(ws: Workspace, channel_id: str, user: str, draft: Draft) -> Ephemeral:
    """Put an ephemeral message before a person and return it.

    Raises:
        SlackError: A check of the content.
    """
    text, blocks = _content(draft)
    ts = ws.mint_ts()
    shown = Ephemeral(
        ts=ts,
        channel=channel_id,
        user=user,
        text=stored(text),
        blocks=numbered(blocks, ts),
        thread_ts=draft.thread_ts,
    )
    ws.world.ephemerals.append(shown)
    ws.changed()
    return shown


def react(ws: Workspace, channel_id: str, ts: str, name: str, user: str, *, added: bool) -> None:
    """Add or remove a reaction of ``user``.

    Raises:
        SlackError: ``message_not_found``, ``invalid_name``, ``already_reacted``, ``no_reaction``.
    """
    channel = ws.channel(channel_id)
    message = ws.message(channel_id, ts)
    if channel is None or message is None:
        raise SlackError("message_not_found")
    if not name or not name.strip(":"):
        raise SlackError("invalid_name")
    users = list(message.reactions.get(name.strip(":"), []))
    if added and user in users:
        raise SlackError("already_reacted")
    if not added and user not in users:
        raise SlackError("no_reaction")
    users = [*users, user] if added else [one for one in users if one != user]
    others = {
        key: list(value) for key, value in message.reactions.items() if key != name.strip(":")
    }
    message.reactions = {**others, name.strip(":"): users} if users else others
    ws.emit(
        events.reaction_event(
            added=added,
            user=user,
            name=name.strip(":"),
            message=message,
            channel=channel,
            event_ts=ws.mint_ts(),
        ),
        channel,
        own=user == ws.world.app.bot_user,
    )
    ws.changed()
