"""Where does something from Slack go? To the one use case that takes it.

Source: datapath.md 1.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from hivebot.adapters.slack.events import arrival, event_key
from hivebot.adapters.slack.manifest import SHORTCUT
from hivebot.adapters.slack.views import submitted_as
from hivebot.entrypoints.answer_presses import VIEWS, AnswerPresses, is_choice
from hivebot.entrypoints.commands import Commands, said_in_thread
from hivebot.entrypoints.gate_presses import ACTIONS, GatePresses
from hivebot.entrypoints.homes import Homes
from hivebot.entrypoints.slack_app import Identity
from hivebot.entrypoints.workspaces import Workspaces
from hivebot.errors import HivebotError
from hivebot.services import outcomes
from hivebot.services.erasure import Erasure
from hivebot.services.gates import Gates, GateStep
from hivebot.services.intake import Intake, Receipt
from hivebot.services.lines import ASK_TOO
from hivebot.services.ports import Policies, UnitOfWork
from hivebot.services.presses import Press, Presses
from hivebot.services.records.arrivals import (
    Arrival,
    HomeOpened,
    MessageArrived,
    MessageDeleted,
    ReactionChanged,
    TextContext,
    WorkspaceGone,
)
from hivebot.services.records.policy import Configuration
from hivebot.services.records.rows import WorkspaceRow
from hivebot.services.steering import Push, Steered, Steering
from hivebot.telemetry import Metrics

NOT_STORED = "not_stored"
"""The outcome of an event that is not acknowledged: Slack sends it again."""


class SlackReceiver:
    """Reads payloads and hands them on."""

    def __init__(
        self,
        *,
        work: UnitOfWork,
        policies: Policies,
        intake: Intake,
        erasure: Erasure,
        presses: Presses,
        steering: Steering,
        gates: Gates,
        gate_presses: GatePresses,
        answers: AnswerPresses,
        commands: Commands,
        homes: Homes,
        workspaces: Workspaces,
        metrics: Metrics,
    ) -> None:
        self._work = work
        self._policies = policies
        self._intake = intake
        self._erasure = erasure
        self._presses = presses
        self._steers: dict[str, Callable[[Push], Awaitable[Steered]]] = {
            outcomes.STOP: steering.stop,
            outcomes.ANSWER_NOW: steering.answer_now,
            outcomes.CHOOSE: steering.choose,
            outcomes.TWO_MORE: steering.two_more,
            outcomes.ASK_ANOTHER: steering.ask_another,
            outcomes.AGAIN: steering.again,
            outcomes.WHY: steering.why,
        }
        self._gates = gates
        self._gate_presses = gate_presses
        self._answers = answers
        self._commands = commands
        self._homes = homes
        self._workspaces = workspaces
        self._metrics = metrics

    async def event(self, payload: dict[str, object]) -> str:
        """Store one `event_callback`."""
        began = time.monotonic()
        key = event_key(payload)
        here = await self._workspaces.at(key.team_id, key.enterprise_id)
        came = arrival(payload, text_context(self._policies.current(), here))
        try:
            outcome = await self._take(came, payload) if here.team_id else "not_installed"
        except HivebotError:
            self._metrics.events.labels(type(came).__name__, NOT_STORED).inc()
            raise
        self._metrics.events.labels(type(came).__name__, outcome).inc()
        self._metrics.intake.labels(outcome).observe(time.monotonic() - began)
        return outcome

    async def _take(self, came: Arrival, payload: dict[str, object]) -> str:
        if isinstance(came, MessageDeleted):
            return (await self._erasure.receive(came)).value
        if isinstance(came, ReactionChanged):
            step = await self._gates.react(came)
            return step.value if step is not GateStep.NOTHING else await self._answers.react(came)
        if isinstance(came, MessageArrived):
            return (await self._message(came, payload)).value
        receipt = await self._intake.receive(came, payload)
        if isinstance(came, WorkspaceGone):
            await self._workspaces.gone(came.key.team_id)
        if isinstance(came, HomeOpened) and receipt is not Receipt.DUPLICATE_EVENT:
            self._homes.opened(came)
        return receipt.value

    async def _message(self, came: MessageArrived, payload: dict[str, object]) -> Receipt:
        """Hand a message to the gate it is said to, else take it as a command, else store it."""
        heard = await self._gates.reply(came) is not GateStep.NOTHING
        typed = None if heard else said_in_thread(came)
        receipt = await self._intake.receive(came, payload, heard=heard or typed is not None)
        if typed is not None and receipt is Receipt.STORED:
            await self._commands.reply(came, typed)
        return receipt

    async def submit(self, payload: dict[str, object]) -> Mapping[str, object] | None:
        """Take a modal's submission; what to say beside its input, or None."""
        callback = submitted_as(payload)
        if callback in VIEWS:
            return await self._answers.submit(callback, payload)
        return await self._gate_presses.submit(payload)

    async def press(self, action: str, payload: dict[str, object]) -> str:
        """Carry out one press of a button."""
        press = press_of(payload)
        if action == ASK_TOO:
            return (await self._presses.ask_too(press)).value
        if action in ACTIONS:
            return await self._gate_presses.press(action, press, payload)
        if is_choice(action):
            return await self._answers.press(action, press, payload)
        steer = self._steers.get(action)
        if steer is None:
            return "unknown"
        push = Push(press.team_id, press.channel_id, press.thread_ts, press.user_id, press.value)
        return (await steer(push)).value

    async def command(self, payload: dict[str, object]) -> dict[str, object]:
        """Carry out a slash command."""
        here = await self._workspaces.at(_text(payload, "team_id"), _text(payload, "enterprise_id"))
        return await self._commands.command(payload, text_context(self._policies.current(), here))

    async def shortcut(self, payload: dict[str, object]) -> str:
        """Carry out a shortcut."""
        if payload.get("callback_id") != SHORTCUT:
            return "unknown"
        return await self._commands.shortcut(payload)

    async def workspace(self, team_id: str, enterprise_id: str = "") -> Identity | None:
        """Who we are in a workspace."""
        row = await self._workspaces.at(team_id or enterprise_id, enterprise_id)
        if not row.team_id or team_id not in ("", row.team_id):
            return None
        token = await self._workspaces.token(row.team_id)
        return Identity(row.team_id, row.bot_user_id, row.bot_id, token)


def text_context(configuration: Configuration, identity: WorkspaceRow) -> TextContext:
    """What reading Slack's tokens needs to know."""
    return TextContext(
        bot_user_id=identity.bot_user_id,
        bot_ids=(identity.bot_id,) if identity.bot_id else (),
        app_id=identity.app_id,
        desk_by_channel=tuple((desk.channel, desk.id) for desk in configuration.desks),
        desk_by_group=tuple(
            (desk.user_group, desk.id) for desk in configuration.desks if desk.user_group
        ),
    )


def press_of(payload: dict[str, object]) -> Press:
    """A press from a `block_actions` payload; absent parts are ""."""
    actions = payload.get("actions")
    first: object = (
        cast("list[object]", actions)[0] if isinstance(actions, list) and actions else {}
    )
    container = payload.get("container")
    return Press(
        # an organisation's installation may leave the workspace to be read off the person
        team_id=_text(payload.get("team"), "id") or _text(payload.get("user"), "team_id"),
        channel_id=_text(payload.get("channel"), "id"),
        thread_ts=_text(container, "thread_ts") or _text(payload.get("message"), "thread_ts"),
        user_id=_text(payload.get("user"), "id"),
        value=_text(first, "value") or _text(_part(first, "selected_option"), "value"),
    )


def _part(value: object, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _text(value: object, key: str) -> str:
    if not isinstance(value, dict):
        return ""
    found = cast("dict[str, object]", value).get(key)
    return found if isinstance(found, str) else ""
