"""Who answers this message, and who is read in for it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter
from typing import Final, TypeAlias

from hivebot.hive.conversation import is_general
from hivebot.hive.desk import DeskSet, ResponderMode
from hivebot.hive.errors import (
    AmbiguousDeskError,
    DuplicateSelectorCandidateError,
    HiveError,
    NoActiveResponderError,
    UnknownDeskError,
)
from hivebot.hive.mention import AgentTarget, DeskTarget, EveryoneTarget, Mention, MentionTarget
from hivebot.hive.roster import Roster
from hivebot.hive.scalars import ascii_lower, trim, trim_end

DEFAULT_ROLE: Final = "Teammate"
"""Role of a selector candidate nobody described. Source: hive.md section 7."""

_DIRECT_PREFIX: Final = "dm:"
_QUOTES: Final = frozenset("'\"`")


class SelectionPolicy(StrEnum):
    """May a selector be asked who answers?"""

    ALLOWED = "allowed"
    DISABLED = "disabled"


class Rung(StrEnum):
    """Which step of the ladder named the responder."""

    EXPLICIT_MENTION = "explicit_mention"
    AUTO_SELECTION = "auto_selection"
    DESK_DEFAULT = "desk_default"
    DIRECT_AGENT = "direct_agent"
    ORCHESTRATOR = "orchestrator"


class Disposition(StrEnum):
    """What became of the selector."""

    NOT_APPLICABLE = "not_applicable"
    SELECTED = "selected"
    DISABLED = "disabled"
    UNAVAILABLE = "unavailable"
    INVALID_OUTPUT = "invalid_output"


@dataclass(frozen=True, slots=True)
class SelectorCandidate:
    """One member a selector may choose.

    Attributes:
        id: Agent id.
        label: Name shown to the selector; never accepted as an answer.
        role: What it is on the desk.
        description: What it does.
    """

    id: str
    label: str
    role: str
    description: str | None


@dataclass(frozen=True, slots=True)
class ResponderRequest:
    """A message that wants one answer.

    Attributes:
        message: Its text.
        chat: Desk id or name, `dm:` and an agent, or None for General.
        mentions: Its mentions, in any order.
        orchestrator_id: The agent that answers when nobody else does.
        selection_policy: May a selector be asked.
    """

    message: str
    chat: str | None
    mentions: tuple[Mention, ...]
    orchestrator_id: str
    selection_policy: SelectionPolicy


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """What a selector is asked: which of at least two candidates takes the message."""

    message: str
    desk_id: str
    candidates: tuple[SelectorCandidate, ...]


@dataclass(frozen=True, slots=True)
class ResponderDecision:
    """Who answers, by which rung, and what became of the selector."""

    responder_id: str
    rung: Rung
    disposition: Disposition


@dataclass(frozen=True, slots=True)
class DecidedPlan:
    """The ladder named the responder by itself."""

    decision: ResponderDecision


@dataclass(frozen=True, slots=True)
class SelectPlan:
    """A selector is to be asked once; without a usable answer the fallback holds."""

    request: SelectionRequest
    fallback: ResponderDecision


ResponderPlan: TypeAlias = DecidedPlan | SelectPlan


def direct_responder(mentions: Sequence[Mention], roster: Roster) -> str | None:
    """Give the first active agent that is mentioned and not quietly, by offset; else None.

    Inactive agents are skipped. Nothing on a malformed roster. People, desks and everyone never
    answer.

    Source: hive.md section 6.
    """
    try:
        roster.validate()
    except HiveError:
        return None
    active = roster.active_ids()
    for mention in sorted(mentions, key=attrgetter("offset")):
        target = mention.target
        if not mention.quiet and isinstance(target, AgentTarget) and target.id in active:
            return target.id
    return None


def mentioned_members(
    mentions: Sequence[Mention],
    addressed_desk: str | None,
    responder: str | None,
    roster: Roster,
    desks: DeskSet,
) -> tuple[str, ...]:
    """Give the active agents a message names, quietly or not, apart from its responder.

    In offset order, each once: an agent; a desk's members; for everyone the members of the
    addressed desk, or all active members when it is General or not given. It is context for one
    turn and starts none. Nothing on a malformed roster or desk set.

    Source: hive.md section 6.
    """
    try:
        roster.validate()
        desks.validate()
    except HiveError:
        return ()
    ordered = sorted(mentions, key=attrgetter("offset"))
    active = {member.id: None for member in roster.active_members()}
    if addressed_desk is None or is_general(addressed_desk):
        everyone = tuple(active)
    else:
        everyone = _members(addressed_desk, desks)
    named: dict[str, None] = {}
    for target in dict.fromkeys(mention.target for mention in ordered):
        named.update(dict.fromkeys(_named_by(target, everyone, desks)))
    return tuple(agent_id for agent_id in named if agent_id in active and agent_id != responder)


def _named_by(target: MentionTarget, everyone: tuple[str, ...], desks: DeskSet) -> tuple[str, ...]:
    if isinstance(target, AgentTarget):
        return (target.id,)
    if isinstance(target, DeskTarget):
        return _members(target.id, desks)
    return everyone if isinstance(target, EveryoneTarget) else ()


def _members(identity: str, desks: DeskSet) -> tuple[str, ...]:
    try:
        return desks.members(identity)
    except (UnknownDeskError, AmbiguousDeskError):
        return ()


def responder_plan(
    request: ResponderRequest,
    roster: Roster,
    desks: DeskSet,
    candidate_details: Sequence[SelectorCandidate],
) -> ResponderPlan:
    """Find who answers one message; the first rung that answers wins.

    1. The roster, then the desks are validated.
    2. The direct responder of the mentions, on whichever desk it sits.
    3. Unless the chat is General, the desk it picks out: its first active member, or under `auto`
       with several members and a selector allowed, a plan to ask one. A desk without active
       members and an ambiguous name go straight to 5.
    4. If no desk was picked out, the agent the chat is a direct chat with: by id, else by a name
       only one active agent has. One leading `dm:` is dropped.
    5. The orchestrator.

    Raises:
        HiveError: What the two validations raise.
        DuplicateSelectorCandidateError: Two details are for one member a selector may choose; the
            first such member in the desk's order is named.
        NoActiveResponderError: The orchestrator is not active.

    Source: hive.md section 7.
    """
    roster.validate()
    desks.validate()
    mentioned = direct_responder(request.mentions, roster)
    if mentioned is not None:
        return _decided(mentioned, Rung.EXPLICIT_MENTION)
    plan = None
    if request.chat is not None and not is_general(request.chat):
        plan = _plan_of_chat(request, request.chat, roster, desks, candidate_details)
    if plan is not None:
        return plan
    if roster.active_member(request.orchestrator_id) is None:
        raise NoActiveResponderError(request.orchestrator_id)
    return _decided(request.orchestrator_id, Rung.ORCHESTRATOR)


def _decided(
    responder_id: str, rung: Rung, disposition: Disposition = Disposition.NOT_APPLICABLE
) -> DecidedPlan:
    return DecidedPlan(ResponderDecision(responder_id, rung, disposition))


def _plan_of_chat(
    request: ResponderRequest,
    chat: str,
    roster: Roster,
    desks: DeskSet,
    details: Sequence[SelectorCandidate],
) -> ResponderPlan | None:
    try:
        desk_id = desks.resolve_id(chat)
    except AmbiguousDeskError:
        return None
    except UnknownDeskError:
        return _plan_of_direct_chat(chat, roster)
    active = roster.active_ids()
    effective = tuple(agent_id for agent_id in desks.members(desk_id) if agent_id in active)
    if not effective:
        return None
    mode = next(desk.responder_mode for desk in desks.all_desks() if desk.id == desk_id)
    if mode is ResponderMode.LEAD or len(effective) == 1:
        return _decided(effective[0], Rung.DESK_DEFAULT)
    if request.selection_policy is SelectionPolicy.DISABLED:
        return _decided(effective[0], Rung.DESK_DEFAULT, Disposition.DISABLED)
    return SelectPlan(
        SelectionRequest(request.message, desk_id, _candidates(effective, details)),
        ResponderDecision(effective[0], Rung.DESK_DEFAULT, Disposition.UNAVAILABLE),
    )


def _plan_of_direct_chat(chat: str, roster: Roster) -> ResponderPlan | None:
    identity = chat.removeprefix(_DIRECT_PREFIX)
    if roster.active_member(identity) is not None:
        return _decided(identity, Rung.DIRECT_AGENT)
    named = [member.id for member in roster.active_members() if member.name == identity]
    return _decided(named[0], Rung.DIRECT_AGENT) if len(named) == 1 else None


def _candidates(
    effective: tuple[str, ...], details: Sequence[SelectorCandidate]
) -> tuple[SelectorCandidate, ...]:
    supplied: dict[str, list[SelectorCandidate]] = {agent_id: [] for agent_id in effective}
    for detail in details:
        if detail.id in supplied:
            supplied[detail.id].append(detail)
    for agent_id, found in supplied.items():
        if len(found) > 1:
            raise DuplicateSelectorCandidateError(agent_id)
    return tuple(
        found[0] if found else SelectorCandidate(agent_id, agent_id, DEFAULT_ROLE, None)
        for agent_id, found in supplied.items()
    )


def accept_selection(output: str, candidates: Iterable[SelectorCandidate]) -> str | None:
    """Read a selector's answer as the id of exactly one candidate, in that candidate's spelling.

    White space, one full stop at the end and one pair of quotes around are dropped, and ASCII case
    does not count. Labels are no answer. None for anything else.

    Source: hive.md section 7.
    """
    answer = ascii_lower(_bare(output))
    accepted = [
        candidate.id for candidate in candidates if answer and ascii_lower(candidate.id) == answer
    ]
    return accepted[0] if len(accepted) == 1 else None


def _bare(output: str) -> str:
    answer = trim_end(trim(output).removesuffix("."))
    if len(answer) >= 2 and answer[0] == answer[-1] and answer[0] in _QUOTES:
        return trim(answer[1:-1])
    return answer


def complete(plan: ResponderPlan, selector_output: str | None) -> ResponderDecision:
    """Turn a plan into its decision.

    1. A decided plan is its decision.
    2. No selector, or a failed call, is the fallback as it is.
    3. An accepted answer is that member; any other is the fallback with `invalid_output`.

    Source: hive.md section 7.
    """
    if isinstance(plan, DecidedPlan):
        return plan.decision
    if selector_output is None:
        return plan.fallback
    accepted = accept_selection(selector_output, plan.request.candidates)
    if accepted is None:
        return replace(plan.fallback, disposition=Disposition.INVALID_OUTPUT)
    return ResponderDecision(accepted, Rung.AUTO_SELECTION, Disposition.SELECTED)
