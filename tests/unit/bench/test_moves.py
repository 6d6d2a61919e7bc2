"""Does a member say what its rules tell it to?"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from hivebot.bench.moves import PROSE, Floor, compose
from hivebot.bench.names import Role
from hivebot.bench.participant import Manner, Participant
from hivebot.bench.reading import RULED_OUT, Reading
from hivebot.bench.rooms import Seat
from hivebot.hive.conversation import AgentAuthor, OperatorAuthor
from hivebot.hive.quorum import QuorumPolicy, standings
from hivebot.hive.trace import Trace, resolve

OPTIONS = ("stage", "ship", "revert")
ME = "planner"
TALKATIVE = 1
"""A seed of prose whose first draw is no rambling."""


@dataclass(frozen=True, slots=True)
class Person:
    """What differs from a plain member."""

    evaluations: tuple[int, int, int] = (0, 50, 100)
    role: Role = Role.PROPOSER
    manner: Manner = field(default_factory=Manner)
    specialty: str | None = None
    elsewhere: frozenset[str] = frozenset()
    refutes: str | None = None


PLAIN = Person()
QUORUM = QuorumPolicy(threshold=3, window=100)


def traces(*lines: str) -> list[Trace]:
    """Read lines written as `author: text`, numbered from 2."""
    read: list[Trace] = []
    for sequence, line in enumerate(lines, start=2):
        name, _, text = line.partition(": ")
        author = OperatorAuthor() if name == "operator" else AgentAuthor(name, name)
        read.extend(resolve(text, None, author, sequence))
    return read


def says(
    *lines: str,
    person: Person = PLAIN,
    blind: bool = False,
    committing: bool = False,
    quorum: QuorumPolicy = QUORUM,
) -> str:
    """Compose one turn and give it without its free words."""
    seat = Seat(
        ME,
        person.role,
        TALKATIVE,
        person.evaluations,
        specialty=person.specialty,
        elsewhere=person.elsewhere,
        refutes=person.refutes,
    )
    read = traces(*lines)
    member = Participant(seat, OPTIONS, person.manner)
    reading = Reading(
        ME,
        read,
        standings(read, len(lines) + 1, quorum),
        readings_refute=person.manner.readings_refute,
    )
    text = compose(member, reading, Floor(blind=blind, committing=committing, quorum=quorum))
    words = [word for word in text.split() if word[0] in "!#>^"]
    return " ".join(words) + (" (out)" if RULED_OUT in text else "")


def test_a_member_proposes_its_favourite_where_nothing_was_said() -> None:
    assert says() == "!propose #revert"


def test_a_rambling_turn_holds_no_marker() -> None:
    seat = Seat(ME, Role.PROPOSER, 0, (0, 50, 100))
    member = Participant(seat, OPTIONS, Manner())
    floor = Floor(blind=False, committing=False, quorum=QUORUM)
    said = {compose(member, Reading(ME, (), ()), floor) for _ in range(200)}
    assert PROSE in said
    assert len(said) == 2


FIRST = Manner(evidence_first=True)


@pytest.mark.parametrize(
    ("person", "line"),
    [
        (Person(manner=FIRST), "!evidence #revert"),
        (Person(manner=FIRST, specialty="ship"), "!evidence #ship"),
        (Person(manner=FIRST, specialty="ship", refutes="ship"), "!evidence #ship (out)"),
    ],
)
def test_evidence_first_opens_with_what_the_member_alone_knows(person: Person, line: str) -> None:
    assert says(person=person, blind=True) == line


def test_evidence_first_is_given_once_and_only_while_blind() -> None:
    person = Person(manner=FIRST)
    assert says(f"{ME}: !evidence #revert", person=person, blind=True) == "!propose #revert"
    assert says(person=person) == "!propose #revert"


CAPPED = QuorumPolicy(threshold=3, window=100, refutation_cap=2)


def test_under_a_cap_a_member_refutes_the_most_supported_of_what_is_much_worse() -> None:
    lines = ("a: !propose #stage", "b: !propose #ship", "c: !propose #revert")
    assert says(*lines, quorum=CAPPED) == "!refute #stage ^2"
    own = (*lines, f"{ME}: !evidence ^4")
    assert says(*own, quorum=CAPPED) == "!refute #stage ^5"
    assert says(*own, f"{ME}: !refute #stage ^5", quorum=CAPPED) == "!support #revert ^4"


def test_a_refutation_needs_grounds_and_a_cap_within_bounds() -> None:
    supported = ("a: !support #stage ^1",)
    assert says(*supported, quorum=CAPPED) == "!propose #revert"
    wide = QuorumPolicy(threshold=3, window=100, refutation_cap=257)
    assert says("a: !propose #stage", quorum=wide) == "!support #stage ^2"


def test_a_fact_is_stated_once_its_option_was_proposed() -> None:
    knowing = Person(refutes="stage")
    assert says("a: !propose #stage", person=knowing) == "!evidence #stage ^2 (out)"
    assert says("a: !propose #ship", person=knowing) == "!support #ship ^2"


TIED = (
    "a: !propose #revert",
    "b: !support #revert ^2",
    "c: !support #revert ^2",
    "a: !propose #stage",
    "b: !support #stage ^5",
    "c: !support #stage ^5",
)


def test_of_two_that_are_carried_the_worse_is_objected_to() -> None:
    assert says(*TIED) == "!object >5 ^2"


def test_equally_good_ones_are_left_alone() -> None:
    even = Person(evaluations=(100, 0, 100))
    assert says(*TIED, person=even) == "!support #stage ^5"


def test_nobody_objects_to_its_own_advocacy_nor_without_a_proposal_of_the_better() -> None:
    alone = QuorumPolicy(threshold=1, window=100)
    lines = (f"{ME}: !propose #stage", "a: !propose #revert")
    assert says(*lines, quorum=alone) == "!support #revert ^3"
    unproposed = ("a: !support #revert ^1", "b: !propose #stage")
    assert says(*unproposed, quorum=alone) == "!support #stage ^3"


def test_in_the_commit_phase_the_most_backed_proposal_is_committed_to() -> None:
    lines = ("a: !propose #revert", "b: !propose #stage", "c: !support #stage ^3")
    assert says(*lines, committing=True) == "!commit #stage ^3"
    assert says(committing=True) == "!propose #revert"


def test_evidence_first_lets_a_member_propose_what_nobody_made() -> None:
    person = Person(manner=FIRST)
    assert says("a: !propose #stage", person=person) == "!propose #revert"
    assert says("a: !propose #revert", person=person) == "!support #revert ^2"


def test_evidence_first_cites_what_somebody_else_stated() -> None:
    person = Person(manner=FIRST)
    lines = (f"{ME}: !evidence #revert", "a: !evidence #revert", "b: !propose #revert")
    assert says(*lines, person=person) == "!support #revert ^3"


def test_others_support_and_facts_shift_what_is_best() -> None:
    close = Person(evaluations=(90, 0, 100))
    lines = ("a: !propose #revert", "b: !propose #stage")
    assert says(*lines, person=close) == "!support #revert ^2"
    assert says(*lines, "c: !support #stage ^3", person=close) == "!support #stage ^3"
    ruled_out = f"c: !evidence #revert {RULED_OUT}"
    assert says(*lines, ruled_out, person=close) == "!support #stage ^3"
    assert says(*lines, "c: !evidence #revert", person=close) == "!support #revert ^2"
    older = Person(evaluations=(90, 0, 100), manner=Manner(readings_refute=True))
    assert says(*lines, "c: !evidence #revert", person=older) == "!support #stage ^3"


def test_a_quorum_is_closed_unless_that_gives_up_too_much() -> None:
    lines = (f"{ME}: !propose #revert", "a: !propose #ship", "b: !support #ship ^3")
    assert says(*lines) == "!support #ship ^3"
    far = Person(evaluations=(0, -50, 200))
    assert says(*lines, person=far) == "!evidence ^2"


def test_a_member_defers_no_more_often_than_its_cap() -> None:
    lines = (f"{ME}: !propose #revert", "a: !propose #ship", "b: !propose #stage")
    deferring = Person(manner=Manner(defer_cap=1), elsewhere=frozenset({"ship", "stage"}))
    assert says(*lines, person=deferring) == "!defer #stage"
    assert says(*lines, person=Person(elsewhere=frozenset({"ship"}))) == "!evidence ^2"
    own = Person(manner=Manner(defer_cap=1), elsewhere=frozenset({"ship"}), specialty="ship")
    assert says(*lines, person=own) == "!evidence ^2"


def test_a_critic_objects_to_the_most_backed_thing_it_likes_less() -> None:
    critic = Person(role=Role.CRITIC, evaluations=(0, -50, 300))
    lines = (f"{ME}: !propose #revert", "a: !propose #ship", "b: !propose #stage")
    assert says(*lines, person=critic) == "!object >4 ^2"
    assert says(f"{ME}: !propose #revert", person=critic) == "!evidence ^2"


def test_what_an_operator_states_rules_nothing_out() -> None:
    lines = ("a: !propose #revert", f"operator: !evidence #revert {RULED_OUT}")
    assert says(*lines) == "!support #revert ^2"
