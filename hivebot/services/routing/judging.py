"""What does a person's message ask for? The pure part of routing, before anything is written."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from hivebot.hive.conversation import AgentAuthor, PersonAuthor
from hivebot.hive.crossing import Asker, may_ask
from hivebot.hive.desk import DeskSet
from hivebot.hive.errors import HiveError
from hivebot.hive.mention import (
    AgentTarget,
    DeskTarget,
    Mention,
    MentionedByAgent,
    MentionTarget,
    resolve,
)
from hivebot.hive.responder import (
    DecidedPlan,
    ResponderPlan,
    ResponderRequest,
    Rung,
    SelectionPolicy,
    SelectorCandidate,
    responder_plan,
)
from hivebot.hive.roster import Roster
from hivebot.hive.waking import (
    Listen,
    NoWakeReason,
    Threads,
    WakeInput,
    WakeReason,
    asks_something,
    wakes,
)
from hivebot.services import lines
from hivebot.services.records.outgoing import Body
from hivebot.services.records.policy import Configuration, Deliberate, DeskConfig
from hivebot.services.records.rows import ConversationRow, MessageRole, MessageRow
from hivebot.services.snapshots import (
    active_members,
    asked_mentions,
    chat_id,
    elsewhere,
    question_text,
    unknown_desk_names,
)

MEMBERS_MIN = 2

_ASKED = re.compile(r"deliberate\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """Everything the judgement reads.

    Attributes:
        desk: The desk bound to the channel, None for direct messages, General and unbound ones.
        recent: Rows before the message, newest first.
        asker: The writer as Slack describes them now; None for a bot the desk admits.
        paused: Why the channel is paused, or "".
        deliberated: The desk has deliberated in this thread before.
        deliberating: It does so now.
    """

    configuration: Configuration
    conversation: ConversationRow
    desk: DeskConfig | None
    message: MessageRow
    recent: Sequence[MessageRow]
    roster: Roster
    desks: DeskSet
    asker: Asker | None
    paused: str
    deliberated: bool = False
    deliberating: bool = False

    @property
    def direct(self) -> bool:
        """Whether it is a direct message."""
        return self.conversation.desk_id.startswith("dm:")

    @property
    def in_thread(self) -> bool:
        """Whether it is a reply; a thread's root is judged as top level."""
        return bool(self.conversation.thread_ts) and self.message.seq > 1


@dataclass(frozen=True, slots=True)
class Silent:
    """Talk among people; nobody is called."""

    reason: str


@dataclass(frozen=True, slots=True)
class Private:
    """One private line to the writer and nothing else."""

    body: Body
    reason: str


class Word(StrEnum):
    """What can be said to the bot in one word, where slash commands do not work."""

    STOP = "stop"
    MUTE = "mute"
    HELP = "help"
    WHY = "why"


@dataclass(frozen=True, slots=True)
class Told:
    """The bot was told one word."""

    word: Word


@dataclass(frozen=True, slots=True)
class Answer:
    """One agent answers here."""

    plan: ResponderPlan
    reason: WakeReason


@dataclass(frozen=True, slots=True)
class Deliberated:
    """The desk deliberates it."""

    plan: ResponderPlan
    reason: WakeReason


@dataclass(frozen=True, slots=True)
class Given:
    """A line for the deliberation that runs in this thread."""

    reason: WakeReason


@dataclass(frozen=True, slots=True)
class Sponsored:
    """The question crosses on behalf of an agent of this desk.

    Attributes:
        sponsor_id: The agent in whose name it is asked.
        mentions: The mentions that are kept, resolved with the sponsor as author.
        targets: Whom it names elsewhere, in order; only the first is asked.
    """

    sponsor_id: str
    mentions: tuple[Mention, ...]
    targets: tuple[MentionTarget, ...]
    reason: WakeReason


@dataclass(frozen=True, slots=True)
class Stuck:
    """The message calls, and nobody is there to answer."""

    why: str
    reason: str


_ORDERS = frozenset(word.value for word in Word)

Verdict = Silent | Private | Told | Answer | Deliberated | Given | Sponsored | Stuck


def judge(question: Question) -> Verdict:
    """Decide what a person's (or an admitted bot's) message asks for.

    1. Where no desk answers, a mention gets one private line, everything else silence.
    2. One word to the bot alone is an order: stop, mute, help, why.
    3. A name after `@#` that no desk has gets one private line with the nearest name.
    4. A message that does not wake the desk is silence; a bare mention gets one private line.
    5. A paused desk, and a person whose questions are not taken, get one private line.
    6. A mention of another desk, or of an agent that sits elsewhere, crosses.
    7. While the desk deliberates here, what is said to it goes into the deliberation.
    8. The responder ladder names who answers here, or leads a deliberation.

    Source: product.md 3, rights.md 1, hive.md 7.
    """
    mentions = asked_mentions(question.message, question.roster, question.desks)
    if not _answered_here(question):
        return _nobody_here(question)
    told = _told(question)
    if told is not None:
        return told
    crossing = _crossing(question, mentions)
    misnamed = unknown_desk_names(question.message.content, question.desks)
    if misnamed and not crossing and asks_something(question.message.content):
        return Private(
            lines.unknown_desk(misnamed[0], _nearest(misnamed[0], question.desks)), "unknown_desk"
        )
    woken = wakes(_wake_input(question, mentions), *_habits(question.desk))
    if isinstance(woken, NoWakeReason):
        return _not_woken(question, woken)
    refused = _refused(question)
    if refused is not None:
        return refused
    if crossing:
        return _sponsored(question, mentions, crossing, woken)
    if question.deliberating:
        return Given(woken)
    return _answer(question, mentions, woken)


def _told(question: Question) -> Told | None:
    if not question.message.addressed:
        return None
    words = [word.strip(".!?").lower() for word in _words(question.message.content)]
    return Told(Word(words[0])) if len(words) == 1 and words[0] in _ORDERS else None


def _answered_here(question: Question) -> bool:
    if question.desk is not None:
        return True
    if question.direct:
        return bool(question.configuration.orchestrator)
    return question.configuration.general.enabled


def _nobody_here(question: Question) -> Verdict:
    if question.direct and asks_something(question.message.content):
        return Private(lines.no_orchestrator(), "no_orchestrator")
    if question.message.addressed:
        return Private(lines.unbound(question.conversation.channel_id), "unbound")
    return Silent("unbound")


def _crossing(question: Question, mentions: Sequence[Mention]) -> list[Mention]:
    desk = question.desk
    if desk is None:
        return [
            mention
            for mention in mentions
            if not mention.quiet
            and (
                isinstance(mention.target, DeskTarget)
                or (
                    isinstance(mention.target, AgentTarget)
                    and any(
                        mention.target.id in other.members for other in question.configuration.desks
                    )
                )
            )
        ]
    return [
        mention
        for mention in mentions
        if not mention.quiet and elsewhere(mention, desk, question.configuration)
    ]


def _nearest(name: str, desks: DeskSet) -> str:
    names = {known.lower(): desk.id for desk in desks.all_desks() for known in (desk.id, desk.name)}
    close = difflib.get_close_matches(name.lower()[:80], list(names), n=1, cutoff=0.5)
    return names[close[0]] if close else ""


def _habits(desk: DeskConfig | None) -> tuple[Listen, Threads]:
    return (desk.listen, desk.threads) if desk else (Listen.MENTION, Threads.ASKER)


def _wake_input(question: Question, mentions: Sequence[Mention]) -> WakeInput:
    message, conversation = question.message, question.conversation
    calling = [mention.target for mention in mentions if not mention.quiet]
    return WakeInput(
        text=message.content,
        addressed=message.addressed,
        agent_mentioned=any(isinstance(target, AgentTarget) for target in calling),
        desk_mentioned=any(isinstance(target, DeskTarget) for target in calling),
        by_bot=not isinstance(message.author, PersonAuthor),
        direct=question.direct,
        in_thread=question.in_thread,
        answered_user_id=conversation.answered_user_id,
        user_id=message.user_id,
        alone_since=_alone_since_answer(message, question.recent),
        open_episode=question.deliberating,
        muted=conversation.muted,
    )


def _alone_since_answer(message: MessageRow, recent: Sequence[MessageRow]) -> bool:
    for row in recent:
        if isinstance(row.author, AgentAuthor) or row.role is MessageRole.OUTCOME:
            return True
        if row.role is MessageRole.SPEECH and row.user_id != message.user_id:
            return False
    return True


def _not_woken(question: Question, reason: NoWakeReason) -> Verdict:
    bare = reason is NoWakeReason.NOT_A_QUESTION and question.message.addressed
    if bare and not _words(question.message.content):
        return Private(lines.nothing_asked(), "nothing_asked")
    return Silent(reason.value)


def _words(content: str) -> list[str]:
    return [piece for piece in content.split() if not piece.startswith("@")]


def _refused(question: Question) -> Private | None:
    if question.paused:
        return Private(lines.paused(question.paused), "paused")
    if question.desk is None or question.asker is None:
        return None
    reason = may_ask(question.asker, question.desk.answers_to)
    return Private(lines.not_for_you(reason), reason.value) if reason else None


def _sponsored(
    question: Question, mentions: Sequence[Mention], crossing: Sequence[Mention], woken: WakeReason
) -> Verdict:
    sponsor = _sponsor(question, mentions)
    if sponsor is None:
        return Stuck("nobody on this desk can take it", "no_sponsor")
    kept = resolve(
        question.message.content,
        tuple(crossing),
        MentionedByAgent(sponsor),
        question.roster,
        question.desks,
    )
    targets = tuple(dict.fromkeys(mention.target for mention in kept if not mention.quiet))
    return Sponsored(sponsor, kept, targets, woken)


def _sponsor(question: Question, mentions: Sequence[Mention]) -> str | None:
    if question.desk is None:
        return question.configuration.orchestrator or None
    here = active_members(question.desk, question.configuration)
    named = (
        mention.target.id
        for mention in mentions
        if not mention.quiet
        and isinstance(mention.target, AgentTarget)
        and mention.target.id in here
    )
    return next(named, here[0] if here else None)


def _answer(question: Question, mentions: Sequence[Mention], woken: WakeReason) -> Verdict:
    configuration = question.configuration
    local = tuple(mention for mention in mentions if isinstance(mention.target, AgentTarget))
    request = ResponderRequest(
        message=question.message.content,
        chat=chat_id(question.conversation, configuration),
        mentions=local,
        orchestrator_id=_without_a_desk(question),
        selection_policy=SelectionPolicy.ALLOWED,
    )
    details = tuple(
        SelectorCandidate(agent.id, agent.name, agent.role or "Teammate", agent.role or None)
        for agent in configuration.agents
        if question.desk is not None and agent.id in question.desk.members
    )
    try:
        plan = responder_plan(request, question.roster, question.desks, details)
    except HiveError as error:
        return Stuck("nobody on this desk can answer at the moment", error.code)
    named = isinstance(plan, DecidedPlan) and plan.decision.rung is Rung.EXPLICIT_MENTION
    if not named and _deliberates(question):
        return Deliberated(plan, woken)
    return Answer(plan, woken)


def _without_a_desk(question: Question) -> str:
    """Who answers where no desk does: in General its first member, else the orchestrator."""
    configuration = question.configuration
    if question.direct:
        return configuration.orchestrator
    active = {agent.id for agent in configuration.agents if not agent.retired}
    here = (member for member in configuration.general.members if member in active)
    return next(here, configuration.orchestrator)


def is_asked_for(content: str) -> bool:
    """Whether a question asks for a deliberation: `@hive deliberate …`."""
    return _ASKED.match(question_text(content)) is not None


def _deliberates(question: Question) -> bool:
    """Whether the desk deliberates this question rather than let one member answer.

    1. Nobody deliberates alone.
    2. Whoever asks for it gets it.
    3. After an outcome a follow-up gets one lead turn.
    4. Otherwise the desk's `deliberate` says.
    """
    desk = question.desk
    if desk is None or len(active_members(desk, question.configuration)) < MEMBERS_MIN:
        return False
    if is_asked_for(question.message.content):
        return True
    if question.deliberated:
        return False
    return desk.deliberate is not Deliberate.ASKED
