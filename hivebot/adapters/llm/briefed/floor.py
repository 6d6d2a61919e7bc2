"""What does a rule-based member do with its turn in a deliberation? The ladder, rung by rung.

Source: briefed.md, "Episode turn".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hivebot.adapters.llm.briefed.knowledge import Knowledge, Known, knowledge_of
from hivebot.adapters.llm.reply.moves import objected
from hivebot.adapters.llm.sight import Sight
from hivebot.adapters.llm.text import plain, sentence
from hivebot.hive.trace import Trace, TraceKind
from hivebot.services.records.asking import Floor, FloorLine, TurnRequest
from hivebot.services.records.replies import (
    NO_ASK,
    CommitTurn,
    DeliberateTurn,
    OpeningTurn,
    PositionTurn,
    Stance,
)

NOTHING_HELD: Final = "I hold nothing beyond the shared brief."
CANNOT_TELL: Final = "I cannot tell them apart."
NOTHING_TO_ADD: Final = "Nothing to add."

_FACTS_A_TURN: Final = 3
_NO_FLOOR: Final = Floor(phase="deliberate", topic="", standings=())


@dataclass(frozen=True, slots=True)
class Stand:
    """Where one member stands on the floor.

    Attributes:
        favourite: The option that scores strictly highest, "" for none.
    """

    request: TurnRequest
    sight: Sight
    known: Knowledge
    floor: Floor
    favourite: str

    @property
    def me(self) -> str:
        """The member's id."""
        return self.request.agent.id

    def supporters(self, option: str) -> Sequence[str]:
        """Who backs an option and is not silenced."""
        line = next((line for line in self.floor.standings if line.option == option), None)
        return line.supporters if line is not None else ()

    def on_floor(self, option: str) -> bool:
        """Whether anybody has advocated an option."""
        return any(line.option == option for line in self.floor.standings)

    def text_of(self, option: str) -> str:
        """The option's one line of text."""
        listed = (each.text for each in self.request.options if each.id == option)
        return next(listed, "") or option


def stand_of(request: TurnRequest, sight: Sight) -> Stand:
    """Work out where the member of a request stands."""
    known = knowledge_of(request, sight)
    return Stand(
        request=request,
        sight=sight,
        known=known,
        floor=request.floor or _NO_FLOOR,
        favourite=known.favourite(option.id for option in request.options),
    )


def opening(stand: Stand) -> OpeningTurn:
    """Rung 1: deposit what only this member holds, before anybody proposes."""
    held = stand.known.unstated()[: min(stand.request.agent.rules.opening_facts, _FACTS_A_TURN)]
    return OpeningTurn(tuple(fact.as_fact() for fact in held), "" if held else NOTHING_HELD)


def position(stand: Stand) -> PositionTurn:
    """Rung 2: propose the favourite, blind."""
    if not stand.favourite:
        return PositionTurn("", "", (), CANNOT_TELL)
    return PositionTurn(stand.favourite, "", (), _best(stand))


def commit(stand: Stand) -> CommitTurn:
    """Rung 3: the last chance to say what speaks against the option agreed on.

    1. A held fact against it that was never stated: disagree, stating it.
    2. Another favourite, and a visible fact against it that its newest advocate did not cite:
       disagree, citing that.
    3. Agree.
    """
    topic = stand.floor.topic
    held = next((fact for fact in stand.known.unstated() if fact.is_against(topic)), None)
    if held is not None:
        reason = f"This speaks against {topic} and was not said yet."
        return CommitTurn(False, (0,), (held.as_fact(),), "", "", reason)
    if stand.favourite != topic:
        advocacy = objected(stand.sight, stand.request)
        unheard = stand.known.objection(topic, advocacy.cites) if advocacy is not None else None
        if unheard is not None:
            reason = f"This was not weighed: {plain(unheard.text)}"
            return CommitTurn(False, (unheard.stated_at,), (), "", "", reason)
    return _agreement(stand, topic)


def deliberate(stand: Stand) -> DeliberateTurn:
    """Rungs 4 to 10, the first that applies."""
    for rung in _RUNGS:
        turn = rung(stand)
        if turn is not None:
            return turn
    return _turn(remark=NOTHING_TO_ADD)


def _agreement(stand: Stand, topic: str) -> CommitTurn:
    proposal = stand.sight.proposal(topic)
    proposed = (proposal.sequence,) if proposal is not None else ()
    grounds = stand.known.grounds(topic)
    cited = [fact for fact in stand.known.facts if fact.stated_at in grounds]
    facts = " ".join(sentence(fact.text) for fact in cited if fact.speaks_for(topic))
    other = "" if stand.favourite in {topic, ""} else f"I would rather have {stand.favourite}."
    return CommitTurn(
        agree=True,
        cites=tuple(dict.fromkeys(proposed + grounds)),
        facts=(),
        answer=f"{sentence(stand.text_of(topic))} {facts}".strip(),
        open_points=other,
        reason="",
    )


def _state_objection(stand: Stand) -> DeliberateTurn | None:
    """Rung 4: a held, unstated fact against an option that has supporters: state it."""
    for fact in stand.known.unstated():
        if any(fact.is_against(line.option) and line.supporters for line in stand.floor.standings):
            return _turn(facts=(fact,))
    return None


def _object(stand: Stand) -> DeliberateTurn | None:
    """Rung 5: object to advocacy that passes over a visible fact."""
    for advocacy in reversed(_newest_by_author(stand)):
        option = advocacy.topic or ""
        if option == stand.favourite or advocacy.agent_id not in stand.supporters(option):
            continue
        if _objected_to(stand, advocacy.sequence):
            continue
        unheard = stand.known.objection(option, advocacy.cites)
        if unheard is not None:
            return _turn(
                Stance.OBJECT,
                option,
                cites=(unheard.stated_at,),
                target=advocacy.sequence,
                reason=f"This was not weighed: {plain(unheard.text)}",
            )
    return None


def _propose(stand: Stand) -> DeliberateTurn | None:
    """Rung 6: the favourite is not on the floor: propose it."""
    if not stand.favourite or stand.on_floor(stand.favourite):
        return None
    cites = stand.known.grounds(stand.favourite)
    return _turn(Stance.PROPOSE, stand.favourite, cites=cites, reason=_best(stand))


def _support(stand: Stand) -> DeliberateTurn | None:
    """Rung 7: support the favourite, citing grounds, else its proposal."""
    if not stand.favourite or stand.me in stand.supporters(stand.favourite):
        return None
    cites = stand.known.grounds(stand.favourite)
    if not cites:
        proposal = stand.sight.proposal(stand.favourite)
        cites = (proposal.sequence,) if proposal is not None else ()
    if not cites:
        return None
    return _turn(Stance.SUPPORT, stand.favourite, cites=cites, reason=_best(stand))


def _state_rest(stand: Stand) -> DeliberateTurn | None:
    """Rung 8: state what is held and was not stated yet."""
    held = stand.known.unstated()[:_FACTS_A_TURN]
    return _turn(facts=held) if held else None


def _defer(stand: Stand) -> DeliberateTurn | None:
    """Rung 9: leave the strongest option to those who hold something, once."""
    deferred = any(
        trace.kind is TraceKind.DEFER and trace.agent_id == stand.me for trace in stand.sight.traces
    )
    if stand.request.agent.rules.holds or not stand.request.defer or deferred:
        return None
    lines = stand.floor.standings
    strongest: FloorLine | None = max(lines, key=lambda line: line.support, default=None)
    if strongest is None:
        return None
    return _turn(Stance.DEFER, strongest.option, reason="I hold nothing on it.")


_RUNGS: Final[tuple[Callable[[Stand], DeliberateTurn | None], ...]] = (
    _state_objection,
    _object,
    _propose,
    _support,
    _state_rest,
    _defer,
)


def _newest_by_author(stand: Stand) -> list[Trace]:
    """Give the newest advocacy of each other member, oldest first."""
    newest: dict[str, Trace] = {}
    for trace in stand.sight.advocacies(but=stand.me):
        newest[trace.agent_id or ""] = trace
    return sorted(newest.values(), key=lambda trace: (trace.sequence, trace.offset))


def _objected_to(stand: Stand, sequence: int) -> bool:
    return any(
        trace.kind is TraceKind.OBJECT and trace.agent_id == stand.me and trace.target == sequence
        for trace in stand.sight.traces
    )


def _best(stand: Stand) -> str:
    return f"On what is known it comes out at {stand.known.score(stand.favourite)}, the most."


def _turn(
    stance: Stance = Stance.NONE,
    option: str = "",
    *,
    cites: tuple[int, ...] = (),
    target: int = 0,
    reason: str = "",
    facts: Sequence[Known] = (),
    remark: str = "",
) -> DeliberateTurn:
    stated = tuple(fact.as_fact() for fact in facts)
    return DeliberateTurn(stance, option, target, cites, reason, stated, remark, NO_ASK)
