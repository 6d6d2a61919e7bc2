"""Which records make up the workspace, and what does the default one hold?"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hivebot.sandbox.shapes import Json

HOME_TEAM = "T0HIVE"
OTHER_TEAM = "T9ACME"
ChannelKind = Literal["channel", "im", "mpim"]


class Record(BaseModel):
    """A mutable record; unknown fields in a world file are errors."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)


class Team(Record):
    """The workspace itself."""

    id: str = HOME_TEAM
    name: str = "Hive"
    domain: str = "hive"
    url: str = "https://hive.sandbox.test/"


class App(Record):
    """The app under test and how it stands in the workspace."""

    id: str = "A0HIVE"
    name: str = "hivebot"
    bot_id: str = "B0BOT"
    bot_user: str = "U0BOT"
    installed: Literal["yes", "revoked", "uninstalled"] = "yes"


class Person(Record):
    """A user of any team, bots included."""

    id: str
    name: str
    real_name: str = ""
    team_id: str = HOME_TEAM
    is_bot: bool = False
    deleted: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_admin: bool = False


class Bot(Record):
    """Another app's bot that posts in channels."""

    id: str
    name: str
    app_id: str
    user_id: str | None = None


class UserGroup(Record):
    """A user group, as `@platform`."""

    id: str
    handle: str
    name: str
    users: list[str] = Field(default_factory=list[str])


class Channel(Record):
    """A channel, group DM or DM; ``members`` holds user ids, the bot's among them."""

    id: str
    name: str
    kind: ChannelKind = "channel"
    is_private: bool = False
    is_archived: bool = False
    is_deleted: bool = False
    is_ext_shared: bool = False
    is_org_shared: bool = False
    connected_team_ids: list[str] = Field(default_factory=list[str])
    topic: str = ""
    members: list[str] = Field(default_factory=list[str])

    @property
    def type_name(self) -> str:
        """Return Slack's ``channel_type``: channel, group, im or mpim."""
        if self.kind == "channel":
            return "group" if self.is_private else "channel"
        return self.kind


class Message(Record):
    """One post, as it stands now; ``text`` is Slack's text with tokens and entities."""

    ts: str
    channel: str
    text: str
    posted_at: float
    user: str | None = None
    bot_id: str | None = None
    app_id: str | None = None
    username: str | None = None
    icons: Json | None = None
    team: str = HOME_TEAM
    subtype: str | None = None
    thread_ts: str | None = None
    client_msg_id: str | None = None
    blocks: list[Json] = Field(default_factory=list[Json])
    attachments: list[Json] = Field(default_factory=list[Json])
    files: list[Json] = Field(default_factory=list[Json])
    metadata: Json | None = None
    edited: Json | None = None
    extra: Json = Field(default_factory=dict[str, object])
    unfurl: bool = True
    reactions: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])


class Ephemeral(Record):
    """A message that one person sees and nobody can read back."""

    ts: str
    channel: str
    user: str
    text: str
    thread_ts: str | None = None
    blocks: list[Json] = Field(default_factory=list[Json])


class View(Record):
    """A modal or Home tab that stands open for a person; ``body`` is what the app sent."""

    id: str
    user: str
    kind: Literal["modal", "home"]
    body: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    external_id: str | None = None
    errors: Json = Field(default_factory=dict[str, object])


class World(Record):
    """Everything that survives a restart of the sandbox."""

    team: Team = Field(default_factory=Team)
    app: App = Field(default_factory=App)
    people: list[Person] = Field(default_factory=list[Person])
    bots: list[Bot] = Field(default_factory=list[Bot])
    groups: list[UserGroup] = Field(default_factory=list[UserGroup])
    channels: list[Channel] = Field(default_factory=list[Channel])
    messages: list[Message] = Field(default_factory=list[Message])
    ephemerals: list[Ephemeral] = Field(default_factory=list[Ephemeral])
    views: list[View] = Field(default_factory=list[View])
    files: dict[str, str] = Field(default_factory=dict[str, str])
    """Contents of uploaded files by id."""
    last_ts_micros: int = 0
    last_id: int = 0


def default_world() -> World:
    """Return the workspace that tests and the demo start from.

    Everybody of the home team sits in the public channels, the guest only in payments. The bot is
    in every channel but ``lab`` (public) and ``vault`` (private); ``acme`` is shared with the
    stranger's organisation.
    """
    team = ["U0ANA", "U0BEN", "U0STEW"]
    everyone = ["U0BOT", *team]
    return World(
        people=[
            Person(id="U0ANA", name="ana", real_name="Ana"),
            Person(id="U0BEN", name="ben", real_name="Ben"),
            Person(id="U0STEW", name="stew", real_name="Stew", is_admin=True),
            Person(id="U0GUEST", name="guest", real_name="Guest", is_restricted=True),
            Person(id="U9EVE", name="eve", real_name="Eve", team_id=OTHER_TEAM),
            Person(id="U0OLD", name="old", real_name="Old", deleted=True),
            Person(id="U0BOT", name="hive", real_name="Hive", is_bot=True),
            Person(id="U0ALERT", name="alerts", real_name="Alerts", is_bot=True),
        ],
        bots=[Bot(id="B0ALERT", name="alerts", app_id="A0ALERT", user_id="U0ALERT")],
        groups=[UserGroup(id="S0PLAT", handle="platform", name="Platform", users=["U0BEN"])],
        channels=[
            Channel(id="C0PAY", name="payments", members=[*everyone, "U0GUEST"]),
            Channel(id="C0PLAT", name="platform", members=list(everyone)),
            Channel(id="C0DATA", name="data", members=list(everyone)),
            Channel(id="C0OPS", name="ops", members=list(everyone)),
            Channel(id="C0LAB", name="lab", members=list(team)),
            Channel(
                id="C0FIN", name="finance", is_private=True, members=["U0BOT", "U0ANA", "U0STEW"]
            ),
            Channel(id="C0VAULT", name="vault", is_private=True, members=["U0ANA", "U0STEW"]),
            Channel(
                id="C0ACME",
                name="acme",
                members=[*everyone, "U9EVE"],
                is_ext_shared=True,
                connected_team_ids=[HOME_TEAM, OTHER_TEAM],
            ),
            Channel(id="D0ANA", name="U0ANA", kind="im", members=["U0BOT", "U0ANA"]),
            Channel(id="D0BEN", name="U0BEN", kind="im", members=["U0BOT", "U0BEN"]),
            Channel(id="D0STEW", name="U0STEW", kind="im", members=["U0BOT", "U0STEW"]),
            Channel(
                id="G0TRIO",
                name="mpdm-ana--ben--hive-1",
                kind="mpim",
                is_private=True,
                members=["U0BOT", "U0ANA", "U0BEN"],
            ),
        ],
    )
