"""Which shipped decisions do tests play? Read from their files, once."""

from __future__ import annotations

from hivebot.entrypoints.benches.deciding.scenario_files import federation, scenario

ROLLOUT = scenario("rollout")
OBJECTION = scenario("objection")
REBUTTAL = scenario("rebuttal")
SCENARIOS = (ROLLOUT, OBJECTION, REBUTTAL)
SALE = federation("sale")
