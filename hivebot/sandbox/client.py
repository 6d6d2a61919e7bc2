"""How does a test or the demo act in the sandbox from outside?"""

from __future__ import annotations

from types import TracebackType
from typing import Self

import aiohttp

from hivebot.sandbox.errors import ControlError, WaitError
from hivebot.sandbox.shapes import Json, as_maps, as_number, as_text, compact, parse_object


class SandboxClient:
    """The control API, typed; use it as ``async with SandboxClient(url) as people``.

    Every act raises ``ControlError`` when it is impossible. Rows are what ``Look`` describes.
    """

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._session = aiohttp.ClientSession(trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    # Writing.

    async def say(
        self,
        user: str,
        channel: str,
        text: str,
        thread_ts: str | None = None,
        **more: object,
    ) -> str:
        """Post as a person and return the ts.

        ``more``: ``raw`` (Slack text as it stands), ``broadcast``, ``files``.
        """
        words: Json = {"user": user, "channel": channel, "text": text, "thread_ts": thread_ts}
        return as_text((await self.act("say", **words, **more))["ts"])

    async def bot_say(self, channel: str, text: str = "", **more: object) -> str:
        """Post as another app's bot and return the ts.

        ``more``: ``bot``, ``thread_ts``, ``username``, ``blocks``, ``attachments``, ``extra``.
        """
        return as_text((await self.act("bot_say", channel=channel, text=text, **more))["ts"])

    async def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        """Edit a person's message."""
        await self.act("edit", user=user, channel=channel, ts=ts, text=text)

    async def delete(self, user: str, channel: str, ts: str) -> None:
        """Delete a person's message."""
        await self.act("delete", user=user, channel=channel, ts=ts)

    async def react(self, user: str, channel: str, ts: str, name: str) -> None:
        """Add a reaction."""
        await self.act("react", user=user, channel=channel, ts=ts, name=name)

    async def unreact(self, user: str, channel: str, ts: str, name: str) -> None:
        """Take a reaction away."""
        await self.act("react", user=user, channel=channel, ts=ts, name=name, added=False)

    async def unfurl(self, channel: str, ts: str, attachments: list[Json]) -> None:
        """Let Slack attach a preview."""
        await self.act("unfurl", channel=channel, ts=ts, attachments=attachments)

    # Pressing.

    async def press(self, user: str, channel: str, ts: str, action_id: str, **more: object) -> str:
        """Press a button under a message and return what the app answered, if anything.

        ``more``: ``block_id``, ``value``, ``chosen`` (values picked in a menu).
        """
        place: Json = {"user": user, "channel": channel, "ts": ts, "action_id": action_id}
        return as_text((await self.act("press", **place, **more))["answer"])

    async def press_in_view(self, user: str, view_id: str, action_id: str, **more: object) -> None:
        """Use an element of an open view."""
        await self.act("press", user=user, view_id=view_id, action_id=action_id, **more)

    async def submit(self, user: str, view_id: str, values: Json | None = None) -> Json:
        """Submit a modal; returns ``closed``, ``errors``, and ``view_id`` of a next view."""
        return await self.act("submit", user=user, view_id=view_id, values=values or {})

    async def close_view(self, user: str, view_id: str) -> None:
        """Close a modal."""
        await self.act("close", user=user, view_id=view_id)

    async def command(self, user: str, channel: str, command: str, text: str = "") -> str:
        """Type a slash command and return what the app answered in its acknowledgement."""
        typed: Json = {"user": user, "channel": channel, "command": command, "text": text}
        return as_text((await self.act("command", **typed))["answer"])

    async def shortcut(self, user: str, callback_id: str, channel: str = "", ts: str = "") -> None:
        """Call a shortcut, of a message when ``ts`` is given."""
        await self.act("shortcut", user=user, callback_id=callback_id, channel=channel, ts=ts)

    async def open_home(self, user: str, tab: str = "home") -> None:
        """Open the app's Home tab, or its Messages tab."""
        await self.act("open_home", user=user, tab=tab)

    # Changing the workspace.

    async def change_channel(self, channel: str, change: str, value: str = "") -> None:
        """Rename, archive, unarchive, delete, share, unshare, change_id or set_private."""
        await self.act("channel", channel=channel, change=change, value=value)

    async def create_channel(
        self, channel_id: str, name: str, members: list[str], *, is_private: bool = False
    ) -> None:
        """Make a channel with these members (user ids, the bot's among them or not)."""
        await self.act("create", id=channel_id, name=name, members=members, is_private=is_private)

    async def invite(self, channel: str, user: str = "") -> None:
        """Bring somebody into a channel, the bot when nobody is named."""
        await self.act("invite", channel=channel, user=user)

    async def kick(self, channel: str, user: str = "") -> None:
        """Put somebody out of a channel, the bot when nobody is named."""
        await self.act("kick", channel=channel, user=user)

    async def deactivate(self, user: str, *, back: bool = False) -> None:
        """Deactivate an account or bring it back."""
        await self.act("deactivate", user=user, back=back)

    async def install(self, state: str) -> None:
        """Set the installation to ``yes``, ``revoked`` or ``uninstalled``."""
        await self.act("install", state=state)

    # Steering.

    async def settings(self, **changes: object) -> None:
        """Change settings by name, all or none."""
        await self.act("settings", settings=changes)

    async def verify(self) -> bool:
        """Return whether the event request URL answers its challenge."""
        return (await self.act("verify"))["verified"] is True

    async def fault(self, method: str, answer: str, **more: object) -> None:
        """Let the next calls of a method fail; see ``CallFault`` for ``more``."""
        await self.act("fault", method=method, answer=answer, **more)

    async def event_fault(self, event: str, effect: str, **more: object) -> None:
        """Let the next events of a type go wrong; see ``EventFault`` for ``more``."""
        await self.act("event_fault", event=event, effect=effect, **more)

    async def mend(self) -> None:
        """Forget every fault that has not struck yet."""
        await self.act("mend")

    async def release(self, *, newest_first: bool = False) -> int:
        """Send the events that were held and return how many."""
        done = await self.act("release", newest_first=newest_first)
        return int(as_number(done["released"], 0))

    async def disconnect(self, reason: str = "refresh_requested", *, close: bool = False) -> None:
        """Tell the open sockets to go; with ``close`` close them too."""
        await self.act("disconnect", reason=reason, close=close)

    async def deafen(self) -> None:
        """Make the sockets that are open now deaf."""
        await self.act("deafen")

    async def emit(self, event: Json | None = None, body: Json | None = None) -> None:
        """Send the app any event at all, or a whole request body."""
        await self.act("emit", event=event or {}, body=body or {})

    # Looking.

    async def describe(self) -> Json:
        """Return who and what is in the workspace."""
        return await self._get("", {})

    async def messages(
        self, channel: str, thread_ts: str | None = None, **filters: object
    ) -> list[Json]:
        """Return the messages of a channel, or of a thread with its head first."""
        return await self.look("messages", channel=channel, thread_ts=thread_ts, **filters)

    async def message(self, channel: str, ts: str, thread_ts: str | None = None) -> Json:
        """Return one message.

        Raises:
            ControlError: ``no_such_message``.
        """
        for row in await self.messages(channel, thread_ts):
            if row["ts"] == ts:
                return row
        raise ControlError("no_such_message", ts)

    async def ephemerals(self, user: str, **filters: object) -> list[Json]:
        """Return the ephemeral messages a person has before them."""
        return await self.look("ephemerals", user=user, **filters)

    async def views(self, user: str, **filters: object) -> list[Json]:
        """Return the modals and the Home tab a person has open."""
        return await self.look("views", user=user, **filters)

    async def calls(self, method: str = "", **filters: object) -> list[Json]:
        """Return the log of calls of the Web API, in order."""
        return await self.look("calls", method=method, **filters)

    async def events(self, **filters: object) -> list[Json]:
        """Return the events with what became of their delivery, in order."""
        return await self.look("events", **filters)

    async def look(self, what: str, **filters: object) -> list[Json]:
        """Return rows of any kind that pass the filters of ``Look``."""
        found = await self._get("look", {"what": what, **filters})
        return as_maps(found[what])

    async def wait_for(
        self, what: str = "messages", *, count: int = 1, timeout_s: float = 10.0, **filters: object
    ) -> list[Json]:
        """Return the rows once there are ``count``, or with ``exactly=True`` that many.

        Raises:
            WaitError: They did not come in time.
        """
        condition: Json = {"what": what, "count": count, "timeout_s": timeout_s, **filters}
        found = await self._get("wait", condition)
        rows = as_maps(found["rows"])
        if not found["held"]:
            raise WaitError(condition, rows)
        return rows

    # The wire.

    async def act(self, act: str, /, **fields: object) -> Json:
        """Carry out any act of the control API and return its answer."""
        headers = {"Content-Type": "application/json"}
        url = f"{self._base_url}/sandbox/{act}"
        async with self._session.post(url, data=compact(fields), headers=headers) as response:
            return _done(await response.text())

    async def _get(self, name: str, fields: Json) -> Json:
        query = {key: _query(value) for key, value in fields.items() if value is not None}
        url = f"{self._base_url}/sandbox/{name}".rstrip("/")
        async with self._session.get(url, params=query) as response:
            return _done(await response.text())


def _query(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _done(text: str) -> Json:
    body = parse_object(text) or {}
    if body.get("ok") is not True:
        raise ControlError(as_text(body.get("error")) or "no_answer", as_text(body.get("detail")))
    return body
