"""Where does a press, a reaction or a reply at a gate go? To the gate, or first to a modal.

A modal is opened before anything else is done: what opens it lives three seconds.
Source: datapath.md 1, slack.md 4.
"""

from __future__ import annotations

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.shapes import Json, as_map, as_text
from hivebot.adapters.slack.views import (
    corrected_words,
    correction_view,
    refused_words,
    submitted_value,
)
from hivebot.hive.gate import GateAct, GateWay, NoGateReason
from hivebot.services.gates import GateMove, Gates, refusal
from hivebot.services.gating import APPROVE, CORRECT, REJECT, correctable, parse_value
from hivebot.services.presses import Press
from hivebot.services.records.outgoing import SendFailure

ACTIONS = frozenset({APPROVE, CORRECT, REJECT})


class GatePresses:
    """Hands what people do at gates to the use case."""

    def __init__(self, gates: Gates, api: SlackApi) -> None:
        self._gates = gates
        self._api = api

    async def press(self, action: str, press: Press, payload: Json) -> str:
        """Approve or reject at once; correct by way of a modal."""
        if action == CORRECT:
            return await self._open_modal(press, as_text(payload.get("trigger_id")))
        act = GateAct.APPROVE if action == APPROVE else GateAct.REJECT
        return await self._move(press, act)

    async def _open_modal(self, press: Press, trigger_id: str) -> str:
        """Open the modal for whoever may correct this; others are told why not at once."""
        named = parse_value(press.value)
        if named is None:
            return "gone"
        gate = await self._gates.correctable(_move_of(press, named, GateAct.CORRECT, words="?"))
        if isinstance(gate, NoGateReason):
            return gate.value
        opened = await self._api.call(
            press.team_id,
            "views.open",
            {"trigger_id": trigger_id, "view": correction_view(press.value, correctable(gate))},
        )
        return opened.code if isinstance(opened, SendFailure) else "modal"

    async def _move(self, press: Press, act: GateAct) -> str:
        named = parse_value(press.value)
        outcome = await self._gates.move(_move_of(press, named, act)) if named else None
        return outcome.value if outcome is not None else "gone"

    async def submit(self, payload: Json) -> Json | None:
        """A correction from its modal: taken, or refused beside the input."""
        named = parse_value(submitted_value(payload))
        if named is None:
            return refused_words(refusal(NoGateReason.VOID))
        outcome = await self._gates.move(
            GateMove(
                team_id=as_text(as_map(payload.get("team")).get("id")),
                user_id=as_text(as_map(payload.get("user")).get("id")),
                gate_id=named[0],
                act=GateAct.CORRECT,
                way=GateWay.BUTTON,
                words=corrected_words(payload),
                shown_digest=named[1],
            )
        )
        if isinstance(outcome, NoGateReason):
            return refused_words(refusal(outcome))
        return None if outcome is not None else refused_words(refusal(NoGateReason.VOID))


def _move_of(press: Press, named: tuple[int, str], act: GateAct, words: str = "") -> GateMove:
    return GateMove(
        team_id=press.team_id,
        user_id=press.user_id,
        gate_id=named[0],
        act=act,
        way=GateWay.BUTTON,
        words=words,
        shown_digest=named[1],
        channel_id=press.channel_id,
        thread_ts=press.thread_ts,
    )
