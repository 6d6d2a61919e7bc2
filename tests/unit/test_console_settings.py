"""Which tokens of the console does the environment accept?"""

from __future__ import annotations

import pytest

from hivebot.settings import SettingsError, load_settings

GOOD = "viewer:" + "v" * 24


def test_tokens_with_roles_are_taken_and_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIVEBOT_CONSOLE_TOKENS", f"{GOOD}, admin:{'a' * 24}")
    settings = load_settings(None)
    assert settings.console_roles() == (("viewer", "v" * 24), ("admin", "a" * 24))
    assert "a" * 24 in settings.secret_values()
    assert "v" * 24 not in repr(settings)


@pytest.mark.parametrize("written", ["viewer:short", "owner:" + "o" * 24, "t" * 40])
def test_a_short_token_or_an_unknown_role_is_refused(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("HIVEBOT_CONSOLE_TOKENS", written)
    with pytest.raises(SettingsError, match="HIVEBOT_CONSOLE_TOKENS must be viewer"):
        load_settings(None)


def test_without_tokens_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HIVEBOT_CONSOLE_TOKENS", raising=False)
    assert load_settings(None).console_roles() == ()
