"""Why did this agent speak? The record of a turn, in words a person understands.

Pure. It says what the stored rows say and nothing that was not decided by. Source: product.md 1
and 7, hive.md 7, 9 and 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from hivebot.hive.attention import BidReason
from hivebot.hive.episode import EpisodePhase, HiveTurn, Speak, Visibility
from hivebot.hive.errors import HiveError
from hivebot.services import lines
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.records.rows import DecisionRow, ReferralRow, TurnKind, TurnRow
from hivebot.services.replaying import FOLD, Bidder, Recorded, recorded
from hivebot.services.snapshots import active_members

_MARKET: Final[Mapping[BidReason, str]] = {
    BidReason.ADDRESSED: "somebody else had answered or cited what {name} said",
    BidReason.DISSENT: "{name} backed none of the options that were level",
    BidReason.KNOWS: "{name} knew most about the option in question and had taken no side on it",
    BidReason.QUIET: "{name} had said least while somebody else said much",
    BidReason.SALIENCE: "what was on the floor concerned {name}",
}

A_PRIVATE_DESK: Final = "a private desk"
"""What a desk is called where not everybody may know its name."""

_EMPTY_FLOOR: Final = "nothing was on the floor yet"

_RUNGS: Final[Mapping[str, str]] = {
    "explicit_mention": "{name} was named in the question",
    "auto_selection": "the desk's selector picked {name} for this question",
    "desk_default": "{name} leads the desk",
    "direct_agent": "the message was sent to {name}",
    "orchestrator": "{name} answers where no desk does",
}

_DISPOSITIONS: Final[Mapping[str, str]] = {
    "unavailable": "; no selector said who should answer instead",
    "invalid_output": "; the selector named nobody of the desk",
    "disabled": "; picking somebody else is switched off",
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is stored about one turn.

    Attributes:
        configuration: Of the turn's revision.
        desk: The desk it was spoken for, None in direct messages and General.
        decision: Recorded for it, or None.
        referral: That it answers or brings home, or None.
        episode: It belongs to, or the one whose lead answers instead, or None.
        asked_from: The desk that asked, as those who read where the turn is spoken may know it.
    """

    turn: TurnRow
    configuration: Configuration
    desk: DeskConfig | None
    decision: DecisionRow | None
    referral: ReferralRow | None
    episode: EpisodeRow | None
    asked_from: str = A_PRIVATE_DESK

    def name(self, agent_id: str) -> str:
        """An agent's name then."""
        agent = self.configuration.agent(agent_id)
        return agent.name if agent is not None else agent_id

    @property
    def speaker(self) -> str:
        """Name of whoever spoke."""
        return self.name(self.turn.agent_id)


def why(case: Case) -> str:
    """Say why this agent spoke, who would have been next, and where the record is found."""
    match case.turn.kind:
        case TurnKind.EPISODE:
            return _in_market(case)
        case TurnKind.REFERRED:
            return _asked_from_afar(case)
        case TurnKind.SPONSOR | TurnKind.RELAY:
            return _brings_home(case)
        case TurnKind.CONSULT | TurnKind.FRAMING:
            return _before_it_began(case)
        case TurnKind.ANSWER:
            return _answers(case)


def _in_market(case: Case) -> str:
    decision = case.decision
    if decision is None or decision.fold != FOLD:
        return f"{case.speaker} had the floor; the record of why is not kept any more."
    try:
        then = recorded(decision)
    except HiveError:
        return f"{case.speaker} had the floor; the record of why cannot be read."
    step = then.step
    mine = then.bidder(case.turn.agent_id)
    if not isinstance(step, Speak) or mine is None:
        return f"{case.speaker} had the floor; the record of why cannot be read."
    weighs = bool(mine.pull) or mine.reason is not BidReason.SALIENCE
    because = _MARKET[mine.reason].format(name=case.speaker) if weighs else _EMPTY_FLOOR
    return " ".join(
        (
            f"{case.speaker} had the floor because {because}: {_sum(mine)}.",
            _runner_up(case, then, mine),
            _circumstances(step.turn),
            _found_by(decision),
        )
    )


def _sum(one: Bidder) -> str:
    """The urge and what it is made of, as far as there is anything to say."""
    parts = [f"pull {one.pull:,}"]
    if one.bonus:
        parts.append(f"{one.bonus:,} for being {one.reason.value}")
    if one.penalty:
        parts.append(f"less {one.penalty:,} for talking most")
    if one.threshold:
        parts.append(f"threshold {one.threshold:,}")
    return f"{one.surplus:,} above the threshold ({', '.join(parts)})"


def _runner_up(case: Case, then: Recorded, mine: Bidder) -> str:
    other = then.runner_up(mine.agent_id)
    if other is None:
        return "Nobody else wanted the floor."
    if other.surplus == mine.surplus:
        return f"{case.name(other.agent_id)} wanted it as much and comes later on the desk."
    return f"Next was {case.name(other.agent_id)} with {other.surplus:,} ({other.reason.value})."


def _circumstances(turn: HiveTurn) -> str:
    number = f"It was turn {turn.next_state.spent}"
    if turn.visibility is Visibility.BLIND:
        return f"{number}, while members did not see one another."
    if turn.phase is EpisodePhase.COMMIT:
        return f"{number}, to put on record what the desk agreed on."
    return f"{number}."


def _asked_from_afar(case: Case) -> str:
    owed = case.referral
    if owed is None:
        return f"{case.speaker} answered a question of another desk."
    named = "was asked by name" if not _leads(case) else "is the first there who may answer"
    asking = case.asked_from[:1].upper() + case.asked_from[1:]
    return (
        f"{asking} put a question to #{owed.to_desk_id}, and {case.speaker} {named}. "
        f"Exactly one agent answers a far question ({owed.reference})."
    )


def _brings_home(case: Case) -> str:
    owed = case.referral
    if owed is None:
        return f"{case.speaker} told what came back from another desk."
    told = f"{case.speaker} had the question put to #{owed.to_desk_id}"
    if case.turn.kind is TurnKind.RELAY:
        return (
            f"{told}, and its answer came after the desk had begun to decide: it passes on what it "
            f"says, outside the budget of turns ({owed.reference})."
        )
    return f"{told} and tells what came of it ({owed.reference})."


def _before_it_began(case: Case) -> str:
    does = "says between what the desk decides"
    if case.turn.kind is TurnKind.CONSULT:
        does = "asks other desks before anybody has proposed"
    return f"{case.speaker} leads the desk, and the lead {does}."


def _answers(case: Case) -> str:
    episode = case.episode
    if episode is not None:
        return (
            f"The desk did not deliberate ({episode.reason}), and {case.speaker} leads it. "
            f"{_next_on_desk(case)}"
        ).strip()
    rung, _, disposition = case.turn.reason.partition(":")
    if case.decision is not None and not disposition:
        plan = cast("Mapping[str, object]", case.decision.result.get("decision") or {})
        rung = str(plan.get("rung", rung))
        disposition = str(plan.get("disposition", ""))
    because = _RUNGS.get(rung, "{name} was chosen").format(name=case.speaker)
    parts = [
        f"{case.speaker} answered because {because}{_DISPOSITIONS.get(disposition, '')}.",
        _next_on_desk(case) if rung in ("desk_default", "auto_selection") else "",
        _found_by(case.decision) if case.decision is not None else "",
    ]
    return " ".join(part for part in parts if part)


def _leads(case: Case) -> bool:
    members = _members(case)
    return bool(members) and members[0] == case.turn.agent_id


def _next_on_desk(case: Case) -> str:
    other = next((one for one in _members(case) if one != case.turn.agent_id), None)
    return f"Next on the desk is {case.name(other)}." if other is not None else ""


def _members(case: Case) -> tuple[str, ...]:
    return active_members(case.desk, case.configuration) if case.desk is not None else ()


def _found_by(decision: DecisionRow) -> str:
    return f"({lines.reference_of(decision.id)})"
