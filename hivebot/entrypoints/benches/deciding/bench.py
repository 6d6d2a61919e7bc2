"""Which decisions does `hivebot bench desk` take, and what does it say of them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from hivebot.adapters.llm.briefed.rehearsal import Room
from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.entrypoints.benches.deciding.arms import deliberation, poll
from hivebot.entrypoints.benches.deciding.federation import (
    asked_first,
    asked_late,
    halls_of,
    merged,
    polled,
    siloed,
)
from hivebot.entrypoints.benches.deciding.proof import Step, prove
from hivebot.entrypoints.benches.deciding.runs import Run, Tally, sheet_of
from hivebot.entrypoints.benches.deciding.scenario_files import Case, Federation
from hivebot.entrypoints.benches.deciding.seating import Bounds, orders, room_of, seated
from hivebot.entrypoints.benches.reporting import Sheet
from hivebot.services.ports import Models
from hivebot.services.records.policy import AgentConfig, Configuration, DeskConfig

DELIBERATION: Final = "deliberation"
POLL: Final = "poll"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run.

    Attributes:
        desk: Whose agents play and whose settings hold.
        repeat: Decisions of each arm, or of each order.
        every_order: Seat the members in every order, instead of the scenario's.
    """

    configuration: Configuration
    desk: DeskConfig
    bounds: Bounds
    repeat: int = 1
    every_order: bool = False


def desk_runs(models: Models, scenario: Scenario, plan: Plan) -> dict[str, list[Run]]:
    """One desk: deliberating, against a poll of the same members."""
    members = seated(scenario.members, plan.desk, plan.configuration)
    seatings = list(orders(members)) if plan.every_order else [members]
    rooms = [
        room_of(one, scenario.options, plan.desk, plan.bounds, scenario.turn_budget)
        for one in seatings
        for _ in range(plan.repeat)
    ]
    return {
        DELIBERATION: [partial(deliberation, models, room, scenario.question) for room in rooms],
        POLL: [partial(poll, models, room, scenario.question) for room in rooms],
    }


def federated_runs(models: Models, federation: Federation, plan: Plan) -> dict[str, list[Run]]:
    """Several desks: apart, asking first, asking late, on one desk, and a poll of everybody."""
    question, turns = federation.question, range(plan.repeat)
    desks = [plan.configuration.desk(one.id) or plan.desk for one in federation.desks]
    rooms = [
        replace(
            room_of(
                seated(one.members, desk, plan.configuration),
                federation.options,
                desk,
                plan.bounds,
                federation.turn_budget,
            ),
            desk_id=one.id,
            desk_name=one.name,
        )
        for one, desk in zip(federation.desks, desks, strict=True)
    ]
    halls = halls_of(rooms, question, [desk.episode.max_asks for desk in desks])
    everybody = _one_desk([member for room in rooms for member in room.members], federation, plan)
    return {
        "siloed": [partial(siloed, models, halls, question) for _ in turns],
        "asked first": [partial(asked_first, models, halls, question) for _ in turns],
        "asked late": [partial(asked_late, models, halls, question) for _ in turns],
        "one merged desk": [partial(merged, models, everybody, question) for _ in turns],
        POLL: [partial(polled, models, everybody, question) for _ in turns],
    }


def _one_desk(members: Sequence[AgentConfig], federation: Federation, plan: Plan) -> Room:
    return room_of(tuple(members), federation.options, plan.desk, plan.bounds, None)


def proof_sheet(case: Case) -> Sheet:
    """The proof, step by step."""
    steps = prove(case)
    return Sheet(
        title=f"Is “{case.name}” what it claims to be? {'Yes.' if proved(steps) else 'NO.'}",
        columns=("", "claim and what was found"),
        rows=[
            ("holds" if step.holds else "FAILS", f"{step.claim} ({step.because})") for step in steps
        ],
        words=2,
    )


def proof_json(case: Case) -> dict[str, object]:
    """The same as data."""
    steps = prove(case)
    return {
        "scenario": case.name,
        "proved": proved(steps),
        "steps": [
            {"claim": step.claim, "holds": step.holds, "found": step.because} for step in steps
        ],
    }


def proved(steps: Sequence[Step]) -> bool:
    """Whether every step holds."""
    return all(step.holds for step in steps)


def result_sheet(case: Case, plan: Plan, tallies: Mapping[str, Tally]) -> Sheet:
    """What came of every arm, and who played."""
    return sheet_of(f"{case.name}: right is {case.right}", tallies, _notes(case, plan, tallies))


def result_json(case: Case, plan: Plan, tallies: Mapping[str, Tally]) -> dict[str, object]:
    """The same as data."""
    return {
        "scenario": case.name,
        "right": case.right,
        "proved": proved(prove(case)),
        "desk": plan.desk.id,
        "models": _models(case, plan),
        "arms": [tally.as_json(arm) for arm, tally in tallies.items()],
    }


def _notes(case: Case, plan: Plan, tallies: Mapping[str, Tally]) -> list[str]:
    models = ", ".join(_models(case, plan))
    notes = [f"played by {models} under the settings of `{plan.desk.id}`"]
    if not proved(prove(case)):
        notes.append("the scenario is not what it claims to be: see --check")
    if _lost(tallies):
        notes.append("deliberating LOST: asking each member alone was right more often")
    return notes


def _lost(tallies: Mapping[str, Tally]) -> bool:
    """Whether the poll was right more often than one desk's deliberation."""
    deliberated, polled_alone = tallies.get(DELIBERATION), tallies.get(POLL)
    if deliberated is None or polled_alone is None:
        return False
    return polled_alone.correct * deliberated.runs > deliberated.correct * polled_alone.runs


def _models(case: Case, plan: Plan) -> list[str]:
    """Whose models play, each once; rule-based members are called so."""
    members = seated(case.members, plan.desk, plan.configuration)
    names = ("rule-based agents" if one.rule_based else one.model for one in members)
    return list(dict.fromkeys(names))
