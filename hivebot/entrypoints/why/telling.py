"""How is a stored decision told in JSON? Names beside ids, thousandths as they are kept. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from hivebot.hive.episode import Converged, Deadlocked, Exhausted, Idle, Speak, Step
from hivebot.hive.quorum import Standing
from hivebot.services.audit import Replay
from hivebot.services.lines import reference_of
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.records.rows import (
    ConversationRow,
    DecisionRow,
    MessageRow,
    ReferralRow,
    TurnRow,
)
from hivebot.services.replaying import Bidder, Replayed

Json: TypeAlias = dict[str, object]
Places: TypeAlias = Mapping[int, ConversationRow]


def desk(one: DeskConfig, configuration: Configuration) -> Json:
    """A desk as people are offered it."""
    agents = (configuration.agent(member) for member in one.members)
    return {
        "id": one.id,
        "name": one.name,
        "description": one.description,
        "channel": one.channel,
        "mode": one.mode.value,
        "stewards": list(one.stewards),
        "agents": [
            {"id": agent.id, "name": agent.name, "role": agent.role}
            for agent in agents
            if agent is not None and not agent.retired
        ],
    }


def question(row: MessageRow, places: Places) -> Json:
    """Which message it is and who asked."""
    channel, thread_ts = _place(places, row.conversation_id)
    return {
        "id": row.id,
        "channel": channel,
        "thread_ts": thread_ts,
        "ts": row.ts,
        "user": row.user_id,
        "erased": row.deleted_at is not None,
        "text": row.content,
    }


def decision(one: DecisionRow) -> Json:
    """A decision about the question itself."""
    return {"fold": one.fold, "reason": one.reason, "reference": reference_of(one.id)}


def turn(
    one: TurnRow, sentence: str, places: Places, posts: Sequence[str], configuration: Configuration
) -> Json:
    """Who spoke or is to speak, where, and why."""
    channel, thread_ts = _place(places, one.conversation_id)
    return {
        "id": one.id,
        "kind": one.kind.value,
        "state": one.state.value,
        "agent": one.agent_id,
        "name": _name(configuration, one.agent_id),
        "channel": channel,
        "thread_ts": thread_ts,
        "ts": list(posts),
        "why": sentence,
        "reason": one.reason,
        "episode": one.episode_id,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "usd_micros": one.cost_usd_micros,
    }


def referral(one: ReferralRow, places: Places, configuration: Configuration) -> Json:
    """A question to another desk: its path, how far it has come, how it ended."""
    return {
        "reference": one.reference,
        "state": one.state.value,
        "reason": one.reason,
        "late": one.late,
        "hop": one.hop,
        "path": [_desk_name(configuration, desk_id) for desk_id in one.visited],
        "from": _end(one.from_desk_id, one.from_conversation_id, places, configuration),
        "to": _end(one.to_desk_id, one.to_conversation_id, places, configuration),
        "asker": _name(configuration, one.asker_id),
        "target": _name(configuration, one.target_id),
        "person": one.person_user_id,
        "asked_at": one.created_at.isoformat(),
        "ends_at": one.ends_at.isoformat(),
    }


def episode(found: Replay, turns: Sequence[TurnRow], said: Mapping[int, MessageRow]) -> Json:
    """A deliberation, step by step, with what each member bid and where the options stood."""
    row = found.episode
    desk_then = found.configuration.desk(row.desk_id)
    policy = desk_then.episode.policy if desk_then is not None else None
    texts = {
        one.decision_id: (said[one.id].shown or said[one.id].content)
        for one in turns
        if one.id in said
    }
    return {
        "id": row.id,
        "desk": row.desk_id,
        "stage": row.stage.value,
        "end": row.end.value if row.end is not None else "",
        "topic": row.topic,
        "reason": row.reason,
        "options": [{"id": one.id, "text": one.text} for one in row.options],
        "threshold": policy.quorum.threshold if policy is not None else 0,
        "budget": policy.turn_budget + row.extra_turns if policy is not None else 0,
        "verdict": found.verdict.value,
        "steps": [_step(found, one, texts.get(one.decision_id, "")) for one in found.steps],
    }


def _step(found: Replay, one: Replayed, text: str) -> Json:
    told: Json = {
        "number": one.number,
        "reference": reference_of(one.decision_id),
        "verdict": one.verdict.value,
        "differs": list(one.parts),
        "text": text,
    }
    if one.recorded is None:
        return {**told, "what": "unreadable", "bids": [], "standings": []}
    names = found.configuration
    return {
        **told,
        **_happened(one.recorded.step, names),
        "bids": [_bid(bidder, names) for bidder in one.recorded.bidders],
        "standings": [_standing(standing, names) for standing in one.recorded.standings],
    }


def _happened(step: Step, names: Configuration) -> Json:
    match step:
        case Speak(turn=turn):
            return {
                "what": "speak",
                "agent": turn.agent_id,
                "name": _name(names, turn.agent_id),
                "reason": turn.reason.value,
                "visibility": turn.visibility.value,
                "phase": turn.phase.value,
            }
        case Converged(topic=topic):
            return {"what": "converged", "topics": [topic]}
        case Deadlocked(topics=topics):
            return {"what": "deadlocked", "topics": list(topics)}
        case Exhausted():
            return {"what": "exhausted", "topics": []}
        case Idle():
            return {"what": "idle", "topics": []}


def _bid(one: Bidder, names: Configuration) -> Json:
    return {
        "agent": one.agent_id,
        "name": _name(names, one.agent_id),
        "bids": one.bids,
        "reason": one.reason.value,
        "pull": one.pull,
        "bonus": one.bonus,
        "penalty": one.penalty,
        "urge": one.urge,
        "threshold": one.threshold,
        "surplus": one.surplus,
        "share": one.share,
        "total_share": one.total_share,
    }


def _standing(one: Standing, names: Configuration) -> Json:
    return {
        "topic": one.topic,
        "support": one.support,
        "supporters": [_name(names, each) for each in one.supporters],
        "silenced": [_name(names, each) for each in one.silenced],
        "refuted_by": [_name(names, each) for each in one.refuted_by],
    }


def _end(desk_id: str, conversation_id: int, places: Places, names: Configuration) -> Json:
    channel, thread_ts = _place(places, conversation_id)
    return {
        "desk": desk_id,
        "name": _desk_name(names, desk_id),
        "channel": channel,
        "thread_ts": thread_ts,
    }


def _place(places: Places, conversation_id: int) -> tuple[str, str]:
    found = places.get(conversation_id)
    return (found.channel_id, found.thread_ts) if found is not None else ("", "")


def _name(configuration: Configuration, agent_id: str) -> str:
    agent = configuration.agent(agent_id)
    return agent.name if agent is not None else agent_id


def _desk_name(configuration: Configuration, desk_id: str) -> str:
    found = configuration.desk(desk_id)
    return found.name if found is not None else desk_id
