"""What can be seen from outside, now or once a condition holds?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from pydantic import Field

from hivebot.sandbox.bench import Bench
from hivebot.sandbox.control.base import Act
from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.shapes import Json, as_map, as_text
from hivebot.sandbox.workspace import reading, seeing

What = Literal["messages", "ephemerals", "views", "calls", "events", "sockets"]


class Look(Act):
    """Which rows are asked for; a filter that is left out lets everything pass.

    Attributes:
        what: The kind of row.
        channel: Id or name of a channel.
        author: Name over a message.
        thread_ts: Only this thread, its head first; without it what stands in the channel itself.
        user: Id or name of the author of messages; whose ephemerals and views.
        contains: Part of the plain text.
        method: Method of a call.
        error: Error of a call; ``ok`` for calls that went well.
        type: Subscription name, type or subtype of an event.
        state: State of an event's delivery.
        own: Only posts, or events of posts, of the app under test, or only those of others.
        reaction: Name of a reaction a message carries.
        after: Only rows with a later ts, or for calls a higher seq.
    """

    what: What = "messages"
    channel: str = ""
    thread_ts: str | None = None
    user: str = ""
    author: str = ""
    contains: str = ""
    method: str = ""
    error: str = ""
    type: str = ""
    state: str = ""
    own: bool | None = None
    reaction: str = ""
    after: str = ""

    async def run(self, bench: Bench) -> Json:
        """Return the rows."""
        return {self.what: self.rows(bench)}

    def rows(self, bench: Bench) -> list[Json]:
        """Return the rows that pass every filter, oldest first.

        Raises:
            ControlError: Messages are asked for without a channel, or in one that is not there.
        """
        look = self.model_copy(update=self._ids(bench))
        return [row for row in look.every(bench) if look.passes(row)]

    def _ids(self, bench: Bench) -> dict[str, str]:
        """Return the ids for a channel and a person that are given by name."""
        users = [one.id for one in bench.ws.world.people if one.name == self.user]
        channel = bench.ws.place(self.channel).id if self.channel else ""
        return {"channel": channel, "user": users[0] if users else self.user}

    def every(self, bench: Bench) -> list[Json]:
        """Return the rows of the kind asked for, whatever the other filters say.

        Raises:
            ControlError: As for ``rows``.
        """
        ws = bench.ws
        if self.what == "messages":
            if not self.channel:
                raise ControlError("no_such_channel", "name the channel to look at")
            return seeing.channel_seen(ws, self.channel, self.thread_ts)
        if self.what == "ephemerals":
            return [seeing.ephemeral_seen(ws, one) for one in ws.world.ephemerals]
        if self.what == "views":
            return [seeing.view_seen(ws, one) for one in ws.world.views]
        if self.what == "calls":
            return [{**asdict(one), "plain": as_text(one.args.get("text"))} for one in ws.calls]
        if self.what == "events":
            return [one.row() for one in bench.dispatcher.deliveries]
        return [{} for _ in range(bench.sockets.count)]

    def passes(self, row: Json) -> bool:
        """Return whether a row passes every filter."""
        wanted: Json = {
            "method": self.method,
            "state": self.state,
            "user": self.user,
            "author": self.author,
            "own": self.own,
        }
        if any(value not in {"", None} and row.get(key) != value for key, value in wanted.items()):
            return False
        return (
            self.contains in as_text(row.get("plain"))
            and self._passes_kind(row)
            and self._passes_place(row)
        )

    def _passes_kind(self, row: Json) -> bool:
        if self.error and (row.get("error") or "ok") != self.error:
            return False
        if self.type and self.type not in {row.get(k) for k in ("type", "subtype", "subscription")}:
            return False
        reactions = row.get("reactions")
        return not self.reaction or (isinstance(reactions, dict) and self.reaction in reactions)

    def _passes_place(self, row: Json) -> bool:
        channel = row.get("channel")
        place = as_map(channel).get("id", channel)
        if self.channel and place != self.channel:
            return False
        if self.what == "ephemerals" and self.thread_ts not in {None, row.get("thread_ts")}:
            return False
        if not self.after:
            return True
        if self.what == "calls":
            return int(str(row["seq"])) > int(self.after)
        return as_text(row.get("ts")) > self.after


class Wait(Look):
    """Answer once at least ``count`` rows pass, or with ``exactly`` that many.

    Attributes:
        timeout_s: How long to wait before saying that they did not come.
        idle: Also wait until no event is on its way.
    """

    count: int = 1
    exactly: bool = False
    idle: bool = False
    timeout_s: float = Field(default=10.0, ge=0, le=600)

    async def run(self, bench: Bench) -> Json:
        """Wait, then return the rows that are there and whether that was enough."""
        enough = await bench.until(lambda: self._enough(bench), self.timeout_s)
        return {"held": enough, "rows": self.rows(bench)}

    def _enough(self, bench: Bench) -> bool:
        if self.idle and any(one.state == "pending" for one in bench.dispatcher.deliveries):
            return False
        found = len(self.rows(bench))
        return found == self.count if self.exactly else found >= self.count


class Log(Look):
    """The calls of the Web API, in order."""

    what: What = "calls"


class Describe(Act):
    """Ask who and what is in the workspace."""

    async def run(self, bench: Bench) -> Json:
        """Return team, app, people, groups, channels and settings without secrets."""
        ws = bench.ws
        settings = ws.settings.model_dump(mode="json")
        secrets = {"signing_secret", "client_secret", "verification_token", "why_token"}
        return {
            "team": ws.world.team.model_dump(),
            "app": ws.world.app.model_dump(),
            "people": [one.model_dump() for one in ws.world.people],
            "bots": [one.model_dump() for one in ws.world.bots],
            "groups": [one.model_dump() for one in ws.world.groups],
            "channels": [
                {**reading.channel_json(ws, one), "members": list(one.members)}
                for one in ws.world.channels
            ],
            "settings": {key: value for key, value in settings.items() if key not in secrets},
            "sockets": bench.sockets.count,
        }
