"""What does one word to the bot do? The words of the slash command, in a thread where it fails.

Source: product.md 9, rights.md 1.
"""

from __future__ import annotations

from typing import assert_never

from hivebot.services import lines
from hivebot.services.neighbours import far_desks
from hivebot.services.pointing import Pointed, why_in
from hivebot.services.records.episodes import Wish
from hivebot.services.records.rows import MessageRow
from hivebot.services.routing.judging import Word
from hivebot.services.routing.passes import Pass


async def obey(here: Pass, row: MessageRow, word: Word) -> None:
    """Carry out an order; whoever gave it is told privately what came of it."""
    match word:
        case Word.STOP:
            await _stop(here, row)
        case Word.MUTE:
            await here.tx.conversations.set_muted(here.conversation.id, muted=True)
            await here.private_line(row, lines.muted())
        case Word.HELP:
            desk = here.desk
            others = far_desks(desk, here.configuration) if desk is not None else ()
            name = desk.id if desk is not None else here.conversation.desk_id
            body = lines.help_here(name, [other.id for other in others])
            await here.private_line(row, body)
        case Word.WHY:
            body = await why_in(here.tx, here.policies, _here(here))
            await here.private_line(row, body)
        case _:  # pragma: no cover - exhaustive
            assert_never(word)


def _here(here: Pass) -> Pointed:
    place = here.conversation
    return Pointed(place.team_id, place.channel_id, thread_ts=place.thread_ts)


async def _stop(here: Pass, row: MessageRow) -> None:
    """Stop what runs here: whoever asked, or a steward of the desk."""
    stewards = here.desk.stewards if here.desk is not None else ()
    for episode in await here.tx.episodes.in_thread(here.conversation.id):
        if episode.end is not None:
            continue
        if row.user_id != episode.asker_user_id and row.user_id not in stewards:
            await here.private_line(row, lines.press_refused())
            return
        await here.tx.episodes.wish(episode.id, Wish.STOP, "somebody said stop")
        await here.tx.jobs.route(episode.log_id)
        return
    await here.private_line(row, lines.nothing_to_stop())
