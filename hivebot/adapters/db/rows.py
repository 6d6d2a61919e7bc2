"""Which record is a row of a table?"""

from __future__ import annotations

from typing import cast

from hivebot.adapters.db.codec import decode, decode_union
from hivebot.adapters.db.tables import (
    ConversationTable,
    DecisionTable,
    EpisodeTable,
    GateTable,
    MessageTable,
    OutboxTable,
    ReferralTable,
    TurnTable,
    WorkspaceTable,
)
from hivebot.hive.conversation import TranscriptAuthor
from hivebot.hive.gate import GateAct, GateKind, GateState
from hivebot.hive.mention import Mention
from hivebot.hive.options import Option
from hivebot.hive.trace import Trace
from hivebot.hive.wire import decode_episode_state
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow, EpisodeStage, Wish
from hivebot.services.records.gates import Draft, GateRow
from hivebot.services.records.outgoing import Body, Destination, OutboxKind, OutboxState
from hivebot.services.records.predictions import GatePrediction
from hivebot.services.records.replies import Reply, Shape
from hivebot.services.records.rows import (
    ConversationRow,
    DecisionRow,
    MessageRole,
    MessageRow,
    OutboxRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
    WorkspaceRow,
)


def _id(row_id: int | None) -> int:
    if row_id is None:
        raise ValueError("a row that is not stored has no id")
    return row_id


def _texts(items: list[object]) -> tuple[str, ...]:
    return tuple(cast("list[str]", items))


def conversation_of(row: ConversationTable) -> ConversationRow:
    """A conversation."""
    return ConversationRow(
        id=_id(row.id),
        team_id=row.team_id,
        channel_id=row.channel_id,
        thread_ts=row.thread_ts,
        desk_id=row.desk_id,
        audience=Audience(row.audience),
        root_seq=row.root_seq,
        last_seq=row.last_seq,
        answered_user_id=row.answered_user_id,
        muted=row.muted,
        episode_no=row.episode_no,
    )


def message_of(row: MessageTable) -> MessageRow:
    """A row of a transcript."""
    mentions = row.mentions
    return MessageRow(
        id=_id(row.id),
        conversation_id=row.conversation_id,
        seq=row.seq,
        role=MessageRole(row.role),
        author=cast("TranscriptAuthor", decode_union(TranscriptAuthor, row.author)),
        ts=row.ts,
        user_id=row.user_id,
        user_team_id=row.user_team_id,
        content=row.content,
        shown=row.shown,
        revision=row.revision,
        addressed=row.addressed,
        wakes=row.wakes,
        mentions=None if mentions is None else decode(tuple[Mention, ...], mentions),
        traces=decode(tuple[Trace, ...], row.traces),
        turn_id=row.turn_id,
        referral_id=row.referral_id,
        copy_of=row.copy_of,
        judged=row.judged,
        created_at=row.created_at,
        deleted_at=row.deleted_at,
        files=_texts(row.files),
    )


def turn_of(row: TurnTable) -> TurnRow:
    """A turn."""
    return TurnRow(
        id=_id(row.id),
        conversation_id=row.conversation_id,
        decision_id=row.decision_id,
        kind=TurnKind(row.kind),
        agent_id=row.agent_id,
        state=TurnState(row.state),
        trigger_id=row.trigger_id,
        question_id=row.question_id,
        asker_user_id=row.asker_user_id,
        referral_id=row.referral_id,
        episode_id=row.episode_id,
        hop=row.hop,
        revision=row.revision,
        attempt=row.attempt,
        notes=_texts(row.notes),
        progress_id=row.progress_id,
        created_at=row.created_at,
        reason=row.reason,
        shape=Shape(row.shape) if row.shape else None,
        reply=None if row.reply is None else cast("Reply", decode_union(Reply, row.reply)),
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        cost_usd_micros=row.cost_usd_micros,
    )


def referral_of(row: ReferralTable) -> ReferralRow:
    """A referral."""
    return ReferralRow(
        id=_id(row.id),
        from_conversation_id=row.from_conversation_id,
        trigger_seq=row.trigger_seq,
        to_conversation_id=row.to_conversation_id,
        from_desk_id=row.from_desk_id,
        to_desk_id=row.to_desk_id,
        asker_id=row.asker_id,
        target_id=row.target_id,
        person_user_id=row.person_user_id,
        question_id=row.question_id,
        hop=row.hop,
        visited=_texts(row.visited),
        state=ReferralState(row.state),
        reason=row.reason,
        reference=row.reference,
        revision=row.revision,
        status_id=row.status_id,
        post_id=row.post_id,
        answer_id=row.answer_id,
        late=row.late,
        nudged=row.nudged,
        created_at=row.created_at,
        answer_due_at=row.answer_due_at,
        ends_at=row.ends_at,
    )


def outbox_of(row: OutboxTable) -> OutboxRow:
    """A wanted message."""
    return OutboxRow(
        id=_id(row.id),
        kind=OutboxKind(row.kind),
        state=OutboxState(row.state),
        destination=Destination(
            team_id=row.team_id,
            channel_id=row.channel_id,
            thread_ts=row.thread_ts,
            user_id=row.user_id,
        ),
        body=decode(Body, row.body),
        revision=row.revision,
        sent_revision=row.sent_revision,
        message_id=row.message_id,
        turn_id=row.turn_id,
        thread_of=row.thread_of,
        target_id=row.target_id,
        needs=tuple(row.needs),
        attempt=row.attempt,
        lookups=row.lookups,
        sending_at=row.sending_at,
        not_before=row.not_before,
        ts=tuple(row.ts),
        seen=decode(tuple[tuple[int, str], ...], row.seen),
        error=row.error,
        created_at=row.created_at,
    )


def decision_of(row: DecisionTable) -> DecisionRow:
    """A decision."""
    return DecisionRow(
        id=_id(row.id),
        conversation_id=row.conversation_id,
        message_id=row.message_id,
        fold=row.fold,
        input=row.input,
        result=row.result,
        reason=row.reason,
        revision=row.revision,
        next_state=row.next_state,
        created_at=row.created_at,
    )


def workspace_of(row: WorkspaceTable) -> WorkspaceRow:
    """An installation."""
    return WorkspaceRow(
        team_id=row.team_id,
        url=row.url,
        bot_user_id=row.bot_user_id,
        bot_id=row.bot_id,
        app_id=row.app_id,
        state=row.state,
        reason=row.reason,
        enterprise_id=row.enterprise_id,
    )


def episode_of(row: EpisodeTable) -> EpisodeRow:
    """A deliberation."""
    failures = cast("list[list[object]]", row.failures)
    return EpisodeRow(
        id=_id(row.id),
        conversation_id=row.conversation_id,
        log_id=row.log_id,
        desk_id=row.desk_id,
        question_id=row.question_id,
        asker_user_id=row.asker_user_id,
        stage=EpisodeStage(row.stage),
        options=tuple(decode(Option, option) for option in row.options),
        state=decode_episode_state(row.state) if row.state is not None else None,
        extra_turns=row.extra_turns,
        asked=row.asked,
        failures=tuple((str(agent), cast("int", times)) for agent, times in failures),
        end=EpisodeEnd(row.ending) if row.ending else None,
        topic=row.topic,
        reason=row.reason,
        revision=row.revision,
        progress_id=row.progress_id,
        progressed_at=row.progressed_at,
        wish=Wish(row.wish),
        reserved_tokens=row.reserved_tokens,
        reserved_usd_micros=row.reserved_usd_micros,
        created_at=row.created_at,
        consult_due_at=row.consult_due_at,
        deadline_at=row.deadline_at,
        ended_at=row.ended_at,
    )


def gate_of(row: GateTable) -> GateRow:
    """A gate."""
    return GateRow(
        id=_id(row.id),
        kind=GateKind(row.kind),
        state=GateState(row.state),
        desk_id=row.desk_id,
        team_id=row.team_id,
        conversation_id=row.conversation_id,
        message_id=row.message_id,
        question_id=row.question_id,
        turn_id=row.turn_id,
        episode_id=row.episode_id,
        task_type=row.task_type,
        question=row.question,
        artifact=row.artifact,
        digest=row.digest,
        draft=decode(Draft, row.draft) if row.draft is not None else None,
        asker_user_id=row.asker_user_id,
        revision=row.revision,
        post_id=row.post_id,
        status_id=row.status_id,
        created_at=row.created_at,
        remind_at=row.remind_at,
        expires_at=row.expires_at,
        reminded=row.reminded,
        act=GateAct(row.act) if row.act else None,
        actor_user_id=row.actor_user_id,
        words=row.words,
        by_proxy=row.by_proxy,
        decided_at=row.decided_at,
        settled_at=row.settled_at,
        prediction=(decode(GatePrediction, row.prediction) if row.prediction is not None else None),
    )
