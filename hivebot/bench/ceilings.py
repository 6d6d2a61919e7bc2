"""How good could a room be whose members looked around before it opened?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hivebot.bench.participant import Participant

UNSURE: Final = 30
"""How close its two best options must be for a member to check one."""


def pool(members: Sequence[Participant]) -> None:
    """Let every member hear what every other one thinks and knows.

    Source: bench.md section 9, hive+pooled.
    """
    for member in members:
        for other in members:
            if other is not member:
                member.hearsay.import_readings(other.evaluations)
                if other.refutes is not None:
                    member.hearsay.learn((other.refutes,))


def check_one_fact(members: Sequence[Participant]) -> None:
    """Let every member that is unsure ask one other about its best option, off the floor.

    It asks who holds a fact on that option, if anybody else does, or else its neighbour.

    Source: bench.md section 9, hive+fact with a cap of one.
    """
    for place, member in enumerate(members):
        ranked = sorted(member.scores.items(), key=_worth, reverse=True)
        (topic, best), (_, second) = ranked[:2]
        if best - second > UNSURE:
            continue
        neighbour = members[(place + 1) % len(members)]
        peer = next((one for one in members if one.refutes == topic), neighbour)
        if peer is member:
            peer = neighbour
        if peer.refutes == topic:
            member.hearsay.learn((topic,))
        else:
            member.hearsay.import_readings({topic: peer.evaluations[topic]})


def _worth(item: tuple[str, int]) -> int:
    return item[1]
