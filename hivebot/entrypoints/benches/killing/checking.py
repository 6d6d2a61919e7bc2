"""Was anything lost, doubled or left undone? Pure.

Source: product.md 1, datapath.md 2 to 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hivebot.entrypoints.benches.killing.looking import Found, Thread
from hivebot.entrypoints.benches.killing.plan import IN_THREAD
from hivebot.services.audit import Compared

FAILURE_MARK = "(no answer"
"""How a line begins that says why there is no answer."""

_DONE: Mapping[str, frozenset[str]] = {
    "turn": frozenset({"committed", "failed", "cancelled"}),
    "post": frozenset({"sent", "cancelled"}),
    "referral": frozenset({"answered", "refused", "failed", "expired"}),
    "decision": frozenset({"ended"}),
    "job": frozenset({"succeeded", "aborted", "cancelled"}),
}
"""How each kind of row may end in a run in which Slack refuses nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold, and where it does not."""

    claim: str
    broken: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether it holds everywhere."""
        return not self.broken


def checks(found: Found) -> tuple[Check, ...]:
    """Everything that must hold after a run, in the order in which it is said."""
    return (
        Check(
            "every question that arrived has exactly one answer or one line that says why not",
            tuple(_wrong_threads(found)),
        ),
        Check("no post stands twice", tuple(found.doubled)),
        Check("nothing is stuck on its way", tuple(_unfinished(found.states))),
        Check(
            "every conversation is numbered 1, 2, 3 …",
            tuple(f"conversation {one}" for one in found.gaps),
        ),
        Check("no turn was written twice", tuple(f"turn {one}" for one in found.spoken_twice)),
        Check(
            "every deliberation comes out again as it is recorded",
            _replayed(found.replays),
        ),
        Check(
            "no event was lost but to a process or a database that was down at each of four tries",
            tuple(f"event {one}" for one in found.unheard),
        ),
    )


def failure_lines(threads: Sequence[Thread]) -> int:
    """How many questions got a line that says why there is no answer."""
    return sum(any(said.startswith(FAILURE_MARK) for said in one.said) for one in threads)


def _wrong_threads(found: Found) -> Iterator[str]:
    for one in found.threads:
        wanted = 0 if one.ts in found.given_up else IN_THREAD[one.question.kind]
        if len(one.said) != wanted:
            kind = one.question.kind.value
            yield (
                f"number {one.question.number} ({kind}, {one.ts}) has {len(one.said)} of {wanted}"
            )


def _unfinished(states: Mapping[tuple[str, str], int]) -> Iterator[str]:
    for (what, state), count in sorted(states.items()):
        if state not in _DONE[what]:
            yield f"{count} {what}{'' if count == 1 else 's'} {state}"


def _replayed(replays: Mapping[Compared, int]) -> tuple[str, ...]:
    different = replays.get(Compared.DIFFERENT, 0)
    return (f"{different} came out differently",) if different else ()
