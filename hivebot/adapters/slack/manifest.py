"""What must a workspace allow the app? Slack's app manifest.

Source: slack.md 7 and 12, product.md 9.
"""

from __future__ import annotations

from typing import Final, Literal

from hivebot.adapters.slack.api import METHODS
from hivebot.adapters.slack.events import SUBSCRIPTIONS
from hivebot.services.records.commands import HINT

Mode = Literal["socket", "http"]

NAME: Final = "hivebot"
DESCRIPTION: Final = "Desks of agents that answer, confer and ask one another."
BACKGROUND: Final = "#1f2a37"

FEATURE_SCOPES: Final[dict[str, tuple[str, ...]]] = {
    "personas": ("chat:write.customize",),
    "slash command and shortcuts": ("commands",),
    "lookup by metadata": ("metadata.message:read",),
}
"""Scopes that belong to no single method or event."""

FILE_SCOPES: Final = ("files:read",)
"""Only where a desk allows file contents."""

AGENT_SCOPES: Final = ("assistant:write",)
AGENT_EVENTS: Final = ("app_context_changed",)

COMMAND: Final = "/hive"
SHORTCUT: Final = "why_this_speaker"


def scopes(*, files: bool = False, agent_view: bool = False) -> tuple[str, ...]:
    """Bot scopes in alphabetical order: what methods, events and features need, no more."""
    needed = {scope for method in METHODS.values() for scope in method.scopes}
    needed.update(scope for wanted in SUBSCRIPTIONS.values() for scope in wanted)
    needed.update(scope for wanted in FEATURE_SCOPES.values() for scope in wanted)
    needed.update(FILE_SCOPES if files else ())
    needed.update(AGENT_SCOPES if agent_view else ())
    return tuple(sorted(needed))


def manifest(
    mode: Mode,
    url: str | None = None,
    *,
    agent_view: bool = False,
    files: bool = False,
    org_wide: bool = False,
    token_rotation: bool = False,
) -> dict[str, object]:
    """The manifest as Slack's configuration page takes it.

    Args:
        mode: `socket` needs no address; `http` has events, interactivity and the command sent to
            paths under `url`.
        url: Public https address of `web`, without a path; None in socket mode.
        agent_view: Turn the agent surface on. It shuts workspace guests out and cannot be undone.
        files: Ask for file contents too.
        org_wide: An organisation may install it for all its workspaces at once.
        token_rotation: Tokens end after twelve hours. It cannot be turned off again, and works
            with installation by OAuth only.

    Raises:
        ValueError: `http` without an https address.
    """
    if mode == "http" and not (url or "").startswith("https://"):
        raise ValueError("http mode needs the public https address of web")
    base = (url or "").rstrip("/") if mode == "http" else ""
    events = [*SUBSCRIPTIONS, *(AGENT_EVENTS if agent_view else ())]
    oauth: dict[str, object] = {"scopes": {"bot": [*scopes(files=files, agent_view=agent_view)]}}
    if base:
        oauth["redirect_urls"] = [f"{base}/slack/oauth_redirect"]
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": NAME,
            "description": DESCRIPTION,
            "background_color": BACKGROUND,
        },
        "features": _features(base, agent_view=agent_view),
        "oauth_config": oauth,
        "settings": {
            "event_subscriptions": {**_sent_to(base), "bot_events": sorted(events)},
            "interactivity": {"is_enabled": True, **_sent_to(base)},
            "org_deploy_enabled": org_wide,
            "socket_mode_enabled": mode == "socket",
            "token_rotation_enabled": token_rotation,
        },
    }


def _sent_to(base: str) -> dict[str, object]:
    return {"request_url": f"{base}/slack/events"} if base else {}


def _features(base: str, *, agent_view: bool) -> dict[str, object]:
    command: dict[str, object] = {
        "command": COMMAND,
        "description": "Ask a desk, or see what the desks do",
        "usage_hint": HINT,
        "should_escape": True,
    }
    if base:
        command["url"] = f"{base}/slack/events"
    features: dict[str, object] = {
        "app_home": {
            "home_tab_enabled": True,
            "messages_tab_enabled": True,
            "messages_tab_read_only_enabled": False,
        },
        "bot_user": {"display_name": NAME, "always_online": True},
        "shortcuts": [
            {
                "name": "Why this speaker?",
                "type": "message",
                "callback_id": SHORTCUT,
                "description": "Shows why this agent was given the floor",
            }
        ],
        "slash_commands": [command],
    }
    if agent_view:
        features["agent_view"] = {"agent_description": DESCRIPTION}
    return features
