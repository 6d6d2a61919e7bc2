"""What does a slash command do? Who may is judged by ids now; only who typed it sees the answer.

Source: product.md 9, rights.md 1, datapath.md 1.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final, Protocol

from hivebot.hive.conversation import PersonAuthor
from hivebot.hive.crossing import Asker, NoCrossingReason, may_ask
from hivebot.proxy.retrieval import Query
from hivebot.services import command_lines, lines
from hivebot.services.expertise import Knowledge
from hivebot.services.inert import inert_marks, one_line
from hivebot.services.ports import (
    Directory,
    Doors,
    NewMessage,
    PersonFacts,
    Policies,
    UnitOfWork,
)
from hivebot.services.records.commands import COMMANDS, IN_THREADS, Command
from hivebot.services.records.memories import Place
from hivebot.services.records.outgoing import Body, SendFailure
from hivebot.services.records.policy import DeskConfig
from hivebot.services.records.reloads import PROBLEMS_TOLD, KeptOld, Reloaded
from hivebot.services.records.rows import MessageRole

RECENT: Final = 50
"""So many of a desk's ended deliberations are looked at for a topic."""

QUESTION_MAX: Final = 3_000


@dataclass(frozen=True, slots=True)
class Typed:
    """A slash command. `words` is canonical text; the rest are ids as Slack signs them."""

    team_id: str
    channel_id: str
    user_id: str
    words: str


class Voice(Protocol):
    """Posts what somebody has the bot ask."""

    async def say(self, team_id: str, channel_id: str, text: str) -> str | SendFailure:
        """Post at the channel's top level; its ts."""
        ...


class Commanding:
    """Carries out slash commands."""

    def __init__(
        self,
        *,
        work: UnitOfWork,
        policies: Policies,
        directory: Directory,
        doors: Doors,
        voice: Voice,
        reload: Callable[[], Awaitable[Reloaded | KeptOld]],
        who_knew: Callable[[int], Awaitable[Knowledge | None]],
    ) -> None:
        self._work = work
        self._policies = policies
        self._directory = directory
        self._doors = doors
        self._voice = voice
        self._reload = reload
        self._who_knew = who_knew
        self._acts: dict[str, Callable[[Typed, str], Awaitable[Body]]] = {
            "ask": self._ask,
            "desks": self._desks,
            "who-knows": self._who_knows,
            "memory": self._memory,
            "policy": self._policy,
            "reload": self._reloads,
            "mute": self._mute,
            "help": self._help,
        }

    async def run(self, typed: Typed) -> tuple[str, Body]:
        """Carry out a command; the word, "" for an unknown one, and what its writer is told.

        1. Nothing typed is a wish for help.
        2. A word nobody knows is said so, with the nearest one.
        3. What admins may is refused to everybody else, and nothing has changed.

        Raises:
            StoreUnavailableError: nothing was done.
        """
        word, _, rest = typed.words.strip().partition(" ")
        word = word.lower() or "help"
        command = next((one for one in COMMANDS if one.word == word), None)
        if command is None:
            return "", _unknown(word)
        if command.admins and typed.user_id not in self._policies.current().admins:
            return command.word, command_lines.admins_only(command)
        return command.word, await self._acts[command.word](typed, rest.strip())

    def _here(self, typed: Typed) -> DeskConfig | None:
        return self._policies.current().desk_of_channel(typed.channel_id)

    async def _help(self, typed: Typed, _rest: str) -> Body:
        admin = typed.user_id in self._policies.current().admins
        return command_lines.commands([one for one in COMMANDS if admin or not one.admins])

    async def _ask(self, typed: Typed, question: str) -> Body:
        """Post the question in the person's name and have it judged as if it had been written.

        Who may not ask here is told so before anything is posted.
        """
        desk = self._here(typed)
        if desk is None:
            return lines.unbound(typed.channel_id)
        if not question:
            return command_lines.nothing_to_ask()
        question = question[:QUESTION_MAX]
        person = await self._directory.person(typed.team_id, typed.user_id)
        refused = _may_not_ask(typed, person, desk)
        if refused is not None:
            return lines.not_for_you(refused)
        said = command_lines.asked_for(one_line(person.name), question)
        ts = await self._voice.say(typed.team_id, typed.channel_id, said)
        if isinstance(ts, SendFailure):
            return command_lines.not_posted(lines.send_fault(ts.kind), lines.send_remedy(ts.kind))
        await self._store(typed, desk, question, person, ts)
        return command_lines.asked(desk.id)

    async def _store(
        self, typed: Typed, desk: DeskConfig, question: str, person: PersonFacts, ts: str
    ) -> None:
        words = question if typed.user_id in desk.may_mark else inert_marks(question)
        facts = await self._directory.channel(typed.team_id, typed.channel_id)
        async with self._work.begin() as tx:
            found = await tx.conversations.find(typed.team_id, typed.channel_id, "")
            if found is None and facts is not None:
                found = await tx.conversations.ensure(
                    typed.team_id,
                    typed.channel_id,
                    "",
                    desk_id=desk.id,
                    audience=facts.audience,
                    root_seq=None,
                )
            if found is None:
                return
            await tx.conversations.lock([found.id])
            await tx.messages.append(
                NewMessage(
                    conversation_id=found.id,
                    role=MessageRole.SPEECH,
                    author=PersonAuthor(typed.user_id, typed.user_id),
                    content=f"deliberate {words}",
                    ts=ts,
                    user_id=typed.user_id,
                    user_team_id=person.team_id,
                    addressed=True,
                    wakes=True,
                )
            )
            await tx.jobs.route(found.id)

    async def _desks(self, typed: Typed, _rest: str) -> Body:
        configuration = self._policies.current()
        opened = [desk for desk in configuration.desks if await self._opens(typed, desk)]
        return command_lines.desks(configuration, opened)

    async def _opens(self, typed: Typed, desk: DeskConfig) -> bool:
        return await self._doors.may_open(typed.team_id, typed.user_id, desk.channel)

    async def _who_knows(self, typed: Typed, rest: str) -> Body:
        """The newest deliberation about the topic, of this channel's desk, else of any to open."""
        topic = rest.removeprefix("#").lower()
        if not topic:
            return command_lines.no_topic()
        here = self._here(typed)
        others = [desk for desk in self._policies.current().desks if desk != here]
        for desk in ([here] if here is not None else []) + others:
            if not await self._opens(typed, desk):
                continue
            async with self._work.begin() as tx:
                recent = await tx.episodes.of_desk(desk.id, RECENT)
            about = [one.id for one in recent if topic in {option.id for option in one.options}]
            if about:
                found = await self._who_knew(about[0])
                if found is not None:
                    return command_lines.who_knows(topic, found)
        return command_lines.nobody_knows(topic)

    async def _memory(self, typed: Typed, _rest: str) -> Body:
        """What the desk's proxy remembers, as far as everybody in this channel may read it."""
        desk = self._here(typed)
        if desk is None:
            return lines.unbound(typed.channel_id)
        async with self._work.begin() as tx:
            memory = await tx.memories.find(typed.team_id, desk.id)
            place = await tx.conversations.find(typed.team_id, typed.channel_id, "")
            if memory is None or place is None:
                return command_lines.nothing_remembered(desk.id)
            strongest = replace(desk.memory, top_k=command_lines.MEMORIES_TOLD, noise_scale=0.0)
            here = (Place(place.audience, place.channel_id),)
            found = await tx.memories.retrieve(memory.id, Query(), strongest, here)
        return command_lines.remembered(desk.id, found)

    async def _policy(self, typed: Typed, _rest: str) -> Body:
        desk = self._here(typed)
        if desk is None:
            return lines.unbound(typed.channel_id)
        return command_lines.policy(desk, self._policies.current().revision)

    async def _reloads(self, _typed: Typed, _rest: str) -> Body:
        done = await self._reload()
        if isinstance(done, KeptOld):
            return command_lines.config_refused(done.problems, done.revision, PROBLEMS_TOLD)
        return command_lines.config_taken(done.revision, done.changes, done.warnings)

    async def _mute(self, typed: Typed, _rest: str) -> Body:
        async with self._work.begin() as tx:
            place = await tx.conversations.find(typed.team_id, typed.channel_id, "")
            if place is None:
                return command_lines.nothing_to_mute()
            await tx.conversations.lock([place.id])
            await tx.conversations.set_muted(place.id, muted=True)
        return command_lines.muted_channel()


def _may_not_ask(typed: Typed, person: PersonFacts, desk: DeskConfig) -> NoCrossingReason | None:
    """Why this desk takes no question of this person; None where it does."""
    asker = Asker(
        typed.user_id,
        guest=person.guest or not person.known,
        stranger=person.stranger,
        deactivated=person.deactivated,
    )
    return may_ask(asker, desk.answers_to)


def _unknown(word: str) -> Body:
    if word in IN_THREADS:
        return command_lines.in_threads(word)
    known = [command.word for command in COMMANDS]
    near = get_close_matches(word, known, n=1)
    return command_lines.unknown_command(one_line(word)[:40], near[0] if near else "")


__all__ = ["Command", "Commanding", "Typed", "Voice"]
