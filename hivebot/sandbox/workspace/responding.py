"""What becomes of an app's answer to a press or a command?"""

from __future__ import annotations

from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json, as_maps, as_text
from hivebot.sandbox.workspace import posting
from hivebot.sandbox.workspace.core import ResponseUrl, Workspace
from hivebot.sandbox.world import Channel

RESPONSE_USES = 5
RESPONSE_LIFE_S = 1800.0


def respond(ws: Workspace, key: str, body: Json | None) -> None:
    """Take what the app sends to a ``response_url``.

    Raises:
        SlackError: ``invalid_payload`` for what is no object; ``used_url`` after five uses;
            ``expired_url`` after thirty minutes; or a check of the content.

    Source: slack.md section 4.
    """
    if body is None:
        raise SlackError("invalid_payload", status=400)
    url = ws.response_urls.get(key)
    if url is None:
        raise SlackError("invalid_url", status=404)
    if ws.clock() - url.born_at > RESPONSE_LIFE_S:
        raise SlackError("expired_url", status=404)
    if url.uses >= RESPONSE_USES:
        raise SlackError("used_url", status=404)
    answer(ws, url, body)
    url.uses += 1


def answer(ws: Workspace, url: ResponseUrl, body: Json) -> None:
    """Show an answer to an interaction: to the person alone unless it says ``in_channel``.

    Raises:
        SlackError: A check of the content.
    """
    draft = posting.Draft(
        text=as_text(body.get("text")),
        blocks=as_maps(body.get("blocks")),
        thread_ts=as_text(body.get("thread_ts")) or url.thread_ts,
    )
    if body.get("delete_original") and url.message_ts:
        _drop(ws, url, url.message_ts)
    elif body.get("replace_original") and url.message_ts:
        _swap(ws, url, url.message_ts, draft)
    elif body.get("response_type") == "in_channel":
        posting.put(ws, _place(ws, url), draft)
    else:
        posting.show_draft(ws, url.channel, url.user, draft)


def _place(ws: Workspace, url: ResponseUrl) -> Channel:
    """Return the channel of the interaction, in which the app need not be."""
    channel = ws.channel(url.channel)
    if channel is None or channel.is_deleted:
        raise SlackError("channel_not_found")
    return channel


def _drop(ws: Workspace, url: ResponseUrl, ts: str) -> None:
    if url.ephemeral:
        ws.world.ephemerals = [one for one in ws.world.ephemerals if one.ts != ts]
        ws.changed()
    else:
        posting.delete(ws, url.channel, ts)


def _swap(ws: Workspace, url: ResponseUrl, ts: str, draft: posting.Draft) -> None:
    if url.ephemeral:
        _drop(ws, url, ts)
        posting.show_draft(ws, url.channel, url.user, draft)
    else:
        posting.update(ws, url.channel, ts, draft)
