"""May this address be clicked, and how is it shown when it may not?

Source: rights.md 5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from hivebot.adapters.slack.plain import code, plain

URL_MAX: Final = 2_000
"""Characters of an address that may be a link; a longer one is shown as code, cut there."""

TOKEN_MAX: Final = 2_500
"""Characters of a link with its escapes; it must fit into a section, where it is never parted."""

LABEL_MAX: Final = 300
"""Characters of a link's label; a longer one ends in an ellipsis."""

_UNSAFE: Final = re.compile(r"[^!#-;=?-\[\]_a-z~]")
_NETLOC: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?")
_PERMALINK: Final = re.compile(r"/archives/[A-Z0-9]+/p[0-9]+")
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True)
class LinkRule:
    """Which addresses in somebody's text may be clicked: by host, or the exact address."""

    hosts: frozenset[str] = frozenset()
    exact: frozenset[str] = frozenset()

    @classmethod
    def of(cls, hosts: tuple[str, ...], exact: tuple[str, ...]) -> LinkRule:
        """The rule for hosts in any case and exact addresses."""
        return cls(frozenset(host.lower() for host in hosts), frozenset(exact))

    def allows(self, url: str) -> bool:
        """Whether the address may be clicked; nothing but plain http and https ever may."""
        host = _web_host(url)
        return bool(host) and (host in self.hosts or url in self.exact)


def link(url: str, label: str, rule: LinkRule) -> str:
    """An address from somebody's text as mrkdwn.

    Allowed: a link whose label ends with the host, unless it is the host. Any other: code, its host
    in front. A label that looks like an address itself is left out of links and shown as code.
    """
    label = _label(label)
    if label == url:
        label = ""
    if not rule.allows(url):
        return _as_code(url, label)
    host = _web_host(url)
    if "://" in label:
        label = ""
    elif label and label.lower() != host:
        label = f"{label} ({host})"
    return _token(url, label) or _as_code(url, label)


def own_link(url: str, label: str, rule: LinkRule) -> str:
    """An address the program has put beside a label, as mrkdwn.

    A permalink of Slack's own host carries its label alone; one of another host names the host.
    Everything else follows the rule for text. Without an address the label stands alone.
    """
    host = _web_host(url)
    if not url or not host or not _PERMALINK.fullmatch(urlsplit(url).path):
        return link(url, label, rule) if url.partition(":")[0] in _DEFAULT_PORTS else plain(label)
    label = _label(label) or host
    if host != "slack.com" and not host.endswith(".slack.com") and label != host:
        label = f"{label} ({host})"
    return _token(url, label) or plain(label)


def _web_host(url: str) -> str:
    """Host, and port unless it is the usual one; "" for what is no plain web address."""
    if len(url) > URL_MAX or _UNSAFE.search(url.lower()):
        return ""
    parts = _split(url)
    if parts is None:
        return ""
    scheme, netloc = parts
    if scheme not in _DEFAULT_PORTS or not _NETLOC.fullmatch(netloc):
        return ""
    return netloc.removesuffix(_DEFAULT_PORTS[scheme])


def _split(url: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.scheme, parts.netloc.lower()


def _label(label: str) -> str:
    label = " ".join(label.split())
    return label if len(label) <= LABEL_MAX else label[: LABEL_MAX - 1] + "…"


def _token(url: str, label: str) -> str:
    """The active link, "" where it would be too long."""
    address = url.replace("&", "&amp;")
    token = f"<{address}|{plain(label)}>" if label else f"<{address}>"
    return token if len(token) <= TOKEN_MAX else ""


def _as_code(url: str, label: str) -> str:
    if len(url) > URL_MAX:
        url = url[: URL_MAX - 1] + "…"
    parts = _split(url)
    host = _readable_host(parts[1]) if parts else ""
    shown = f"{code(host)} {code(url)}" if host else code(url)
    if not label:
        return shown
    return f"{code(label) if '://' in label else plain(label)} ({shown})"


def _readable_host(netloc: str) -> str:
    """The host as machines read it: without user names, other alphabets spelt out."""
    host = netloc.rpartition("@")[2]
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host.encode("ascii", "backslashreplace").decode("ascii")
