"""Does a room of the simulator go as the worked ones of the contract?"""

from __future__ import annotations

from collections import Counter
from textwrap import dedent

import pytest

from hivebot.bench.arms import RoomRun, vote
from hivebot.bench.deliberation import Episode, deliberate
from hivebot.bench.ladder import PLACE, Router
from hivebot.bench.participant import seat_all
from hivebot.bench.policies import DEFERRING, policy_of
from hivebot.bench.reading import RULED_OUT
from hivebot.bench.rooms import HiddenProfile, Layout, Room, Uniform
from hivebot.hive.trace import resolve

HIDDEN = Layout(noise=50, shape=HiddenProfile())


def episode(
    index: int, arm: str, layout: Layout | None = None, *, evidence_first: bool = False
) -> tuple[Room, Episode]:
    run = RoomRun(layout=layout or Layout(shape=Uniform()), evidence_first=evidence_first)
    room = run.room(index)
    manner = run.manner(1 if arm in DEFERRING else 0)
    return room, deliberate(seat_all(room, manner), policy_of(arm, run.plus(), 1), PLACE)


def transcript(ended: Episode) -> str:
    lines: list[str] = []
    for said in ended.said:
        turn, message = said.turn, said.message
        moves = resolve(message.content, None, message.author, message.sequence)
        words = ["(prose)"]
        for move in moves:
            words = [move.kind.value]
            words += [] if move.topic is None else [f"#{move.topic}"]
            words += [] if move.target is None else [f">{move.target}"]
            words += [f"^{cited}" for cited in move.cites]
            words += ["(rules out)"] if RULED_OUT in move.text else []
        place = ended.members.index(turn.agent_id)
        head = [message.sequence, place, turn.reason, turn.phase, turn.visibility]
        lines.append(" ".join(map(str, [*head, *words])))
    return "\n".join(lines)


def written(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in dedent(text).strip().split("\n"))


def test_a_room_whose_members_change_their_minds_converges_late() -> None:
    room, ended = episode(19, "hive+")
    assert (room.best, ended.ending, ended.decision) == ("revert", "converged", "revert")
    assert transcript(ended) == written("""
         2 0 salience  deliberate blind propose #shadow
         3 1 salience  deliberate blind propose #revert
         4 2 dissent   deliberate blind propose #shadow
         5 3 salience  deliberate blind propose #ship
         6 4 salience  deliberate blind (prose)
         7 0 salience  deliberate full  evidence ^2
         8 1 quiet     deliberate full  object >4 ^3
         9 2 addressed deliberate full  support #revert ^3
        10 1 addressed deliberate full  object >5 ^3
        11 3 addressed deliberate full  support #ship ^5
        12 2 addressed deliberate full  evidence ^2
        13 0 addressed deliberate full  support #revert ^3
        14 3 addressed commit     full  commit #revert ^3
    """)


def test_two_blind_camps_deadlock_under_the_default_policy() -> None:
    room, ended = episode(1, "hive")
    assert (room.best, ended.ending, ended.decision) == ("ship", "deadlocked", None)
    assert transcript(ended) == written("""
        2 0 salience  deliberate blind propose #shadow
        3 1 salience  deliberate blind propose #ship
        4 2 dissent   deliberate blind propose #ship
        5 3 salience  commit     blind propose #shadow
        6 4 dissent   commit     blind propose #shadow
    """)


def test_a_hidden_profile_opens_with_evidence_defers_and_still_goes_wrong() -> None:
    room, ended = episode(3, "hive+dir+defer", HIDDEN, evidence_first=True)
    assert (room.best, ended.ending, ended.decision) == ("shadow", "converged", "ship")
    assert transcript(ended) == written("""
         2 0 salience  deliberate blind evidence #ship
         3 1 salience  deliberate blind evidence #ship
         4 2 salience  deliberate blind evidence #ship
         5 3 salience  deliberate blind evidence #ship (rules out)
         6 4 salience  deliberate blind evidence #ship
         7 0 salience  deliberate full  propose #ship
         8 4 knows     deliberate full  support #ship ^2
         9 0 addressed deliberate full  defer #ship
        10 0 addressed deliberate full  evidence ^7
        11 1 quiet     deliberate full  support #ship ^2
        12 2 salience  commit     full  commit #ship ^7
    """)


def test_refutations_thin_out_what_a_room_can_agree_on() -> None:
    room, ended = episode(4, "hive+ref")
    assert (room.best, ended.ending, ended.decision) == ("revert", "converged", "revert")
    assert transcript(ended) == written("""
         2 0 salience  deliberate blind propose #ship
         3 1 salience  deliberate blind propose #ship
         4 2 salience  deliberate blind propose #revert
         5 3 salience  deliberate blind propose #shadow
         6 4 salience  deliberate blind propose #revert
         7 3 dissent   deliberate full  refute #ship ^2
         8 0 addressed deliberate full  refute #revert ^4
         9 2 addressed deliberate full  refute #ship ^2
        10 0 addressed deliberate full  refute #shadow ^5
        11 2 addressed deliberate full  refute #shadow ^5
        12 3 addressed deliberate full  support #revert ^4
        13 0 addressed commit     full  commit #revert ^4
    """)


GOLDEN = """
    0 revert 4 revert | converged revert 6 | converged revert 6 | 2 1 1 1 1
    1 ship 3 shadow | deadlocked None 5 | converged shadow 6 | 2 1 1 1 1
    2 revert 0 revert | converged revert 6 | converged revert 6 | 2 1 1 1 1
    3 shadow 0 shadow | converged shadow 6 | converged shadow 6 | 2 1 1 1 1
    4 revert 1 revert | converged revert 7 | converged revert 7 | 1 1 2 2 1
    5 revert 3 revert | converged shadow 6 | converged shadow 8 | 2 1 2 1 2
    6 ship 3 ship | converged shadow 6 | converged shadow 10 | 3 2 2 2 1
    7 revert 1 ship | converged shadow 7 | converged ship 8 | 2 2 2 1 1
    8 revert 0 revert | converged revert 6 | converged revert 6 | 2 1 1 1 1
    9 revert 2 revert | converged revert 6 | converged revert 6 | 2 1 1 1 1
    10 stage 0 stage | converged stage 7 | converged stage 7 | 1 2 2 1 1
    11 revert 0 revert | converged revert 6 | converged revert 6 | 2 1 1 1 1
    12 ship 4 ship | converged shadow 6 | converged ship 10 | 2 2 1 3 2
    13 revert 0 revert | converged revert 6 | converged revert 6 | 2 1 1 1 1
    14 revert 4 revert | converged revert 6 | converged revert 6 | 2 1 1 1 1
    15 ship 3 ship | converged ship 6 | converged ship 6 | 2 1 1 1 1
    16 shadow 0 shadow | converged shadow 7 | converged shadow 7 | 2 2 1 1 1
    17 ship 3 stage | converged ship 7 | converged ship 7 | 2 2 1 1 1
    18 ship 2 shadow | converged shadow 6 | converged shadow 7 | 2 1 2 1 1
    19 revert 3 revert | converged shadow 6 | converged revert 13 | 3 3 3 3 1
"""


@pytest.mark.parametrize("line", [line.strip() for line in GOLDEN.strip().split("\n")])
def test_each_of_the_first_twenty_rooms_goes_as_in_the_contract(line: str) -> None:
    index = int(line.split(maxsplit=1)[0])
    room, plain = episode(index, "hive")
    _, tuned = episode(index, "hive+")
    seat = Router([seat.id for seat in room.seats]).draw(room.seed)
    turns = Counter(said.turn.agent_id for said in tuned.said)
    speech = " ".join(str(turns[member]) for member in tuned.members)
    endings = [f"{one.ending} {one.decision} {len(one.said)}" for one in (plain, tuned)]
    ours = f"{index} {room.best} {seat} {vote(room, 15)} | {endings[0]} | {endings[1]} | {speech}"
    assert ours == line
