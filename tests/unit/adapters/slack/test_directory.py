from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from hivebot.adapters.slack.directory import LIST_PAGES, SlackDirectory
from hivebot.services.records.arrivals import Audience, TextContext
from tests.fakes.clock import FakeClock
from tests.unit.adapters.slack.payloads import CONTEXT
from tests.unit.adapters.slack.stub import LIMITED, Said, StubSlack, no, ok, slack


async def context(team_id: str) -> TextContext:
    return CONTEXT


@asynccontextmanager
async def asking(size: int = 100) -> AsyncGenerator[tuple[StubSlack, SlackDirectory, FakeClock]]:
    clock = FakeClock()
    async with slack() as (stub, api):
        yield stub, SlackDirectory(api, clock, context, size=size), clock


def user(**fields: object) -> Said:
    return ok(user={"id": "U0ANA", "team_id": "T0HIVE", "name": "ana", **fields})


def channel(**fields: object) -> Said:
    return ok(channel={"id": "C0OPS", "name": "ops", "is_member": True, **fields})


async def test_a_fact_is_believed_for_half_a_minute() -> None:
    async with asking() as (stub, directory, clock):
        stub.will_say("users.info", user(), user(deleted=True))
        assert not (await directory.person("T0HIVE", "U0ANA")).deactivated
        clock.advance(29)
        assert not (await directory.person("T0HIVE", "U0ANA")).deactivated
        clock.advance(1)
        assert (await directory.person("T0HIVE", "U0ANA")).deactivated
        assert len(stub.made("users.info")) == 2


async def test_a_fact_can_be_forgotten() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user(), user(deleted=True))
        stub.will_say("conversations.info", channel(), channel(is_archived=True))
        await directory.person("T0HIVE", "U0ANA")
        await directory.channel("T0HIVE", "C0OPS")
        directory.forget_person("T0HIVE", "U0ANA")
        directory.forget_channel("T0HIVE", "C0OPS")
        directory.forget_channel("T0HIVE", "C0NONE")
        assert (await directory.person("T0HIVE", "U0ANA")).deactivated
        found = await directory.channel("T0HIVE", "C0OPS")
        assert found is not None
        assert found.archived


async def test_a_doubted_channel_is_what_it_was_a_moment_ago_where_slack_says_wait() -> None:
    async with asking() as (stub, directory, clock):
        stub.will_say("conversations.info", channel(), LIMITED, LIMITED, no("fatal_error"))
        await directory.channel("T0HIVE", "C0OPS")
        directory.forget_channel("T0HIVE", "C0OPS")
        assert await directory.channel("T0HIVE", "C0OPS") is not None
        clock.advance(30)
        assert await directory.channel("T0HIVE", "C0OPS") is None
        assert await directory.channel("T0HIVE", "C0OPS") is None
        assert len(stub.made("conversations.info")) == 4


async def test_a_doubted_person_is_nobody_where_slack_says_wait() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user(), LIMITED)
        assert (await directory.person("T0HIVE", "U0ANA")).known
        directory.forget_person("T0HIVE", "U0ANA")
        assert not (await directory.person("T0HIVE", "U0ANA")).known


async def test_the_fact_longest_unused_is_dropped_for_a_new_one() -> None:
    async with asking(size=2) as (stub, directory, _):
        for user_id in ("U1", "U2", "U3", "U2"):
            stub.will_say("users.info", user(id=user_id))
        for user_id in ("U1", "U2", "U1", "U3", "U1", "U2"):
            assert (await directory.person("T0HIVE", user_id)).known
        assert [one["user"] for one in stub.made("users.info")] == ["U1", "U2", "U3", "U2"]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"profile": {"display_name": "Ana", "real_name": "Ana B"}}, "Ana"),
        ({"profile": {"display_name": " ", "real_name": "Ana B"}}, "Ana B"),
        ({"real_name": "Ana C"}, "Ana C"),
        ({}, "ana"),
        ({"name": ""}, "U0ANA"),
    ],
)
async def test_a_person_has_the_name_people_see(fields: dict[str, object], name: str) -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user(**fields))
        assert (await directory.person("T0HIVE", "U0ANA")).name == name


@pytest.mark.parametrize(
    ("fields", "guest", "stranger", "bot"),
    [
        ({}, False, False, False),
        ({"is_restricted": True}, True, False, False),
        ({"is_ultra_restricted": True}, True, False, False),
        ({"team_id": "T9ACME"}, False, True, False),
        ({"is_stranger": True}, False, True, False),
        ({"team_id": "T0SISTER", "enterprise_user": {"teams": ["T0HIVE"]}}, False, False, False),
        ({"is_bot": True}, False, False, True),
    ],
)
async def test_guests_strangers_and_bots_are_told_apart(
    fields: dict[str, object],
    guest: bool,  # noqa: FBT001 - a case
    stranger: bool,  # noqa: FBT001 - a case
    bot: bool,  # noqa: FBT001 - a case
) -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user(**fields))
        found = await directory.person("T0HIVE", "U0ANA")
        assert (found.guest, found.stranger, found.bot) == (guest, stranger, bot)


async def test_an_answer_about_somebody_else_is_no_answer() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user(id="U0BEN"), user(id="USLACKBOT"))
        assert not (await directory.person("T0HIVE", "U0ANA")).known
        assert (await directory.person("T0HIVE", "USLACKBOT")).bot


@pytest.mark.parametrize(
    ("fields", "audience"),
    [
        ({}, Audience.PUBLIC),
        ({"is_private": True}, Audience.PRIVATE),
        ({"is_group": True}, Audience.PRIVATE),
        ({"is_mpim": True}, Audience.PRIVATE),
        ({"is_im": True}, Audience.DM),
        ({"is_ext_shared": True, "is_private": True}, Audience.SHARED),
        ({"is_pending_ext_shared": True}, Audience.SHARED),
        ({"is_shared": True}, Audience.SHARED),
        ({"is_shared": True, "is_org_shared": True}, Audience.PUBLIC),
        ({"connected_team_ids": ["T0HIVE", "T9ACME"]}, Audience.SHARED),
        ({"connected_team_ids": ["T0HIVE"]}, Audience.PUBLIC),
        ({"connected_team_ids": ["T0SISTER"], "is_org_shared": True}, Audience.PUBLIC),
    ],
)
async def test_a_channel_is_as_wide_as_its_widest_sign(
    fields: dict[str, object], audience: Audience
) -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("conversations.info", channel(**fields))
        found = await directory.channel("T0HIVE", "C0OPS")
        assert found is not None
        assert found.audience is audience
        await directory.channel("T0HIVE", "C0OPS")
        assert len(stub.made("conversations.info")) == 1


@pytest.mark.parametrize(
    ("fields", "member"),
    [
        ({"is_member": False}, False),
        ({"is_member": None}, False),
        ({"is_im": True, "is_member": None}, True),
    ],
)
async def test_the_bot_is_a_member_where_slack_says_so(
    fields: dict[str, object],
    member: bool,  # noqa: FBT001 - a case
) -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("conversations.info", channel(**fields))
        found = await directory.channel("T0HIVE", "C0OPS")
        assert found is not None
        assert found.member is member


async def test_a_private_channel_that_shows_itself_has_the_bot_in_it() -> None:
    async with asking() as (stub, directory, _):
        private = {"id": "C0FIN", "user": "", "is_private": True}
        stub.will_say("conversations.info", ok(channel=private))
        found = await directory.channel("T0HIVE", "C0FIN")
        assert found is not None
        assert found.member


async def test_a_root_is_read_from_whatever_it_shows_and_only_once() -> None:
    async with asking() as (stub, directory, _):
        rich = [{"type": "rich_text", "elements": [{"elements": [{"type": "text", "text": "r"}]}]}]
        stub.will_say(
            "conversations.replies",
            ok(messages=[{"ts": "1.1", "text": "ask @<#C0PLAT|platform>"}, {"ts": "1.2"}]),
            ok(messages=[{"ts": "1.2", "text": "", "attachments": [{"text": "disk &gt; 95"}]}]),
            ok(messages=[{"ts": "1.3", "text": "", "blocks": rich}]),
            ok(messages=[{"ts": "9.9", "text": "another"}]),
        )
        for _ in range(2):
            assert await directory.root_text("T0HIVE", "C0OPS", "1.1") == "ask @#platform"
        assert await directory.root_text("T0HIVE", "C0OPS", "1.2") == "disk > 95"
        assert await directory.root_text("T0HIVE", "C0OPS", "1.3") == "r"
        assert await directory.root_text("T0HIVE", "C0OPS", "1.4") == ""
        assert len(stub.made("conversations.replies")) == 4


async def test_a_root_that_slack_refuses_is_asked_for_again() -> None:
    async with asking() as (stub, directory, _):
        root = ok(messages=[{"ts": "1.1", "text": "hello"}])
        stub.will_say("conversations.replies", LIMITED, root)
        assert await directory.root_text("T0HIVE", "C0OPS", "1.1") == ""
        assert await directory.root_text("T0HIVE", "C0OPS", "1.1") == "hello"


def listed(*names: str, cursor: str = "") -> Said:
    channels = [{"id": f"C{at}", "name": name} for at, name in enumerate(names)]
    return ok(channels=channels, response_metadata={"next_cursor": cursor})


async def test_a_channel_is_found_by_its_name_on_any_page() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("conversations.list", listed("ops", cursor="c"), listed("x", "data"))
        assert await directory.resolve_channel_name("T0HIVE", "#data") == "C1"
        assert [one.get("cursor") for one in stub.made("conversations.list")] == [None, "c"]


async def test_a_name_nobody_has_is_not_looked_for_without_end() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("conversations.list", listed("ops"))
        assert await directory.resolve_channel_name("T0HIVE", "data") == ""
        stub.will_say("conversations.list", *[listed("ops", cursor="c")] * (LIST_PAGES + 5))
        assert await directory.resolve_channel_name("T0HIVE", "data") == ""
        assert len(stub.made("conversations.list")) == LIST_PAGES + 1


async def test_a_user_group_has_its_members_until_it_is_switched_off() -> None:
    async with asking() as (stub, directory, _):
        groups = [
            {"id": "S0PLAT", "users": ["U0BEN", "U0ANA"], "date_delete": 0},
            {"id": "S0OLD", "users": ["U0BEN"], "date_delete": 1700000000},
        ]
        stub.will_say("usergroups.list", ok(usergroups=groups))
        assert await directory.members_of_group("T0HIVE", "S0PLAT") == {"U0ANA", "U0BEN"}
        assert await directory.members_of_group("T0HIVE", "S0OLD") == frozenset()
        assert await directory.members_of_group("T0HIVE", "S0NONE") == frozenset()
        assert len(stub.made("usergroups.list")) == 1


@pytest.mark.parametrize(
    ("team", "url"),
    [
        ({"url": "https://hive.slack.com/"}, "https://hive.slack.com/"),
        ({"url": "https://hive.slack.com"}, "https://hive.slack.com/"),
        ({"domain": "hive"}, "https://hive.slack.com/"),
        ({}, ""),
    ],
)
async def test_the_workspace_has_an_address(team: dict[str, object], url: str) -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("team.info", ok(team=team))
        for _ in range(2):
            assert await directory.workspace_url("T0HIVE") == url
        assert len(stub.made("team.info")) == 1


async def test_a_server_without_users_has_no_guests_and_says_so_once() -> None:
    async with asking() as (stub, directory, clock):
        stub.will_say("users.info", no("unknown_method"), LIMITED)
        with capture_logs() as logs:
            for _ in range(2):
                found = await directory.person("T0HIVE", "U0ANA")
                assert (found.known, found.guest, found.stranger) == (True, False, False)
        assert [(one["method"], one["effect"]) for one in logs] == [
            ("users.info", "everybody of this team counts as a member")
        ]
        clock.advance(600)
        assert not (await directory.person("T0HIVE", "U0ANA")).known


LACKING = [
    no("method_deprecated"),
    no("missing_scope", needed="users:read"),
    Said("not here", 404, content_type="text/plain"),
]


@pytest.mark.parametrize("answer", LACKING)
async def test_what_a_server_lacks_switches_one_feature_off_and_is_said_once(answer: Said) -> None:
    async with asking() as (stub, directory, clock):
        methods = ("users.info", "conversations.list", "usergroups.list", "conversations.info")
        for method in methods:
            stub.will_say(method, answer, answer)
        with capture_logs() as logs:
            for _ in range(3):
                assert not (await directory.person("T0HIVE", "U0ANA")).known
                assert await directory.resolve_channel_name("T0HIVE", "ops") == ""
                assert await directory.members_of_group("T0HIVE", "S0PLAT") == frozenset()
                assert await directory.channel("T0HIVE", "C0OPS") is None
            assert [len(stub.made(method)) for method in methods] == [1, 1, 1, 1]
            clock.advance(600)
            await directory.person("T0HIVE", "U0ANA")
            assert len(stub.made("users.info")) == 2
        assert [(one["event"], one["method"]) for one in logs] == [
            ("slack.method_missing", method) for method in methods
        ]


async def test_a_workspace_whose_address_slack_refuses_is_asked_again() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("team.info", LIMITED, ok(team={"domain": "hive"}))
        assert await directory.workspace_url("T0HIVE") == ""
        assert await directory.workspace_url("T0HIVE") == "https://hive.slack.com/"


async def test_a_server_that_is_busy_is_asked_again() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", LIMITED, no("internal_error"), user())
        known = [(await directory.person("T0HIVE", "U0ANA")).known for _ in range(3)]
        assert known == [False, False, True]


def members(*ids: str, cursor: str = "") -> Said:
    return ok(members=list(ids), response_metadata={"next_cursor": cursor})


async def may_open(directory: SlackDirectory) -> bool:
    return await directory.may_open("T0HIVE", "U0ANA", "C0OPS")


async def test_a_public_channel_is_open_to_everybody_at_home_and_to_nobody_else() -> None:
    async with asking() as (stub, directory, _):
        guest, stranger = user(is_restricted=True), user(team_id="T9ACME")
        stub.will_say("users.info", user(), guest, stranger, user(deleted=True), no("oops"))
        stub.will_say("conversations.info", channel())
        stub.will_say("conversations.members", members("U0BEN"))
        assert [await may_open(directory) for _ in range(5)] == [True, False, False, False, False]
        assert len(stub.made("conversations.members")) == 3


async def test_a_private_channel_is_open_to_those_who_are_in_it() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user())
        stub.will_say("conversations.info", channel(is_private=True))
        stub.will_say(
            "conversations.members",
            members("U0BEN", cursor="c"),
            members("U0ANA"),
            members("U0BEN"),
        )
        assert await may_open(directory)
        assert not await may_open(directory)


async def test_what_slack_does_not_say_is_not_open() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user())
        stub.will_say("conversations.info", no("channel_not_found"), channel(is_private=True))
        stub.will_say("conversations.members", no("fetch_members_failed"))
        assert not await may_open(directory)
        assert not await may_open(directory)


async def test_members_are_not_looked_for_without_end() -> None:
    async with asking() as (stub, directory, _):
        stub.will_say("users.info", user())
        stub.will_say("conversations.info", channel(is_private=True))
        stub.will_say("conversations.members", *[members("U0BEN", cursor="c")] * (LIST_PAGES + 5))
        assert not await may_open(directory)
        assert len(stub.made("conversations.members")) == LIST_PAGES
