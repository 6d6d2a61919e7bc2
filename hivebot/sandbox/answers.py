"""What does the Web API answer to one call?"""

from __future__ import annotations

from dataclasses import dataclass, field

from hivebot.sandbox.arguments import Arguments
from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.faults import CallFault
from hivebot.sandbox.methods import METHODS, need
from hivebot.sandbox.shapes import Json, as_text
from hivebot.sandbox.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the Web API: status, JSON body, headers."""

    body: Json
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])


def answer_call(ws: Workspace, method: str, token: str | None, arguments: Json) -> Answer:
    """Carry out one call of the Web API, write it into the log and return the answer.

    Checked in this order: the method exists, the token is there, known and alive, it holds the
    scope, the limits allow the call; then whatever the method checks.
    """
    args = Arguments(arguments)
    try:
        body = _carry_out(ws, method, token, args)
    except SlackError as refusal:
        ws.note(method, arguments, refusal.error)
        return refused(ws, refusal)
    ts = as_text(body.get("ts")) or as_text(body.get("message_ts"))
    ws.note(method, arguments, None, ts)
    return Answer({"ok": True, **body}, headers=_headers(ws))


def _carry_out(ws: Workspace, method: str, token: str | None, args: Arguments) -> Json:
    known = METHODS.get(method)
    if known is None:
        raise SlackError("unknown_method", {"req_method": method})
    check_token(ws, token, app_level=False)
    if known.scope:
        need(ws, known.scope)
    check_limit(ws, method, known.per_minute, args.text("channel"))
    return known.handler(ws, args)


def check_token(ws: Workspace, token: str | None, *, app_level: bool) -> None:
    """Check that a call may be made with this token.

    Raises:
        SlackError: ``not_authed``, ``not_allowed_token_type``, ``invalid_auth``,
            ``token_revoked`` or ``account_inactive``.
    """
    if not token:
        raise SlackError("not_authed")
    wanted, other = ws.settings.bot_token, ws.settings.app_token
    if app_level:
        wanted, other = other, wanted
    if token == other:
        raise SlackError("not_allowed_token_type")
    if token != wanted:
        raise SlackError("invalid_auth")
    if ws.world.app.installed == "revoked":
        raise SlackError("token_revoked")
    if ws.world.app.installed == "uninstalled":
        raise SlackError("account_inactive")


def check_limit(ws: Workspace, method: str, per_minute: int, channel: str) -> None:
    """Count a call against its limit.

    Raises:
        SlackError: ``ratelimited`` with HTTP 429 and ``Retry-After``.
    """
    wait_s = ws.limiter.refusal(method, per_minute, channel, ws.settings)
    if wait_s is not None:
        raise SlackError("ratelimited", status=429, retry_after_s=wait_s)


def refused(ws: Workspace, refusal: SlackError) -> Answer:
    """Return the answer to a refused call."""
    headers = _headers(ws)
    if refusal.retry_after_s is not None:
        headers["Retry-After"] = str(refusal.retry_after_s)
    return Answer(refusal.body(), refusal.status, headers)


def _headers(ws: Workspace) -> dict[str, str]:
    return {"X-OAuth-Scopes": ",".join(ws.settings.scopes)}


def faulty(fault: CallFault) -> Answer | None:
    """Return the answer a fault puts in the place of the true one, or None for no answer."""
    if fault.answer == "ratelimited":
        headers = {} if fault.retry_after_s is None else {"Retry-After": str(fault.retry_after_s)}
        return Answer({"ok": False, "error": "ratelimited"}, 429, headers)
    if fault.answer == "status":
        return Answer({"ok": False, "error": "internal_error"}, fault.status)
    if fault.answer == "error":
        return Answer({"ok": False, "error": fault.error})
    return None
