"""What do readers do with an answer? Correct it, suggest a correction, ask on, have it removed.

Anyone who sees a message can press its buttons, and Slack checks nothing: each choice is judged by
ids at the moment it is made, has one visible outcome, and a second one changes nothing. A text is
taken in two steps, the modal and its submission, and is judged at both.
Source: product.md 7, rights.md 1.
"""

from __future__ import annotations

from functools import partial

from hivebot.hive.conversation import PersonAuthor
from hivebot.services import lines
from hivebot.services.answer_menu import Deed, parse_choice, whole
from hivebot.services.menus import saying
from hivebot.services.menus.correcting import Correction, correct, lock_around
from hivebot.services.menus.finding import (
    Answer,
    Chooser,
    Pick,
    find_answer,
    find_by_row,
    look_at,
    posts_of,
)
from hivebot.services.menus.steps import Ask, MenuStep, Reasons, Removal, Words
from hivebot.services.menus.suggesting import end, outdate, private, suggest
from hivebot.services.neighbours import far_desks
from hivebot.services.ports import (
    Clock,
    NewMessage,
    Policies,
    RightsDirectory,
    Transaction,
    UnitOfWork,
)
from hivebot.services.records.arrivals import ReactionChanged
from hivebot.services.records.outgoing import Body
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.rows import MessageRole, OutboxRow
from hivebot.services.records.suggestions import SuggestionRow, SuggestionState
from hivebot.services.retrying import transact
from hivebot.services.stewards import is_steward

THUMBS_DOWN = frozenset({"-1", "thumbsdown"})


class AnswerMenus:
    """Takes choices from answers' menus."""

    def __init__(
        self, work: UnitOfWork, policies: Policies, directory: RightsDirectory, clock: Clock
    ) -> None:
        self._work = work
        self._policies = policies
        self._directory = directory
        self._clock = clock

    async def choose(self, deed: Deed, pick: Pick) -> Ask | Reasons | MenuStep:
        """Carry out what needs no more words; else say what has to be asked.

        1. The answer stands, and was given in this channel.
        2. The person may do this; whoever may not is told so alone.

        Raises:
            StoreUnavailableError: nothing was written.
            StoreConflictError: three times running.
        """
        answer = await self._answer(pick)
        if answer is None or answer.place.channel_id != pick.channel_id:
            return await self._tell(pick, saying.GONE, MenuStep.GONE)
        chooser = await look_at(self._directory, answer, pick.user_id)
        match deed:
            case Deed.CORRECT:
                return await self._ask_words(pick, answer, chooser)
            case Deed.ELSEWHERE:
                return await self._ask_where(pick, answer, chooser)
            case Deed.MORE:
                return await self._more(pick, answer, chooser)
            case Deed.REMOVE:
                if not (chooser.asker or chooser.steward):
                    return await self._tell(pick, saying.NOT_REMOVABLE, MenuStep.REFUSED)
                return Ask(Deed.REMOVE, _value(answer))
            case Deed.WHY:
                return Reasons(answer.turn_id, answer.episode_id)

    async def _answer(self, pick: Pick) -> Answer | None:
        async with self._work.begin() as tx:
            return await find_answer(tx, self._policies.current(), pick.team_id, pick.about)

    async def _ask_words(self, pick: Pick, answer: Answer, chooser: Chooser) -> Ask | MenuStep:
        if not chooser.steward:
            problem = _may_suggest(answer, chooser)
            if problem:
                return await self._tell(pick, problem, MenuStep.REFUSED)
        return Ask(Deed.CORRECT, _value(answer), answer.text, decides=chooser.steward)

    async def _ask_where(self, pick: Pick, answer: Answer, chooser: Chooser) -> Ask | MenuStep:
        if not chooser.asker:
            return await self._tell(pick, saying.NOT_YOUR_QUESTION, MenuStep.REFUSED)
        configuration = self._policies.current()
        async with self._work.begin() as tx:
            row = await tx.messages.get(answer.question_id)
            place = await tx.conversations.get(row.conversation_id) if row is not None else None
        desk = configuration.desk(place.desk_id) if place is not None else None
        desks = far_desks(desk, configuration) if desk is not None else ()
        if not desks:
            return await self._tell(pick, lines.how_to_ask(()).text, MenuStep.REFUSED)
        return Ask(Deed.ELSEWHERE, str(answer.question_id), desks=desks)

    async def _more(self, pick: Pick, answer: Answer, chooser: Chooser) -> MenuStep:
        """Ask the same agent again, as the person's own message would."""
        if chooser.outside is not None:
            return await self._tell(pick, lines.not_for_you(chooser.outside).text, MenuStep.REFUSED)
        if answer.desk is not None and not answer.place.thread_ts:
            return await self._tell(pick, saying.MORE_IN_THREAD, MenuStep.REFUSED)

        async def ask(tx: Transaction) -> MenuStep:
            await tx.conversations.lock([answer.place.id])
            if any(one.user_id == pick.user_id for one in await tx.messages.copies(answer.row.id)):
                await private(tx, pick, Body(text=saying.MORE_BEFORE))
                return MenuStep.SPENT
            await tx.messages.append(
                NewMessage(
                    conversation_id=answer.place.id,
                    role=MessageRole.SPEECH,
                    author=PersonAuthor(pick.user_id, pick.user_id),
                    content=f"@{answer.agent_id} say more about your answer, please.",
                    user_id=pick.user_id,
                    user_team_id=chooser.person.team_id,
                    wakes=True,
                    copy_of=answer.row.id,
                )
            )
            await tx.jobs.route(answer.place.id)
            return MenuStep.DONE

        return await transact(self._work, ask)

    # -- what was written in a modal -----------------------------------------------------------

    async def submit(self, said: Words) -> str:
        """Take a correction, a steward's at once; "" when it is taken, else why not.

        Raises:
            StoreUnavailableError: nothing was written.
            StoreConflictError: three times running.
        """
        about, _, revision = said.value.partition(":")
        pick = Pick(said.team_id, "", "", said.user_id, about)
        answer = await self._answer(pick)
        if answer is None:
            return saying.GONE
        chooser = await look_at(self._directory, answer, said.user_id)
        words = said.words.strip()
        if not words:
            return saying.NO_WORDS
        if chooser.steward and answer.desk is not None:
            what = Correction(
                words,
                said.user_id,
                _name(chooser, said.user_id),
                self._clock.now(),
                teach=said.teach,
            )
            use = partial(self._correct, answer=answer, desk=answer.desk, what=what)
            return await transact(self._work, partial(use, revision=whole(revision)))
        return _may_suggest(answer, chooser) or await transact(
            self._work,
            partial(
                self._suggest,
                answer=answer,
                chooser=chooser,
                words=words,
                revision=whole(revision),
            ),
        )

    async def _correct(
        self,
        tx: Transaction,
        *,
        answer: Answer,
        desk: DeskConfig,
        what: Correction,
        revision: int | None,
    ) -> str:
        fresh = await self._standing(tx, answer)
        if fresh is None:
            return saying.GONE
        problem = _not_as_it_stood(fresh, what.words, revision)
        if not problem:
            await correct(tx, fresh, desk, what)
            await outdate(tx, fresh, what.at)
        return problem

    async def _suggest(
        self, tx: Transaction, *, answer: Answer, chooser: Chooser, words: str, revision: int | None
    ) -> str:
        fresh = await self._standing(tx, answer)
        if fresh is None or fresh.desk is None:
            return saying.GONE
        problem = _not_as_it_stood(fresh, words, revision)
        return problem or await suggest(tx, fresh, fresh.desk, chooser.person, words)

    async def _standing(self, tx: Transaction, answer: Answer) -> Answer | None:
        """The answer as it stands now, everything about it locked."""
        await lock_around(tx, answer)
        return await find_answer(tx, self._policies.current(), answer.place.team_id, answer.about)

    # -- what stewards do with suggestions -------------------------------------------------------

    async def take(self, pick: Pick, value: str) -> MenuStep:
        """A steward takes a suggestion: the answer is corrected by it, and it is taught."""
        return await self._decide(pick, value, SuggestionState.TAKEN)

    async def dismiss(self, pick: Pick, value: str) -> MenuStep:
        """A steward dismisses a suggestion: the answer stands."""
        return await self._decide(pick, value, SuggestionState.DISMISSED)

    async def _decide(self, pick: Pick, value: str, state: SuggestionState) -> MenuStep:
        number = whole(value) or 0
        async with self._work.begin() as tx:
            found = await tx.suggestions.lock(number)
        if found is None or found.new.team_id != pick.team_id:
            return await self._tell(pick, saying.GONE, MenuStep.GONE)
        desk = self._policies.current().desk(found.new.desk_id)
        if desk is None or not await is_steward(self._directory, pick.team_id, desk, pick.user_id):
            return await self._tell(pick, saying.ONLY_STEWARDS, MenuStep.REFUSED)
        person = await self._directory.person(pick.team_id, pick.user_id)
        name = person.name or pick.user_id
        return await transact(
            self._work,
            partial(self._decided, pick=pick, found=found, desk=desk, name=name, state=state),
        )

    async def _decided(
        self,
        tx: Transaction,
        *,
        pick: Pick,
        found: SuggestionRow,
        desk: DeskConfig,
        name: str,
        state: SuggestionState,
    ) -> MenuStep:
        configuration = self._policies.current()
        answer = await find_by_row(tx, configuration, pick.team_id, found.new.message_id)
        if answer is not None:
            answer = await self._standing(tx, answer)
        locked = await tx.suggestions.lock(found.id)
        if locked is None or locked.state is not SuggestionState.OPEN:
            await private(tx, pick, Body(text=saying.DECIDED))
            return MenuStep.SPENT
        now = self._clock.now()
        if answer is None or answer.row.revision != locked.new.revision:
            await end(tx, locked, SuggestionState.VOID, now, answer.text if answer else "")
            await private(tx, pick, Body(text=saying.OUTDATED))
            return MenuStep.SPENT
        await end(tx, locked, state, now, answer.text, (pick.user_id, name))
        if state is SuggestionState.TAKEN:
            words, also = locked.new.words, (locked.new.user_id,)
            await correct(tx, answer, desk, Correction(words, pick.user_id, name, now, also=also))
            await outdate(tx, answer, now)
        return MenuStep.DONE

    # -- the rest --------------------------------------------------------------------------------

    async def removable(self, team_id: str, user_id: str, value: str) -> Removal | str:
        """What is to be removed, for whoever may remove it; else why not."""
        pick = Pick(team_id, "", "", user_id, value.partition(":")[0])
        answer = await self._answer(pick)
        if answer is None:
            return saying.GONE
        chooser = await look_at(self._directory, answer, user_id)
        if not (chooser.asker or chooser.steward):
            return saying.NOT_REMOVABLE
        async with self._work.begin() as tx:
            posts = tuple(post.id for post in await posts_of(tx, answer))
        return Removal(answer.row.id, posts, _name(chooser, user_id))

    async def place_of(self, team_id: str, value: str) -> tuple[str, str] | None:
        """(channel, thread) of the question that a modal named; None when it is gone."""
        async with self._work.begin() as tx:
            row = await tx.messages.get(whole(value) or 0)
            place = await tx.conversations.get(row.conversation_id) if row is not None else None
        if row is None or row.deleted_at is not None or place is None or place.team_id != team_id:
            return None
        return place.channel_id, place.thread_ts

    async def react(self, arrival: ReactionChanged) -> MenuStep:
        """A thumb down on an answer shows its menu to whoever put it there, once."""
        if not arrival.added or arrival.name.partition("::")[0] not in THUMBS_DOWN:
            return MenuStep.NOTHING
        team_id = arrival.key.team_id

        async def show(tx: Transaction) -> MenuStep:
            post = await tx.outbox.by_ts(team_id, arrival.channel_id, arrival.ts)
            about = _about(post)
            found = await find_answer(tx, self._policies.current(), team_id, about)
            if post is None or found is None:
                return MenuStep.NOTHING
            if await tx.inbox.claim_event(arrival.key, {}) is None:
                return MenuStep.SPENT
            place = post.destination
            pick = Pick(team_id, place.channel_id, place.thread_ts, arrival.user_id, about)
            await private(tx, pick, saying.menu_for_one(about))
            return MenuStep.SHOWN

        return await transact(self._work, show)

    async def tell(self, pick: Pick, body: Body) -> MenuStep:
        """Tell the person alone."""
        async with self._work.begin() as tx:
            await private(tx, pick, body)
        return MenuStep.SHOWN

    async def _tell(self, pick: Pick, text: str, step: MenuStep) -> MenuStep:
        await self.tell(pick, Body(text=text))
        return step


def _value(answer: Answer) -> str:
    return f"{answer.about}:{answer.row.revision}"


def _name(chooser: Chooser, user_id: str) -> str:
    return chooser.person.name or user_id


def _may_suggest(answer: Answer, chooser: Chooser) -> str:
    """Why this person's suggestion would come to nothing; "" when stewards get it."""
    if chooser.outside is not None:
        return lines.not_for_you(chooser.outside).text
    if answer.desk is None or not answer.desk.stewards:
        return saying.NO_STEWARDS
    return ""


def _about(post: OutboxRow | None) -> str:
    """What the menu under a post is about; "" where there is none."""
    menu = post.body.menu if post is not None else None
    named = parse_choice(menu.choices[0].value) if menu is not None else None
    return named[1] if named is not None else ""


def _not_as_it_stood(answer: Answer, words: str, revision: int | None) -> str:
    """Why words about an answer come too late or to nothing; "" when they do neither."""
    if answer.row.revision != revision:
        return saying.CHANGED
    return saying.SAME if words == answer.text.strip() else ""


__all__ = ["AnswerMenus", "Ask", "Deed", "MenuStep", "Pick", "Reasons", "Removal", "Words"]
