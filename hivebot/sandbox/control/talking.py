"""What can people write and mark?"""

from __future__ import annotations

from pydantic import Field

from hivebot.sandbox.bench import Bench
from hivebot.sandbox.control.base import Act
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.workspace import people, posting


class Say(Act):
    """A person posts; ``raw`` sends Slack text as it stands, ``files`` makes it a file_share."""

    user: str
    channel: str
    text: str = ""
    thread_ts: str | None = None
    raw: bool = False
    broadcast: bool = False
    files: list[Json] = Field(default_factory=list[Json])

    async def run(self, bench: Bench) -> Json:
        """Post it."""
        words = people.Say(self.text, self.thread_ts, self.raw, self.broadcast, self.files)
        message = people.say(bench.ws, self.user, self.channel, words)
        return {"ts": message.ts, "channel": message.channel, "text": message.text}


class BotSay(Act):
    """Another app's bot posts; ``extra`` adds or replaces fields of the message."""

    bot: str = "B0ALERT"
    channel: str
    text: str = ""
    thread_ts: str | None = None
    username: str | None = None
    blocks: list[Json] = Field(default_factory=list[Json])
    attachments: list[Json] = Field(default_factory=list[Json])
    extra: Json = Field(default_factory=dict[str, object])

    async def run(self, bench: Bench) -> Json:
        """Post it."""
        draft = posting.Draft(
            text=self.text,
            blocks=self.blocks,
            attachments=self.attachments,
            thread_ts=self.thread_ts,
            username=self.username,
            extra=self.extra,
        )
        message = people.bot_say(bench.ws, self.bot, self.channel, draft)
        return {"ts": message.ts, "channel": message.channel}


class Edit(Act):
    """A person edits their message."""

    user: str
    channel: str
    ts: str
    text: str
    raw: bool = False

    async def run(self, bench: Bench) -> Json:
        """Edit it."""
        words = people.Say(self.text, raw=self.raw)
        message = people.edit(bench.ws, self.user, self.channel, self.ts, words)
        return {"ts": message.ts, "text": message.text}


class Delete(Act):
    """A person deletes their message; an admin anybody's."""

    user: str
    channel: str
    ts: str

    async def run(self, bench: Bench) -> Json:
        """Delete it."""
        people.delete(bench.ws, self.user, self.channel, self.ts)
        return {}


class React(Act):
    """A person adds a reaction, or takes it away."""

    user: str
    channel: str
    ts: str
    name: str
    added: bool = True

    async def run(self, bench: Bench) -> Json:
        """Mark it."""
        people.react(bench.ws, self.user, self.channel, self.ts, self.name, added=self.added)
        return {}


class Unfurl(Act):
    """Slack attaches a preview to a message."""

    channel: str
    ts: str
    attachments: list[Json]

    async def run(self, bench: Bench) -> Json:
        """Attach it."""
        people.unfurl(bench.ws, self.channel, self.ts, self.attachments)
        return {}
