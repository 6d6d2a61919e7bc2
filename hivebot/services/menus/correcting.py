"""What happens when an answer is corrected? It stands corrected wherever it stood.

Works inside the caller's transaction. Source: product.md 7, memory.md 2, 3.1 and 9.2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from hivebot.hive.gate import GateKind
from hivebot.proxy.chunks import Chunk, ChunkType, Outcome
from hivebot.services.inert import inert_marks
from hivebot.services.menus.finding import Answer, posts_of
from hivebot.services.menus.saying import corrected_small
from hivebot.services.ports import Transaction
from hivebot.services.records.memories import NewChunk, PerceptTexts, Place, Scope, Sources
from hivebot.services.records.outgoing import Body, Quote
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import (
    MessageRole,
    MessageRow,
    OutboxRow,
    TurnKind,
)
from hivebot.services.remembering import CONTENT_MAX, difference

STRUCK: Final = "No longer stands"


@dataclass(frozen=True, slots=True)
class Correction:
    """What is to stand, and on whose word.

    Attributes:
        name: Of the steward, as shown.
        also: Others whose words or question are in it.
        teach: It is remembered as taught: five traces at once.
    """

    words: str
    user_id: str
    name: str
    at: datetime
    teach: bool = True
    also: tuple[str, ...] = ()

    @property
    def small(self) -> str:
        """Who corrected it, and when."""
        return corrected_small(self.name, f"{self.at:%Y-%m-%d}")


async def lock_around(tx: Transaction, answer: Answer) -> None:
    """Lock every conversation in which the answer stands, in order."""
    copies = await tx.messages.copies(answer.row.id)
    places = {answer.place.id, *(copy.conversation_id for copy in copies)}
    await tx.conversations.lock(sorted(places))


async def correct(tx: Transaction, answer: Answer, desk: DeskConfig, what: Correction) -> None:
    """Put a steward's words in the place of an answer; `lock_around` comes before.

    1. The row and its copies hold the new words; the old ones are kept as a revision.
    2. The message is edited: the words, and below them the original, struck through.
    3. Where the answer was quoted to whoever asked from afar, the quote is edited too.
    4. The desk's memory keeps it; the vectors are made when a turn next asks the memory.
    """
    content = inert_marks(what.words)
    row = await tx.messages.correct(answer.row.id, content, what.words, what.at)
    for post in await posts_of(tx, answer):
        await _show(tx, post, _corrected(post.body, answer.text, what))
    for copy in await tx.messages.copies(answer.row.id):
        if copy.role is MessageRole.RETURN:
            await tx.messages.correct(copy.id, content, what.words, what.at)
            await _correct_quotes(tx, copy, answer.text, what)
    await _remember(tx, answer, desk, what, row.revision)


def _corrected(body: Body, before: str, what: Correction) -> Body:
    kept = tuple(one for one in body.quotes if not one.struck)
    struck = next(
        (one for one in body.quotes if one.struck),
        Quote(STRUCK, "", "", before, plain=True, struck=True),
    )
    return replace(
        body,
        text=what.words,
        heading="",
        quotes=(*kept, struck),
        sources=(),
        small=what.small,
        buttons=(),
    )


async def _correct_quotes(tx: Transaction, copy: MessageRow, before: str, what: Correction) -> None:
    """The sponsor's message keeps the sponsor's words and quotes what stands."""
    for turn in await tx.turns.for_message(copy.id):
        if turn.kind is not TurnKind.SPONSOR or turn.trigger_id != copy.id:
            continue
        for post in await tx.outbox.for_turn(turn.id):
            quotes = tuple(
                replace(one, text=what.words) if one.text == before and not one.struck else one
                for one in post.body.quotes
            )
            if quotes != post.body.quotes:
                told = f"The quote: {what.small}"
                small = " · ".join(part for part in (post.body.small, told) if part)
                await _show(tx, post, replace(post.body, quotes=quotes, small=small))


async def _show(tx: Transaction, post: OutboxRow, body: Body) -> None:
    await tx.outbox.revise(post.id, body)
    await tx.jobs.deliver(post.destination.team_id, post.destination.channel_id)


async def _remember(
    tx: Transaction, answer: Answer, desk: DeskConfig, what: Correction, revision: int
) -> None:
    asked = await tx.messages.get(answer.asked_id)
    question = asked.content if asked is not None else ""
    about = f"Asked: {question}\nAnswered: {answer.text}"
    chunk = Chunk(
        id=f"correction:{answer.row.id}:{revision}",
        type=ChunkType.REVIEW_CORRECTION if what.teach else ChunkType.GATE_OUTCOME,
        state="" if what.teach else GateKind.ANSWER_REVIEW.value,
        task_type=f"review:{what.user_id}" if what.teach else desk.id,
        outcome=Outcome.CORRECTION if what.teach else Outcome.CORRECT,
        human_response=what.words,
        delta=difference(answer.text, what.words),
        content=about[:CONTENT_MAX],
    )
    people = (what.user_id, answer.asker_user_id, *what.also)
    memory = await tx.memories.ensure(answer.place.team_id, desk.id)
    await tx.memories.record(
        memory.id,
        NewChunk(
            chunk=chunk,
            scope=Scope.of(await _places(tx, answer)),
            sources=Sources(
                message_ids=tuple(
                    dict.fromkeys((answer.row.id, answer.asked_id, answer.question_id))
                ),
                user_ids=tuple(dict.fromkeys(one for one in people if one)),
            ),
            texts=PerceptTexts(question=question, artifact=answer.text),
        ),
    )


async def _places(tx: Transaction, answer: Answer) -> tuple[Place, ...]:
    """Where the answer, and the question it answers, were said."""
    found = [Place(answer.place.audience, answer.place.channel_id)]
    for row_id in (answer.asked_id, answer.question_id):
        row = await tx.messages.get(row_id)
        place = await tx.conversations.get(row.conversation_id) if row is not None else None
        if place is not None:
            found.append(Place(place.audience, place.channel_id))
    return tuple(dict.fromkeys(found))
