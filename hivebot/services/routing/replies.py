"""What does a committed reply owe? One question to another desk, one way home, or nothing.

Source: hive.md 9 and 18, datapath.md 5, turns.md 4.
"""

from __future__ import annotations

from dataclasses import replace

from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.dispatch import DispatchKey
from hivebot.hive.mention import Mention
from hivebot.hive.referral import (
    NoReferral,
    ReferralInput,
    ReferralOrigin,
    ReferralPolicy,
    referral,
)
from hivebot.hive.wire import encode_referral_decision, encode_referral_origin
from hivebot.services import lines
from hivebot.services.endings import end_unanswered, retell
from hivebot.services.outcomes import again_note
from hivebot.services.ports import NewMessage, NewTurn
from hivebot.services.recording import mention_references, reference, without_text
from hivebot.services.records.episodes import EpisodeRow
from hivebot.services.records.replies import Shape
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    MessageRow,
    ReferralRow,
    ReferralState,
    TurnKind,
    TurnRow,
    TurnState,
)
from hivebot.services.routing.asking import Asking, ask
from hivebot.services.routing.owed import TAKEN_AWAY, end_refused, may_return
from hivebot.services.routing.passes import Pass
from hivebot.services.snapshots import asked_mentions

WITHDRAWN = "withdrawn"
"""Reason of a referral whose question its author has removed."""


async def judge_reply(here: Pass, row: MessageRow) -> None:
    """Judge one committed reply of an agent."""
    turn = await here.tx.turns.get(row.turn_id) if row.turn_id is not None else None
    if turn is not None and turn.kind is TurnKind.REFERRED and turn.referral_id is not None:
        await _bring_home(here, row, turn, turn.referral_id)
    elif turn is not None and row.mentions and isinstance(row.author, AgentAuthor):
        await _ask_on(here, row, turn, row.author.id)
    await here.tx.messages.mark_judged(row.id)


async def _ask_on(here: Pass, row: MessageRow, turn: TurnRow, author_id: str) -> None:
    mentions = asked_mentions(row, here.roster(), here.desks())
    await ask(
        here,
        Asking(
            row=row,
            author_id=author_id,
            mentions=mentions,
            question=_after_mention(row.content, mentions),
            question_row_id=turn.question_id,
            person_user_id=turn.asker_user_id,
            hop=turn.hop,
            visited=(here.conversation.desk_id,),
        ),
    )


def _after_mention(content: str, mentions: tuple[Mention, ...]) -> str:
    if not mentions:
        return content
    last = mentions[-1]
    return content.encode()[last.offset + len(last.text.encode()) :].decode().strip()


async def _bring_home(here: Pass, row: MessageRow, turn: TurnRow, referral_id: int) -> None:
    owed = await here.tx.referrals.lock(referral_id)
    asking = here.lockable(owed.from_conversation_id)
    if owed.reason == WITHDRAWN:
        return
    if not may_return(here, owed, asking):
        await here.decide(row, "crossing", {"message": reference(row)}, {}, TAKEN_AWAY)
        await end_refused(here, owed, asking)
        return
    if turn.shape is Shape.FAILED:
        await end_unanswered(
            here.tx,
            asking=asking,
            referral=owed,
            state=ReferralState.FAILED,
            why=turn.reason,
        )
        return
    # a referral with its return runs to its end under the revision it began with
    here = replace(here, configuration=await here.policies.revision(owed.revision))
    reply = _reply_input(here, row, turn, owed, asking)
    decision = referral(_home_policy(here, owed), reply, here.roster(), here.desks())
    reason = decision.reason.value if isinstance(decision, NoReferral) else "return"
    result = without_text(encode_referral_decision(decision))
    if isinstance(decision, NoReferral):
        await end_refused(here, owed, asking)
    else:
        await _return(here, row, owed, asking, decision.referral.child_hop)
    await here.decide(row, "referral", _given(row, reply), result, reason)


def _home_policy(here: Pass, owed: ReferralRow) -> ReferralPolicy:
    """The policy of the desk that asked: whether answers come back is for it to say."""
    home = here.configuration.desk(owed.from_desk_id)
    return home.referral.policy if home is not None else ReferralPolicy()


def _reply_input(
    here: Pass, row: MessageRow, turn: TurnRow, owed: ReferralRow, asking: ConversationRow
) -> ReferralInput:
    """The reply as the fold judges it: its mentions quiet, so that the return is what counts."""
    mentions = asked_mentions(row, here.roster(), here.desks())
    return ReferralInput(
        key=DispatchKey(row.seq),
        conversation=here.dispatch_place(),
        author_id=turn.agent_id,
        content=row.content,
        mentions=tuple(replace(mention, quiet=True) for mention in mentions),
        hop=turn.hop,
        origin=ReferralOrigin(here.dispatch_place(asking), owed.asker_id),
    )


def _given(row: MessageRow, reply: ReferralInput) -> dict[str, object]:
    origin = reply.origin
    return {
        "message": reference(row),
        "author_id": reply.author_id,
        "mentions": mention_references(reply.mentions),
        "hop": reply.hop,
        "origin": dict(encode_referral_origin(origin)) if origin is not None else None,
    }


async def _return(
    here: Pass, row: MessageRow, owed: ReferralRow, asking: ConversationRow, hop: int
) -> None:
    late = here.now > owed.answer_due_at
    ended_now = await here.tx.referrals.end(
        owed.id, ReferralState.ANSWERED, "", answer_id=row.id, late=late
    )
    if not ended_now:
        await here.tx.referrals.late_answer(owed.id, row.id)
    place, kind, episode = await _lands(here, asking)
    home = await here.tx.messages.append(
        NewMessage(
            conversation_id=place.id,
            role=MessageRole.RETURN,
            author=row.author,
            content=row.content,
            shown=row.shown,
            mentions=(),
            referral_id=owed.id,
            copy_of=row.id,
            judged=True,
        )
    )
    if kind is not None:
        await here.tx.turns.add(
            NewTurn(
                conversation_id=place.id,
                kind=kind,
                agent_id=owed.asker_id,
                state=TurnState.WAITING,
                trigger_id=home.id,
                question_id=owed.question_id,
                asker_user_id=owed.person_user_id,
                hop=hop,
                revision=owed.revision,
                referral_id=owed.id,
                episode_id=episode.id if kind is TurnKind.RELAY and episode else None,
                notes=again_note(episode) if episode is not None and episode.end else (),
            )
        )
    if owed.status_id is not None:
        line = lines.answered if ended_now and not late else lines.arrived_late
        await retell(here.tx, owed.status_id, line(owed.to_desk_id, owed.reference))
    await here.tx.jobs.deliver(asking.team_id, asking.channel_id)
    await here.tx.jobs.route(place.id)
    if place.id != asking.id or kind is None:
        await here.tx.jobs.route(asking.id)


async def _lands(
    here: Pass, asking: ConversationRow
) -> tuple[ConversationRow, TurnKind | None, EpisodeRow | None]:
    """Where an answer comes home to, and the turn it wakes.

    1. In a thread the sponsor tells the person.
    2. In a deliberation that has not begun to decide it lies below the watermark: no turn.
    3. In a running one its asker relays it, outside the budget.
    4. After the end it goes to the thread, where the sponsor tells it as late.
    """
    if not asking.episode_no:
        return asking, TurnKind.SPONSOR, None
    episode = await here.tx.episodes.by_log(asking.id)
    if episode is None:  # pragma: no cover - a log is made with its episode
        return asking, None, None
    if episode.end is not None:
        return here.lockable(episode.conversation_id), TurnKind.SPONSOR, episode
    return asking, TurnKind.RELAY if episode.state is not None else None, episode
