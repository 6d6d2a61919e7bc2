"""How do channels, membership, accounts and the installation change, and who hears of it?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hivebot.sandbox import events
from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.workspace.core import Workspace
from hivebot.sandbox.world import Channel, Message, Person


def create(ws: Workspace, channel: Channel) -> None:
    """Make a channel.

    Raises:
        ControlError: ``id_taken`` or ``name_taken``.
    """
    if ws.channel(channel.id) is not None:
        raise ControlError("id_taken", channel.id)
    if any(one.name == channel.name for one in ws.world.channels):
        raise ControlError("name_taken", channel.name)
    ws.world.channels.append(channel)
    ws.changed()


def change_channel(ws: Workspace, user: str, channel_id: str, change: str, value: str) -> None:
    """Change a channel in one way and tell the app, while it is in there.

    Raises:
        ControlError: No such channel, or a value that is needed is missing.
    """
    person, channel = ws.acting(user), ws.place(channel_id)
    if change in {"rename", "share", "change_id"} and not value:
        raise ControlError("value_needed", change)
    _CHANGES[change](ws, person, channel, value)
    ws.changed()


def _tell(ws: Workspace, change: str, person: Person, channel: Channel, **more: object) -> None:
    event = events.channel_event(change, channel, person.id, ws.mint_ts(), **more)
    ws.emit(event, channel)


def _rename(ws: Workspace, person: Person, channel: Channel, value: str) -> None:
    channel.name = value
    _tell(ws, "rename", person, channel)


def _archive(ws: Workspace, person: Person, channel: Channel, _: str) -> None:
    channel.is_archived = True
    _tell(ws, "archive", person, channel)


def _unarchive(ws: Workspace, person: Person, channel: Channel, _: str) -> None:
    channel.is_archived = False
    _tell(ws, "unarchive", person, channel)


def _delete(ws: Workspace, person: Person, channel: Channel, _: str) -> None:
    channel.is_deleted = True
    _tell(ws, "deleted", person, channel)


def _share(ws: Workspace, person: Person, channel: Channel, value: str) -> None:
    channel.is_ext_shared = True
    channel.connected_team_ids = [ws.world.team.id, value]
    _tell(ws, "shared", person, channel, connected_team_id=value)


def _unshare(ws: Workspace, person: Person, channel: Channel, _: str) -> None:
    gone = next((one for one in channel.connected_team_ids if one != ws.world.team.id), "")
    channel.is_ext_shared = False
    channel.connected_team_ids = []
    _tell(ws, "unshared", person, channel, previously_connected_team_id=gone)


def _change_id(ws: Workspace, person: Person, channel: Channel, value: str) -> None:
    old, channel.id = channel.id, value
    for message in ws.world.messages:
        if message.channel == old:
            message.channel = value
    event = events.channel_event("id_changed", channel, person.id, ws.mint_ts())
    del event["channel"], event["user"]
    ws.emit({**event, "old_channel_id": old, "new_channel_id": value}, channel)


def _set_private(ws: Workspace, person: Person, channel: Channel, value: str) -> None:
    """Convert quietly, as Slack does: nobody is told."""
    del ws, person
    channel.is_private = value != "no"


_CHANGES: dict[str, Callable[[Workspace, Person, Channel, str], None]] = {
    "rename": _rename,
    "archive": _archive,
    "unarchive": _unarchive,
    "delete": _delete,
    "share": _share,
    "unshare": _unshare,
    "change_id": _change_id,
    "set_private": _set_private,
}


def invite(ws: Workspace, channel_id: str, user: str, by: str) -> None:
    """Bring a person or the bot into a channel; a line in the channel says so.

    Raises:
        ControlError: No such channel or person, or they are in it already.
    """
    channel, person = ws.place(channel_id), _anybody(ws, user)
    inviter = ws.acting(by)
    if person.id in channel.members:
        raise ControlError("already_in_channel", person.name)
    channel.members = [*channel.members, person.id]
    event_ts = ws.mint_ts()
    ws.emit(
        events.membership_event(
            joined=True, user=person, channel=channel, inviter=inviter.id, event_ts=event_ts
        ),
        channel,
    )
    _line(ws, channel, person, "join", {"inviter": inviter.id})
    ws.changed()


def kick(ws: Workspace, channel_id: str, user: str) -> None:
    """Put a person or the bot out of a channel; the bot hears of its own leaving.

    Raises:
        ControlError: No such channel or person, or they are not in it.
    """
    channel, person = ws.place(channel_id), _anybody(ws, user)
    if person.id not in channel.members:
        raise ControlError("not_in_channel", person.name)
    event = events.membership_event(
        joined=False, user=person, channel=channel, inviter=None, event_ts=ws.mint_ts()
    )
    ws.emit(event, channel)
    channel.members = [one for one in channel.members if one != person.id]
    _line(ws, channel, person, "leave", {})
    ws.changed()


def _line(
    ws: Workspace, channel: Channel, person: Person, what: str, extra: dict[str, object]
) -> None:
    prefix = "group" if channel.is_private else "channel"
    verb = "joined" if what == "join" else "left"
    line = Message(
        ts=ws.mint_ts(),
        channel=channel.id,
        posted_at=ws.clock(),
        text=f"<@{person.id}> has {verb} the channel",
        user=person.id,
        subtype=f"{prefix}_{what}",
        team=person.team_id,
        extra=extra,
    )
    ws.world.messages.append(line)
    ws.emit(events.message_event(line, channel, ws.world, ws.settings, None), channel)


def _anybody(ws: Workspace, user: str) -> Person:
    found = ws.person(user)
    return found if found is not None else ws.acting(user)


def hire(ws: Workspace, person: Person) -> None:
    """Add a person.

    Raises:
        ControlError: ``id_taken``.
    """
    if ws.person(person.id) is not None:
        raise ControlError("id_taken", person.id)
    ws.world.people.append(person)
    ws.changed()


def deactivate(ws: Workspace, user: str, *, deleted: bool) -> None:
    """Deactivate an account or bring it back.

    Raises:
        ControlError: Nobody has this id.
    """
    person = next((one for one in ws.world.people if user in {one.id, one.name}), None)
    if person is None:
        raise ControlError("no_such_user", user)
    person.deleted = deleted
    ws.emit({"type": "user_change", "user": {"id": person.id, "deleted": deleted}})
    ws.changed()


def set_group(ws: Workspace, group_id: str, users: list[str]) -> None:
    """Set the members of a user group and tell the app.

    Raises:
        ControlError: There is no such group.
    """
    group = next((one for one in ws.world.groups if group_id in {one.id, one.handle}), None)
    if group is None:
        raise ControlError("no_such_group", group_id)
    group.users = list(users)
    subteam = {"id": group.id, "handle": group.handle, "name": group.name, "users": list(users)}
    ws.emit({"type": "subteam_updated", "subteam": subteam, "event_ts": ws.mint_ts()})
    ws.changed()


def install(ws: Workspace, state: Literal["yes", "revoked", "uninstalled"]) -> None:
    """Revoke the token, uninstall the app, or install it again; the app hears of its end."""
    ws.world.app.installed = state
    bot = ws.world.app.bot_user
    if state == "revoked":
        ws.emit({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [bot]}})
    if state == "uninstalled":
        ws.emit({"type": "app_uninstalled"})
    ws.changed()
