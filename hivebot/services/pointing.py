"""Which turns does somebody point at, and why did their agents speak? Read in one transaction.

Source: product.md 7 and 9, rights.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hivebot.services.ports import Policies, Transaction
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.outgoing import Body
from hivebot.services.records.rows import MessageRole, MessageRow, OutboxRow, TurnState
from hivebot.services.speaking import why_turn

TURNS_TOLD: Final = 6
"""So many of a deliberation's newest turns are told; the rest is counted."""

LOOK_BACK: Final = 50
"""So many of a thread's newest rows are looked at for one that somebody was given the floor for."""

HEADING: Final = "Why this speaker?"

NOBODY: Final = (
    "No agent was given the floor for this, so there is no reason to tell. Point at an agent's "
    "answer, or say `@hive why` in a thread that has one."
)


@dataclass(frozen=True, slots=True)
class Pointed:
    """What somebody points at, in a channel they can read.

    Attributes:
        ts: The message, "" for the newest answer of the thread.
        thread_ts: The thread, "" for the channel itself.
    """

    team_id: str
    channel_id: str
    ts: str = ""
    thread_ts: str = ""


async def why_in(tx: Transaction, policies: Policies, at: Pointed) -> Body:
    """Say why an agent's message is that agent's, or how a deliberation's turns were given.

    The order of checks is that of `explaining.why`.
    """
    turn_ids, earlier = await _turns(tx, at)
    return await told(tx, policies, turn_ids, earlier)


async def told(
    tx: Transaction, policies: Policies, turn_ids: tuple[int, ...], earlier: int
) -> Body:
    """Say why these turns' agents spoke; of more than one, each with its number.

    Args:
        tx: The transaction it is read in.
        policies: Where the revisions are that the turns were given under.
        turn_ids: The turns, oldest first.
        earlier: So many before them are left out.
    """
    said = [await why_turn(tx, policies, turn_id) for turn_id in turn_ids]
    told = [one for one in said if one is not None]
    if not told:
        return Body(text=NOBODY)
    if len(turn_ids) > 1:
        told = [f"{number}. {one}" for number, one in enumerate(told, start=earlier + 1)]
    return Body(text="\n".join(told), heading=HEADING, small=_left_out(earlier))


async def _turns(tx: Transaction, at: Pointed) -> tuple[tuple[int, ...], int]:
    """The turns to tell about, oldest first, and how many before them are left out."""
    if at.ts:
        return await _at_message(tx, at)
    place = await tx.conversations.find(at.team_id, at.channel_id, at.thread_ts)
    if place is None:
        return (), 0
    for row in await tx.messages.window(place.id, LOOK_BACK):
        found = await _of_row(tx, row)
        if found[0]:
            return found
    running = await tx.episodes.in_thread(place.id)
    return await spoken(tx, running[-1]) if running else ((), 0)


async def _at_message(tx: Transaction, at: Pointed) -> tuple[tuple[int, ...], int]:
    posted = await tx.outbox.by_ts(at.team_id, at.channel_id, at.ts)
    if posted is not None:
        found = await _of_post(tx, posted)
        if found[0]:
            return found
    for row in await tx.messages.find(at.team_id, at.channel_id, at.ts):
        found = await _of_row(tx, row)
        if found[0]:
            return found
    return (), 0


async def _of_post(tx: Transaction, post: OutboxRow) -> tuple[tuple[int, ...], int]:
    if post.turn_id is not None:
        return (post.turn_id,), 0
    row = await tx.messages.get(post.message_id) if post.message_id is not None else None
    if row is not None and (found := await _of_row(tx, row))[0]:
        return found
    place = post.destination
    thread = await tx.conversations.find(place.team_id, place.channel_id, place.thread_ts)
    episodes = await tx.episodes.in_thread(thread.id) if thread is not None else ()
    shown = next((one for one in episodes if one.progress_id == post.id), None)
    return await spoken(tx, shown) if shown is not None else ((), 0)


async def _of_row(tx: Transaction, row: MessageRow) -> tuple[tuple[int, ...], int]:
    if row.deleted_at is not None:
        return (), 0
    if row.turn_id is not None:
        return (row.turn_id,), 0
    if row.role is not MessageRole.OUTCOME:
        return (), 0
    ended = [one for one in await tx.episodes.in_thread(row.conversation_id) if one.end is not None]
    return await spoken(tx, ended[-1]) if ended else ((), 0)


async def spoken(tx: Transaction, episode: EpisodeRow) -> tuple[tuple[int, ...], int]:
    """A deliberation's committed turns: the newest, and how many came before."""
    found: list[int] = []
    for row in await tx.messages.since(episode.log_id, 0):
        turn = await tx.turns.get(row.turn_id) if row.turn_id is not None else None
        if turn is not None and turn.episode_id == episode.id:
            found += [turn.id] if turn.state is TurnState.COMMITTED else []
    newest = tuple(found[-TURNS_TOLD:])
    return newest, len(found) - len(newest)


def _left_out(earlier: int) -> str:
    if not earlier:
        return ""
    turns = "one turn" if earlier == 1 else f"{earlier} turns"
    return f"{turns} before these left out; `hivebot replay` shows all"
