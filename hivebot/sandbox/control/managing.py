"""How do channels, people and the installation change?"""

from __future__ import annotations

from typing import Literal

from hivebot.sandbox.bench import Bench
from hivebot.sandbox.control.base import Act
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.workspace import changing
from hivebot.sandbox.world import Channel, Person


class Create(Act):
    """Make a channel; ``members`` are user ids, the bot is one of them only when named."""

    id: str
    name: str
    is_private: bool = False
    members: list[str]

    async def run(self, bench: Bench) -> Json:
        """Make it."""
        made = Channel(
            id=self.id, name=self.name, is_private=self.is_private, members=list(self.members)
        )
        changing.create(bench.ws, made)
        return {"channel": made.id}


class ChangeChannel(Act):
    """Change a channel; ``value`` is the new name, the new id, or the other team's id."""

    channel: str
    change: Literal[
        "rename", "archive", "unarchive", "delete", "share", "unshare", "change_id", "set_private"
    ]
    user: str = "U0STEW"
    value: str = ""

    async def run(self, bench: Bench) -> Json:
        """Change it."""
        changing.change_channel(bench.ws, self.user, self.channel, self.change, self.value)
        return {}


class Invite(Act):
    """Bring somebody into a channel, the bot when nobody is named."""

    channel: str
    user: str = ""
    by: str = "U0STEW"

    async def run(self, bench: Bench) -> Json:
        """Invite them."""
        changing.invite(bench.ws, self.channel, self.user or bench.ws.world.app.bot_user, self.by)
        return {}


class Kick(Act):
    """Put somebody out of a channel, the bot when nobody is named."""

    channel: str
    user: str = ""

    async def run(self, bench: Bench) -> Json:
        """Put them out."""
        changing.kick(bench.ws, self.channel, self.user or bench.ws.world.app.bot_user)
        return {}


class Hire(Act):
    """Add a person to the workspace, or to another organisation."""

    person: Person

    async def run(self, bench: Bench) -> Json:
        """Add them."""
        changing.hire(bench.ws, self.person)
        return {}


class Deactivate(Act):
    """Deactivate an account, or with ``back`` bring it back."""

    user: str
    back: bool = False

    async def run(self, bench: Bench) -> Json:
        """Do it."""
        changing.deactivate(bench.ws, self.user, deleted=not self.back)
        return {}


class ChangeGroup(Act):
    """Set who is in a user group."""

    group: str
    users: list[str]

    async def run(self, bench: Bench) -> Json:
        """Set it."""
        changing.set_group(bench.ws, self.group, self.users)
        return {}


class Install(Act):
    """Revoke the token, uninstall the app, or install it again."""

    state: Literal["yes", "revoked", "uninstalled"]

    async def run(self, bench: Bench) -> Json:
        """Do it."""
        changing.install(bench.ws, self.state)
        return {}
