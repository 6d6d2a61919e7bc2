"""What is to be shown in Slack? The wanted message, before it is rendered into blocks.

Every text here is data: the renderer neutralises mentions and markers of Slack in it. What pings is
named in fields of its own. Source: product.md 3 and 10, datapath.md 4, rights.md 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class OutboxKind(StrEnum):
    """What delivery has to do.

    `POST` is an answer or a question, posted once (in parts when long). `LINE` is a status or
    progress line: posted once, then edited to the newest revision. `EPHEMERAL` is private to one
    person and sent at most once. `DELETE` removes what another row posted.
    """

    POST = "post"
    LINE = "line"
    EPHEMERAL = "ephemeral"
    DELETE = "delete"


class OutboxState(StrEnum):
    """Where an outbox row stands. Source: datapath.md 4."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Persona:
    """Under which name and icon an agent posts. `icon` is `:emoji:`, an https address or ""."""

    name: str
    icon: str = ""
    rule_based: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody's words inside a message, shown verbatim.

    Attributes:
        author: Name as shown.
        place: Desk or channel as the reader may know it, or "said in a private desk".
        link: Permalink, `outbox:ID` until delivery resolves it, or "" where none may be shown.
        text: The quoted words.
        plain: Shown as they are, nothing formatted, invisible characters made visible (gates).
        struck: Struck through: they do not stand any more. Only with `plain`.
        named: People and channels stand by name in it, though it is `plain`: nobody approves it.
    """

    author: str
    place: str
    link: str
    text: str
    plain: bool = False
    struck: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a menu; `value` is what comes back, at most 75 characters."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Menu:
    """What can be done with a message, behind one small button: two to five choices."""

    action: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Button:
    """A button; `value` is what comes back, at most 2,000 characters.

    Attributes:
        confirm: What the presser is asked before it counts, "" for nothing.
    """

    action: str
    label: str
    value: str
    style: Literal["", "primary", "danger"] = ""
    confirm: str = ""


@dataclass(frozen=True, slots=True)
class SourceLink:
    """One source of an answer: a label and, where the reader may follow it, a link."""

    label: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """One wanted message.

    Attributes:
        text: Markdown as agents write it; "" only when there are quotes.
        persona: None posts as the app itself.
        heading: One bold line above the text, or "".
        mention_users: User ids that are pinged, minted by the program.
        mention_groups: User-group ids that are pinged.
        quotes: Shown between heading and text.
        sources: The small line at the end ("From: …"); with `small` first.
        small: Small print, or "".
        link_hosts: Hosts whose addresses may be clickable.
        link_exact: Exact addresses that may be clickable.
        menu: What readers can do with it, beside the buttons.
    """

    text: str
    persona: Persona | None = None
    heading: str = ""
    mention_users: tuple[str, ...] = ()
    mention_groups: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    sources: tuple[SourceLink, ...] = ()
    small: str = ""
    buttons: tuple[Button, ...] = ()
    link_hosts: tuple[str, ...] = ()
    link_exact: tuple[str, ...] = ()
    menu: Menu | None = None


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a message goes, fixed when the question arrived.

    Attributes:
        thread_ts: "" for top level.
        user_id: The one reader of an ephemeral, else "".
    """

    team_id: str
    channel_id: str
    thread_ts: str = ""
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class Posted:
    """Slack took it; one ts per part, in order."""

    ts: tuple[str, ...]


SendFailureKind = Literal[
    "wait",  # rate limited: hold the bucket for `retry_after_s`
    "ambiguous",  # no answer, broken connection, 5xx, Slack's own *_error
    "not_member",  # not_in_channel, channel_not_found
    "archived",  # is_archived
    "restricted",  # restricted_action, ekm_access_denied
    "too_long",  # msg_too_long, msg_blocks_too_long
    "blocks",  # invalid_blocks
    "thread_gone",  # invalid_thread_ts, thread_not_found
    "message_gone",  # message_not_found
    "cannot_edit",  # cant_update_message, cant_delete_message
    "scope",  # missing_scope; `detail` names the scope
    "token",  # account_inactive, token_revoked, invalid_auth: the workspace stops
    "refused",  # any other refusal by name
]


@dataclass(frozen=True, slots=True)
class SendFailure:
    """Slack did not take it.

    Attributes:
        code: Slack's error string, or the kind of transport failure.
        detail: What Slack said beside it, without any message text.
        retry_after_s: Only for `wait`.
        per_channel: For `wait`: the limit is this channel's, else the method's in the workspace.
    """

    kind: SendFailureKind
    code: str
    detail: str = ""
    retry_after_s: int = 0
    per_channel: bool = True


SendResult = Posted | SendFailure
