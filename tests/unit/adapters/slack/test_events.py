from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hivebot.adapters.slack.events import FILES_MAX, SUBSCRIPTIONS, arrival, event_key
from hivebot.services.records.arrivals import (
    Arrival,
    Audience,
    ChannelChanged,
    EventKey,
    HomeOpened,
    Ignored,
    MembershipChanged,
    MessageArrived,
    MessageChanged,
    MessageDeleted,
    ReactionChanged,
    Speaker,
    SpeakerKind,
    TextContext,
    WorkspaceGone,
)
from tests.unit.adapters.slack.payloads import CONTEXT, TS, callback, changed, message

KEY = EventKey("T0HIVE", "Ev1", 1700000100)
EDITED = {"user": "U0ANA", "ts": "1700000101.000000"}


def seen(event: object, **outer: object) -> Arrival:
    return arrival(callback(event, **outer), CONTEXT)


def arrived(event: object, **outer: object) -> MessageArrived:
    found = seen(event, **outer)
    assert isinstance(found, MessageArrived)
    return found


def ignored(event: object, **outer: object) -> str:
    found = seen(event, **outer)
    assert isinstance(found, Ignored)
    return found.reason


def test_a_message_of_a_person_arrives() -> None:
    assert seen(message(text="ask @<#C0PLAT|platform>")) == MessageArrived(
        key=KEY,
        channel_id="C0OPS",
        audience=Audience.PUBLIC,
        ts=TS,
        thread_ts="",
        speaker=Speaker(SpeakerKind.PERSON, "U0ANA", "T0HIVE"),
        text="ask @#platform",
        addressed=False,
    )


def test_both_twins_tell_the_same_message_and_are_addressed() -> None:
    text = "<@U0BOT> look"
    one = arrived(message(text=text))
    other = arrived(message(text=text, type="app_mention", channel_type=None))
    assert (one.ts, one.text, one.addressed) == (other.ts, other.text, other.addressed)
    assert other.addressed


def test_a_mention_event_addresses_the_bot_whatever_its_text_says() -> None:
    assert arrived(message(type="app_mention", text="look")).addressed


def test_an_edited_mention_is_no_second_question() -> None:
    assert ignored(message(type="app_mention", edited=EDITED)) == "edited_mention"


@pytest.mark.parametrize(
    ("channel", "channel_type", "audience"),
    [
        ("D0ANA", "im", Audience.DM),
        ("D0ANA", "app_home", Audience.DM),
        ("G0TRIO", "mpim", Audience.PRIVATE),
        ("C0FIN", "group", Audience.PRIVATE),
        ("C0OPS", "channel", Audience.PUBLIC),
        ("D0ANA", None, Audience.DM),
        ("C0OPS", None, Audience.PRIVATE),
    ],
)
def test_the_audience_is_the_narrowest_the_event_allows(
    channel: str, channel_type: str | None, audience: Audience
) -> None:
    assert arrived(message(channel=channel, channel_type=channel_type)).audience is audience


def test_a_reply_names_its_root_and_a_root_is_no_reply() -> None:
    assert arrived(message(thread_ts="1699.1")).thread_ts == "1699.1"
    assert arrived(message(thread_ts=TS)).thread_ts == ""


def test_a_reply_also_sent_to_the_channel_is_one_row_in_the_thread() -> None:
    assert arrived(message(subtype="thread_broadcast", thread_ts="1699.1")).thread_ts == "1699.1"


def test_a_file_with_a_question_is_a_message_with_its_names() -> None:
    files: list[object] = [
        {"name": "a.png"},
        {"title": "b"},
        {"mode": "tombstone", "name": "gone"},
        {},
        "no file",
    ]
    found = arrived(message(subtype="file_share", files=files))
    assert found.files == ("a.png", "b", "unnamed file")


def test_a_flood_of_files_is_cut() -> None:
    found = arrived(message(files=[{"name": "x" * 300}] * 80))
    assert len(found.files) == FILES_MAX
    assert len(found.files[0]) == 255


@pytest.mark.parametrize(
    "fields",
    [
        {"bot_id": "B0BOT"},
        {"app_id": "A0HIVE"},
        {"user": "U0BOT"},
        {"bot_profile": {"id": "B0BOT"}},
        {"bot_profile": {"app_id": "A0HIVE"}},
        {"subtype": "bot_message", "user": None, "bot_id": "B0BOT", "username": "Erin"},
        {"channel": "D0ANA", "channel_type": "im", "user": "U0BOT"},
    ],
)
def test_the_app_knows_its_own_messages(fields: dict[str, object]) -> None:
    assert arrived(message(**fields)).speaker.kind is SpeakerKind.SELF
    inner = message(**{**fields, "edited": EDITED})
    assert ignored(changed(inner, None)) == "changed_by_program"


def test_an_app_without_an_id_does_not_know_every_message_as_its_own() -> None:
    context = TextContext("", (), "", (), ())
    found = arrival(callback(message(app_id="")), context)
    assert isinstance(found, MessageArrived)
    assert found.speaker.kind is SpeakerKind.PERSON


def test_an_own_post_names_its_outbox_row() -> None:
    metadata = {"event_type": "hivebot_outbox", "event_payload": {"outbox_id": 7, "part": 1}}
    found = arrived(message(bot_id="B0BOT", metadata=metadata))
    assert (found.outbox_id, found.outbox_part) == (7, 1)
    assert arrived(message(metadata=metadata)).outbox_id == 0
    assert arrived(message(bot_id="B0BOT", metadata={"event_type": "other"})).outbox_id == 0


def test_another_bot_is_named_by_what_the_payload_says() -> None:
    found = arrived(message(bot_id="B0ALERT", user="U0ALERT", username="alerts"))
    assert found.speaker == Speaker(SpeakerKind.BOT, "U0ALERT", "T0HIVE", "B0ALERT", "alerts")
    nameless = arrived(message(subtype="bot_message", user=None, bot_profile={"name": "pager"}))
    assert nameless.speaker == Speaker(SpeakerKind.BOT, "", "T0HIVE", "", "pager")


def test_an_alert_without_text_is_read_from_its_attachments() -> None:
    found = arrived(message(bot_id="B0ALERT", text="", attachments=[{"text": "a &lt; b"}]))
    assert (found.text, found.fallback) == ("", "a < b")
    assert arrived(message(attachments=[{"text": "unfurled"}])).fallback == ""


def test_blank_text_is_read_from_rich_text() -> None:
    elements = [{"elements": [{"type": "user", "user_id": "U0BOT"}]}]
    found = arrived(message(text=" ", blocks=[{"type": "rich_text", "elements": elements}]))
    assert (found.text, found.addressed, found.fallback) == ("@U0BOT", True, "")


@pytest.mark.parametrize("user", ["USLACK", "USLACKBOT", None])
def test_a_notice_of_slack_is_no_speech(user: str | None) -> None:
    assert ignored(message(user=user)) == "system_notice"


@pytest.mark.parametrize(
    "subtype",
    ["channel_join", "channel_topic", "group_leave", "message_replied", "ekm_access_denied"],
)
def test_other_subtypes_are_no_speech(subtype: str) -> None:
    assert ignored(message(subtype=subtype)) == f"subtype:{subtype}"


def test_a_message_in_the_third_person_is_speech() -> None:
    assert arrived(message(subtype="me_message")).speaker.kind is SpeakerKind.PERSON


def test_a_hidden_message_is_ignored() -> None:
    assert ignored(message(hidden=True)) == "hidden"


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (message(channel=None), "no_channel"),
        (message(ts=None), "no_ts"),
        (changed({}, None), "no_ts"),
        (message(subtype="message_deleted"), "no_ts"),
    ],
)
def test_a_message_without_a_place_is_ignored(event: dict[str, object], reason: str) -> None:
    if reason == "no_ts":
        event.pop("deleted_ts", None)
    assert ignored(event) == reason


def test_a_stranger_brings_the_team_along() -> None:
    found = arrived(
        message(user="U9EVE", user_team="T9ACME", channel="C0FIN"), is_ext_shared_channel=True
    )
    assert found.speaker.team_id == "T9ACME"
    assert (found.audience, found.external) == (Audience.SHARED, True)


def test_home_people_in_a_shared_channel_stay_home_people() -> None:
    found = arrived(message(), is_ext_shared_channel=True)
    assert (found.speaker.team_id, found.audience) == ("T0HIVE", Audience.SHARED)


def test_an_unknown_team_in_a_shared_channel_stays_unknown() -> None:
    assert arrived(message(team=None), is_ext_shared_channel=True).speaker.team_id == ""
    assert arrived(message(team=None)).speaker.team_id == "T0HIVE"


def test_a_foreign_writer_shows_a_shared_channel_that_no_flag_names() -> None:
    assert arrived(message(user_team="T9ACME")).external
    grid = {"authorizations": [{"team_id": "T0HIVE", "enterprise_id": "E0GRID"}]}
    assert not arrived(message(source_team="T0SISTER"), **grid).external


def test_the_first_authorization_chooses_the_installation() -> None:
    authorizations: list[object] = [{"team_id": "T0HIVE"}, {"team_id": "T9ACME"}]
    key = event_key(callback({}, team_id="T9ACME", authorizations=authorizations))
    assert key.team_id == "T0HIVE"


def test_without_authorizations_the_context_chooses_then_the_payload() -> None:
    assert event_key(callback({}, team_id="T9ACME", authorizations=[])).team_id == "T0HIVE"
    bare = callback({}, team_id="T1", authorizations=None, context_team_id=None)
    assert event_key(bare).team_id == "T1"


def test_an_installation_for_a_whole_organisation_goes_by_its_id() -> None:
    authorizations = [{"team_id": None, "enterprise_id": "E0GRID", "is_enterprise_install": True}]
    payload = callback({}, authorizations=authorizations, context_team_id=None, team_id=None)
    key = event_key(payload)
    assert (key.team_id, key.enterprise_id) == ("E0GRID", "E0GRID")


def test_a_payload_without_an_id_is_keyed_by_what_it_says() -> None:
    one, other = callback({"type": "x"}, event_id=""), callback({"type": "y"}, event_id="")
    assert event_key(one) == event_key({**one, "token": "rotated"})
    assert event_key(one) != event_key(other)


def test_an_edit_by_a_person_is_a_change() -> None:
    old = message(text="ask")
    new = message(text="ask <@U0BOT>", edited=EDITED, thread_ts="1699.1")
    assert seen(changed(new, old)) == MessageChanged(
        key=KEY,
        channel_id="C0OPS",
        audience=Audience.PUBLIC,
        ts=TS,
        thread_ts="1699.1",
        speaker=Speaker(SpeakerKind.PERSON, "U0ANA", "T0HIVE"),
        text="ask @U0BOT",
        addressed=True,
        edited_ts="1700000101.000000",
    )


def test_an_edit_by_a_stranger_is_marked_shared() -> None:
    found = seen(changed(message(edited=EDITED, user_team="T9ACME"), None))
    assert isinstance(found, MessageChanged)
    assert found.audience is Audience.SHARED


def test_an_unfurl_is_no_edit() -> None:
    old = message(text="<https://e.com>")
    assert ignored(changed({**old, "attachments": [{"title": "E"}]}, old)) == "unfurl"
    edited = {**old, "edited": EDITED}
    assert ignored(changed({**edited, "attachments": [{"title": "E"}]}, edited)) == "same_text"


def test_an_own_unfurl_without_any_text_is_ignored() -> None:
    inner: dict[str, object] = {"bot_id": "B0BOT", "ts": TS, "text": "<https://e.com>"}
    assert ignored(changed(inner, inner)) == "changed_by_program"


def test_a_change_by_a_bot_without_a_user_is_ignored() -> None:
    inner: dict[str, object] = {"bot_id": "B0ALERT", "ts": TS, "text": "x", "edited": EDITED}
    assert ignored(changed(inner, None)) == "changed_by_program"


def test_a_change_that_is_hidden_inside_is_ignored() -> None:
    assert ignored(changed(message(hidden=True, edited=EDITED), None)) == "hidden"


def test_a_deletion_names_the_message_and_its_thread() -> None:
    event = message(subtype="message_deleted", deleted_ts="1.2", ts="9.9")
    assert seen(event) == MessageDeleted(KEY, "C0OPS", "1.2", "")
    event = message(
        subtype="message_deleted", ts="9.9", previous_message=message(ts="1.2", thread_ts="1.1")
    )
    assert seen(event) == MessageDeleted(KEY, "C0OPS", "1.2", "1.1")


def test_a_head_deleted_above_its_replies_is_a_deletion() -> None:
    head: dict[str, object] = {"subtype": "tombstone", "ts": "1.1", "thread_ts": "1.1"}
    assert seen(changed({**head, "hidden": True}, None)) == MessageDeleted(KEY, "C0OPS", "1.1", "")


@pytest.mark.parametrize(("kind", "added"), [("reaction_added", True), ("reaction_removed", False)])
def test_reactions_on_messages_are_told(kind: str, added: bool) -> None:  # noqa: FBT001 - a case
    item = {"type": "message", "channel": "C0OPS", "ts": TS}
    event = {"type": kind, "user": "U0ANA", "reaction": "eyes", "item": item}
    assert seen(event) == ReactionChanged(KEY, "C0OPS", TS, "U0ANA", "eyes", added)
    assert ignored({**event, "item": {"type": "file"}}) == "reaction_elsewhere"


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (
            {"type": "channel_rename", "channel": {"id": "C1", "name": "n"}},
            ChannelChanged(KEY, "C1", "renamed", "n"),
        ),
        (
            {"type": "group_rename", "channel": {"id": "G1", "name": "n"}},
            ChannelChanged(KEY, "G1", "renamed", "n"),
        ),
        ({"type": "channel_archive", "channel": "C1"}, ChannelChanged(KEY, "C1", "archived")),
        ({"type": "group_unarchive", "channel": "C1"}, ChannelChanged(KEY, "C1", "unarchived")),
        ({"type": "channel_deleted", "channel": "C1"}, ChannelChanged(KEY, "C1", "deleted")),
        (
            {"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C2"},
            ChannelChanged(KEY, "C1", "id_changed", "C2"),
        ),
        ({"type": "channel_shared", "channel": "C1"}, ChannelChanged(KEY, "C1", "shared")),
        (
            {"type": "channel_unshared", "channel": "C1", "is_ext_shared": False},
            ChannelChanged(KEY, "C1", "unshared"),
        ),
        (
            {"type": "channel_unshared", "channel": "C1", "is_ext_shared": True},
            ChannelChanged(KEY, "C1", "shared"),
        ),
        ({"type": "channel_archive"}, Ignored(KEY, "no_channel")),
        ({"type": "channel_id_changed", "old_channel_id": "C1"}, Ignored(KEY, "no_channel")),
        (
            {"type": "member_joined_channel", "channel": "C1", "user": "U0BOT"},
            MembershipChanged(KEY, "C1", "U0BOT", joined=True),
        ),
        (
            {"type": "member_left_channel", "channel": "C1", "user": "U0BOT"},
            MembershipChanged(KEY, "C1", "U0BOT", joined=False),
        ),
        (
            {"type": "group_left", "channel": "C1"},
            MembershipChanged(KEY, "C1", "U0BOT", joined=False),
        ),
        ({"type": "member_left_channel", "channel": "C1"}, Ignored(KEY, "no_channel")),
        ({"type": "app_uninstalled"}, WorkspaceGone(KEY, "app_uninstalled")),
        (
            {"type": "tokens_revoked", "tokens": {"bot": ["U0BOT"]}},
            WorkspaceGone(KEY, "tokens_revoked"),
        ),
        ({"type": "tokens_revoked"}, WorkspaceGone(KEY, "tokens_revoked")),
        (
            {"type": "tokens_revoked", "tokens": {"oauth": ["U0ANA"], "bot": []}},
            Ignored(KEY, "user_tokens_revoked"),
        ),
        (
            {"type": "app_home_opened", "user": "U0ANA", "tab": "home"},
            HomeOpened(KEY, "U0ANA", "home"),
        ),
        ({"type": "app_home_opened"}, Ignored(KEY, "no_user")),
        ({"type": "subteam_updated"}, Ignored(KEY, "group_updated")),
        ({"type": "team_join"}, Ignored(KEY, "event:team_join")),
        ({"type": "evil <!channel>"}, Ignored(KEY, "event")),
        ("no event", Ignored(KEY, "event")),
    ],
)
def test_every_other_event_has_its_record(event: object, found: Arrival) -> None:
    assert seen(event) == found


def test_a_limit_on_events_is_told_to_the_operator_alone() -> None:
    payload = {"type": "app_rate_limited", "team_id": "T0HIVE", "minute_rate_limited": 1700}
    found = arrival(payload, CONTEXT)
    assert isinstance(found, Ignored)
    assert found.reason == "outer:app_rate_limited"
    assert found.key.team_id == "T0HIVE"


@pytest.mark.parametrize("name", sorted(SUBSCRIPTIONS))
def test_every_subscribed_event_is_known(name: str) -> None:
    kind = name.partition(".")[0]
    found = seen({"type": kind})
    assert not (isinstance(found, Ignored) and found.reason.startswith("event"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = [
    "type",
    "subtype",
    "channel",
    "channel_type",
    "user",
    "ts",
    "text",
    "thread_ts",
    "bot_id",
    "app_id",
    "bot_profile",
    "hidden",
    "edited",
    "message",
    "previous_message",
    "deleted_ts",
    "files",
    "blocks",
    "attachments",
    "metadata",
    "item",
    "reaction",
    "tokens",
    "tab",
    "team",
    "user_team",
    "username",
    "old_channel_id",
    "new_channel_id",
    "is_ext_shared",
]
KINDS = sorted({name.partition(".")[0] for name in SUBSCRIPTIONS} | {"message", "channel_left"})
SUBTYPES = ["message_changed", "message_deleted", "file_share", "bot_message", "tombstone"]
EVENT = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional={
        name: JSON | st.sampled_from(SUBTYPES) | st.just("<@U0BOT>")
        for name in FIELDS
        if name != "type"
    },
)


@given(JSON, st.dictionaries(st.text(max_size=6), JSON, max_size=4))
def test_no_json_object_raises(event: object, outer: Mapping[str, object]) -> None:
    arrival(callback(event), CONTEXT)
    arrival(outer, CONTEXT)
    arrival({**callback({}), **outer}, CONTEXT)


@given(EVENT, EVENT)
def test_no_event_of_a_known_kind_raises(
    event: dict[str, object], inner: dict[str, object]
) -> None:
    arrival(callback(event), CONTEXT)
    arrival(callback({**changed(inner, event), **event}), CONTEXT)


def test_what_a_database_cannot_hold_is_replaced() -> None:
    assert arrived(message(text="a\x00b\ud800c")).text == "a\ufffdb\ufffdc"


def test_odd_numbers_are_no_numbers() -> None:
    for odd in (True, -1, 2**63, 1.5, "٣", "x", None):
        assert event_key(callback({}, event_time=odd)).event_time == 0
    assert event_key(callback({}, event_time="17")).event_time == 17
