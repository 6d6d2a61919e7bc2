"""How does a made-up decision end? The real folds, the real rendering, and no model.

A host in miniature: one process, one room, rows in a list. Source: briefed.md, hive.md 16.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.adapters.llm.briefed.turns import speak
from hivebot.adapters.llm.reply import render
from hivebot.hive.conversation import AgentAuthor, Conversation, PersonAuthor
from hivebot.hive.desk import Desk, DeskSet
from hivebot.hive.episode import (
    Converged,
    EpisodePolicy,
    EpisodeState,
    Examination,
    HiveTurn,
    Speak,
    Step,
    Visibility,
    examine,
    project_for,
)
from hivebot.hive.quorum import Quorum, QuorumPolicy
from hivebot.hive.roster import Member, Roster
from hivebot.hive.transcript import SessionMessage
from hivebot.services.records.asking import (
    Colleague,
    Floor,
    FloorLine,
    SeenRow,
    Situation,
    TurnRequest,
)
from hivebot.services.records.policy import AgentConfig, Opening

DESK = "demo"


@dataclass(frozen=True, slots=True)
class Played:
    """One decision, played to its end.

    Attributes:
        ending: The fold's last step.
        turns: Turns taken.
        rows: The episode's log, the question first.
    """

    ending: Step
    turns: int
    rows: tuple[SessionMessage, ...]

    @property
    def decided(self) -> str:
        """The option on record, "" for none."""
        return self.ending.topic if isinstance(self.ending, Converged) else ""


def tuned_policy(members: int, turn_budget: int | None = None) -> EpisodePolicy:
    """Give the tuned policy: a majority, three turns a member, dominance 40, repetition 2.

    Source: product.md 5, bench.md (hive+).
    """
    return EpisodePolicy(
        turn_budget=max(6, 3 * members) if turn_budget is None else turn_budget,
        blind_round=True,
        dominance_cap=40,
        repetition_cap=2,
        quorum=QuorumPolicy(threshold=max(2, min(members // 2 + 1, members - 1)), window=100),
    )


def play(
    scenario: Scenario,
    *,
    opening: Opening = Opening.EVIDENCE_FIRST,
    policy: EpisodePolicy | None = None,
) -> Played:
    """Play a decision with its members in the order given.

    Args:
        scenario: Who sits there and what is asked.
        opening: What the blind round consists of.
        policy: None is the tuned policy with the scenario's budget.
    """
    room = _Room(scenario, opening, policy or _policy_of(scenario))
    rows = [SessionMessage(1, PersonAuthor("U0ASKER", "Asker"), scenario.question)]
    state = EpisodeState(Conversation(DESK, DESK, 1), watermark=1)
    while True:
        examined = examine(state, rows, room.roster, room.desks, room.policy)
        if not isinstance(examined.step, Speak):
            return Played(examined.step, state.spent, tuple(rows))
        turn = examined.step.turn
        rows.append(room.spoken(turn, examined, rows))
        state = turn.next_state


def _policy_of(scenario: Scenario) -> EpisodePolicy:
    return tuned_policy(len(scenario.members), scenario.turn_budget)


class _Room:
    """What stays the same while one decision is played."""

    def __init__(self, scenario: Scenario, opening: Opening, policy: EpisodePolicy) -> None:
        members = scenario.members
        self.policy = policy
        self.roster = Roster(tuple(Member(each.id, each.name) for each in members), (), ())
        desk = Desk(DESK, DESK, None, tuple(each.id for each in members))
        self.desks = DeskSet((desk,), (), (), (), ())
        self._scenario = scenario
        self._opening = opening
        self._agents = {each.id: each for each in members}
        self._colleagues = tuple(Colleague(each.id, each.name, each.role) for each in members)

    def spoken(
        self, turn: HiveTurn, examined: Examination, rows: list[SessionMessage]
    ) -> SessionMessage:
        """Let the holder of the floor speak, and give its row."""
        agent = self._agents[turn.agent_id]
        request = self.request(agent, turn, examined, rows)
        sequence = rows[-1].sequence + 1
        content = render(request, speak(request), sequence).content
        return SessionMessage(sequence, AgentAuthor(agent.id, agent.name), content)

    def request(
        self,
        agent: AgentConfig,
        turn: HiveTurn,
        examined: Examination,
        rows: list[SessionMessage],
    ) -> TurnRequest:
        """Ask one member, showing it what its turn may see."""
        topic = examined.consensus.topic if isinstance(examined.consensus, Quorum) else ""
        request = TurnRequest(
            agent=agent,
            desk_id=DESK,
            desk_name=DESK,
            situation=self._situation(turn, topic),
            rows=tuple(SeenRow(row) for row in project_for(turn, rows)),
            question=1,
            colleagues=self._colleagues,
            options=self._scenario.options,
            watermark=1,
            defer=self.policy.defer_cap is not None,
            refute=self.policy.quorum.refutation_cap is not None,
            opening=self._opening,
        )
        if turn.visibility is Visibility.BLIND:
            return request
        return replace(request, floor=_floor(turn, examined, topic))

    def _situation(self, turn: HiveTurn, topic: str) -> Situation:
        if turn.visibility is Visibility.BLIND:
            return "opening" if self._opening is Opening.EVIDENCE_FIRST else "position"
        return "commit" if topic else "deliberate"


def _floor(turn: HiveTurn, examined: Examination, topic: str) -> Floor:
    lines = tuple(
        FloorLine(
            option=standing.topic,
            supporters=standing.supporters,
            silenced=standing.silenced,
            refuted_by=standing.refuted_by,
            support=standing.support,
        )
        for standing in examined.standings
    )
    return Floor(phase=turn.phase.value, topic=topic, standings=lines)
