"""What does a committed reply owe? One question to another desk, one way home, or nothing.

Source: hive.md 9 and 18, datapath.md 5, turns.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    if turn is not None:
        await _owes(here, row, turn)
    await here.tx.messages.mark_judged(row.id)


async def _owes(here: Pass, row: MessageRow, turn: TurnRow) -> None:
    """What a reply of a turn owes.

    1. One that answers a far question, or tells what came of asking on for it, goes home; unless
       its desk asks on, and the question is put.
    2. Any other puts the question it asks, if it asks one.
    """
    owed_id = await _owed_by(here, turn)
    if owed_id is not None:
        owed = await here.tx.referrals.lock(owed_id)
        if not (row.mentions and await _asks_on(here, row, turn, owed)):
            await _bring_home(here, row, turn, owed)
    elif row.mentions:
        await _put_question(here, row, turn, (here.conversation.desk_id,))


async def _owed_by(here: Pass, turn: TurnRow) -> int | None:
    """The referral whose answer a turn's reply is, or None.

    A sponsor's reply is one when its question was put by a turn that was itself asked from afar.
    """
    if turn.kind is TurnKind.REFERRED or turn.referral_id is None:
        return turn.referral_id
    inner = await here.tx.referrals.get(turn.referral_id)
    if turn.kind is not TurnKind.SPONSOR or inner is None:
        return None
    before = inner.trigger_seq + 1
    asked = await here.tx.messages.window(inner.from_conversation_id, 1, before=before)
    turn_id = asked[0].turn_id if asked else None
    asking = await here.tx.turns.get(turn_id) if turn_id is not None else None
    return asking.referral_id if asking and asking.kind is TurnKind.REFERRED else None


async def _asks_on(here: Pass, row: MessageRow, turn: TurnRow, owed: ReferralRow) -> bool:
    """Put the question of a reply that is owed, where its desk asks on.

    Its answer comes back here, and what is told of it then goes home.
    """
    begun = await here.policies.revision(owed.revision)
    desk = begun.desk(here.conversation.desk_id)
    if desk is None or not desk.referral.refer_on or turn.kind is not TurnKind.REFERRED:
        return False
    return await _put_question(replace(here, configuration=begun), row, turn, owed.visited)


async def _put_question(
    here: Pass, row: MessageRow, turn: TurnRow, visited: tuple[str, ...]
) -> bool:
    mentions = asked_mentions(row, here.roster(), here.desks())
    return await ask(
        here,
        Asking(
            row=row,
            author_id=turn.agent_id,
            mentions=mentions,
            question=_after_mention(row.content, mentions),
            question_row_id=turn.question_id,
            person_user_id=turn.asker_user_id,
            hop=turn.hop,
            visited=visited,
        ),
    )


def _after_mention(content: str, mentions: tuple[Mention, ...]) -> str:
    if not mentions:
        return content
    last = mentions[-1]
    return content.encode()[last.offset + len(last.text.encode()) :].decode().strip()


async def _bring_home(here: Pass, row: MessageRow, turn: TurnRow, owed: ReferralRow) -> None:
    asking = here.lockable(owed.from_conversation_id)
    if owed.reason == WITHDRAWN:
        return
    if not may_return(here, owed, asking):
        await here.decide(row, "crossing", {"message": reference(row)}, {}, TAKEN_AWAY)
        await end_refused(here, owed, asking)
        return
    passed_on = await _passed_on(here, turn)
    if turn.shape is Shape.FAILED and passed_on is None:
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
        home = _Home(owed, asking, decision.referral.child_hop)
        await _return(here, row, home, passed_on)
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


async def _passed_on(here: Pass, turn: TurnRow) -> MessageRow | None:
    """The answer of a third desk that a sponsor's reply tells of, or None."""
    told = await here.tx.messages.get(turn.trigger_id)
    returned = told is not None and told.role is MessageRole.RETURN
    return told if turn.kind is TurnKind.SPONSOR and returned else None


@dataclass(frozen=True, slots=True)
class _Home:
    """Where an answer goes: the question it answers, who asked, and its hop count there."""

    owed: ReferralRow
    asking: ConversationRow
    hop: int


async def _return(here: Pass, row: MessageRow, home: _Home, passed_on: MessageRow | None) -> None:
    owed, asking = home.owed, home.asking
    late = here.now > owed.answer_due_at
    ended_now = await here.tx.referrals.end(
        owed.id, ReferralState.ANSWERED, "", answer_id=row.id, late=late
    )
    if not ended_now:
        await here.tx.referrals.late_answer(owed.id, row.id)
    place, kind, episode = await _lands(here, asking)
    returned = NewMessage(
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
    if passed_on is not None:
        # what the third desk said goes with it, and is removed with it
        returned = replace(
            returned,
            content=_together(passed_on.content, row.content),
            shown=_together(passed_on.shown or passed_on.content, row.shown),
            copy_of=passed_on.id,
        )
    told = await here.tx.messages.append(returned)
    if kind is not None:
        await here.tx.turns.add(
            NewTurn(
                conversation_id=place.id,
                kind=kind,
                agent_id=owed.asker_id,
                state=TurnState.WAITING,
                trigger_id=told.id,
                question_id=owed.question_id,
                asker_user_id=owed.person_user_id,
                hop=home.hop,
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


def _together(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


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
