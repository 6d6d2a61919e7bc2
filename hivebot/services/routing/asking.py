"""Does this message put a question to another desk, and is it allowed to? Then it is put, once.

Source: product.md 3, rights.md 2, hive.md 9 and 18, datapath.md 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.crossing import (
    NEEDS_GATE,
    Asker,
    Audience,
    CrossingInput,
    DeskEnd,
)
from hivebot.hive.dispatch import WITHHELD_SENTENCE, DispatchKey
from hivebot.hive.mention import Mention
from hivebot.hive.referral import (
    OneReferral,
    Referral,
    ReferralInput,
    referral,
    referral_sentence,
)
from hivebot.hive.wire import encode_referral_decision
from hivebot.services import lines
from hivebot.services.gating import PRIVATE_DESK
from hivebot.services.ports import NewMessage, NewOutbox, NewReferral, NewTurn
from hivebot.services.recording import mention_references, reference, without_text
from hivebot.services.records.outgoing import Body, Destination, OutboxKind, Persona
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import (
    ConversationRow,
    MessageRole,
    MessageRow,
    ReferralRow,
    TurnKind,
    TurnState,
)
from hivebot.services.routing.facts import Place
from hivebot.services.routing.owed import OVER_BUDGET
from hivebot.services.routing.passes import HOUR, Pass
from hivebot.services.routing.reviewing import (
    Asked,
    crossing_needs,
    met_gates,
    wait_for_steward,
)


@dataclass(frozen=True, slots=True)
class Asking:
    """A message that may put a question.

    Attributes:
        row: The message judged.
        author_id: The agent that asks, or in whose name a person asks.
        mentions: Its mentions with that agent as author.
        question: The words that cross.
        question_row_id: The person's message all of it serves.
        person_user_id: The person whose question it is, "" when nobody is known.
        hop: Hand-offs that led here.
        visited: Desks the question has been on, this one last.
        unasked: (name, button value) of desks named and not asked.
    """

    row: MessageRow
    author_id: str
    mentions: tuple[Mention, ...]
    question: str
    question_row_id: int
    person_user_id: str
    hop: int
    visited: tuple[str, ...]
    unasked: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    """One question with what the fold was given about it and what it gave."""

    asking: Asking
    given: dict[str, object]
    result: dict[str, object]


async def ask(here: Pass, asking: Asking) -> bool:
    """Judge one question and put it, or let it wait for a steward; False when it stays here."""
    desk = here.desk
    given: dict[str, object] = {
        "message": reference(asking.row),
        "author_id": asking.author_id,
        "mentions": mention_references(asking.mentions),
        "hop": asking.hop,
    }
    if desk is None:
        await _refuse(here, _Case(asking, given, {}), "no_desk", "ask in a desk's channel instead")
        return False
    decision = referral(
        desk.referral.policy,
        ReferralInput(
            key=DispatchKey(asking.row.seq),
            conversation=here.dispatch_place(),
            author_id=asking.author_id,
            content=asking.row.content,
            mentions=asking.mentions,
            hop=asking.hop,
        ),
        here.roster(),
        here.desks(),
    )
    case = _Case(asking, given, without_text(encode_referral_decision(decision)))
    if not isinstance(decision, OneReferral):
        await _refuse(here, case, decision.reason.value, referral_sentence(decision.reason))
        return False
    if decision.referral.crosses:
        return await _cross(here, case, desk, decision.referral)
    # only somebody who sits elsewhere is asked here, and never runs in a foreign channel
    await _refuse(here, case, "not_on_this_desk", WITHHELD_SENTENCE)
    return False


async def _refuse(here: Pass, case: _Case, reason: str, sentence: str) -> None:
    decided = await here.decide(case.asking.row, "referral", case.given, case.result, reason)
    await here.line(lines.not_asked(sentence, lines.reference_of(decided.id)))


async def _cross(here: Pass, case: _Case, desk: DeskConfig, owed: Referral) -> bool:
    target = here.configuration.desk(owed.to_conversation.desk_id)
    if target is not None:
        here.facts.need(_far(here, target), _near(here, desk))
    far = await _far_end(here, target) if target is not None else None
    if target is None or far is None:
        await _refuse(here, case, "target_unreachable", WITHHELD_SENTENCE)
        return False
    if await here.over_budget(target):
        await _refuse(here, case, OVER_BUDGET, WITHHELD_SENTENCE)
        return False
    asking = case.asking
    asked = Asked(
        asking.row,
        asking.question,
        asking.question_row_id,
        asking.person_user_id,
        desk,
        target,
    )
    met = await met_gates(here, asked)
    asking = replace(asking, question=met.question)
    crossing = await _crossing_input(here, asking, desk, target, far)
    refused = crossing_needs(crossing, met)
    if refused is not None:
        decided = await here.decide(asking.row, "crossing", case.given, case.result, refused.value)
        if refused in NEEDS_GATE:
            return await wait_for_steward(here, replace(asked, question=met.question), refused)
        sentence = lines.crossing_sentence(refused, WITHHELD_SENTENCE)
        await here.line(lines.not_asked(sentence, lines.reference_of(decided.id)))
        return False
    decided = await here.decide(asking.row, "referral", case.given, case.result, "forward")
    await _put(here, asking, owed, far, lines.reference_of(decided.id))
    return True


def _far(here: Pass, target: DeskConfig) -> Place:
    return Place(here.conversation.team_id, target.channel, target.id, held=True)


def _near(here: Pass, desk: DeskConfig) -> Place:
    return Place(here.conversation.team_id, here.conversation.channel_id, desk.id)


async def _far_end(here: Pass, target: DeskConfig) -> ConversationRow | None:
    """The target desk's channel, locked; None when Slack will not say what it is."""
    facts = here.facts.channel(_far(here, target))
    if facts is None:
        return None
    found = await here.tx.conversations.find(here.conversation.team_id, target.channel, "")
    return here.lockable(found.id) if found is not None else None


async def _crossing_input(
    here: Pass, asking: Asking, desk: DeskConfig, target: DeskConfig, far: ConversationRow
) -> CrossingInput:
    team_id = here.conversation.team_id
    facts = here.facts.channel(_far(here, target))
    # what an event says of its channel may be less than what Slack says when asked
    near = here.facts.channel(_near(here, desk))
    paused = await here.tx.workspaces.paused(team_id, target.channel)
    asker: Asker | None = None
    if asking.person_user_id:
        asker = here.asker_now(asking.person_user_id, asking.row.user_team_id)
    return CrossingInput(
        origin=DeskEnd(
            desk.id,
            near.audience if near else here.conversation.audience,
            desk.asks,
            paused=bool(await here.tx.workspaces.paused(team_id, here.conversation.channel_id)),
        ),
        target=DeskEnd(
            target.id,
            facts.audience if facts else far.audience,
            target.answers,
            paused=bool(paused) or (facts is not None and facts.archived),
        ),
        asker=asker,
        answers_to=target.answers_to,
        wider_allowed=desk.asks_wider == "allow",
        visited=asking.visited,
        asked_within_hour=await here.tx.referrals.count_since(desk.id, target.id, here.now - HOUR),
        per_hour=desk.referral.per_hour,
    )


async def _put(here: Pass, asking: Asking, owed: Referral, far: ConversationRow, name: str) -> None:
    """Put the question once: a repeat of the key writes nothing more."""
    desk = here.configuration.desk(here.conversation.desk_id)
    target = here.configuration.desk(far.desk_id)
    if desk is None or target is None:  # pragma: no cover - both were there a moment ago
        return
    row = await here.tx.referrals.add(
        NewReferral(
            from_conversation_id=here.conversation.id,
            trigger_seq=asking.row.seq,
            to_conversation_id=far.id,
            from_desk_id=desk.id,
            to_desk_id=target.id,
            asker_id=asking.author_id,
            target_id=owed.target_id,
            person_user_id=asking.person_user_id,
            question_id=asking.question_row_id,
            hop=owed.child_hop,
            visited=(*asking.visited, target.id),
            reference=name,
            revision=here.configuration.revision,
            answer_due_at=here.now + timedelta(seconds=desk.referral.answer_within_s),
            ends_at=here.now + timedelta(seconds=desk.referral.timeout_s),
        )
    )
    if row is None:
        return
    await _appear(here, asking, desk, far, row)
    status = await here.line(lines.asked(target.id, name, asking.unasked))
    await here.tx.referrals.link(row.id, status_id=status.id)


async def _appear(
    here: Pass, asking: Asking, desk: DeskConfig, far: ConversationRow, row: ReferralRow
) -> None:
    """Post the question at the top level of the far channel and let its responder's turn wait."""
    agent = here.configuration.agent(row.asker_id)
    name = agent.name if agent else row.asker_id
    question = await here.tx.messages.append(
        NewMessage(
            conversation_id=far.id,
            role=MessageRole.QUESTION,
            author=AgentAuthor(row.asker_id, name),
            content=asking.question,
            referral_id=row.id,
            copy_of=asking.row.id,
            judged=True,
        )
    )
    public = here.conversation.audience is Audience.PUBLIC
    person = here.person_name(row.person_user_id) if row.person_user_id and public else ""
    post = await here.tx.outbox.add(
        NewOutbox(
            OutboxKind.POST,
            Destination(far.team_id, far.channel_id),
            Body(
                text=asking.question,
                heading=lines.asked_by(f"#{desk.id}" if public else PRIVATE_DESK, name, person),
                persona=Persona(name, agent.icon, agent.rule_based) if agent else None,
            ),
            message_id=question.id,
        )
    )
    await here.tx.referrals.link(row.id, post_id=post.id)
    await here.tx.turns.add(
        NewTurn(
            conversation_id=far.id,
            kind=TurnKind.REFERRED,
            agent_id=row.target_id,
            state=TurnState.WAITING,
            trigger_id=question.id,
            question_id=row.question_id,
            asker_user_id=row.person_user_id,
            hop=row.hop,
            revision=row.revision,
            referral_id=row.id,
        )
    )
    await here.tx.jobs.deliver(far.team_id, far.channel_id)
    await here.tx.jobs.route(far.id)
