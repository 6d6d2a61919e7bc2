"""What does `hivebot bench desk` do?

The libraries are imported when it runs: the command line starts faster.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hivebot.entrypoints.benches.refusing import refuse
from hivebot.services.records.policy import Opening

if TYPE_CHECKING:
    from hivebot.entrypoints.benches.deciding.bench import Plan
    from hivebot.entrypoints.benches.deciding.scenario_files import Case
    from hivebot.services.ports import Models


def desk(
    scenario: Annotated[
        str, typer.Option(help="A scenario file, or the name of one that comes with the program.")
    ],
    config: Annotated[Path, typer.Option(help="A YAML file, or a directory of them.")] = Path(
        "config/hivebot.yaml"
    ),
    desk: Annotated[
        str, typer.Option(help="Whose agents play. Default: the first desk that deliberates.")
    ] = "",
    repeat: Annotated[int, typer.Option(min=1, max=1000, help="Decisions of each arm.")] = 1,
    orders: Annotated[
        bool, typer.Option("--orders", help="Seat the members in every order; 200 above six.")
    ] = False,
    federated: Annotated[
        bool, typer.Option("--federated", help="Several desks: apart, asking, or as one.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Prove the scenario and run nothing.")
    ] = False,
    opening: Annotated[
        Opening | None, typer.Option(help="Instead of the desk's own.", show_default=False)
    ] = None,
    budget: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="Turns, instead of the scenario's.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Id of a member who is away; may be repeated.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Decisions at the same time.")] = 4,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of tables.")
    ] = False,
) -> None:
    """Let a desk decide what is known to be right, against a poll of the same agents.

    The scenario's members are played by the desk's own agents, with their models, under the desk's
    own settings. Tokens and costs are counted. With `model: briefed` nothing is called and nothing
    is paid.
    """
    from hivebot.adapters.config_files import ConfigError, load
    from hivebot.entrypoints.benches.deciding import bench, scenario_files
    from hivebot.entrypoints.benches.deciding.seating import Bounds, NoDeskError, desk_named
    from hivebot.entrypoints.benches.reporting import show

    try:
        case: Case = (
            scenario_files.federation(scenario) if federated else scenario_files.scenario(scenario)
        )
        if without:
            case = _without(case, without)
        if check:
            show([bench.proof_sheet(case)], bench.proof_json(case), as_json=as_json)
            raise typer.Exit(0 if bench.proved(bench.prove(case)) else 1)
        configuration = load(config).configuration
        plan = bench.Plan(
            configuration,
            desk_named(configuration, desk),
            Bounds(opening, budget),
            repeat,
            every_order=orders,
        )
        _play(case, plan, jobs, as_json=as_json)
    except ConfigError as error:
        refuse(*(str(problem) for problem in error.problems))
    except NoDeskError as error:
        refuse(str(error))


def _without(case: Case, away: list[str]) -> Case:
    from hivebot.entrypoints.benches.deciding.scenario_files import MEMBERS_MIN, Federation

    present = [member.id for member in case.members]
    unknown = [one for one in away if one not in present]
    if unknown:
        refuse(f"there is no member `{unknown[0]}`; the members are {', '.join(present)}")
    if isinstance(case, Federation):
        refuse("--without is for one desk")
    if len(set(present) - set(away)) < MEMBERS_MIN:
        refuse(f"at least {MEMBERS_MIN} members have to stay")
    return case.without(*away)


def _play(case: Case, plan: Plan, jobs: int, *, as_json: bool) -> None:
    from hivebot.entrypoints.benches.deciding import bench
    from hivebot.entrypoints.benches.deciding.runs import run_all
    from hivebot.entrypoints.benches.deciding.scenario_files import Federation
    from hivebot.entrypoints.benches.reporting import bar, show

    models = _models(plan)
    arms = (
        bench.federated_runs(models, case, plan)
        if isinstance(case, Federation)
        else bench.desk_runs(models, case, plan)
    )
    with bar("deciding", sum(map(len, arms.values()))) as progress:
        tallies = asyncio.run(run_all(arms, case.right, jobs=jobs, progress=progress))
    show(
        [bench.result_sheet(case, plan, tallies)],
        bench.result_json(case, plan, tallies),
        as_json=as_json,
    )


def _models(plan: Plan) -> Models:
    """Whoever answers; keys are looked for only where a model is to be called."""
    from hivebot.adapters.llm.models import AgentModels
    from hivebot.settings import SettingsError, load_settings

    if all(agent.rule_based for agent in plan.configuration.agents):
        return AgentModels({})
    try:
        keys = load_settings().model_keys
    except SettingsError as error:
        refuse(*error.problems)
    return AgentModels(
        {f"{name.upper()}_API_KEY": key.get_secret_value() for name, key in keys.items()}
    )
