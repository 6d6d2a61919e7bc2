"""What does one member believe, and what has it heard?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from hivebot.bench.chance import Stream
from hivebot.bench.names import Role
from hivebot.bench.rooms import Room, Seat
from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.scalars import truncating_div

PROSE_PER_MILLE: Final = 60
"""How often in a thousand turns a member rambles instead of moving."""

SOCIAL: Final = 25
"""What one other supporter adds to an option."""

GROUNDS: Final = 45
"""What one refutation takes off an option."""

CONCESSION: Final = 60
"""By how much an option may be worse and still be let through."""

_Worth = TypeVar("_Worth", int, tuple[int, int])


@dataclass(frozen=True, slots=True)
class Manner:
    """How the members of a run weigh and speak.

    Attributes:
        evidence_first: Whether a member deposits what it alone knows before it proposes.
        defer_cap: Deferrals a member may make.
        grounds: What one refutation takes off an option.
        readings_refute: Whether any evidence on an option counts against it, as it once did.

    Source: bench.md sections 3 and 5.
    """

    evidence_first: bool = False
    defer_cap: int = 0
    grounds: int = GROUNDS
    readings_refute: bool = False


class Hearsay:
    """What was heard from elsewhere: readings of options, and options that are out.

    The members of one desk hear the same, so they share one of these.
    """

    __slots__ = ("_counts", "_sums", "revision", "ruled_out")

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self.ruled_out: set[str] = set()
        self.revision = 0

    def import_readings(self, readings: Mapping[str, int]) -> None:
        """Take in what somebody else thinks of some options."""
        for option, value in readings.items():
            self._sums[option] = self._sums.get(option, 0) + value
            self._counts[option] = self._counts.get(option, 0) + 1
        self.revision += 1

    def learn(self, facts: Iterable[str]) -> None:
        """Take in that some options are out; once each."""
        self.ruled_out.update(facts)
        self.revision += 1

    def average(self, option: str, own: int) -> int:
        """Give the mean of an own evaluation and all readings, cut toward zero."""
        count = self._counts.get(option)
        return own if count is None else truncating_div(own + self._sums[option], count + 1)


class Participant:
    """One member of one episode: a copy of a seat, with what it has heard and done.

    Source: bench.md section 5.
    """

    __slots__ = (
        "_favourite",
        "_prose",
        "_revision",
        "_scores",
        "author",
        "cost",
        "defers_used",
        "elsewhere",
        "evaluations",
        "hearsay",
        "id",
        "is_critic",
        "manner",
        "refutes",
        "specialty",
    )

    def __init__(
        self,
        seat: Seat,
        options: Sequence[str],
        manner: Manner,
        *,
        hearsay: Hearsay | None = None,
        prose_seed: int | None = None,
    ) -> None:
        self.id = seat.id
        self.author = AgentAuthor(seat.id, seat.id)
        self.is_critic = seat.role is Role.CRITIC
        self.evaluations = dict(zip(options, seat.evaluations, strict=True))
        self.specialty = seat.specialty
        self.elsewhere = seat.elsewhere
        self.refutes = seat.refutes
        self.cost = seat.cost
        self.manner = manner
        self.hearsay = hearsay or Hearsay()
        self.defers_used = 0
        self._prose = Stream(seat.prose_seed if prose_seed is None else prose_seed)
        self._revision = 0
        self._scores = self.evaluations
        self._favourite = last_best(self.evaluations)

    def rambles(self) -> bool:
        """Draw whether this turn holds nothing but prose; once for each composed turn."""
        return self._prose.chance(PROSE_PER_MILLE)

    @property
    def scores(self) -> dict[str, int]:
        """What each option is worth to the member now, in option order."""
        if self._revision != self.hearsay.revision:
            self._weigh()
        return self._scores

    @property
    def favourite(self) -> str:
        """The option of the highest score, the last on ties."""
        if self._revision != self.hearsay.revision:
            self._weigh()
        return self._favourite

    def _weigh(self) -> None:
        heard = self.hearsay
        self._revision = heard.revision
        self._scores = {
            option: heard.average(option, own)
            - (self.manner.grounds if option in heard.ruled_out else 0)
            for option, own in self.evaluations.items()
        }
        self._favourite = last_best(self._scores)


def last_best(worths: dict[str, _Worth]) -> str:
    """Give the option that is worth most, the last on ties; there is at least one."""
    return max(reversed(worths), key=worths.__getitem__)


def seat_all(room: Room, manner: Manner) -> tuple[Participant, ...]:
    """Seat fresh copies of a room's members."""
    return tuple(Participant(seat, room.options, manner) for seat in room.seats)
