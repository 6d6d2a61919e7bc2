"""How is the sandbox itself steered: switches, faults, sockets, events?"""

from __future__ import annotations

from pydantic import Field, ValidationError

from hivebot.sandbox.bench import Bench
from hivebot.sandbox.control.base import Act
from hivebot.sandbox.errors import ControlError
from hivebot.sandbox.faults import CallFault, EventFault
from hivebot.sandbox.shapes import Json
from hivebot.sandbox.sockets import Reason


class Change(Act):
    """Change settings by name."""

    settings: Json

    async def run(self, bench: Bench) -> Json:
        """Change them, all or none."""
        try:
            bench.ws.settings = bench.ws.settings.changed(self.settings)
        except ValidationError as exc:
            raise ControlError("bad_settings", str(exc)) from exc
        bench.ws.changed()
        return {}


class Verify(Act):
    """Ask the event request URL for its challenge, as Slack does before it takes the URL."""

    async def run(self, bench: Bench) -> Json:
        """Return whether it answered."""
        url = bench.ws.settings.event_url
        if url is None:
            raise ControlError("no_event_url")
        return {"verified": await bench.http.verify(url, bench.ws.mint_id("challenge-"))}


class BreakCalls(CallFault, Act):
    """Let the next calls of a method fail."""

    async def run(self, bench: Bench) -> Json:
        """Note the fault."""
        bench.faults.calls.append(CallFault.model_validate(self.model_dump()))
        bench.ws.changed()
        return {}


class BreakEvents(EventFault, Act):
    """Let the next events of a type go wrong."""

    async def run(self, bench: Bench) -> Json:
        """Note the fault."""
        bench.faults.events.append(EventFault.model_validate(self.model_dump()))
        bench.ws.changed()
        return {}


class Mend(Act):
    """Forget every fault that has not struck yet."""

    async def run(self, bench: Bench) -> Json:
        """Forget them."""
        bench.faults.clear()
        bench.ws.changed()
        return {}


class Release(Act):
    """Send the events that were held."""

    newest_first: bool = False

    async def run(self, bench: Bench) -> Json:
        """Send them."""
        return {"released": bench.dispatcher.release(newest_first=self.newest_first)}


class Disconnect(Act):
    """Tell the open sockets to go; ``close`` also closes them."""

    reason: Reason = "refresh_requested"
    close: bool = False

    async def run(self, bench: Bench) -> Json:
        """Tell them."""
        return {"sockets": await bench.sockets.disconnect(self.reason, close=self.close)}


class Deafen(Act):
    """Make the open sockets deaf: they answer pings and deliver nothing."""

    async def run(self, bench: Bench) -> Json:
        """Deafen them."""
        return {"sockets": bench.sockets.deafen()}


class Emit(Act):
    """Send the app any event at all, subscribed or not; ``body`` is a whole request instead."""

    event: Json = Field(default_factory=dict[str, object])
    body: Json = Field(default_factory=dict[str, object])

    async def run(self, bench: Bench) -> Json:
        """Queue what is given."""
        if self.event:
            bench.ws.emit_raw(self.event)
        if self.body:
            bench.ws.emit_body(self.body)
        return {}
