"""Is the shipped example sound, complete, and what the documentation says it is?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

import jsonschema
import pytest
import yaml
from pydantic import BaseModel

from hivebot.adapters.config_files import load, schema
from hivebot.adapters.config_files.format import AgentEntry, ConfigFile, DeskEntry
from hivebot.adapters.llm.briefed import speak
from hivebot.adapters.llm.briefed.rehearsal import play
from hivebot.hive.quorum import QuorumPolicy
from hivebot.services.records.policy import Configuration, DeskMode, Opening, Reach, ReachKind
from hivebot.services.records.replies import AnswerTurn, Known
from tests.scenarios import OBJECTION
from tests.unit.adapters.llm.requests import asked, person

EXAMPLE = Path(__file__).parents[4] / "config" / "hivebot.yaml"


@pytest.fixture(scope="module")
def example() -> Configuration:
    loaded = load(EXAMPLE)
    assert loaded.warnings == ()
    return loaded.configuration


class CoreLoader(yaml.SafeLoader):
    """Reads as YAML 1.2 does, and with it every editor: yes, no and off are words."""


CoreLoader.yaml_implicit_resolvers = {}
for kind, pattern, first in (
    ("null", "~|null|", "~n"),
    ("bool", "true|false", "tf"),
    ("int", "[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?[0-9]+\.[0-9]+", "-+0123456789"),
):
    CoreLoader.add_implicit_resolver(  # pyright: ignore[reportUnknownMemberType] - stubs
        f"tag:yaml.org,2002:{kind}", re.compile(f"^(?:{pattern})$"), list(first)
    )


def written() -> dict[str, list[dict[str, object]]]:
    """The example as an editor reads it."""
    text = EXAMPLE.read_text("utf-8")
    data: dict[str, list[dict[str, object]]] = yaml.load(text, CoreLoader)  # noqa: S506 - safe
    return data


def check_against_schema(data: object) -> None:
    jsonschema.validate(data, schema(), jsonschema.Draft202012Validator)  # pyright: ignore[reportUnknownMemberType] - stubs


def test_it_has_the_three_desks_of_the_sandbox(example: Configuration) -> None:
    assert [(desk.id, desk.channel, desk.mode) for desk in example.desks] == [
        ("payments", "C0PAY", DeskMode.LEAD),
        ("platform", "C0PLAT", DeskMode.LEAD),
        ("data", "C0DATA", DeskMode.HIVE),
    ]
    assert all(desk.stewards == ("U0STEW",) for desk in example.desks)
    assert all(agent.rule_based for agent in example.agents)


def test_questions_cross_between_payments_and_platform_only(example: Configuration) -> None:
    payments, platform, data = example.desks
    for desk, other in ((payments, platform), (platform, payments)):
        assert desk.asks == desk.answers == Reach(ReachKind.DESKS, (other.id,))
        assert desk.referral.policy.enabled
        assert desk.referral.policy.max_hops == 2
        assert desk.referral.policy.reach.crosses
        assert desk.referral.policy.returns
    assert data.asks == data.answers == Reach(ReachKind.NONE)
    assert not data.referral.policy.enabled


def test_it_carries_the_tuned_policy(example: Configuration) -> None:
    for desk in example.desks:
        policy = desk.episode.policy
        members = len(desk.members)
        assert policy.turn_budget == 3 * members
        assert policy.quorum == QuorumPolicy(threshold=members // 2 + 1, window=100)
        assert (policy.dominance_cap, policy.repetition_cap) == (40, 2)
        assert policy.blind_round
        assert policy.directory is None
        assert policy.defer_cap is None
        assert desk.episode.opening is Opening.EVIDENCE_FIRST


@pytest.mark.parametrize(
    "figure",
    [
        "73.3%",
        "82.1%",
        "89.7%",
        "99.4%",
        "78.5%",
        "57.6%",
        "58.0%",
        "15% -> 66%",
        "82% -> 75%",
        "0.2%",
        "77.5%",
        "10.5%",
        "65.8%",
        "66.3%",
        "75.0%",
        "55.9%",
        "99.7%",
        "100.0%",
    ],
)
def test_the_measured_figures_stand_in_its_comments(figure: str) -> None:
    comments = [line.partition("#")[2] for line in EXAMPLE.read_text("utf-8").split("\n")]

    assert any(figure in comment for comment in comments)


def test_platforms_lead_holds_what_the_demo_question_asks(example: Configuration) -> None:
    lead = example.agent(example.desks[1].members[0])
    assert lead is not None
    asked = {"gateway", "retry", "503"}
    matching = [fact for fact in lead.rules.holds if asked <= set(fact.about)]
    others = [agent for agent in example.agents if agent.id in example.desks[0].members]

    assert len(matching) == 1
    assert "retries a 503 twice" in matching[0].text
    assert max(fact.strength for fact in lead.rules.holds) == matching[0].strength
    for agent in others:
        assert not any(asked & set(fact.about) for fact in agent.rules.holds)


@pytest.mark.parametrize(
    ("agent_id", "question", "known", "begins"),
    [
        (
            "lasse",
            "@#platform does the gateway retry on 503?",
            Known.KNOWN,
            "The gateway retries a 503 twice, after 200 ms and after one second",
        ),
        ("lasse", "what is for lunch today?", Known.UNKNOWN, "I hold nothing on that."),
        ("pia", "how long does a refund take?", Known.KNOWN, "Refunds reach the customer"),
        ("pia", "who won the match?", Known.UNKNOWN, "I hold nothing on that."),
        ("greta", "how long are backups kept?", Known.KNOWN, "Backups are taken every night"),
        ("anna", "when are the dashboards refreshed?", Known.KNOWN, "The dashboards are"),
    ],
)
def test_questions_are_answered_from_its_facts_or_not_at_all(
    example: Configuration, agent_id: str, question: str, known: Known, begins: str
) -> None:
    agent = example.agent(agent_id)
    assert agent is not None

    reply = speak(asked("answer", agent=agent, rows=(person(1, question),)))

    assert isinstance(reply, AnswerTurn)
    assert reply.known is known
    assert reply.answer.startswith(begins)


def test_the_data_desk_decides_for_the_canary_in_twelve_turns(example: Configuration) -> None:
    desk = example.desks[2]
    agents = [example.agent(member) for member in desk.members]
    members = tuple(agent for agent in agents if agent is not None)

    played = play(replace(OBJECTION, members=members), policy=desk.episode.policy)

    assert (played.decided, played.turns) == ("canary", 12)


def test_the_data_desk_is_the_rollout_room(example: Configuration) -> None:
    agents = [example.agent(member) for member in example.desks[2].members]
    holds = {
        agent.id: [(f.option, f.bearing, f.strength) for f in agent.rules.holds]
        for agent in agents
        if agent is not None
    }
    assert holds == {
        "anna": [("canary", "for", 2)],
        "bert": [("revert", "for", 4), ("revert", "against", 2)],
        "carl": [("ship", "against", 2)],
        "dora": [("canary", "for", 2)],
        "eva": [],
    }
    for agent in agents:
        assert agent is not None
        assert agent.rules.opening_facts == 1
        shared = [(f.option, f.bearing, f.strength) for f in agent.rules.shared if f.option]
        assert shared == [("ship", "for", 3), ("ship", "for", 1), ("revert", "for", 1)]


def test_the_first_agent_and_every_desk_have_every_field_written_out() -> None:
    data = written()

    assert set(data) == set(ConfigFile.model_fields)
    assert set(data["agents"][0]) == set(AgentEntry.model_fields)
    for desk in data["desks"]:
        assert set(desk) == set(DeskEntry.model_fields)
        for group in ("referral", "episode", "budget"):
            part = desk[group]
            assert isinstance(part, dict)
            annotation = DeskEntry.model_fields[group].annotation
            assert isinstance(annotation, type)
            assert issubclass(annotation, BaseModel)
            assert set(cast("dict[str, object]", part)) == set(annotation.model_fields)


# --- the schema ---------------------------------------------------------------------------------


def test_the_schema_is_one_and_accepts_the_example_as_editors_read_it() -> None:
    check_against_schema(written())


@pytest.mark.parametrize(
    ("key", "value"),
    [("members", []), ("mode", "hiv"), ("modle", 1), ("asks", "platform"), ("channel", "payments")],
)
def test_the_schema_refuses_what_loading_refuses(key: str, value: object) -> None:
    data = written()
    data["desks"][0][key] = value

    with pytest.raises(jsonschema.ValidationError):
        check_against_schema(data)


def test_every_key_is_described() -> None:
    for model in models(ConfigFile):
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"


def models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        for part in (field.annotation, *get_args(field.annotation)):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from models(part)
