"""What is on a person's screen? Everything the page draws, in one answer."""

from __future__ import annotations

from collections.abc import Iterable

from hivebot.sandbox.bench import Bench
from hivebot.sandbox.control.base import Act
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.workspace import Workspace, reading, seeing
from hivebot.sandbox.world import Channel, Person

MESSAGES_MAX = 200
"""So many of a channel's latest messages are on the screen."""

CALLS_MAX = 20
EVENTS_MAX = 20


class Scene(Act):
    """Ask for a person's screen.

    Attributes:
        user: Whose, by id or name.
        channel: The channel that is open, or "" for none.
        thread_ts: The thread that is open in it.
    """

    user: str
    channel: str = ""
    thread_ts: str = ""

    async def run(self, bench: Bench) -> Json:
        """Return people, channels, the open channel and thread, and what only this person has.

        Raises:
            ControlError: There is no such person, or they cannot see the channel.
        """
        ws = bench.ws
        person = ws.acting(self.user)
        scene: Json = {
            "change": bench.changes,
            "me": person.id,
            "reasons": ws.settings.why_url is not None,
            "team": ws.world.team.model_dump(),
            "app": {"name": ws.world.app.name, "user": ws.world.app.bot_user},
            "people": [_person(ws, one) for one in ws.world.people],
            "groups": [one.model_dump() for one in ws.world.groups],
            "channels": [_channel(ws, one, person) for one in _visible(ws, person)],
            "ephemerals": [
                seeing.ephemeral_seen(ws, one)
                for one in ws.world.ephemerals
                if one.user == person.id
            ],
            "views": [seeing.view_seen(ws, one) for one in ws.world.views if one.user == person.id],
            "wire": _wire(bench),
        }
        if self.channel:
            seeing.visible(ws, self.user, self.channel)
            scene["messages"] = seeing.channel_seen(ws, self.channel, None)[-MESSAGES_MAX:]
        if self.channel and self.thread_ts:
            scene["thread"] = seeing.channel_seen(ws, self.channel, self.thread_ts)
        return scene


def _person(ws: Workspace, person: Person) -> Json:
    return {
        "id": person.id,
        "name": person.name,
        "real_name": person.real_name or person.name,
        "is_bot": person.is_bot,
        "deleted": person.deleted,
        "guest": person.is_restricted or person.is_ultra_restricted,
        "admin": person.is_admin,
        "stranger": person.team_id != ws.world.team.id,
    }


def _visible(ws: Workspace, person: Person) -> Iterable[Channel]:
    """Return the channels the person can open, in the order they were made."""
    return (
        one
        for one in ws.world.channels
        if not one.is_deleted and seeing.sees(person, one, ws.world.team.id)
    )


def _channel(ws: Workspace, channel: Channel, person: Person) -> Json:
    rows = ws.in_channel(channel.id)
    return {
        "id": channel.id,
        "name": channel.name,
        "kind": channel.kind,
        "private": channel.is_private,
        "archived": channel.is_archived,
        "shared": channel.is_ext_shared,
        "member": person.id in channel.members,
        "bot": ws.bot_in(channel),
        "members": list(channel.members),
        "latest": rows[-1].ts if rows else "",
        "top": next((one.ts for one in reversed(rows) if reading.at_top(one)), ""),
    }


def _wire(bench: Bench) -> Json:
    """What goes on between the workspace and the app, and what shall go wrong with it."""
    states = [one.state for one in bench.dispatcher.deliveries]
    return {
        "delivery": bench.ws.settings.delivery,
        "sockets": bench.sockets.count,
        "installed": bench.ws.world.app.installed,
        "rate_limits": bench.ws.settings.rate_limits,
        "call_faults": [one.model_dump() for one in bench.faults.calls],
        "event_faults": [one.model_dump() for one in bench.faults.events],
        "pending": states.count("pending"),
        "held": states.count("held"),
        "failed": states.count("failed"),
        "calls": [
            {"seq": one.seq, "method": one.method, "channel": one.channel, "error": one.error}
            for one in bench.ws.calls[-CALLS_MAX:]
        ],
        "events": [
            {
                "event_id": row["event_id"],
                "subscription": row["subscription"],
                "subtype": row["subtype"],
                "state": row["state"],
                "attempts": row["attempts"],
            }
            for row in (one.row() for one in bench.dispatcher.deliveries[-EVENTS_MAX:])
        ],
    }
