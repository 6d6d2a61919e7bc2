"""What do several desks decide: each apart, asking one another, or all on one desk?

What crosses is what the bot lets cross: a question worded by the desk's first member, one answer by
the other desk's first member, who reads nothing else, and its return. Source: turns.md 1, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from hivebot.adapters.llm.briefed.rehearsal import Asked, Room, question_row, rounds
from hivebot.adapters.llm.briefed.words import content_words
from hivebot.entrypoints.benches.deciding.arms import (
    MEMBERS_MIN,
    Outcome,
    hosted,
    outcome_of,
    poll,
    sole_winner,
)
from hivebot.entrypoints.benches.deciding.voices import Meter, Voices
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.transcript import SessionMessage
from hivebot.services.ports import Models
from hivebot.services.records.asking import FarDesk, SeenRow
from hivebot.services.records.policy import AgentConfig
from hivebot.services.records.replies import AnswerTurn, Ask, ConsultTurn, OpeningTurn


@dataclass(frozen=True, slots=True)
class Hall:
    """One desk of several.

    Attributes:
        room: Its members and its bounds.
        may_ask: The other desks.
        max_asks: Questions it may put.
    """

    room: Room
    may_ask: tuple[FarDesk, ...]
    max_asks: int

    @property
    def lead(self) -> AgentConfig:
        """Who asks and answers for the desk."""
        return self.room.members[0]


Halls: TypeAlias = Sequence[Hall]


def halls_of(rooms: Sequence[Room], question: str, max_asks: Sequence[int]) -> tuple[Hall, ...]:
    """Connect desks to one another.

    A rule-based first member asks what its brief refers to; here that is every other desk.

    Args:
        rooms: One for each desk.
        question: What all of them decide; a word of it stands for the other desks.
        max_asks: Questions each may put.
    """
    word = min(content_words(question), default="")
    halls: list[Hall] = []
    for room, most in zip(rooms, max_asks, strict=True):
        others = [other for other in rooms if other.desk_id != room.desk_id]
        lead = room.members[0]
        refer = tuple((word, other.desk_id) for other in others)
        members = (replace(lead, rules=replace(lead.rules, refer=refer)), *room.members[1:])
        known = tuple(FarDesk(other.desk_id, other.desk_name, "") for other in others)
        halls.append(Hall(replace(room, members=members), known, most))
    return tuple(halls)


async def siloed(models: Models, halls: Halls, question: str) -> Outcome:
    """Each desk decides alone."""
    outcomes: list[Outcome] = []
    for hall in halls:
        voices = Voices(models)
        played = await hosted(voices, hall.room, [question_row(question)])
        outcomes.append(outcome_of(played, voices.meter))
    return _together(outcomes)


async def asked_first(models: Models, halls: Halls, question: str) -> Outcome:
    """Each desk asks before anybody has proposed; the answers lie before the blind round."""
    outcomes: list[Outcome] = []
    for hall in halls:
        voices = Voices(models)
        rows = [question_row(question)]
        home = await _consulted(voices, hall, halls, rows, relayed=False)
        played = await hosted(voices, hall.room, [*rows, *home.rows])
        outcomes.append(outcome_of(played, voices.meter, home.asks))
    return _together(outcomes)


async def asked_late(models: Models, halls: Halls, question: str) -> Outcome:
    """Each desk asks once an option has its quorum; who asked passes the answers on."""
    return _together([await _late(models, hall, halls, question) for hall in halls])


async def merged(models: Models, room: Room, question: str) -> Outcome:
    """All members sit on one desk."""
    voices = Voices(models)
    played = await hosted(voices, room, [question_row(question)])
    return outcome_of(played, voices.meter)


async def polled(models: Models, room: Room, question: str) -> Outcome:
    """Everybody is asked, unheard by the others, as often as the one desk may take turns."""
    return await poll(models, room, question)


@dataclass(frozen=True, slots=True)
class _Home:
    rows: tuple[SeenRow, ...]
    asks: int


async def _late(models: Models, hall: Hall, halls: Halls, question: str) -> Outcome:
    voices = Voices(models)
    game = rounds(hall.room, [question_row(question)])
    asked = next(game)
    home: _Home | None = None
    while sum(voices.answering(member.id) for member in hall.room.members) >= MEMBERS_MIN:
        try:
            if home is None and _agreed(asked):
                home = await _consulted(voices, hall, halls, asked.request.rows, relayed=True)
                asked = game.send(home.rows)
            else:
                asked = game.send(await voices.said(asked.request, asked.sequence))
        except StopIteration as ended:
            return outcome_of(ended.value, voices.meter, home.asks if home else 0)
    return outcome_of(None, voices.meter)


def _agreed(asked: Asked) -> bool:
    """Whether a quorum stands and its members may know it."""
    return bool(asked.agreed) and asked.request.floor is not None


async def _consulted(
    voices: Voices, hall: Hall, halls: Halls, rows: Sequence[SeenRow], *, relayed: bool
) -> _Home:
    """Put the desk's questions and bring the answers home."""
    request = hall.room.consulting(hall.lead, rows, hall.may_ask, hall.max_asks)
    reply = await voices.reply(request) if hall.max_asks else None
    log = list(rows)
    asks = reply.asks[: hall.max_asks] if isinstance(reply, ConsultTurn) else ()
    put = 0
    for ask in asks:
        far = next((one for one in halls if one is not hall and one.room.desk_id == ask.desk), None)
        if far is None:
            continue
        put += 1
        log.append(_row(log, hall.lead, voices.rendered(request, ConsultTurn((ask,)), _next(log))))
        answer = await _answered(voices, far, hall, ask)
        if not answer:
            continue
        home = _row(log, far.lead, answer)
        log.append(replace(home, kind="answer_from_desk", place=far.room.desk_name))
        if relayed:
            log.append(_row(log, hall.lead, await _relay(voices, hall, log)))
    return _Home(tuple(log[len(rows) :]), put)


async def _answered(voices: Voices, far: Hall, near: Hall, ask: Ask) -> str:
    """What the other desk's first member answers; "" where it fails."""
    author = AgentAuthor(near.lead.id, near.lead.name)
    request = far.room.asking(
        far.lead, "answer", [SeenRow(SessionMessage(1, author, ask.question))]
    )
    reply = await voices.reply(request)
    return voices.rendered(request, reply, 2) if isinstance(reply, AnswerTurn) else ""


async def _relay(voices: Voices, hall: Hall, log: Sequence[SeenRow]) -> str:
    """What the asker makes of the newest answer, as facts others may cite."""
    request = replace(
        hall.room.asking(hall.lead, "relay", log),
        options=hall.room.options,
        watermark=1,
        returned=log[-1].message.sequence,
    )
    reply = await voices.reply(request)
    if not isinstance(reply, OpeningTurn):
        return "(the answer could not be passed on)"
    return voices.rendered(request, reply, _next(log))


def _next(log: Sequence[SeenRow]) -> int:
    return log[-1].message.sequence + 1


def _row(log: Sequence[SeenRow], author: AgentConfig, content: str) -> SeenRow:
    return SeenRow(SessionMessage(_next(log), AgentAuthor(author.id, author.name), content))


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    """What most desks decided; nothing on a tie. Costs add up."""
    decisions = [outcome.decided for outcome in outcomes if outcome.decided]
    meter = Meter()
    for outcome in outcomes:
        meter.add(outcome.meter)
    return Outcome(
        decided=sole_winner(decisions),
        ending=f"{len(decisions)} of {len(outcomes)} desks decided",
        turns=sum(outcome.turns for outcome in outcomes),
        meter=meter,
        asks=sum(outcome.asks for outcome in outcomes),
    )
