"""Why may a deliberation not go on? What takes hold at once, whatever revision it began under.

Source: turns.md 6.
"""

from __future__ import annotations

from hivebot.hive.crossing import may_ask
from hivebot.services.records.episodes import EpisodeRow, Wish
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import ConversationRow
from hivebot.services.routing.passes import Pass
from hivebot.services.routing.telling import disconnected


async def why_stopped(
    here: Pass, episode: EpisodeRow, thread: ConversationRow, desk: DeskConfig | None
) -> str:
    """Why it may not go on, "" when it may.

    1. Somebody pressed Stop.
    2. The desk is not in force any more, or bound to another channel.
    3. Whoever asked has lost the permission to.
    4. The desk has used up what it may spend today.
    """
    if episode.wish is Wish.STOP:
        return episode.reason or "somebody pressed Stop"
    bound = here.in_force.desk(episode.desk_id)
    if desk is None or bound is None or disconnected(here, episode, thread):
        return "the desk was taken out of the configuration"
    if await _may_ask_no_more(here, episode, desk, bound):
        return "whoever asked may not ask this desk any more"
    if await here.spent_out(bound):
        return "the desk has used up its budget for today"
    return ""


async def _may_ask_no_more(
    here: Pass, episode: EpisodeRow, desk: DeskConfig, bound: DeskConfig
) -> bool:
    """Whether the configuration has taken from whoever asked what it had given them."""
    if not episode.asker_user_id or bound.answers_to == desk.answers_to:
        return False
    question = await here.tx.messages.get(episode.question_id)
    seen_team_id = question.user_team_id if question is not None else ""
    return may_ask(here.asker(episode.asker_user_id, seen_team_id), bound.answers_to) is not None
