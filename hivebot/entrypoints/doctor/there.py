"""Does Slack let hivebot do its work? Token, scopes, channels."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Final

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.manifest import scopes
from hivebot.entrypoints.doctor.finding import Checked, fail, ok, warn
from hivebot.services.ports import ChannelFacts, Directory
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.outgoing import SendFailure
from hivebot.services.records.policy import Configuration, DeskConfig

NEEDED: Final = frozenset({"chat:write", "im:write"})
"""Without these nothing works."""

WITHOUT: Final[Mapping[str, str]] = {
    "app_mentions:read": "the bot does not hear mentions",
    "channels:history": "the bot does not hear public channels",
    "groups:history": "the bot does not hear private channels",
    "im:history": "the bot does not hear direct messages",
    "mpim:history": "the bot does not hear group messages",
    "channels:read": "public channels are shown by id",
    "groups:read": "private channels are shown by id",
    "im:read": "direct messages are shown by id",
    "mpim:read": "group messages are shown by id",
    "chat:write.customize": "agents post under a bold name instead of their own",
    "commands": "`/hive` and the shortcut are missing; the words work as mentions",
    "reactions:read": "gates take buttons only",
    "reactions:write": "gates take buttons only",
    "users:read": "everybody counts as a guest",
    "usergroups:read": "user groups have no members",
    "team:read": "links to messages are left out",
    "metadata.message:read": "lost posts are found by their own event only",
}
"""What is missing with a scope. Source: slack.md 12."""

REINSTALL: Final = "paste `hivebot manifest` on the app's page and reinstall the app"


async def token(api: SlackApi, bot_token: bool) -> tuple[str, list[Checked]]:  # noqa: FBT001
    """Whose token it is, "" when Slack refuses it, and what it may do."""
    if not bot_token:
        return "", []
    said = await api.call("", "auth.test", {})
    if isinstance(said, SendFailure):
        if said.kind == "ambiguous":
            return "", [
                fail("token", f"Slack cannot be reached ({said.code})", "look at the network")
            ]
        remedy = "copy the bot token anew from the app's page, or reinstall the app"
        return "", [fail("token", f"Slack refuses the bot token: {said.code}", remedy)]
    team_id = str(said.data.get("team_id") or "")
    return team_id, [
        ok("token", f"{said.data.get('team')} ({team_id})"),
        *_scopes(said.scopes),
    ]


def _scopes(granted: frozenset[str] | None) -> Iterable[Checked]:
    if granted is None:
        yield warn("scopes", "Slack does not say which scopes are granted", REINSTALL)
        return
    missing = [scope for scope in scopes() if scope not in granted]
    for scope in missing:
        if scope in NEEDED:
            yield fail("scopes", f"{scope} is missing: nothing can be posted", REINSTALL)
        else:
            yield warn("scopes", f"{scope} is missing: {WITHOUT[scope]}", REINSTALL)
    if not missing:
        yield ok("scopes", f"all {len(scopes())} of the manifest are granted")


async def channels(
    configuration: Configuration,
    directory: Directory,
    teams: Sequence[str],
    ids: Mapping[str, str],
) -> AsyncIterator[Checked]:
    """Whether each desk's channel is one the bot is in.

    Args:
        configuration: Its desks, and its admin channel.
        directory: Asked for each channel.
        teams: The workspaces; a channel is in one of them.
        ids: Ids of channels that are written by name, "" for those nobody can find.
    """
    for desk in configuration.desks:
        channel = ids.get(desk.channel, desk.channel)
        facts = await _facts(directory, teams, channel)
        yield _desk(desk, facts)
    if not configuration.admin_channel:
        remedy = "name a channel as `admin_channel`, and invite the bot"
        yield warn("admin channel", "there is none, so what only admins can mend is logged", remedy)
        return
    channel = ids.get(configuration.admin_channel, configuration.admin_channel)
    facts = await _facts(directory, teams, channel)
    if facts is None or not facts.member or facts.archived:
        said = f"the bot cannot post in {configuration.admin_channel}"
        yield warn("admin channel", said, "invite the bot there")
    else:
        yield ok("admin channel", f"#{facts.name}")


async def _facts(directory: Directory, teams: Sequence[str], channel: str) -> ChannelFacts | None:
    for team_id in teams if channel else ():
        facts = await directory.channel(team_id, channel)
        if facts is not None:
            return facts
    return None


def _desk(desk: DeskConfig, facts: ChannelFacts | None) -> Checked:
    name = f"desk {desk.id}"
    if facts is None:
        said = f"{desk.channel} is no channel that the bot can see"
        return fail(name, said, "invite the bot there, or write the channel's id")
    if facts.archived:
        remedy = "unarchive it, or bind the desk to another channel"
        return fail(name, f"#{facts.name} is archived", remedy)
    if not facts.member:
        return fail(name, f"the bot is not in #{facts.name}", "type `/invite @hivebot` there")
    if facts.audience is Audience.SHARED:
        said = f"#{facts.name} is shared with another organisation"
        return warn(name, said, "it takes part in nothing unless it is named at both ends")
    return ok(name, f"#{facts.name}")
