from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from hivebot.adapters import slack
from hivebot.adapters.slack.api import METHODS
from hivebot.adapters.slack.events import SUBSCRIPTIONS
from hivebot.adapters.slack.manifest import FEATURE_SCOPES, Mode, manifest, scopes
from hivebot.adapters.slack.shapes import as_list, as_map, as_maps

SCHEMA = json.loads(Path(__file__).with_name("manifest.schema.json").read_text(encoding="utf-8"))
URL = "https://hive.example.com/"

TABLE = """
app_mentions:read channels:history groups:history im:history mpim:history
channels:read groups:read im:read mpim:read
chat:write im:write
chat:write.customize
commands
reactions:read reactions:write
users:read usergroups:read team:read
metadata.message:read
"""
"""The scopes of the table in slack.md 12, without the row for file contents."""

EVENTS = """
app_mention message.channels message.groups message.im message.mpim
reaction_added reaction_removed app_home_opened
channel_rename channel_archive channel_unarchive channel_deleted channel_id_changed
channel_shared channel_unshared
group_rename group_archive group_unarchive group_deleted
member_joined_channel member_left_channel subteam_updated tokens_revoked app_uninstalled
"""

ELSEWHERE = {
    "auth.test": "doctor and the start of a process",
    "reactions.add": "the probe, and marks on gates",
    "reactions.remove": "the probe, and marks on gates",
    "views.open": "modals",
    "views.publish": "the App Home",
    "views.update": "modals",
}
"""Methods of the table that the Slack entry point calls, not the adapter."""


def faults(found: object) -> list[str]:
    validator = Draft202012Validator(SCHEMA)
    instance = cast("Any", found)
    errors = validator.iter_errors(instance)  # pyright: ignore[reportUnknownMemberType]
    return [str(error.message) for error in errors]


def bot_scopes(found: dict[str, object]) -> set[object]:
    return set(as_list(as_map(as_map(found["oauth_config"])["scopes"])["bot"]))


def bot_events(found: dict[str, object]) -> list[object]:
    return as_list(as_map(as_map(found["settings"])["event_subscriptions"])["bot_events"])


def called() -> set[str]:
    """Every string in the adapter's own calls that has the form of a method's name."""
    names: set[str] = set()
    for file in Path(slack.__file__).parent.glob("*.py"):
        if file.stem in {"poster", "directory"}:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
            names.update(one for one in constants if isinstance(one, str) and is_method(one))
    return names


def is_method(text: str) -> bool:
    family, _, verb = text.partition(".")
    return family in {name.partition(".")[0] for name in METHODS} and verb.isalpha()


@pytest.mark.parametrize(
    ("mode", "url", "agent_view", "files"),
    [
        ("socket", None, False, False),
        ("socket", None, True, True),
        ("http", URL, False, False),
        ("http", URL, True, False),
    ],
)
def test_the_manifest_has_slacks_form(
    mode: Mode,
    url: str | None,
    agent_view: bool,  # noqa: FBT001 - a case
    files: bool,  # noqa: FBT001 - a case
) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    found = manifest(mode, url, agent_view=agent_view, files=files)
    assert faults(found) == []
    assert json.loads(json.dumps(found)) == found


def test_the_schema_refuses_what_slack_would() -> None:
    found = manifest("socket")
    for broken in (
        {**found, "mystery": 1},
        {**found, "display_information": {"name": "x" * 36}},
        {**found, "settings": {"event_subscriptions": {"request_url": "http://plain"}}},
    ):
        assert faults(broken)


def test_scopes_and_events_are_those_of_the_table() -> None:
    found = manifest("socket")
    assert bot_scopes(found) == set(TABLE.split())
    assert bot_events(found) == sorted(EVENTS.split())
    assert set(scopes(files=True)) - set(scopes()) == {"files:read"}


def test_every_scope_is_needed_by_a_method_an_event_or_a_feature() -> None:
    needed = {scope for method in METHODS.values() for scope in method.scopes}
    needed |= {scope for wanted in SUBSCRIPTIONS.values() for scope in wanted}
    needed |= {scope for wanted in FEATURE_SCOPES.values() for scope in wanted}
    assert bot_scopes(manifest("socket")) == needed


def test_the_table_of_methods_is_what_is_called() -> None:
    assert called() | set(ELSEWHERE) == set(METHODS)
    assert not called() & set(ELSEWHERE)


def test_socket_mode_needs_no_address() -> None:
    found = manifest("socket", "https://ignored.example.com")
    settings = as_map(found["settings"])
    assert settings["socket_mode_enabled"] is True
    assert "ignored" not in json.dumps(found)
    assert "url" not in as_maps(as_map(found["features"])["slash_commands"])[0]


def test_over_http_everything_is_sent_to_the_web_process() -> None:
    found = manifest("http", URL)
    settings = as_map(found["settings"])
    events = "https://hive.example.com/slack/events"
    assert settings["socket_mode_enabled"] is False
    assert as_map(settings["event_subscriptions"])["request_url"] == events
    assert as_map(settings["interactivity"])["request_url"] == events
    assert as_maps(as_map(found["features"])["slash_commands"])[0]["url"] == events
    assert as_map(found["oauth_config"])["redirect_urls"] == [
        "https://hive.example.com/slack/oauth_redirect"
    ]


@pytest.mark.parametrize("url", [None, "", "http://hive.example.com"])
def test_http_mode_without_an_https_address_is_refused(url: str | None) -> None:
    with pytest.raises(ValueError, match="https"):
        manifest("http", url)


def test_the_agent_surface_is_there_only_when_asked_for() -> None:
    plain, agent = manifest("socket"), manifest("socket", agent_view=True)
    assert "agent_view" not in as_map(plain["features"])
    assert "agent_view" in as_map(agent["features"])
    assert bot_scopes(agent) - bot_scopes(plain) == {"assistant:write"}
    assert set(bot_events(agent)) - set(bot_events(plain)) == {"app_context_changed"}


def test_people_can_write_to_the_bot() -> None:
    home = as_map(as_map(manifest("socket")["features"])["app_home"])
    assert (home["messages_tab_enabled"], home["messages_tab_read_only_enabled"]) == (True, False)


def test_installing_for_an_organisation_and_rotation_are_off_unless_wanted() -> None:
    def of(found: dict[str, object]) -> tuple[object, object]:
        settings = cast("dict[str, object]", found["settings"])
        return settings["org_deploy_enabled"], settings["token_rotation_enabled"]

    url = "https://hivebot.example.com"
    assert of(manifest("http", url)) == (False, False)
    assert of(manifest("http", url, org_wide=True, token_rotation=True)) == (True, True)
