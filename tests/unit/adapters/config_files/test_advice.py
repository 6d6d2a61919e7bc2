"""Is an operator told what was measured, and what will not work, though it is accepted?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.adapters.config_files.files import (
    BASE,
    HERE,
    agent,
    desk,
    marked_line,
    top,
    warned,
)

ON = "{enabled: yes, max_hops: 2, reach: desks, returns: yes}"
KNOWS = "blind_spots: [refunds]"


def answering(text: str) -> str:
    """The text, with desk payments answering everybody."""
    return text.replace("[pia]", "[pia]\n    answers: any")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            answering(
                desk(
                    "mode: hive", "asks: [payments]", KNOWS, f"referral: {ON}",
                    f"episode: {{consult: off}} {HERE}",
                )
            ),
            ("desks[platform].episode.consult: desk `platform` asks others, but not before it "
            "decides: an answer that comes after the vote is voted past (0.2% right apart, 77.5% "
            "with answers in time) — write `consult: before_proposals`"),
        ),
        (
            answering(desk("asks: [payments]", f"referral: {ON} {HERE}")),
            ("desks[platform].referral.enabled: referral is on, but desk `platform` names no blind "
            "spot of its own: it pays twice and gains nothing (99.7% right alone, 100.0% asking, "
            "at twice the turns) — name them under `blind_spots:`; try `hivebot bench desk "
            "--federated`"),
        ),
        (
            desk(f"episode: {{directory: {{}}}} {HERE}"),
            ("desks[platform].episode.directory: the directory gained nothing where it was made "
            "for: 65.8% right with it, 66.3% without, although it gave the floor in 77.5% of "
            "episodes — write `directory: null`, or watch its rho"),
        ),
        (
            desk(f"episode: {{announce_priors: yes}} {HERE}"),
            ("desks[platform].episode.announce_priors: directory lines shown to agents then hold "
            "the affinities you configured as if they had been earned — write `announce_priors: "
            "no`"),
        ),
        (
            BASE.replace("briefed", f"openai:gpt-5-mini {HERE}", 1),
            ("agents[pia].model: openai:gpt-5-mini needs `price:` or runs on a token budget only — "
            "write its price, 0 where it is free"),
        ),
        (
            agent("price: {input_usd: 0, output_usd: 0}", f"rules: {{holds: [{{text: a}}]}} {HERE}")
            .replace("briefed", "ollama:llama", 1),
            ("agents[pia].rules: rules are read by `model: briefed` only, not by ollama:llama — "
            "write what it knows under `brief:`"),
        ),
        (
            desk(f"asks: [payments] {HERE}", KNOWS, f"referral: {ON}"),
            ("desks[platform].asks[0]: desk `platform` may ask `payments`, but `payments` does not "
            "answer it — write `answers: [platform]` on desk `payments`"),
        ),
        (
            desk(f"asks: any {HERE}", KNOWS, f"referral: {ON}"),
            ("desks[platform].asks: desk `platform` may ask any desk, but none answers it "
            "(`payments`) — write `answers:` on those that shall"),
        ),
        (
            answering(desk(f"asks: [payments] {HERE}", KNOWS)),
            ("desks[platform].asks: desk `platform` may ask, but referral is off, so nothing "
            "crosses — write `referral: {enabled: yes}`, or `asks: none`"),
        ),
        (
            answering(
                desk("asks: any", KNOWS, f"referral: {ON.replace('2', '1')} {HERE}")
            ),
            ("desks[platform].referral.max_hops: with 1 hops a question or its answer stays where "
            "it is — write 2: one round trip"),
        ),
        (
            answering(
                desk("asks: any", KNOWS, f"referral: {ON.replace('desks', 'local')} {HERE}")
            ),
            ("desks[platform].referral.reach: `reach: local` keeps every question on the desk — "
            "write `reach: desks`"),
        ),
        (
            answering(desk("asks: gate", KNOWS, f"stewards: [] {HERE}", f"referral: {ON}")),
            ("desks[platform].stewards: a steward of desk `platform` must approve each question, "
            "and it has none — name stewards: an empty list is nobody"),
        ),
        (
            answering(
                desk("asks: any", "answers: gate", KNOWS, f"stewards: [] {HERE}", f"referral: {ON}")
            ),
            ("desks[platform].stewards: a steward of desk `platform` must let each question in, "
            "and it has none — name stewards: an empty list is nobody"),
        ),
        (
            desk(f"episode: {{consult: before_proposals}} {HERE}"),
            ("desks[platform].episode.consult: desk `platform` consults, but may ask nobody — "
            "write `asks:` and turn referral on"),
        ),
        (
            desk(f"episode: {{quorum: {{threshold: 3}}}} {HERE}"),
            ("desks[platform].episode.quorum.threshold: asked to deliberate, 2 members never reach "
            "3 supporters — write at most 2"),
        ),
        (
            BASE.replace("id: lasse", f"id: lasse {HERE}\n    name: Pia"),
            ("agents[lasse].id: `@Pia` means agent `pia` as well, so it calls nobody — give one of "
            "them another id or name"),
        ),
        (
            BASE.replace("id: platform", f"id: platform {HERE}\n    name: greta"),
            ("desks[platform].id: `@greta` means agent `greta` as well, so it calls nobody — give "
            "one of them another id or name"),
        ),
    ],
)  # fmt: skip
def test_one_thing_to_know_is_one_warning_on_its_line(tmp_path: Path, text: str, said: str) -> None:
    (warning,) = warned(tmp_path, text)

    assert str(warning) == f"{tmp_path / 'hivebot.yaml'}:{marked_line(text)}: {said}"


@pytest.mark.parametrize(
    "text",
    [
        BASE,
        answering(desk("asks: [payments]", KNOWS, f"referral: {ON}")),
        answering(desk("asks: any", KNOWS, f"referral: {ON}")),
        answering(desk("asks: gate", KNOWS, "stewards: [U1]", f"referral: {ON}")),
        answering(
            desk(
                "mode: hive", "asks: [payments]", KNOWS, f"referral: {ON}",
                "episode: {consult: before_proposals}",
            )
        ),
        BASE.replace("briefed", "ollama:llama\n    price: {input_usd: 0, output_usd: 0}", 1),
        BASE.replace("desks:", "  - {id: eva, name: Pia, model: 'openai:x', retired: on}\ndesks:"),
        top("general: {enabled: yes, members: [pia]}"),
    ],
)  # fmt: skip
def test_a_sound_configuration_has_no_warning(tmp_path: Path, text: str) -> None:
    assert warned(tmp_path, text) == ()


def test_a_member_that_knows_whom_to_ask_is_a_blind_spot_the_desk_knows_of(
    tmp_path: Path,
) -> None:
    text = answering(desk("asks: [payments]", f"referral: {ON}"))
    knowing = text.replace("id: greta", "id: greta\n    rules: {refer: {refund: payments}}")

    assert len(warned(tmp_path, text)) == 1
    assert warned(tmp_path, knowing) == ()


def test_a_desk_that_may_ask_any_desk_when_there_is_none_is_told_so(tmp_path: Path) -> None:
    text = BASE[: BASE.index("  - id: platform")] + "    asks: any\n    " + KNOWS + "\n"

    messages = [warning.message for warning in warned(tmp_path, text)]

    assert "desk `payments` may ask any desk, but none answers it (no desk)" in messages


def test_warnings_come_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = desk("episode: {directory: {}, announce_priors: yes}").replace(
        "briefed", "openai:gpt-5-mini"
    )

    lines = [warning.line for warning in warned(tmp_path, text)]

    assert lines == sorted(lines)
    assert len(lines) == 5
