"""How does a decision end? The real folds and the real rendering, with a host in miniature.

One process, one room, rows in a list. Who answers for the members is for the caller to say: `play`
lets the rules do it, without a model. Source: briefed.md, hive.md 16, turns.md 1 to 3.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from hivebot.adapters.llm.briefed.scenarios import Scenario
from hivebot.adapters.llm.briefed.turns import speak
from hivebot.adapters.llm.reply import render
from hivebot.hive.conversation import AgentAuthor, Conversation, PersonAuthor
from hivebot.hive.desk import Desk, DeskSet
from hivebot.hive.directory import directory
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
    live_messages,
    project_for,
)
from hivebot.hive.quorum import Quorum, QuorumPolicy
from hivebot.hive.roster import Member, Roster
from hivebot.hive.trace import read
from hivebot.hive.transcript import SessionMessage
from hivebot.services.records.asking import (
    Colleague,
    FarDesk,
    Floor,
    FloorLine,
    SeenRow,
    Situation,
    TurnRequest,
)
from hivebot.services.records.policy import AgentConfig, Opening
from hivebot.services.records.replies import Option

DESK = "demo"
ASKER = PersonAuthor("U0ASKER", "Asker")


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


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn that somebody has to speak.

    Attributes:
        request: What its member may know.
        sequence: Number of the row to be.
        agreed: The option a quorum stands on, "" for none; a blind request does not say.
    """

    request: TurnRequest
    sequence: int
    agreed: str


Spoken: TypeAlias = str | tuple[SeenRow, ...]
"""The text of the turn; or rows that came in meanwhile, after which the market decides anew."""


@dataclass(frozen=True, slots=True)
class Room:
    """What stays the same while one decision is played.

    Attributes:
        members: In desk order.
        policy: The fold's.
        opening: What the blind round consists of.
        priors: Directory lines show configured affinities as if they were earned.
        prompt_tokens_max, output_tokens_max: Bounds of each request.
    """

    members: tuple[AgentConfig, ...]
    options: tuple[Option, ...]
    policy: EpisodePolicy
    opening: Opening = Opening.EVIDENCE_FIRST
    desk_id: str = DESK
    desk_name: str = DESK
    priors: bool = False
    prompt_tokens_max: int = 6000
    output_tokens_max: int = 1500

    def asking(
        self, agent: AgentConfig, situation: Situation, rows: Sequence[SeenRow]
    ) -> TurnRequest:
        """What a member of this room is asked with, before anything is known of the floor."""
        others = (each for each in self.members if each.id != agent.id)
        return TurnRequest(
            agent=agent,
            desk_id=self.desk_id,
            desk_name=self.desk_name,
            situation=situation,
            rows=tuple(rows),
            question=1,
            colleagues=tuple(Colleague(each.id, each.name, each.role) for each in others),
            opening=self.opening,
            prompt_tokens_max=self.prompt_tokens_max,
            output_tokens_max=self.output_tokens_max,
        )

    def consulting(
        self, agent: AgentConfig, rows: Sequence[SeenRow], may_ask: tuple[FarDesk, ...], asks: int
    ) -> TurnRequest:
        """What the one is asked who words the questions to other desks."""
        request = self.asking(agent, "consult", rows)
        return replace(request, options=self.options, may_ask=may_ask, max_asks=asks)


def tuned_policy(members: int, turn_budget: int | None = None) -> EpisodePolicy:
    """Give the tuned policy: a majority, three turns a member, dominance 40, repetition 2.

    Source: product.md 5, bench.md (hive+).
    """
    return EpisodePolicy(
        turn_budget=max(6, 3 * members) if turn_budget is None else turn_budget,
        blind_round=True,
        dominance_cap=40,
        repetition_cap=2,
        quorum=QuorumPolicy(threshold=majority(members), window=100),
    )


def majority(members: int) -> int:
    """Give a majority of a desk, but never everybody. Source: bench.md 7."""
    return max(2, min(members // 2 + 1, members - 1))


def question_row(question: str) -> SeenRow:
    """The row a decision begins with."""
    return SeenRow(SessionMessage(1, ASKER, question))


def play(
    scenario: Scenario,
    *,
    opening: Opening = Opening.EVIDENCE_FIRST,
    policy: EpisodePolicy | None = None,
) -> Played:
    """Play a decision by the rules, with its members in the order given.

    Args:
        scenario: Who sits there and what is asked.
        opening: What the blind round consists of.
        policy: None is the tuned policy with the scenario's budget.
    """
    tuned = policy or tuned_policy(len(scenario.members), scenario.turn_budget)
    room = Room(scenario.members, scenario.options, tuned, opening)
    hosted = rounds(room, [question_row(scenario.question)])
    asked = next(hosted)
    while True:
        try:
            asked = hosted.send(render(asked.request, speak(asked.request), asked.sequence).content)
        except StopIteration as ended:
            return ended.value


def rounds(room: Room, rows: Sequence[SeenRow]) -> Generator[Asked, Spoken, Played]:
    """Let the market give turn after turn, and take what is said.

    Args:
        room: Who decides, and under what.
        rows: The log so far, the question first; the episode begins above its last row.
    """
    log = list(rows)
    watermark = log[-1].message.sequence
    roster = Roster(tuple(Member(each.id, each.name) for each in room.members), (), ())
    place = Desk(room.desk_id, room.desk_name, None, tuple(each.id for each in room.members))
    desks = DeskSet((place,), (), (), (), ())
    state = EpisodeState(
        Conversation(room.desk_id, room.desk_name, 1),
        watermark,
        thresholds=tuple(each.as_threshold() for each in room.members),
    )
    while True:
        messages = tuple(row.message for row in log)
        examined = examine(state, messages, roster, desks, room.policy)
        if not isinstance(examined.step, Speak):
            return Played(examined.step, state.spent, messages)
        turn = examined.step.turn
        said = yield _asked(room, state, log, turn, examined)
        if isinstance(said, str):
            log.append(_row(room, turn.agent_id, said, messages[-1].sequence + 1))
            state = turn.next_state
        else:
            log.extend(said)


def _row(room: Room, agent_id: str, content: str, sequence: int) -> SeenRow:
    name = next(each.name for each in room.members if each.id == agent_id)
    return SeenRow(SessionMessage(sequence, AgentAuthor(agent_id, name), content))


def _asked(
    room: Room,
    state: EpisodeState,
    log: Sequence[SeenRow],
    turn: HiveTurn,
    examined: Examination,
) -> Asked:
    """Ask the holder of the floor, showing it what its turn may see."""
    agent = next(each for each in room.members if each.id == turn.agent_id)
    topic = examined.consensus.topic if isinstance(examined.consensus, Quorum) else ""
    messages = [row.message for row in log]
    visible = {message.sequence for message in project_for(turn, messages)}
    rows = [row for row in log if row.message.sequence in visible]
    request = replace(
        room.asking(agent, _situation(room, turn, topic), rows),
        options=room.options,
        watermark=state.watermark,
        defer=room.policy.defer_cap is not None,
        refute=room.policy.quorum.refutation_cap is not None,
    )
    if turn.visibility is not Visibility.BLIND:
        request = replace(request, floor=_floor(room, state, messages, turn, examined, topic))
    return Asked(request, messages[-1].sequence + 1, topic)


def _situation(room: Room, turn: HiveTurn, topic: str) -> Situation:
    if turn.visibility is Visibility.BLIND:
        return "opening" if room.opening is Opening.EVIDENCE_FIRST else "position"
    return "commit" if topic else "deliberate"


def _floor(
    room: Room,
    state: EpisodeState,
    messages: Sequence[SessionMessage],
    turn: HiveTurn,
    examined: Examination,
    topic: str,
) -> Floor:
    standings = tuple(
        FloorLine(
            option=standing.topic,
            supporters=standing.supporters,
            silenced=standing.silenced,
            refuted_by=standing.refuted_by,
            support=standing.support,
        )
        for standing in examined.standings
    )
    policy = room.policy.directory
    if policy is None:
        return Floor(turn.phase.value, topic, standings)
    live = live_messages(state, messages, [each.id for each in room.members])
    priors = state.thresholds if room.priors else ()
    known = directory(read(live), examined.at, policy, priors)
    return Floor(turn.phase.value, topic, standings, tuple(known.lines()))
