"""What has to be known before routing can decide? Found out between transactions, never inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from hivebot.errors import HivebotError
from hivebot.hive.crossing import Asker
from hivebot.services.ports import ChannelFacts, PersonFacts, RightsDirectory, UnitOfWork


@dataclass(frozen=True, slots=True)
class Place:
    """A desk channel whose conversation row must exist.

    Attributes:
        held: The pass will append there, so it is locked from its next start.
    """

    team_id: str
    channel_id: str
    desk_id: str
    held: bool = False


class MissingError(HivebotError):
    """The pass has met something it does not know yet; it starts again once that is known.

    Attributes:
        conversation_id: A conversation to lock with the others, in id order.
        person: (team id, user id) to look up.
        anew: The person is asked about in the moment, whatever was believed of them before.
        places: Channels to look up anew, whose conversation rows are made if absent.
    """

    code: ClassVar[str] = "routing_missing"

    def __init__(
        self,
        *,
        conversation_id: int | None = None,
        person: tuple[str, str] | None = None,
        anew: bool = False,
        places: tuple[Place, ...] = (),
    ) -> None:
        super().__init__("a fact is missing")
        self.conversation_id = conversation_id
        self.person = person
        self.anew = anew
        self.places = places


@dataclass(slots=True)
class Facts:
    """What one run of routing has found out so far.

    Attributes:
        asked_anew: People whose facts are of this run, and not of a moment before it.
    """

    lock: set[int] = field(default_factory=set[int])
    people: dict[str, PersonFacts] = field(default_factory=dict[str, PersonFacts])
    asked_anew: set[str] = field(default_factory=set[str])
    channels: dict[str, ChannelFacts | None] = field(default_factory=dict[str, ChannelFacts | None])

    def person(self, team_id: str, user_id: str) -> PersonFacts:
        """Facts of a person.

        Raises:
            MissingError: they have not been looked up yet.
        """
        if user_id not in self.people:
            raise MissingError(person=(team_id, user_id))
        return self.people[user_id]

    def person_now(self, team_id: str, user_id: str) -> PersonFacts:
        """Facts of a person in this moment: for what a right hangs on.

        Raises:
            MissingError: they have not been asked for in this run yet.
        """
        if user_id not in self.asked_anew:
            raise MissingError(person=(team_id, user_id), anew=True)
        return self.people[user_id]

    def channel(self, place: Place) -> ChannelFacts | None:
        """Facts of a desk's channel in this run; its conversation row exists from then on.

        Raises:
            MissingError: it has not been looked up yet.
        """
        self.need(place)
        return self.channels[place.channel_id]

    def need(self, *places: Place) -> None:
        """Channels that will be asked for; what is missing of them is found out together.

        Raises:
            MissingError: one has not been looked up yet.
        """
        missing = tuple(place for place in places if place.channel_id not in self.channels)
        if missing:
            raise MissingError(places=missing)

    async def gather(
        self, missing: MissingError, work: UnitOfWork, directory: RightsDirectory
    ) -> None:
        """Find out what was missing."""
        if missing.conversation_id is not None:
            self.lock.add(missing.conversation_id)
        if missing.person is not None:
            team_id, user_id = missing.person
            if missing.anew:
                directory.forget_person(team_id, user_id)
                self.asked_anew.add(user_id)
            self.people[user_id] = await directory.person(team_id, user_id)
        for place in missing.places:
            await self._place(place, work, directory)

    async def _place(self, place: Place, work: UnitOfWork, directory: RightsDirectory) -> None:
        directory.forget_channel(place.team_id, place.channel_id)
        facts = await directory.channel(place.team_id, place.channel_id)
        self.channels[place.channel_id] = facts
        if facts is None:
            return
        async with work.begin() as tx:
            row = await tx.conversations.ensure(
                place.team_id,
                place.channel_id,
                "",
                desk_id=place.desk_id,
                audience=facts.audience,
                root_seq=None,
            )
        if place.held:
            self.lock.add(row.id)


def asker_of(facts: PersonFacts, home_team_id: str, seen_team_id: str) -> Asker:
    """The asking person; somebody Slack says nothing about counts as a guest.

    Args:
        facts: What Slack says now.
        home_team_id: The installation's team.
        seen_team_id: The team the event named, "" when it named none.
    """
    foreign = bool(seen_team_id) and seen_team_id != home_team_id
    return Asker(
        user_id=facts.user_id,
        guest=facts.guest or not facts.known,
        stranger=facts.stranger or foreign,
        deactivated=facts.deactivated,
    )
