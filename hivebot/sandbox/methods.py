"""What does each method of the Web API take, need and give?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hivebot.sandbox.arguments import Arguments
from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.limits import TIER_2, TIER_3, TIER_4
from hivebot.sandbox.shapes import Json, as_text
from hivebot.sandbox.workspace import Workspace, posting, reading, views
from hivebot.sandbox.world import Channel, Message

Handler = Callable[[Workspace, Arguments], Json]
READ = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}
KINDS = {"public_channel": "channels", "private_channel": "groups", "im": "im", "mpim": "mpim"}


@dataclass(frozen=True, slots=True)
class Method:
    """One method: who answers, what the token must be allowed, how often it may be called."""

    handler: Handler
    per_minute: int
    scope: str | None = None


def need(ws: Workspace, scope: str) -> None:
    """Check that the token holds ``scope``.

    Raises:
        SlackError: ``missing_scope`` with what is needed and what is provided.
    """
    if scope not in ws.settings.scopes:
        provided = ",".join(ws.settings.scopes)
        raise SlackError("missing_scope", {"needed": scope, "provided": provided})


def _auth_test(ws: Workspace, _: Arguments) -> Json:
    bot = ws.person(ws.world.app.bot_user)
    return {
        "url": ws.world.team.url,
        "team": ws.world.team.name,
        "team_id": ws.world.team.id,
        "user": bot.name if bot else ws.world.app.name,
        "user_id": ws.world.app.bot_user,
        "bot_id": ws.world.app.bot_id,
        "is_enterprise_install": False,
    }


def _api_test(_: Workspace, args: Arguments) -> Json:
    error = args.optional("error")
    if error:
        raise SlackError(error, {"args": args.values})
    return {"args": args.values}


def _draft(ws: Workspace, args: Arguments) -> posting.Draft:
    icons: Json = {key: args.text(f"icon_{key}") for key in ("emoji", "url")}
    icons = {key: value for key, value in icons.items() if value}
    if icons or args.optional("username"):
        need(ws, "chat:write.customize")
    unfurl = args.flag("unfurl_links", default=True) or args.flag("unfurl_media", default=True)
    return posting.Draft(
        text=args.text("text") if args.given("text") else None,
        markdown_text=args.optional("markdown_text"),
        blocks=args.objects("blocks", "invalid_blocks_format"),
        attachments=args.objects("attachments", "invalid_attachments"),
        thread_ts=args.optional("thread_ts"),
        broadcast=args.flag("reply_broadcast"),
        username=args.optional("username"),
        icons=icons or None,
        metadata=_metadata(args),
        unfurl=unfurl,
    )


def _metadata(args: Arguments) -> Json | None:
    metadata = args.mapping("metadata", "invalid_metadata_format")
    if metadata is None:
        return None
    payload = metadata.get("event_payload")
    if not as_text(metadata.get("event_type")) or not isinstance(payload, dict):
        raise SlackError("invalid_metadata_schema")
    return metadata


def _shown(ws: Workspace, message: Message) -> Json:
    return {
        "channel": message.channel,
        "ts": message.ts,
        "message": reading.row(ws, message, metadata=True),
    }


def _post_message(ws: Workspace, args: Arguments) -> Json:
    channel = args.text("channel")
    if not channel:
        raise SlackError("channel_not_found")
    return _shown(ws, posting.post(ws, channel, _draft(ws, args)))


def _update(ws: Workspace, args: Arguments) -> Json:
    draft = _draft(ws, args)
    message = posting.update(ws, args.required("channel"), args.required("ts"), draft)
    return {**_shown(ws, message), "text": message.text}


def _delete(ws: Workspace, args: Arguments) -> Json:
    posting.delete(ws, args.required("channel"), args.required("ts"))
    return {"channel": args.text("channel"), "ts": args.text("ts")}


def _post_ephemeral(ws: Workspace, args: Arguments) -> Json:
    channel, user = args.required("channel"), args.required("user")
    return {"message_ts": posting.post_ephemeral(ws, channel, user, _draft(ws, args)).ts}


def _permalink(ws: Workspace, args: Arguments) -> Json:
    channel = ws.visible_channel(args.required("channel"))
    message = ws.message(channel.id, args.required("message_ts"))
    if message is None:
        raise SlackError("message_not_found")
    link = f"{ws.world.team.url}archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.thread_ts and message.thread_ts != message.ts:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def _readable(ws: Workspace, args: Arguments, verb: str) -> Channel:
    channel = ws.visible_channel(args.text("channel"))
    need(ws, f"{READ[channel.type_name]}:{verb}")
    return channel


def _list(ws: Workspace, args: Arguments) -> Json:
    kinds = [one.strip() for one in (args.optional("types") or "public_channel").split(",")]
    for kind in kinds:
        if kind not in KINDS:
            raise SlackError("invalid_types")
        need(ws, f"{KINDS[kind]}:read")
    found = reading.listed(
        ws,
        kinds,
        archived=not args.flag("exclude_archived"),
        limit=args.number("limit", 100),
        cursor=args.text("cursor"),
    )
    return found.body("channels")


def _info(ws: Workspace, args: Arguments) -> Json:
    channel = _readable(ws, args, "read")
    body = reading.channel_json(ws, channel)
    if args.flag("include_num_members"):
        body["num_members"] = len(channel.members)
    return {"channel": body}


def _window(args: Arguments) -> reading.Window:
    return reading.Window(
        limit=args.number("limit", 100),
        cursor=args.text("cursor"),
        oldest=args.text("oldest"),
        latest=args.text("latest"),
        inclusive=args.flag("inclusive"),
        metadata=args.flag("include_all_metadata"),
    )


def _history(ws: Workspace, args: Arguments) -> Json:
    channel = _readable(ws, args, "history")
    found = reading.history(ws, channel.id, _window(args))
    return {**found.body("messages"), "has_more": bool(found.next_cursor), "pin_count": 0}


def _replies(ws: Workspace, args: Arguments) -> Json:
    channel = _readable(ws, args, "history")
    found = reading.replies(ws, channel.id, args.required("ts"), _window(args))
    return {**found.body("messages"), "has_more": bool(found.next_cursor)}


def _members(ws: Workspace, args: Arguments) -> Json:
    channel = _readable(ws, args, "read")
    rows, following = reading.page(channel.members, args.number("limit", 100), args.text("cursor"))
    return {"members": list[object](rows), "response_metadata": {"next_cursor": following}}


def _open(ws: Workspace, args: Arguments) -> Json:
    if args.optional("channel"):
        channel = ws.visible_channel(args.text("channel"))
    else:
        users = [one for one in args.text("users").split(",") if one]
        if len(users) != 1:
            raise SlackError("users_list_not_supplied" if not users else "too_many_users")
        channel = posting.direct(ws, users[0])
    whole = args.flag("return_im")
    return {"channel": reading.channel_json(ws, channel) if whole else {"id": channel.id}}


def _join(ws: Workspace, args: Arguments) -> Json:
    channel = ws.visible_channel(args.text("channel"))
    if channel.type_name != "channel":
        raise SlackError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise SlackError("is_archived")
    if not ws.bot_in(channel):
        channel.members = [*channel.members, ws.world.app.bot_user]
        ws.changed()
    return {"channel": reading.channel_json(ws, channel)}


def _user_info(ws: Workspace, args: Arguments) -> Json:
    person = ws.person(args.text("user"))
    if person is None:
        raise SlackError("user_not_found")
    return {"user": reading.person_json(ws, person)}


def _users(ws: Workspace, args: Arguments) -> Json:
    home = [one for one in ws.world.people if one.team_id == ws.world.team.id]
    limit = args.number("limit", len(home))
    rows, following = reading.page(home, limit, args.text("cursor"))
    people = [reading.person_json(ws, one) for one in rows]
    return {"members": people, "response_metadata": {"next_cursor": following}, "cache_ts": 0}


def _groups(ws: Workspace, args: Arguments) -> Json:
    rows: list[Json] = []
    for group in ws.world.groups:
        body: Json = {
            "id": group.id,
            "team_id": ws.world.team.id,
            "is_usergroup": True,
            "handle": group.handle,
            "name": group.name,
            "date_delete": 0,
            "user_count": len(group.users),
        }
        rows.append({**body, "users": list(group.users)} if args.flag("include_users") else body)
    return {"usergroups": rows}


def _group_users(ws: Workspace, args: Arguments) -> Json:
    for group in ws.world.groups:
        if group.id == args.text("usergroup"):
            return {"users": list(group.users)}
    raise SlackError("no_such_subteam")


def _team_info(ws: Workspace, _: Arguments) -> Json:
    team = ws.world.team
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "url": team.url}}


def _bot_info(ws: Workspace, args: Arguments) -> Json:
    app = ws.world.app
    bots = {one.id: (one.name, one.app_id, one.user_id) for one in ws.world.bots}
    bots[app.bot_id] = (app.name, app.id, app.bot_user)
    wanted = args.optional("bot") or app.bot_id
    if wanted not in bots:
        raise SlackError("bot_not_found")
    name, app_id, user = bots[wanted]
    body: Json = {"id": wanted, "deleted": False, "name": name, "app_id": app_id}
    return {"bot": {**body, "user_id": user} if user else body}


def _reaction(ws: Workspace, args: Arguments, *, added: bool) -> Json:
    channel = reading.readable(ws, args.text("channel"))
    if channel.is_archived:
        raise SlackError("is_archived")
    posting.react(
        ws,
        channel.id,
        args.required("timestamp"),
        args.required("name"),
        ws.world.app.bot_user,
        added=added,
    )
    return {}


def _add_reaction(ws: Workspace, args: Arguments) -> Json:
    return _reaction(ws, args, added=True)


def _remove_reaction(ws: Workspace, args: Arguments) -> Json:
    return _reaction(ws, args, added=False)


def _get_reactions(ws: Workspace, args: Arguments) -> Json:
    channel = reading.readable(ws, args.text("channel"))
    message = ws.message(channel.id, args.required("timestamp"))
    if message is None:
        raise SlackError("message_not_found")
    body = reading.row(ws, message, metadata=False)
    return {"type": "message", "channel": channel.id, "message": body}


def _view(args: Arguments) -> Json:
    view = args.mapping("view", "invalid_arguments")
    if view is None:
        raise SlackError("invalid_arguments")
    return view


def _open_view(ws: Workspace, args: Arguments) -> Json:
    view = views.open_view(ws, args.required("trigger_id"), _view(args))
    return {"view": views.view_json(ws, view)}


def _push_view(ws: Workspace, args: Arguments) -> Json:
    view = views.push_view(ws, args.required("trigger_id"), _view(args))
    return {"view": views.view_json(ws, view)}


def _update_view(ws: Workspace, args: Arguments) -> Json:
    view = views.update_view(
        ws,
        view_id=args.text("view_id"),
        external_id=args.text("external_id"),
        body=_view(args),
        digest=args.optional("hash"),
    )
    return {"view": views.view_json(ws, view)}


def _publish_view(ws: Workspace, args: Arguments) -> Json:
    user, digest = args.required("user_id"), args.optional("hash")
    return {"view": views.view_json(ws, views.publish_view(ws, user, _view(args), digest))}


METHODS: dict[str, Method] = {
    "api.test": Method(_api_test, TIER_4),
    "auth.test": Method(_auth_test, TIER_4 * 6),
    "bots.info": Method(_bot_info, TIER_3, "users:read"),
    "chat.delete": Method(_delete, TIER_3, "chat:write"),
    "chat.getPermalink": Method(_permalink, TIER_4),
    "chat.postEphemeral": Method(_post_ephemeral, TIER_4, "chat:write"),
    "chat.postMessage": Method(_post_message, TIER_4, "chat:write"),
    "chat.update": Method(_update, TIER_3, "chat:write"),
    "conversations.history": Method(_history, TIER_3),
    "conversations.info": Method(_info, TIER_3),
    "conversations.join": Method(_join, TIER_3, "channels:join"),
    "conversations.list": Method(_list, TIER_2),
    "conversations.members": Method(_members, TIER_4),
    "conversations.open": Method(_open, TIER_3, "im:write"),
    "conversations.replies": Method(_replies, TIER_3),
    "reactions.add": Method(_add_reaction, TIER_3, "reactions:write"),
    "reactions.get": Method(_get_reactions, TIER_3, "reactions:read"),
    "reactions.remove": Method(_remove_reaction, TIER_2, "reactions:write"),
    "team.info": Method(_team_info, TIER_3, "team:read"),
    "usergroups.list": Method(_groups, TIER_2, "usergroups:read"),
    "usergroups.users.list": Method(_group_users, TIER_2, "usergroups:read"),
    "users.info": Method(_user_info, TIER_4, "users:read"),
    "users.list": Method(_users, TIER_2, "users:read"),
    "views.open": Method(_open_view, TIER_4),
    "views.publish": Method(_publish_view, TIER_4),
    "views.push": Method(_push_view, TIER_4),
    "views.update": Method(_update_view, TIER_4),
}
APP_METHODS = {"apps.connections.open": TIER_3}
OPEN_METHODS = {"oauth.v2.access": TIER_4}
