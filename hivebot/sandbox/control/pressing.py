"""What can people press, submit, command and open?"""

from __future__ import annotations

from pydantic import Field

from hivebot.sandbox.bench import Bench
from hivebot.sandbox.control.base import Act
from hivebot.sandbox.errors import ControlError, SlackError
from hivebot.sandbox.shapes import Json, compact, parse_object
from hivebot.sandbox.workspace import acting, people, responding, submitting


async def _send(bench: Bench, act: acting.Interaction) -> Json:
    """Send an interaction and return how it ended, with the answer where Slack takes one.

    Raises:
        ControlError: ``operation_timeout`` when the app did not acknowledge in time, or
            ``dispatch_failed`` when it could not be reached or answered with an error.
    """
    bench.dispatcher.flush()
    bench.ws.changed()
    ended = await bench.dispatcher.interact(act)
    if ended.reason in {"timeout", "http_timeout"}:
        raise ControlError("operation_timeout")
    if ended.reason is not None:
        raise ControlError("dispatch_failed", f"{ended.reason} (HTTP {ended.status})")
    return {"answer": ended.body}


class Press(Act):
    """A person presses a button or uses a menu, under a message or in a view."""

    user: str
    action_id: str
    channel: str = ""
    ts: str = ""
    view_id: str = ""
    block_id: str = ""
    value: str | None = None
    chosen: list[str] = Field(default_factory=list[str])

    async def run(self, bench: Bench) -> Json:
        """Press it."""
        what = acting.Press(self.action_id, self.block_id, self.value, tuple(self.chosen))
        if self.view_id:
            act = acting.press_in_view(bench.ws, self.user, self.view_id, what)
        else:
            act = acting.press(bench.ws, self.user, self.channel, self.ts, what)
        return await _send(bench, act)


class Submit(Act):
    """A person submits a modal; ``values`` maps action ids to what they typed or picked."""

    user: str
    view_id: str
    values: Json = Field(default_factory=dict[str, object])

    async def run(self, bench: Bench) -> Json:
        """Submit it; a refused submission leaves the modal open with its errors."""
        act = submitting.submit(bench.ws, self.user, self.view_id, self.values)
        done = await _send(bench, act)
        return submitting.settle_submission(bench.ws, self.view_id, str(done["answer"]))


class Close(Act):
    """A person closes a modal."""

    user: str
    view_id: str

    async def run(self, bench: Bench) -> Json:
        """Close it; the app hears of it if the view asked for that."""
        act = submitting.close(bench.ws, self.user, self.view_id)
        return {"told": act is not None, **(await _send(bench, act) if act else {})}


class Command(Act):
    """A person types a slash command in a channel."""

    user: str
    channel: str
    command: str
    text: str = ""

    async def run(self, bench: Bench) -> Json:
        """Send it; an answer in the acknowledgement is shown as Slack does."""
        act = acting.command(bench.ws, self.user, self.channel, self.command, self.text)
        done = await _send(bench, act)
        answer = str(done["answer"])
        if act.response is not None and answer.strip():
            body = parse_object(answer) or {"text": answer}
            try:
                responding.answer(bench.ws, act.response, body)
            except SlackError as exc:
                raise ControlError("bad_response", compact(exc.body())) from exc
        return done


class Shortcut(Act):
    """A person calls a shortcut, of a message when ``ts`` is given."""

    user: str
    callback_id: str
    channel: str = ""
    ts: str = ""

    async def run(self, bench: Bench) -> Json:
        """Call it."""
        act = acting.shortcut(bench.ws, self.user, self.callback_id, self.channel, self.ts)
        return await _send(bench, act)


class OpenHome(Act):
    """A person opens the app's Home or Messages tab."""

    user: str
    tab: str = "home"

    async def run(self, bench: Bench) -> Json:
        """Open it."""
        people.open_home(bench.ws, self.user, self.tab)
        return {}
