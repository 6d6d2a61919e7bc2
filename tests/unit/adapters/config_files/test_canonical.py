"""Is a configuration stored in one form, named by its content, and given back as it was?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hivebot.adapters.config_files import (
    ConfigError,
    canonical,
    from_canonical,
    load,
    with_channels,
)
from tests.unit.adapters.config_files.files import BASE, accepted, agent, desk, write

EXAMPLE = Path(__file__).parents[4] / "config" / "hivebot.yaml"


@pytest.mark.parametrize(
    "text",
    [
        BASE,
        agent("price: {input_usd: 0.1, output_usd: 2}", "affinity: {z: 1, a: 2}", "output: lines"),
        desk("asks: [payments]", "answers: gate", "episode: {directory: {floor: 7}, defer_cap: 2}"),
        EXAMPLE.read_text(encoding="utf-8"),
    ],
)
def test_what_was_stored_is_given_back_whole(tmp_path: Path, text: str) -> None:
    configuration = accepted(tmp_path, text)

    assert from_canonical(canonical(configuration)) == configuration


def test_equal_configurations_have_one_form_and_one_revision(tmp_path: Path) -> None:
    plain = accepted(tmp_path, BASE)
    spelt_out = accepted(
        tmp_path,
        desk("mode: lead", "episode: {options: listed}", "file_contents: no # as ever"),
    )

    assert canonical(plain) == canonical(spelt_out)
    assert plain.revision == spelt_out.revision
    assert len(plain.revision) == 16


@pytest.mark.parametrize(
    "text",
    [
        BASE.replace("[lasse, greta]", "[greta, lasse]"),
        agent("role: lead"),
        desk("episode: {quorum: {window: 31}}"),
        BASE + "admins: [U1]\n",
    ],
)
def test_any_change_of_content_is_another_revision(tmp_path: Path, text: str) -> None:
    assert accepted(tmp_path, text).revision != accepted(tmp_path, BASE).revision


def test_a_directory_and_a_file_of_the_same_content_have_one_revision(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    write(tmp_path / "config", BASE, "a.yaml")

    assert load(tmp_path / "config").configuration == accepted(tmp_path, BASE)


def test_the_form_is_json_with_sorted_keys_and_no_spaces(tmp_path: Path) -> None:
    text = canonical(accepted(tmp_path, agent("role: Zürich")))

    assert text == json.dumps(
        json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert "Zürich" in text


def test_an_older_form_gets_the_defaults_of_new_fields(tmp_path: Path) -> None:
    configuration = accepted(tmp_path, BASE)
    stored = json.loads(canonical(configuration))
    for one in stored["desks"]:
        del one["blind_spots"]
    stored["desks"][0]["gone_since"] = 1

    assert from_canonical(json.dumps(stored)) == configuration


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"revision": "secret-value"'])
def test_something_else_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_canonical(text)

    assert str(caught.value).startswith("a stored configuration cannot be read (")
    assert "secret-value" not in str(caught.value)
    assert caught.value.__context__ is None


# --- channels -----------------------------------------------------------------------------------


def named(tmp_path: Path) -> str:
    return BASE.replace("C0PAY", '"#payments"').replace("C0PLAT", '"#platform"')


def test_names_of_channels_are_resolved_later_and_make_another_revision(tmp_path: Path) -> None:
    before = accepted(tmp_path, named(tmp_path))

    after = with_channels(before, {"payments": "C0PAY", "platform": "C0PLAT"})

    assert after == accepted(tmp_path, BASE)
    assert after.revision != before.revision


def test_a_configuration_of_ids_is_left_as_it_is(tmp_path: Path) -> None:
    configuration = accepted(tmp_path, BASE)

    assert with_channels(configuration, {}) == configuration


def test_names_that_are_no_channels_are_refused_all_at_once(tmp_path: Path) -> None:
    configuration = replace(accepted(tmp_path, named(tmp_path)), admin_channel="#ops")

    with pytest.raises(ConfigError) as caught:
        with_channels(configuration, {"platform": "C0PLAT"})

    assert [(problem.key, problem.where) for problem in caught.value.problems] == [
        ("admin_channel", ""),
        ("desks[payments].channel", ""),
    ]
    assert str(caught.value.problems[0]) == (
        "admin_channel: there is no channel #ops that the bot can see — invite the bot there, or "
        "write the channel's id"
    )


def test_two_names_that_become_one_channel_are_refused(tmp_path: Path) -> None:
    configuration = accepted(tmp_path, named(tmp_path))

    with pytest.raises(ConfigError, match="C1 is desk `payments`'s channel already"):
        with_channels(configuration, {"payments": "C1", "platform": "C1"})
