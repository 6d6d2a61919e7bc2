"""Does a comparison say what a new file would change, in the file's own words?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hivebot.adapters.config_files import diff
from tests.unit.adapters.config_files.files import BASE, accepted, agent, desk, top


def changes(directory: Path, old: str, new: str) -> list[str]:
    return diff(accepted(directory, old), accepted(directory, new))


def test_equal_configurations_change_nothing(tmp_path: Path) -> None:
    assert changes(tmp_path, BASE, desk("mode: lead")) == []


@pytest.mark.parametrize(
    ("new", "line"),
    [
        (top("admins: [U1, U2]"), "~ admins: [] -> [U1, U2]"),
        (top("general: {enabled: yes}"), "~ general.enabled: no -> yes"),
        (top("orchestrator: pia"), '~ orchestrator: "" -> pia'),
        (agent("role: lead"), '~ agent pia: role: "" -> lead'),
        (
            agent("price: {input_usd: 0.25, output_usd: 2.000001}"),
            ("~ agent pia: price.input_usd: null -> 0.25"
            "|~ agent pia: price.output_usd: null -> 2.000001"),
        ),
        (
            agent("rules: {holds: [{text: Twice., about: [503]}]}"),
            "~ agent pia: rules.holds: [] -> [Twice. (neutral 3, about [503])]",
        ),
        (desk("mode: hive", "deliberate: asked"), "~ desk platform: mode: lead -> hive"),
        (desk("asks: [payments]"), "~ desk platform: asks: none -> [payments]"),
        (desk("asks: any"), "~ desk platform: asks: none -> any"),
        (
            desk("referral: {enabled: yes, max_hops: 2}"),
            ("~ desk platform: referral.enabled: no -> yes"
            "|~ desk platform: referral.max_hops: 0 -> 2"),
        ),
        (
            desk("referral: {referrals_per_hour: 7, referrals_shown: thread}"),
            ("~ desk platform: referral.referrals_per_hour: 6 -> 7"
            "|~ desk platform: referral.referrals_shown: channel -> thread"),
        ),
        (
            desk("episode: {options: open, deliberation: shown, quorum: {refutation_cap: 2}}"),
            ("~ desk platform: episode.quorum.refutation_cap: null -> 2"
            "|~ desk platform: episode.options: listed -> open"
            "|~ desk platform: episode.deliberation: folded -> shown"),
        ),
        (desk("budget: {usd_per_day: 0.5}"), "~ desk platform: budget.usd_per_day: 50 -> 0.5"),
        (desk("budget: {usd_per_day: 100}"), "~ desk platform: budget.usd_per_day: 50 -> 100"),
        (desk("answers_to: {guests: yes}"), "~ desk platform: answers_to.guests: no -> yes"),
        (
            BASE.replace("desks:", "  - {id: otto, model: briefed}\ndesks:"),
            "+ agent otto",
        ),
        (BASE[: BASE.index("  - id: platform")], "- desk platform"),
        (
            BASE.replace("- id: lasse", "- id: x").replace("- id: greta", "- id: lasse").replace(
                "- id: x", "- id: greta"
            ),
            "~ the order of agents",
        ),
        (
            agent("brief: You know refunds."),
            "~ agent pia: brief: 2 characters -> 17 characters, other text",
        ),
        (
            desk(f"description: {'long ' * 30}"),
            f'~ desk platform: description: "" -> {("long " * 30)[:59]}…',
        ),
    ],
)  # fmt: skip
def test_each_change_is_one_line(tmp_path: Path, new: str, line: str) -> None:
    assert changes(tmp_path, BASE, new) == line.split("|")


def test_what_comes_in_one_direction_goes_in_the_other(tmp_path: Path) -> None:
    new = agent("price: {input_usd: 1, output_usd: 10}")

    assert changes(tmp_path, new, BASE) == [
        "~ agent pia: price.input_usd: 1 -> null",
        "~ agent pia: price.output_usd: 10 -> null",
    ]


def test_a_directory_policy_is_shown_key_by_key(tmp_path: Path) -> None:
    lines = changes(tmp_path, BASE, desk("episode: {directory: {floor: 7}}"))

    assert "~ desk platform: episode.directory.floor: null -> 7" in lines
    assert len(lines) == 7
