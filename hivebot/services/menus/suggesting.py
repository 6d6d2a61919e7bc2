"""What becomes of a correction that somebody suggests? It is put before the stewards.

Works inside the caller's transaction; the answer's conversations are locked. Source: product.md 7.
"""

from __future__ import annotations

from datetime import datetime

from hivebot.services.menus import saying
from hivebot.services.menus.finding import Answer, Pick
from hivebot.services.ports import NewOutbox, PersonFacts, Transaction
from hivebot.services.records.outgoing import Body, Destination, OutboxKind
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.suggestions import NewSuggestion, SuggestionRow, SuggestionState


async def suggest(
    tx: Transaction, answer: Answer, desk: DeskConfig, person: PersonFacts, words: str
) -> str:
    """Keep a suggestion and show it where the desk's gates are; "", or why it was not kept."""
    place = answer.place
    kept = await tx.suggestions.add(
        NewSuggestion(
            team_id=place.team_id,
            desk_id=desk.id,
            message_id=answer.row.id,
            revision=answer.row.revision,
            user_id=person.user_id,
            words=words,
        )
    )
    if kept is None:
        return saying.SUGGESTED_BEFORE
    thread = Destination(place.team_id, place.channel_id, place.thread_ts)
    channel = desk.gates.channel
    shown_at = Destination(place.team_id, channel) if channel else thread
    name = person.name or person.user_id
    body = saying.suggestion_body(kept.id, name, answer.text, words, desk)
    post = await tx.outbox.add(NewOutbox(OutboxKind.LINE, shown_at, body))
    await tx.suggestions.link(kept.id, post.id)
    await tx.jobs.deliver(shown_at.team_id, shown_at.channel_id)
    pick = Pick(place.team_id, place.channel_id, place.thread_ts, person.user_id, answer.about)
    await private(tx, pick, saying.suggested(desk.id))
    return ""


async def end(
    tx: Transaction,
    suggestion: SuggestionRow,
    state: SuggestionState,
    at: datetime,
    answer: str,
    actor: tuple[str, str] = ("", ""),
) -> None:
    """End a suggestion, and have its line say how and by whom: (user id, name)."""
    user_id, name = actor
    await tx.suggestions.end(suggestion.id, state, at, user_id)
    if suggestion.post_id is not None:
        body = saying.suggestion_ended(state, name, answer, suggestion.new.words)
        post = await tx.outbox.revise(suggestion.post_id, body)
        await tx.jobs.deliver(post.destination.team_id, post.destination.channel_id)


async def outdate(tx: Transaction, answer: Answer, at: datetime) -> None:
    """Suggestions about what no longer stands cannot be taken any more."""
    for one in await tx.suggestions.of_answer(answer.row.id):
        if one.state is SuggestionState.OPEN:
            await end(tx, one, SuggestionState.VOID, at, answer.text)


async def private(tx: Transaction, pick: Pick, body: Body) -> None:
    """Tell one person alone, where they are."""
    place = Destination(pick.team_id, pick.channel_id, pick.thread_ts, pick.user_id)
    await tx.outbox.add(NewOutbox(OutboxKind.EPHEMERAL, place, body))
    await tx.jobs.deliver(pick.team_id, pick.channel_id)
