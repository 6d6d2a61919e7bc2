"""Does every poster and every directory keep the port's promises, pretended or real?"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, Protocol

import pytest

from hivebot.adapters.slack.api import SlackApi
from hivebot.adapters.slack.directory import SlackDirectory
from hivebot.adapters.slack.poster import SlackPoster
from hivebot.sandbox.faults import CallFault
from hivebot.sandbox.server import Running, serve
from hivebot.sandbox.settings import BOT_TOKEN
from hivebot.sandbox.workspace import Workspace, people, seeing
from hivebot.services.ports import ChannelFacts, Directory, PersonFacts, Poster
from hivebot.services.records.arrivals import Audience, TextContext
from hivebot.services.records.outgoing import (
    Body,
    Destination,
    OutboxKind,
    Persona,
    Posted,
    SendFailure,
)
from tests.fakes.clock import FakeClock
from tests.fakes.outbox_rows import OPS, outbox_row
from tests.fakes.poster import FakeDirectory, FakePoster, home_person, public_channel

LONG = Body("\n\n".join(f"{number} " + "word " * 700 for number in range(7)))
"""Seven parts: two more than Slack takes in one go."""

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
IN_2023 = 1_700_000_100.0
HOSTILE = "<!channel> <!here> <@U0BEN> <!subteam^S0PLAT> @here `<@U0BEN>`\n```\n<!everyone>\n```"


PEOPLE = (
    home_person("U0ANA", "Ana"),
    home_person("U0GUEST", "Guest", guest=True),
    home_person("U9EVE", "Eve", team_id="T9ACME", stranger=True),
    home_person("U0OLD", "Old", deactivated=True),
    home_person("U0ALERT", "Alerts", bot=True),
)


class Place(Protocol):
    """A Slack to post to, and what a test can see and break of it."""

    poster: Poster
    directory: Directory

    def texts(self, channel_id: str, thread_ts: str = "") -> list[str]:
        """What stands in a channel, or in a thread without its head."""
        ...

    def private_texts(self, channel_id: str, user_id: str) -> list[str]:
        """What one person alone sees."""
        ...

    def root(self, text: str) -> str:
        """A person's message in C0OPS; its ts."""
        ...

    def limit_after_five(self) -> None:
        """No more than five posts go through for now."""
        ...

    def wait(self) -> None:
        """A minute goes by."""
        ...

    def lose_next(self) -> None:
        """The next post goes through, but its answer is lost."""
        ...

    def archive_next(self) -> None:
        """The next post is refused: the channel is archived."""
        ...


class Pretended:
    """The fakes."""

    def __init__(self) -> None:
        self.fake = FakePoster()
        self.poster: Poster = self.fake
        self.roots: dict[tuple[str, str], str] = {}
        self.directory: Directory = FakeDirectory(
            people=PEOPLE,
            channels=(
                public_channel("C0OPS", "ops"),
                ChannelFacts("C0FIN", "finance", Audience.PRIVATE, archived=False, member=True),
                ChannelFacts("C0ACME", "acme", Audience.SHARED, archived=False, member=True),
                ChannelFacts("D0ANA", "U0ANA", Audience.DM, archived=False, member=True),
                ChannelFacts("C0LAB", "lab", Audience.PUBLIC, archived=False, member=False),
            ),
            roots=self.roots,
        )

    def texts(self, channel_id: str, thread_ts: str = "") -> list[str]:
        return self.fake.texts(channel_id, thread_ts)

    def private_texts(self, channel_id: str, user_id: str) -> list[str]:
        return self.fake.private_texts(channel_id, user_id)

    def root(self, text: str) -> str:
        self.roots["C0OPS", "1700000000.000001"] = text
        return "1700000000.000001"

    def limit_after_five(self) -> None:
        self.fake.fail(SendFailure("wait", "ratelimited", "", 1), after=5)

    def wait(self) -> None:
        """Nothing to do: a limit is met once."""

    def lose_next(self) -> None:
        self.fake.lose()

    def archive_next(self) -> None:
        self.fake.fail(SendFailure("archived", "is_archived"))


@dataclass(slots=True)
class Real:
    """The adapters against the local workspace."""

    running: Running
    clock: FakeClock
    poster: Poster
    directory: Directory

    def texts(self, channel_id: str, thread_ts: str = "") -> list[str]:
        return [
            message.text
            for message in self.running.ws.world.messages
            if message.channel == channel_id
            and message.bot_id == "B0BOT"
            and (message.thread_ts or "") == thread_ts
        ]

    def private_texts(self, channel_id: str, user_id: str) -> list[str]:
        return [
            shown.text
            for shown in self.running.ws.world.ephemerals
            if (shown.channel, shown.user) == (channel_id, user_id)
        ]

    def root(self, text: str) -> str:
        return people.say(self.running.ws, "U0ANA", "C0OPS", people.Say(text)).ts

    def limit_after_five(self) -> None:
        """Nothing to do: the local workspace limits as Slack does."""

    def wait(self) -> None:
        self.clock.advance(60)

    def lose_next(self) -> None:
        self._fault("drop", applied=True)

    def archive_next(self) -> None:
        self._fault("error", error="is_archived")

    def _fault(self, answer: str, **more: object) -> None:
        fault = {"method": "chat.postMessage", "answer": answer, **more}
        self.running.bench.faults.calls.append(CallFault.model_validate(fault))


async def sandbox_token(team_id: str) -> str:
    return BOT_TOKEN


async def sandbox_context(team_id: str) -> TextContext:
    return TextContext("U0BOT", ("B0BOT",), "A0HIVE", (("C0PLAT", "platform"),), ())


@asynccontextmanager
async def real() -> AsyncGenerator[Real, None]:
    clock = FakeClock(datetime.fromtimestamp(IN_2023, UTC))
    workspace = Workspace(clock=lambda: clock.now().timestamp())
    async with serve(workspace) as running:
        api = SlackApi(sandbox_token, running.api_url)
        try:
            directory = SlackDirectory(api, clock, sandbox_context)
            yield Real(running, clock, SlackPoster(api), directory)
        finally:
            await api.aclose()


@pytest.fixture(params=["pretended", "real"])
async def place(request: pytest.FixtureRequest) -> AsyncGenerator[Place, None]:
    kind: Literal["pretended", "real"] = request.param
    if kind == "pretended":
        yield Pretended()
        return
    async with real() as found:
        yield found


def posted(result: object) -> tuple[str, ...]:
    assert isinstance(result, Posted)
    return result.ts


async def test_a_row_is_posted_at_top_level_or_in_its_thread(place: Place) -> None:
    root = place.root("hello")
    (top,) = posted(await place.poster.post(outbox_row("At the top"), ""))
    (below,) = posted(await place.poster.post(outbox_row("Below", row_id=8), root))
    assert top < below
    assert place.texts("C0OPS") == ["At the top"]
    assert place.texts("C0OPS", root) == ["Below"]


async def test_a_long_row_is_posted_in_its_parts_in_order(place: Place) -> None:
    row = outbox_row(Body("\n\n".join(LONG.text.split("\n\n")[:4])))
    ts = posted(await place.poster.post(row, ""))
    assert len(ts) == place.poster.parts(row) > 1
    assert list(ts) == sorted(ts)
    assert place.texts("C0OPS")[0].startswith("0 ")


async def test_parts_that_are_done_are_not_posted_again(place: Place) -> None:
    row = outbox_row(Body("\n\n".join(LONG.text.split("\n\n")[:4])))
    first = posted(await place.poster.post(row, ""))
    before = len(place.texts("C0OPS"))
    again = posted(await place.poster.post(row, "", first[:-1]))
    assert again[:-1] == first[:-1]
    assert len(place.texts("C0OPS")) == before + 1


async def test_a_limit_halfway_leads_to_no_part_twice(place: Place) -> None:
    row = outbox_row(LONG)
    place.limit_after_five()
    limited = await place.poster.post(row, "")
    assert isinstance(limited, SendFailure)
    assert (limited.kind, limited.retry_after_s, limited.per_channel) == ("wait", 1, True)
    assert len(place.texts("C0OPS")) == 5
    place.wait()
    ts = posted(await place.poster.post(replace(row, attempt=2), ""))
    assert len(ts) == len(place.texts("C0OPS")) == place.poster.parts(row)


async def test_a_lost_answer_is_ambiguous_and_the_post_can_be_found(place: Place) -> None:
    root = place.root("hello")
    row = outbox_row("Where am I?")
    assert await place.poster.lookup(row, root, LONG_AGO) is None
    place.lose_next()
    lost = await place.poster.post(row, root)
    assert isinstance(lost, SendFailure)
    assert lost.kind == "ambiguous"
    found = await place.poster.lookup(row, root, LONG_AGO)
    assert isinstance(found, tuple)
    assert len(found) == 1
    assert await place.poster.lookup(replace(row, id=99), root, LONG_AGO) is None
    assert await place.poster.lookup(row, "", LONG_AGO) is None


async def test_a_refusal_has_its_kind_and_leaves_nothing(place: Place) -> None:
    place.archive_next()
    refused = await place.poster.post(outbox_row("Nowhere"), "")
    assert isinstance(refused, SendFailure)
    assert (refused.kind, refused.code) == ("archived", "is_archived")
    assert place.texts("C0OPS") == []


async def test_an_edit_brings_a_post_to_its_newest_text(place: Place) -> None:
    ts = posted(await place.poster.post(outbox_row("asked", kind=OutboxKind.LINE), ""))
    edited = outbox_row("answered", kind=OutboxKind.LINE, revision=2)
    assert posted(await place.poster.edit(edited, ts)) == ts
    assert posted(await place.poster.edit(edited, ts)) == ts
    assert place.texts("C0OPS") == ["answered"]


async def test_an_edit_removes_the_parts_it_does_not_need(place: Place) -> None:
    row = outbox_row(Body("\n\n".join(LONG.text.split("\n\n")[:4])))
    ts = posted(await place.poster.post(row, ""))
    assert posted(await place.poster.edit(outbox_row("short", revision=2), ts)) == ts[:1]
    assert place.texts("C0OPS") == ["short"]


async def test_an_edit_of_what_is_gone_says_so(place: Place) -> None:
    gone = await place.poster.edit(outbox_row("x"), ("1700000000.000099",))
    assert isinstance(gone, SendFailure)
    assert gone.kind == "message_gone"


async def test_a_deletion_may_be_repeated(place: Place) -> None:
    ts = posted(await place.poster.post(outbox_row("soon gone"), ""))
    assert posted(await place.poster.delete(OPS, ts)) == ts
    assert posted(await place.poster.delete(OPS, ts)) == ts
    assert place.texts("C0OPS") == []


async def test_an_ephemeral_is_seen_by_one_person(place: Place) -> None:
    to = replace(OPS, user_id="U0ANA")
    row = outbox_row("only you", kind=OutboxKind.EPHEMERAL, to=to)
    assert len(posted(await place.poster.post(row, ""))) == 1
    assert place.private_texts("C0OPS", "U0ANA") == ["only you"]
    assert place.private_texts("C0OPS", "U0BEN") == []
    assert place.texts("C0OPS") == []


async def test_a_persons_id_stands_for_the_direct_channel_with_them(place: Place) -> None:
    to = Destination("T0HIVE", "U0ANA")
    row = outbox_row("psst", to=to, kind=OutboxKind.LINE)
    ts = posted(await place.poster.post(row, ""))
    assert posted(await place.poster.edit(outbox_row("pssst", to=to, revision=2), ts)) == ts
    assert place.texts("D0ANA") == ["pssst"]


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.name)
async def test_people_are_known_for_what_they_are(place: Place, person: PersonFacts) -> None:
    assert await place.directory.person("T0HIVE", person.user_id) == person


async def test_unknown_people_count_as_guests(place: Place) -> None:
    found = await place.directory.person("T0HIVE", "U0NOBODY")
    assert (found.known, found.guest, found.team_id) == (False, True, "")


@pytest.mark.parametrize(
    ("channel_id", "name", "audience", "member"),
    [
        ("C0OPS", "ops", Audience.PUBLIC, True),
        ("C0LAB", "lab", Audience.PUBLIC, False),
        ("C0FIN", "finance", Audience.PRIVATE, True),
        ("C0ACME", "acme", Audience.SHARED, True),
    ],
)
async def test_channels_are_known_for_what_they_are(
    place: Place,
    channel_id: str,
    name: str,
    audience: Audience,
    member: bool,  # noqa: FBT001 - a case
) -> None:
    found = await place.directory.channel("T0HIVE", channel_id)
    assert found == ChannelFacts(channel_id, name, audience, archived=False, member=member)
    direct = await place.directory.channel("T0HIVE", "D0ANA")
    assert direct is not None
    assert direct.audience is Audience.DM
    assert await place.directory.channel("T0HIVE", "C0NONE") is None


async def test_a_root_that_was_never_stored_can_be_read(place: Place) -> None:
    root = place.root("disk full")
    assert await place.directory.root_text("T0HIVE", "C0OPS", root) == "disk full"
    assert await place.directory.root_text("T0HIVE", "C0OPS", "1.000001") == ""


async def test_nothing_that_is_posted_pings_but_what_the_program_minted() -> None:
    body = Body(HOSTILE, Persona("<!here>"), heading=HOSTILE, small=HOSTILE)
    async with real() as place:
        ws = place.running.ws
        ts = posted(await place.poster.post(outbox_row(body), ""))
        minted = replace(body, mention_users=("U0ANA",))
        minted_ts = posted(await place.poster.post(outbox_row(minted, row_id=8), ""))
        seen = {one["ts"]: one for one in seeing.channel_seen(ws, "C0OPS", None)}
        assert seen[ts[0]]["pings"] == []
        assert seen[minted_ts[0]]["pings"] == ["U0ANA"]
        assert (seen[ts[0]]["unfurl"], seen[ts[0]]["author"]) == (False, "<!here>")
