"""Where does a choice from an answer's menu go? To the use case, or first to a modal.

A modal is opened before anything else is done: what opens it lives three seconds.
Source: datapath.md 1, slack.md 4, product.md 7.
"""

from __future__ import annotations

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.shapes import Json, as_map, as_text
from hivebot.adapters.slack.views import (
    ANSWER_CORRECTION,
    ELSEWHERE,
    REMOVAL,
    answer_correction_view,
    chosen_desk,
    corrected_words,
    elsewhere_view,
    is_taught,
    notice_view,
    refused_words,
    removal_view,
    submitted_value,
)
from hivebot.services.answer_menu import ANSWER_MENU, DISMISS, TAKE, parse_choice
from hivebot.services.erasure import Erasure
from hivebot.services.explaining import why_episode, why_turn
from hivebot.services.menus import AnswerMenus, Ask, Deed, Pick, Reasons, Words
from hivebot.services.menus.saying import GONE, removed_by
from hivebot.services.ports import Policies, UnitOfWork
from hivebot.services.presses import Press, Presses
from hivebot.services.records.arrivals import ReactionChanged
from hivebot.services.records.outgoing import Body, SendFailure

VIEWS = frozenset({ANSWER_CORRECTION, ELSEWHERE, REMOVAL})


def is_choice(action: str) -> bool:
    """Whether a press is about an answer, or about a suggested correction of one."""
    return action.partition(":")[0] == ANSWER_MENU or action in (TAKE, DISMISS)


class AnswerPresses:
    """Hands what people do with answers to the use cases."""

    def __init__(
        self,
        work: UnitOfWork,
        policies: Policies,
        menus: AnswerMenus,
        erasure: Erasure,
        presses: Presses,
        api: SlackApi,
    ) -> None:
        self._work = work
        self._policies = policies
        self._menus = menus
        self._erasure = erasure
        self._presses = presses
        self._api = api

    async def press(self, action: str, press: Press, payload: Json) -> str:
        """Carry a choice out, or ask in a modal for what it needs."""
        if action in (TAKE, DISMISS):
            pick = Pick(press.team_id, press.channel_id, press.thread_ts, press.user_id, "")
            decide = self._menus.take if action == TAKE else self._menus.dismiss
            return (await decide(pick, press.value)).value
        named = parse_choice(press.value)
        deed, about = named if named is not None else (Deed.WHY, "")
        pick = Pick(press.team_id, press.channel_id, press.thread_ts, press.user_id, about)
        found = await self._menus.choose(deed, pick)
        if isinstance(found, Ask):
            return await self._open(press.team_id, as_text(payload.get("trigger_id")), found)
        if isinstance(found, Reasons):
            found = await self._menus.tell(pick, await self._why(found))
        return found.value

    async def _why(self, of: Reasons) -> Body:
        if of.episode_id is not None:
            return await why_episode(self._work, self._policies, of.episode_id)
        return await why_turn(self._work, self._policies, of.turn_id or 0)

    async def _open(self, team_id: str, trigger_id: str, ask: Ask) -> str:
        opened = await self._api.call(
            team_id, "views.open", {"trigger_id": trigger_id, "view": _view(ask)}
        )
        return opened.code if isinstance(opened, SendFailure) else "modal"

    async def submit(self, callback: str, payload: Json) -> Json | None:
        """Take what a modal asked for; what to say in it when it cannot be taken."""
        team_id = as_text(as_map(payload.get("team")).get("id"))
        user_id = as_text(as_map(payload.get("user")).get("id"))
        value = submitted_value(payload)
        if callback == ANSWER_CORRECTION:
            said = Words(team_id, user_id, value, corrected_words(payload), is_taught(payload))
            problem = await self._menus.submit(said)
            return refused_words(problem) if problem else None
        if callback == ELSEWHERE:
            place = await self._menus.place_of(team_id, value)
            if place is None:
                return _noticed(GONE)
            press = Press(team_id, *place, user_id, f"{value}:{chosen_desk(payload)}")
            await self._presses.ask_too(press)
            return None
        found = await self._menus.removable(team_id, user_id, value)
        if isinstance(found, str):
            return _noticed(found)
        await self._erasure.remove(found.row_id, found.posts, removed_by(found.name))
        return None

    async def react(self, arrival: ReactionChanged) -> str:
        """Show the menu to whoever put a thumb down."""
        return (await self._menus.react(arrival)).value


def _view(ask: Ask) -> Json:
    if ask.deed is Deed.CORRECT:
        return answer_correction_view(ask.value, ask.text, decides=ask.decides)
    if ask.deed is Deed.ELSEWHERE:
        return elsewhere_view(ask.value, [(one.id, one.name) for one in ask.desks])
    return removal_view(ask.value)


def _noticed(problem: str) -> Json:
    return {"response_action": "update", "view": notice_view(problem)}
