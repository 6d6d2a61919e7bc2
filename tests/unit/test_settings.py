"""Is the environment read strictly, and without ever showing a value?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hivebot.settings import (
    EXIT_CONFIG,
    Command,
    Settings,
    SettingsError,
    is_loopback,
    load_settings,
    user_data_directory,
)

BOT = "xoxb-1-2-abc"
APP = "xapp-1-A0-2-abc"
DSN = "postgresql://hive:hunter22@db/hive"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("HIVEBOT_", "DATABASE_")) or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    for name in ("PORT", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def accepted(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Settings:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return load_settings()


def refused(monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        accepted(monkeypatch, **variables)
    assert caught.value.exit_code == EXIT_CONFIG == 78
    assert caught.value.__context__ is None
    for value in variables.values():
        assert value not in str(caught.value)
    return caught.value.problems


def missing(settings: Settings, command: Command) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        settings.require_for(command)
    return caught.value.problems


def test_an_empty_environment_gives_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = accepted(monkeypatch)

    assert settings.slack_bot_token is None
    assert settings.slack_api_url == "https://slack.com/api/"
    assert settings.config == Path("config/hivebot.yaml")
    assert (settings.host, settings.port) == ("127.0.0.1", 8080)
    assert (settings.log_level, settings.log_format) == ("info", "auto")
    assert settings.color
    assert not settings.oauth
    assert settings.secret_values() == ()
    assert settings.data_directory == user_data_directory()


def test_every_variable_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = accepted(
        monkeypatch,
        HIVEBOT_SLACK_BOT_TOKEN=BOT,
        HIVEBOT_SLACK_APP_TOKEN=APP,
        HIVEBOT_SLACK_SIGNING_SECRET="sign",
        HIVEBOT_SLACK_CLIENT_ID="1.2",
        HIVEBOT_SLACK_CLIENT_SECRET="client",
        HIVEBOT_SECRET_KEYS="new, old,",
        DATABASE_URL=DSN,
        DATABASE_DIRECT_URL=DSN + "2",
        HIVEBOT_DATA_DIR="~/hive",
        HIVEBOT_CONFIG="etc/hive",
        HIVEBOT_HOST="0.0.0.0",  # noqa: S104 - what an operator behind a proxy writes
        HIVEBOT_PORT="9000",
        HIVEBOT_PUBLIC_URL="https://hive.example/",
        HIVEBOT_METRICS_TOKEN="scrape",
        HIVEBOT_LOG_LEVEL="DEBUG",
        HIVEBOT_LOG_FORMAT="JSON",
        NO_COLOR="1",
    )

    assert settings.secret_values() == (
        BOT, APP, "sign", "client", "scrape", DSN, DSN + "2", "new", "old", "hunter22", "hunter22",
    )  # fmt: skip
    assert settings.slack_client_id == "1.2"
    assert settings.oauth
    assert settings.data_directory == Path.home() / "hive"
    assert settings.config == Path("etc/hive")
    assert settings.port == 9000
    assert settings.public_url == "https://hive.example"
    assert (settings.log_level, settings.log_format) == ("debug", "json")
    assert not settings.color


def test_no_secret_is_shown_by_printing_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = accepted(
        monkeypatch,
        HIVEBOT_SLACK_BOT_TOKEN=BOT,
        DATABASE_URL=DSN,
        HIVEBOT_SECRET_KEYS="fernet-key",
        OPENAI_API_KEY="sk-open",
    )

    for secret in (BOT, "hunter22", "fernet-key", "sk-open"):
        assert secret not in repr(settings)
        assert secret not in settings.model_dump_json()


def test_a_connection_strings_password_is_known_as_written_and_as_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = accepted(
        monkeypatch,
        DATABASE_URL="postgres://hive:a%40secret@db/hive",
        DATABASE_DIRECT_URL="postgres://db/hive",
    )

    assert {"a%40secret", "a@secret"} < set(settings.secret_values())


def test_a_platforms_own_port_variable_is_used_unless_ours_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert accepted(monkeypatch, PORT="5000").port == 5000
    assert accepted(monkeypatch, HIVEBOT_PORT="5001").port == 5001


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = accepted(monkeypatch, HIVEBOT_PORT="", DATABASE_URL="", NO_COLOR="")

    assert (settings.port, settings.database_url, settings.color) == (8080, None, True)


def test_model_keys_come_from_our_variables_or_the_providers_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = accepted(
        monkeypatch,
        HIVEBOT_MODEL_KEYS__OPENAI="sk-ours",
        OPENAI_API_KEY="sk-theirs",
        ANTHROPIC_API_KEY="sk-ant",
    )

    keys = {provider: key.get_secret_value() for provider, key in settings.model_keys.items()}
    assert keys == {"openai": "sk-ours", "anthropic": "sk-ant"}
    assert settings.model_environment() == {
        "OPENAI_API_KEY": "sk-ours",
        "ANTHROPIC_API_KEY": "sk-ant",
    }
    assert "sk-ant" in settings.secret_values()


def test_in_development_a_file_is_read_and_the_environment_wins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("HIVEBOT_PORT=7000\nHIVEBOT_HOST=::1\nGROQ_API_KEY=gsk-file\n")

    settings = accepted(monkeypatch, HIVEBOT_PORT="7001")

    assert (settings.host, settings.port) == ("::1", 7001)
    assert settings.model_keys["groq"].get_secret_value() == "gsk-file"


def test_in_production_the_file_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("HIVEBOT_PORT=7000\n")

    assert accepted(monkeypatch, HIVEBOT_ENV="production").port == 8080


def test_a_file_that_is_no_text_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_bytes(b"HIVEBOT_PORT=\xff\xfe")

    assert refused(monkeypatch) == (".env cannot be read: it must be a text file in UTF-8",)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HIVEBOT_SLACK_BOT_TOKEN", "xoxp-9", "must begin with xoxb-"),
        ("HIVEBOT_SLACK_APP_TOKEN", "xoxb-9", "must begin with xapp-"),
        ("HIVEBOT_PORT", "many", "input should be a valid integer, unable to parse"),
        ("HIVEBOT_PORT", "65536", "input should be less than or equal to 65535"),
        ("HIVEBOT_LOG_LEVEL", "loud", "input should be 'debug', 'info', 'warning' or 'error'"),
        ("HIVEBOT_LOG_FORMAT", "xml", "input should be 'auto', 'json' or 'console'"),
        ("HIVEBOT_PUBLIC_URL", "hive.example", "must begin with https:// or http://"),
        ("HIVEBOT_PUBLIC_URL", "https://[9", "is no address"),
        ("DATABASE_URL", "mysql://root:hunter22@db", "must begin with postgresql://"),
        ("DATABASE_DIRECT_URL", "hunter22", "must begin with postgresql://"),
        ("HIVEBOT_MODEL_KEYS", "{sk-9", "must be a JSON object of provider and key"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    (problem,) = refused(monkeypatch, **{name: value})

    assert problem.startswith(f"{name} {said}")


def test_all_unusable_variables_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = refused(monkeypatch, HIVEBOT_LOG_LEVEL="loud", DATABASE_URL="sqlite://x")

    assert [problem.split()[0] for problem in problems] == ["DATABASE_URL", "HIVEBOT_LOG_LEVEL"]


@pytest.mark.parametrize(
    "url",
    [
        "https://slack.com/api/",
        "https://slack-gov.com/api",
        "http://127.0.0.1:4000/api/",
        "http://127.8.9.1/api",
        "http://localhost:4000/api",
        "http://hive.localhost/api",
        "http://[::1]:4000/api",
    ],
)
def test_slacks_address_may_be_https_or_this_machine(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    assert accepted(monkeypatch, HIVEBOT_SLACK_API_URL=url).slack_api_url == url.rstrip("/") + "/"


@pytest.mark.parametrize(
    "url",
    [
        "http://slack.com/api/",
        "http://10.0.0.1/api/",
        "http://127.0.0.1.evil.example/api/",
        "http://localhost.evil.example/api/",
        "http://127.0.0.1@evil.example/api/",
        "ftp://localhost/api/",
        "slack.com/api",
        "http://[::1",
        "//localhost/api",
    ],
)
def test_slacks_address_may_be_nothing_else_since_it_receives_the_token(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    (problem,) = refused(monkeypatch, HIVEBOT_SLACK_API_URL=url)

    assert problem.startswith("HIVEBOT_SLACK_API_URL ")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("localhost", True), ("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("", False)],  # noqa: S104
)
def test_loopback_is_this_machine_and_nothing_else(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("command", ["serve", "worker", "clock", "db upgrade"])
def test_server_processes_need_a_database_or_a_directory_chosen_on_purpose(
    monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    slack = {"HIVEBOT_SLACK_BOT_TOKEN": BOT, "HIVEBOT_SLACK_SIGNING_SECRET": "sign"}

    without = accepted(monkeypatch, **slack)
    assert missing(without, command) == (
        (
            f"`hivebot {command}` needs DATABASE_URL (or HIVEBOT_DATA_DIR, to keep the embedded "
            "Postgres there)"
        ),
    )
    accepted(monkeypatch, HIVEBOT_DATA_DIR="/srv/hive").require_for(command)
    monkeypatch.delenv("HIVEBOT_DATA_DIR")
    accepted(monkeypatch, DATABASE_URL=DSN).require_for(command)


@pytest.mark.parametrize("command", ["demo", "sandbox"])
def test_the_demo_and_the_sandbox_need_nothing(
    monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    accepted(monkeypatch).require_for(command)


def test_run_needs_the_two_tokens_of_socket_mode_and_no_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert missing(accepted(monkeypatch), "run") == (
        "`hivebot run` needs HIVEBOT_SLACK_BOT_TOKEN",
        "`hivebot run` needs HIVEBOT_SLACK_APP_TOKEN",
    )
    accepted(monkeypatch, HIVEBOT_SLACK_BOT_TOKEN=BOT, HIVEBOT_SLACK_APP_TOKEN=APP).require_for(
        "run"
    )


def test_serve_needs_a_signing_secret_and_a_token_or_an_oauth_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert missing(accepted(monkeypatch, DATABASE_URL=DSN), "serve") == (
        "`hivebot serve` needs HIVEBOT_SLACK_BOT_TOKEN",
        "`hivebot serve` needs HIVEBOT_SLACK_SIGNING_SECRET",
    )
    client = accepted(
        monkeypatch, HIVEBOT_SLACK_CLIENT_ID="1.2", HIVEBOT_SLACK_SIGNING_SECRET="sign"
    )
    assert missing(client, "serve") == (
        "`hivebot serve` needs HIVEBOT_SLACK_CLIENT_SECRET",
        "installation by OAuth needs HIVEBOT_SECRET_KEYS to encrypt stored tokens",
        "installation by OAuth needs HIVEBOT_WORKSPACES: the ids (T…, E…) that may install",
    )
    accepted(
        monkeypatch,
        HIVEBOT_SLACK_CLIENT_SECRET="client",
        HIVEBOT_SECRET_KEYS="key",
        HIVEBOT_WORKSPACES="T1,E1",
    ).require_for("serve")


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {}, "home/.local/share/hivebot"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/hivebot"),
        ("linux", {"XDG_DATA_HOME": "data"}, "home/.local/share/hivebot"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "home/Library/Application Support/hivebot"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/hivebot"),
        ("win32", {}, "home/AppData/Local/hivebot"),
    ],
)
def test_data_is_kept_where_the_system_keeps_a_users_data(
    platform: str, environ: dict[str, str], expected: str
) -> None:
    found = user_data_directory(platform, environ, Path("home"), superuser=False)
    assert found == Path(expected)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [({}, "/var/lib/hivebot"), ({"XDG_DATA_HOME": "/data"}, "/data/hivebot")],
)
def test_the_superusers_data_is_kept_where_another_account_may_pass(
    environ: dict[str, str], expected: str
) -> None:
    assert user_data_directory("linux", environ, Path("home"), superuser=True) == Path(expected)
