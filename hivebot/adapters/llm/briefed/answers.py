"""How does a rule-based member answer alone, ask another desk, and pass on what came back?

Source: briefed.md, "Single answers"; turns.md 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hivebot.adapters.llm.briefed.knowledge import Known as KnownFact
from hivebot.adapters.llm.briefed.knowledge import knowledge_of
from hivebot.adapters.llm.briefed.words import content_words, without_mentions
from hivebot.adapters.llm.evidence import evidence_sentence
from hivebot.adapters.llm.reply.shown import UNKNOWN
from hivebot.adapters.llm.sight import Sight
from hivebot.adapters.llm.text import inert, plain, sentence, shortened
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.mention.code import code_ranges
from hivebot.hive.options import OPTIONS_MAX, OPTIONS_MIN, written_options
from hivebot.hive.scalars import utf8
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import (
    ASK_QUESTION_MAX,
    FACT_TEXT_MAX,
    NO_ASK,
    AnswerTurn,
    Ask,
    Bearing,
    ConsultTurn,
    Fact,
    FramingTurn,
    Known,
    OpeningTurn,
)

NOTHING_ON_THAT: Final = "I hold nothing on that."
NOTHING_MORE: Final = "I have nothing to add to that."

_BEST: Final = 2
_RELAY_STRENGTH: Final = 3


def answer(request: TurnRequest, sight: Sight) -> AnswerTurn:
    """Answer from what is known, else ask the desk to ask, else say that nothing is known.

    1. An answer came back from another desk: pass it on, with what is known beside it.
    2. A question went out and came to nothing: say so, with what is known.
    3. Facts match the question: say the two best; to another desk also what they bear on.
    4. A word of the question is another desk's, and that desk may be asked: ask it.
    5. Else nothing is known.
    """
    question = question_text(request, sight)
    matching = _matching(request, sight, question)
    if request.returned:
        return _passing_on(request, sight, question, matching)
    if request.returned_state:
        return _without_answer(request.returned_state, matching)
    if matching:
        return _known(matching, for_desk=_asked_by_desk(request, sight))
    asks = _asks(request, question)
    if asks:
        return _asking(asks[0])
    return AnswerTurn(Known.UNKNOWN, NOTHING_ON_THAT, (), (), NO_ASK)


def consult(request: TurnRequest, sight: Sight) -> ConsultTurn:
    """Ask the desks the brief refers words of the question to, at most `max_asks`."""
    return ConsultTurn(_asks(request, question_text(request, sight))[: request.max_asks])


def frame(request: TurnRequest, sight: Sight) -> FramingTurn:
    """Take the options the question itself names (`#a or #b`); fewer than two are none."""
    question = question_text(request, sight)
    options = written_options(question, code_ranges(utf8(question)).holds)[:OPTIONS_MAX]
    return FramingTurn(options if len(options) >= OPTIONS_MIN else ())


def relay(request: TurnRequest, sight: Sight) -> OpeningTurn:
    """Pass on what a late answer says, as one fact others may cite."""
    row = sight.by_number.get(request.returned)
    if row is None:
        return OpeningTurn((), NOTHING_MORE)
    text = plain(row.message.content)
    words = content_words(text)
    about = [each.id for each in request.options if content_words(each.id) & words]
    option = about[0] if len(about) == 1 else ""
    rests_on = f"[{request.returned}]"
    short = shortened(text, FACT_TEXT_MAX)
    return OpeningTurn((Fact(option, Bearing.NEUTRAL, _RELAY_STRENGTH, short, rests_on),), "")


def question_text(request: TurnRequest, sight: Sight) -> str:
    """Give the text of the question the turn serves, "" if it may not be seen."""
    row = sight.by_number.get(request.question)
    return row.message.content if row is not None else ""


def _matching(request: TurnRequest, sight: Sight, question: str) -> tuple[KnownFact, ...]:
    """Give the two facts that share most with the question; by count, strength, then order."""
    asked = content_words(question)
    found: list[tuple[int, KnownFact]] = []
    for fact in knowledge_of(request, sight).facts:
        about = content_words(" ".join(fact.about))
        common = len(asked & (about | content_words(fact.text)))
        if common >= 2 or asked & about:
            found.append((common, fact))
    found.sort(key=lambda entry: (-entry[0], -entry[1].strength))
    return tuple(fact for _, fact in found[:_BEST])


def _known(matching: Iterable[KnownFact], *, for_desk: bool) -> AnswerTurn:
    said = (
        " ".join(evidence_sentence(fact.as_fact()) for fact in matching)
        if for_desk
        else _sentences(matching)
    )
    return AnswerTurn(Known.KNOWN, said, _cites(matching), (), NO_ASK)


def _asked_by_desk(request: TurnRequest, sight: Sight) -> bool:
    """Whether the question was put by an agent, on behalf of its desk."""
    row = sight.by_number.get(request.question)
    return row is not None and isinstance(row.message.author, AgentAuthor)


def _passing_on(
    request: TurnRequest, sight: Sight, question: str, matching: tuple[KnownFact, ...]
) -> AnswerTurn:
    """Judge the returned words by the rule for facts. They are quoted beside, so not repeated."""
    row = sight.by_number.get(request.returned)
    quote = row.message.content if row is not None else ""
    silent = not quote or quote.startswith((UNKNOWN, NOTHING_ON_THAT))
    common = content_words(question) & content_words(quote)
    if silent:
        known = Known.PARTLY if matching else Known.UNKNOWN
    else:
        known = Known.KNOWN if len(common) >= 2 or matching else Known.PARTLY
    cites = ((request.returned,) if row is not None else ()) + _cites(matching)
    return AnswerTurn(known, _sentences(matching), cites, (), NO_ASK)


def _without_answer(state: str, matching: tuple[KnownFact, ...]) -> AnswerTurn:
    said = f"The question to the other desk came to nothing: {inert(state)}."
    if not matching:
        return AnswerTurn(Known.UNKNOWN, said, (), (), NO_ASK)
    return AnswerTurn(Known.PARTLY, f"{_sentences(matching)} {said}", _cites(matching), (), NO_ASK)


def _asking(ask: Ask) -> AnswerTurn:
    return AnswerTurn(Known.UNKNOWN, f"{NOTHING_ON_THAT} I am asking {ask.desk}.", (), (), ask)


def _asks(request: TurnRequest, question: str) -> tuple[Ask, ...]:
    """Word one question for each desk that may be asked and that a word of this one belongs to."""
    asked = content_words(question)
    offered = {desk.id for desk in request.may_ask}
    text = shortened(without_mentions(question), ASK_QUESTION_MAX)
    desks = dict.fromkeys(
        desk
        for word, desk in request.agent.rules.refer
        if desk in offered and content_words(word) & asked
    )
    return tuple(Ask(desk, text) for desk in desks)


def _cites(facts: Iterable[KnownFact]) -> tuple[int, ...]:
    """Cite the brief (0) for what it holds, else the row that states it."""
    return tuple(dict.fromkeys(0 if fact.own else fact.stated_at for fact in facts))


def _sentences(facts: Iterable[KnownFact]) -> str:
    return " ".join(sentence(fact.text) for fact in facts)
