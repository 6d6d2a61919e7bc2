"""What does sending a row need to know beside the row? Its thread, its links, what it removes.

Source: datapath.md 4, rights.md 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hivebot.services.ports import Transaction
from hivebot.services.records.rows import OutboxRow


@dataclass(frozen=True, slots=True)
class Head:
    """The channel's head with what rendering it needs.

    Attributes:
        fresh: Claimed just now; otherwise it was found half sent.
        thread_ts: The thread it goes to, "" for top level.
        target: For a deletion: what the row it removes posted.
    """

    row: OutboxRow
    fresh: bool
    thread_ts: str
    target: tuple[str, ...]


async def prepared(tx: Transaction, row: OutboxRow, *, fresh: bool) -> Head:
    """Resolve what the row names: its thread, the links it shows, the post it removes."""
    thread_ts = row.destination.thread_ts
    if row.thread_of is not None:
        root = await tx.outbox.get(row.thread_of)
        thread_ts = root.ts[0] if root is not None and root.ts else thread_ts
    target: tuple[str, ...] = ()
    if row.target_id is not None:
        removed = await tx.outbox.get(row.target_id)
        target = removed.ts if removed is not None else ()
    return Head(await _linked(tx, row), fresh, thread_ts, target)


async def _linked(tx: Transaction, row: OutboxRow) -> OutboxRow:
    body = row.body
    if not body.quotes and not body.sources:
        return row
    workspace = await tx.workspaces.get(row.destination.team_id)
    url = workspace.url if workspace is not None else ""
    quotes = tuple([replace(quote, link=await _link(tx, quote.link, url)) for quote in body.quotes])
    sources = tuple(
        [replace(source, link=await _link(tx, source.link, url)) for source in body.sources]
    )
    return replace(row, body=replace(body, quotes=quotes, sources=sources))


async def _link(tx: Transaction, link: str, url: str) -> str:
    """A permalink built without a call; "" for a post that was never made."""
    if link.startswith("message:"):
        channel_id, _, ts = link.removeprefix("message:").partition("/")
        return permalink(url, channel_id, ts)
    if not link.startswith("outbox:"):
        return link
    post = await tx.outbox.get(int(link.removeprefix("outbox:")))
    if post is None or not post.ts:
        return ""
    return permalink(url, post.destination.channel_id, post.ts[0])


def permalink(url: str, channel_id: str, ts: str) -> str:
    """The address of a message in the workspace at `url`; "" when either is unknown."""
    if not url or not ts:
        return ""
    return f"{url.rstrip('/')}/archives/{channel_id}/p{ts.replace('.', '')}"
