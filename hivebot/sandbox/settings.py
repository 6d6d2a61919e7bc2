"""Which switches does the local workspace have?"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

BOT_TOKEN = "xoxb-sandbox-0001"  # noqa: S105 - minted for the sandbox, opens nothing
APP_TOKEN = "xapp-sandbox-0001"  # noqa: S105 - minted for the sandbox, opens nothing
SIGNING_SECRET = "sandbox-signing-secret"  # noqa: S105 - minted for the sandbox, opens nothing

SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:join",
    "channels:read",
    "chat:write",
    "chat:write.customize",
    "commands",
    "files:read",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "metadata.message:read",
    "mpim:history",
    "mpim:read",
    "reactions:read",
    "reactions:write",
    "team:read",
    "usergroups:read",
    "users:read",
)

EVENTS = (
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "channel_archive",
    "channel_deleted",
    "channel_id_changed",
    "channel_rename",
    "channel_shared",
    "channel_unarchive",
    "channel_unshared",
    "group_archive",
    "group_deleted",
    "group_rename",
    "group_unarchive",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
    "subteam_updated",
    "tokens_revoked",
)


class Settings(BaseModel):
    """Every switch of the sandbox; `POST /sandbox/settings` changes any of them while it runs.

    Durations are seconds. What Slack's documentation leaves open is a switch here, so that both
    readings can be tested.

    Source: slack.md sections 2 to 12.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Who the app is.
    bot_token: str = BOT_TOKEN
    app_token: str = APP_TOKEN
    signing_secret: str = SIGNING_SECRET
    client_id: str = "0001.0001"
    client_secret: str = "sandbox-client-secret"  # noqa: S105 - minted for the sandbox
    verification_token: str = "sandbox-verification"  # noqa: S105 - minted for the sandbox
    scopes: tuple[str, ...] = SCOPES
    events: tuple[str, ...] = EVENTS

    # Where events and presses go.
    delivery: Literal["http", "socket"] = "http"
    event_url: str | None = None
    interactivity_url: str | None = None
    command_url: str | None = None
    ack_timeout_s: float = Field(default=3.0, gt=0)
    retry_delays_s: tuple[float, ...] = (0.0, 60.0, 300.0)
    retry_scale: float = Field(default=1.0, ge=0)
    in_order: bool = False
    """Start an event's delivery only after the answer to the one before it."""

    # Where the bot tells its reasons, for the page.
    why_url: str | None = None
    why_token: str = ""

    # Sockets.
    max_sockets: int = 10
    socket_ping_s: float = 10.0
    connection_time_s: int = 18_060
    socket_ticket_s: float = 30.0

    # Limits.
    rate_limits: bool = True
    per_minute: dict[str, int] = Field(default_factory=dict[str, int])
    """Overrides of the calls a minute of one method."""
    history_max_items: int = 999
    """15 for an app distributed outside the Marketplace."""
    workspace_posts_per_minute: int = 300

    # What people's clients make of typed text.
    channel_form: Literal["literal", "labelled", "bare", "empty"] = "labelled"
    rich_text: bool = True

    # What the app's own posts look like in events and in the history.
    own_subtype: bool = False
    own_user: bool = True
    own_app_id: bool = True
    own_metadata: bool = True
    own_event: Literal["before", "after"] = "after"
    """Whether a post's event is delivered before or after the answer to the call."""

    # Order and completeness of events.
    mention_order: Literal["message_first", "mention_first"] = "message_first"
    mention_on_edit: bool = True
    parent_deletion: Literal["message_deleted", "tombstone"] = "message_deleted"
    shared_team_id: Literal["home", "author"] = "home"
    """Top-level ``team_id`` of events in shared channels: the install's, or the author's."""
    history_lag_s: float = 0.0

    def retry_delay_s(self, number: int) -> float:
        """Return the seconds before retry ``number``, counted from 1; no delay beyond the last."""
        delays = self.retry_delays_s[number - 1 :]
        return delays[0] * self.retry_scale if delays else 0.0

    def changed(self, patch: dict[str, object]) -> Settings:
        """Return the settings with ``patch`` applied; unknown names and bad values raise.

        Raises:
            pydantic.ValidationError: The patch does not fit.
        """
        return Settings.model_validate({**self.model_dump(), **patch})
