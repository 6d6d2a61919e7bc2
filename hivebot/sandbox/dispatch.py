"""When and by which way does each event and each press leave for the app?"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Literal

from hivebot.sandbox.delivery import Attempt, HttpDelivery
from hivebot.sandbox.events import subscription
from hivebot.sandbox.faults import FaultBook
from hivebot.sandbox.shapes import Json, as_map, as_text
from hivebot.sandbox.sockets import SocketHub
from hivebot.sandbox.workspace import Emission, Workspace
from hivebot.sandbox.workspace.acting import Interaction

State = Literal["pending", "held", "lost", "acknowledged", "failed"]


@dataclass(slots=True, eq=False)
class Delivery:
    """One event on its way, with what became of each attempt."""

    emission: Emission
    state: State = "pending"
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    tried: asyncio.Event = field(default_factory=asyncio.Event)

    def row(self) -> Json:
        """Return the delivery as the control API shows it."""
        event = as_map(self.emission.body.get("event"))
        return {
            "event_id": self.emission.event_id,
            "subscription": subscription(event),
            "type": event.get("type"),
            "subtype": event.get("subtype"),
            "channel": event.get("channel"),
            "ts": event.get("ts"),
            "plain": as_text(event.get("text")),
            "own": self.emission.own,
            "state": self.state,
            "attempts": [{"status": one.status, "reason": one.reason} for one in self.attempts],
            "event": event,
        }


class Dispatcher:
    """Takes the events from the workspace and sends them, each in a task of its own."""

    def __init__(
        self, ws: Workspace, faults: FaultBook, http: HttpDelivery, sockets: SocketHub
    ) -> None:
        self._ws = ws
        self._faults = faults
        self._http = http
        self._sockets = sockets
        self._tasks: set[asyncio.Task[None]] = set()
        self._last: Delivery | None = None
        self.deliveries: list[Delivery] = []

    def flush(self) -> list[Delivery]:
        """Start to deliver everything that has happened and return the deliveries."""
        return [one for emission in self._ws.take_events() for one in self._start(emission)]

    async def flush_first(self) -> None:
        """Deliver everything that has happened and return when each was tried once."""
        for delivery in self.flush():
            if delivery.state != "held":
                await delivery.tried.wait()

    def _start(self, emission: Emission) -> list[Delivery]:
        fault = self._faults.for_event(emission.body)
        if fault is None:
            return [self._launch(Delivery(emission))]
        if fault.effect in {"hold", "lose"}:
            state: State = "held" if fault.effect == "hold" else "lost"
            aside = Delivery(emission, state)
            aside.tried.set()
            self.deliveries.append(aside)
            self._ws.changed()
            return [aside]
        copies = [emission]
        for _ in range(fault.copies):
            event_id = emission.event_id
            if fault.effect == "reissue":
                event_id = self._ws.mint_id("Ev")
            body = {**emission.body, "event_id": event_id}
            copies.append(replace(emission, event_id=event_id, body=body))
        return [self._launch(Delivery(one)) for one in copies]

    def _launch(self, delivery: Delivery) -> Delivery:
        if delivery not in self.deliveries:
            self.deliveries.append(delivery)
        delivery.state = "pending"
        before, self._last = self._last, delivery
        task = asyncio.create_task(self._deliver(delivery, before))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return delivery

    async def _deliver(self, delivery: Delivery, before: Delivery | None) -> None:
        if self._ws.settings.in_order and before is not None:
            await before.tried.wait()

        def report(_: int, attempt: Attempt) -> None:
            delivery.attempts.append(attempt)
            delivery.tried.set()
            self._ws.changed()

        socket = self._ws.settings.delivery == "socket"
        way = self._sockets.event if socket else self._http.event
        try:
            acknowledged = await way(delivery.emission.body, report)
            delivery.state = "acknowledged" if acknowledged else "failed"
        finally:
            delivery.tried.set()
            self._ws.changed()

    def release(self, *, newest_first: bool = False) -> int:
        """Send the events that were held and return how many."""
        held = [one for one in self.deliveries if one.state == "held"]
        if newest_first:
            held.reverse()
        for delivery in held:
            delivery.tried.clear()
            self._launch(delivery)
        return len(held)

    async def interact(self, act: Interaction) -> Attempt:
        """Send a press, submission, shortcut or command and return how it ended."""
        if self._ws.settings.delivery == "socket":
            return await self._sockets.interact(act)
        if act.kind == "slash_commands":
            return await self._http.command(act.payload)
        return await self._http.interactive(act.payload)

    async def close(self) -> None:
        """Give up whatever is still under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
