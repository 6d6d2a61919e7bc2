"""Is a configuration refused whose parts do not fit one another?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.adapters.config_files.files import (
    BASE,
    HERE,
    accepted,
    agent,
    desk,
    only_problem,
    refused,
    top,
    write,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            BASE.replace("[pia]", f"[pai] {HERE}"),
            "desks[payments].members[0]: there is no agent 'pai' — did you mean `pia`?",
        ),
        (
            BASE.replace("[pia]", f"[somebody] {HERE}"),
            "desks[payments].members[0]: there is no agent 'somebody' — add it under `agents:`",
        ),
        (
            top(f"orchestrator: nora {HERE}"),
            "orchestrator: there is no agent 'nora' — add it under `agents:`",
        ),
        (
            top(f"general: {{members: [gretta]}} {HERE}"),
            "general.members[0]: there is no agent 'gretta' — did you mean `greta`?",
        ),
        (
            desk(f"asks: [payment] {HERE}"),
            "desks[platform].asks[0]: there is no desk 'payment' — did you mean `payments`?",
        ),
        (
            desk(f"answers: [finance] {HERE}"),
            "desks[platform].answers[0]: there is no desk 'finance' — add it under `desks:`",
        ),
        (
            desk(f"asks: [platform] {HERE}"),
            "desks[platform].asks[0]: `platform` is this desk itself — remove it",
        ),
        (
            agent(f"rules: {{refer: {{gateway: platfrom}}}} {HERE}"),
            (
                "agents[pia].rules.refer.gateway: there is no desk 'platfrom' — did you mean "
                "`platform`?"
            ),
        ),
        (
            BASE.replace("id: lasse", f"id: pia {HERE}").replace("[lasse, ", "["),
            (
                "agents[pia].id: two roster members have the id 'pia' — give each agent an id of "
                "its own"
            ),
        ),
        (
            BASE.replace("id: platform", f"id: payments {HERE}"),
            (
                "desks[payments].id: two desks have the id 'payments' — give each desk an id of "
                "its own; General and main are hivebot's words"
            ),
        ),
        (
            BASE.replace("id: platform", f"id: main {HERE}"),
            (
                "desks[main].id: the desk identity 'main' is reserved — give each desk an id of "
                "its own; General and main are hivebot's words"
            ),
        ),
        (
            BASE.replace("id: platform", f"id: GENERAL {HERE}"),
            "desks[GENERAL].id: the desk identity 'GENERAL' is reserved — give each desk",
        ),
        (
            BASE.replace("id: platform", f"id: platform {HERE}\n    name: Main"),
            "desks[platform].id: the desk identity 'Main' is reserved — give each desk",
        ),
        (
            BASE.replace("id: platform", f"id: General {HERE}"),
            (
                "desks[General].id: the id 'General' means the channels without a desk — configure "
                "those under `general:`"
            ),
        ),
        (
            BASE.replace("C0PLAT", f"C0PAY {HERE}"),
            (
                "desks[platform].channel: C0PAY is desk `payments`'s channel already — bind each "
                "desk to a channel of its own"
            ),
        ),
        (
            desk(f"user_group: S0PLAT {HERE}").replace("[pia]", "[pia]\n    user_group: S0PLAT"),
            (
                "desks[platform].user_group: S0PLAT stands for desk `payments` already — give each "
                "desk a group of its own"
            ),
        ),
        (
            desk("mode: select").replace("id: platform", f"id: platform {HERE}"),
            (
                "desks[platform].selector_model: `mode: select` needs a model that picks — write "
                "`selector_model:`, or `mode: lead`"
            ),
        ),
        (
            BASE.replace("[pia]", f"[pia] {HERE}\n    mode: hive"),
            (
                "desks[payments].members: `mode: hive` needs at least two active members, not 1 — "
                "add members, or write `mode: lead`"
            ),
        ),
        (
            desk("mode: hive", f"episode: {{quorum: {{threshold: 3}}}} {HERE}"),
            (
                "desks[platform].episode.quorum.threshold: 3 supporters can never be found among 2 "
                "active members — write at most 2; a majority is 2"
            ),
        ),
        (
            desk(f"referral: {{refer_on: yes, max_hops: 3}} {HERE}"),
            (
                "desks[platform].referral.max_hops: asking on takes 4 hops, not 3 — write "
                "`max_hops: 4`, or `refer_on: no`"
            ),
        ),
        (
            desk(f"referral: {{timeout_s: 60, answer_within_s: 61}} {HERE}"),
            (
                "desks[platform].referral.answer_within_s: 61 s is longer than `timeout_s`, 60 s — "
                "write less than `timeout_s`"
            ),
        ),
        (
            agent("retired: yes").replace("[pia]", f"[pia] {HERE}"),
            (
                "desks[payments].members: all its members are retired, so nobody answers — name an "
                "agent that is not retired"
            ),
        ),
        (
            top(f"orchestrator: eva {HERE}").replace(
                "desks:", "  - {id: eva, model: briefed, retired: yes}\ndesks:"
            ),
            (
                "orchestrator: `eva` is retired, so nobody answers direct messages — name an agent "
                "that is not retired"
            ),
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused_on_their_line(
    tmp_path: Path, text: str, said: str
) -> None:
    problem = only_problem(tmp_path, text)

    assert str(problem).startswith(f"{problem.where}: {said}")


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (BASE.replace("[pia]", f"[pai] {HERE}"), "pia"),
        (desk(f"asks: [payment] {HERE}"), "payments"),
    ],
)
def test_the_nearest_id_is_part_of_the_problem(tmp_path: Path, text: str, near: str) -> None:
    assert only_problem(tmp_path, text).nearest == near


@pytest.mark.parametrize(
    "text",
    [
        desk("mode: hive", "episode: {quorum: {threshold: 2}}"),
        desk("mode: select", "selector_model: briefed"),
        desk("referral: {refer_on: yes, max_hops: 4}"),
        desk("referral: {timeout_s: 60, answer_within_s: 60}"),
        desk("asks: [payments]", "answers: any"),
        top("orchestrator: greta", "general: {enabled: yes, members: [pia]}"),
        BASE.replace("[pia]", "[pia, lasse]"),
    ],
)
def test_parts_that_fit_are_accepted(tmp_path: Path, text: str) -> None:
    assert accepted(tmp_path, text)


# --- channels by name ---------------------------------------------------------------------------

NAMED = BASE.replace("C0PAY", f'"#payments" {HERE}')


def test_a_channels_name_stays_a_name_where_channels_are_not_known(tmp_path: Path) -> None:
    assert accepted(tmp_path, NAMED).desks[0].channel == "#payments"


def test_a_channels_name_becomes_its_id_where_channels_are_known(tmp_path: Path) -> None:
    channels = {"payments": "C9PAY", "ops": "C9OPS"}
    text = NAMED + 'admin_channel: "#ops"\n'

    configuration = accepted(tmp_path, text, channels)

    assert configuration.desks[0].channel == "C9PAY"
    assert configuration.desks[1].channel == "C0PLAT"
    assert configuration.admin_channel == "C9OPS"
    assert configuration == accepted(tmp_path, text, channels.get)


def test_a_channels_name_that_nobody_knows_is_refused_with_the_nearest(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, NAMED, {"payment": "C9PAY"})

    assert problem.key == "desks[payments].channel"
    assert problem.message == "there is no channel #payments that the bot can see"
    assert (problem.remedy, problem.nearest) == ("did you mean `payment`?", "payment")


def test_an_unknown_channel_is_refused_where_only_single_names_can_be_asked(
    tmp_path: Path,
) -> None:
    def lookup(_name: str) -> str | None:
        return None

    problem = only_problem(tmp_path, NAMED, lookup)

    assert problem.remedy == "invite the bot there, or write the channel's id"


def test_two_names_of_one_channel_are_refused(tmp_path: Path) -> None:
    text = BASE.replace("C0PAY", '"#pay"').replace("C0PLAT", f'"#plat" {HERE}')

    problem = only_problem(tmp_path, text, {"pay": "C1", "plat": "C1"})

    assert problem.message == "C1 is desk `payments`'s channel already"


def test_a_fault_of_form_does_not_hide_one_of_fit_but_is_not_said_twice(tmp_path: Path) -> None:
    text = desk("mode: select", "selector_model: gpt", "asks: [nowhere]")

    problems = refused(write(tmp_path, text))

    assert [problem.key for problem in problems] == [
        "desks[platform].selector_model",
        "desks[platform].asks[0]",
    ]
