"""What does a deliberating member get to see? The request of one turn of an episode.

Every part is computed from the rows this turn may see; a blind turn learns nothing of a quorum, of
the floor, or of who has spoken. Source: turns.md 1 to 3, hive.md 10.3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.episode import EpisodeState, HiveTurn, Speak, Visibility, project_for
from hivebot.hive.options import OPTIONS_MAX, Option
from hivebot.hive.wire import decode_episode_state, decode_step
from hivebot.services.floor import floor_of, log_messages
from hivebot.services.neighbours import far_desks
from hivebot.services.records.asking import Situation, TurnRequest
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.policy import AgentConfig, DeskConfig, Opening
from hivebot.services.records.replies import PositionTurn, Reply
from hivebot.services.records.rows import DecisionRow, MessageRow, TurnKind
from hivebot.services.snapshots import active_members
from hivebot.services.turns.scene import Scene, colleagues_of, seen_row

BLIND: Mapping[Opening, Situation] = {
    Opening.EVIDENCE_FIRST: "opening",
    Opening.POSITIONS: "position",
}


@dataclass(frozen=True, slots=True)
class Debating:
    """An episode's turn with everything read for it.

    Attributes:
        log: All rows of the episode's log, oldest first.
        turn: What the market decided; None for turns outside the market.
        next_state: The state its commitment leads to; None outside the market.
        unseen: Ids of options that members have added in the blind round, kept from a blind turn.
    """

    episode: EpisodeRow
    log: tuple[MessageRow, ...]
    turn: HiveTurn | None
    next_state: EpisodeState | None
    unseen: frozenset[str] = frozenset()

    @property
    def blind(self) -> bool:
        """Whether the speaker sees nothing of what its peers have said here."""
        return self.turn is not None and self.turn.visibility is Visibility.BLIND


def debating(
    episode: EpisodeRow, log: tuple[MessageRow, ...], decision: DecisionRow | None
) -> Debating:
    """Read the market's decision back from its row."""
    if decision is None or decision.next_state is None:
        return Debating(episode, log, None, None)
    step = decode_step(decision.result["step"])
    turn = step.turn if isinstance(step, Speak) else None
    return Debating(episode, log, turn, decode_episode_state(decision.next_state))


def without_unseen(debate: Debating, replies: Iterable[Reply | None]) -> Debating:
    """Keep from a blind turn which options were added since nobody sees the floor.

    Args:
        debate: A blind turn.
        replies: What each committed turn of the log consisted of.
    """
    added = (one for one in replies if isinstance(one, PositionTurn) and one.new_option)
    return replace(debate, unseen=frozenset(one.option for one in added))


def episode_request(
    scene: Scene, debate: Debating, agent: AgentConfig, names: dict[str, str]
) -> TurnRequest:
    """The request of any turn in an episode's log.

    Raises:
        LookupError: the desk is gone from the revision the episode runs under.
    """
    desk = scene.desk
    if desk is None:
        raise LookupError(debate.episode.desk_id)
    base = TurnRequest(
        agent=agent,
        desk_id=desk.id,
        desk_name=desk.name,
        situation="opening",
        rows=(),
        question=1,
        colleagues=colleagues_of(scene.desk, scene.configuration, agent.id),
        options=debate.episode.options,
        watermark=debate.episode.state.watermark if debate.episode.state is not None else 0,
        opening=desk.episode.opening,
        prompt_tokens_max=desk.budget.prompt_tokens_max,
        output_tokens_max=desk.budget.output_tokens_max,
    )
    rows = debate.log
    match scene.turn.kind:
        case TurnKind.CONSULT:
            request = replace(
                base,
                situation="consult",
                may_ask=far_desks(desk, scene.configuration),
                max_asks=desk.episode.max_asks,
            )
        case TurnKind.FRAMING:
            request = replace(base, situation="framing")
        case TurnKind.RELAY:
            returned = scene.trigger.seq if scene.trigger is not None else 0
            request = replace(base, situation="relay", returned=returned)
            rows = _for_relay(rows, base, returned)
        case _:
            return _market_request(scene, debate, desk, base, names)
    return replace(request, rows=tuple(seen_row(row, names, scene) for row in rows))


def _for_relay(
    rows: tuple[MessageRow, ...], base: TurnRequest, returned: int
) -> tuple[MessageRow, ...]:
    """A relay passes one answer on, perhaps in the blind round: it sees nothing of its peers."""
    return tuple(
        row
        for row in rows
        if row.seq <= base.watermark
        or row.seq == returned
        or not isinstance(row.author, AgentAuthor)
        or row.author.id == base.agent.id
    )


def _market_request(
    scene: Scene, debate: Debating, desk: DeskConfig, base: TurnRequest, names: dict[str, str]
) -> TurnRequest:
    turn, state = debate.turn, debate.episode.state
    if turn is None or state is None:
        raise LookupError("a turn of the market without its decision")
    visible = {message.sequence for message in project_for(turn, log_messages(debate.log))}
    rows = tuple(seen_row(row, names, scene) for row in debate.log if row.seq in visible)
    if debate.blind:
        return _blind_request(debate, desk, replace(base, rows=rows))
    floor = floor_of(turn, state, debate.log, desk, scene.configuration)
    policy = desk.episode.policy
    asked = debate.episode.asked >= desk.episode.max_asks
    may_ask = not asked and not floor.topic and scene.turn.hop < desk.referral.policy.max_hops
    return replace(
        base,
        situation="commit" if floor.topic else "deliberate",
        rows=rows,
        floor=floor,
        options_open=_open(desk, base.options),
        defer=policy.defer_cap is not None,
        refute=policy.quorum.refutation_cap is not None,
        may_ask=far_desks(desk, scene.configuration) if may_ask else (),
        max_asks=desk.episode.max_asks,
    )


def _blind_request(debate: Debating, desk: DeskConfig, base: TurnRequest) -> TurnRequest:
    options = tuple(one for one in base.options if one.id not in debate.unseen)
    situation = BLIND[desk.episode.opening]
    opened = situation == "position" and _open(desk, options)
    return replace(base, situation=situation, options=options, options_open=opened)


def _open(desk: DeskConfig, options: tuple[Option, ...]) -> bool:
    return desk.episode.options_open and len(options) < OPTIONS_MAX


def blind_peers(debate: Debating, members: Sequence[str], speaker_id: str) -> tuple[str, ...]:
    """The other members that have not opened yet: their prompts do not depend on one another."""
    turn, state = debate.turn, debate.episode.state
    if turn is None or state is None or turn.visibility is not Visibility.BLIND:
        return ()
    spoken = {
        row.author.id
        for row in debate.log
        if isinstance(row.author, AgentAuthor) and row.seq > state.watermark
    }
    return tuple(member for member in members if member not in spoken and member != speaker_id)


def as_peer(debate: Debating, member: str) -> Debating:
    """The same moment, seen by another member."""
    turn = debate.turn
    return replace(debate, turn=replace(turn, agent_id=member) if turn is not None else None)


def digest_of(request: TurnRequest) -> str:
    """What a kept reply answers: it is used only while the request is still the same."""
    return hashlib.sha256(repr(request).encode()).hexdigest()


def members_of(scene: Scene) -> tuple[str, ...]:
    """The desk's active members, in desk order."""
    return active_members(scene.desk, scene.configuration) if scene.desk is not None else ()
