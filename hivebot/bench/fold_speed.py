"""How long does each fold take on a transcript of a given length?

Timings are of this machine: they are printed and never compared. What the store adds is measured
elsewhere, once there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from hivebot.hive.attention import bids
from hivebot.hive.conversation import AgentAuthor, Conversation, DispatchConversation
from hivebot.hive.desk import Desk, DeskSet
from hivebot.hive.directory import DirectoryPolicy, directory
from hivebot.hive.dispatch import DispatchKey
from hivebot.hive.episode import EpisodePolicy, EpisodeState, examine_live, step
from hivebot.hive.mention import MentionedByAgent, resolve
from hivebot.hive.quorum import QuorumPolicy, standings
from hivebot.hive.referral import Reach, ReferralInput, ReferralPolicy, referral
from hivebot.hive.roster import Member, Roster
from hivebot.hive.trace import read
from hivebot.hive.transcript import SessionMessage

LENGTHS: Final = (10, 100, 1_000, 10_000)
"""Messages of the transcripts."""

_LEAST_S: Final = 0.05
_MEMBERS: Final = ("planner", "critic", "archivist", "scout", "auditor")
_OTHERS: Final = ("builder", "reviewer")
_OPTIONS: Final = ("stage", "ship", "revert", "shadow")
_PLACE: Final = Conversation("bench", "Bench")
# nobody can be agreed with by six of five, so that no length ends before the market
_POLICY: Final = EpisodePolicy(
    turn_budget=2**31, directory=DirectoryPolicy(), quorum=QuorumPolicy(threshold=6)
)
_CROSSING: Final = ReferralPolicy(enabled=True, max_hops=2, reach=Reach.DESKS, returns=True)
_QUESTION: Final = "We looked at `the log` first. @#platform what did you see in yours?"


@dataclass(frozen=True, slots=True)
class Speed:
    """How long one fold takes.

    Attributes:
        fold: Its name.
        micros: Microseconds a call, one for each of the lengths.
    """

    fold: str
    micros: tuple[float, ...]


def measure(lengths: Sequence[int] = LENGTHS, least_s: float = _LEAST_S) -> tuple[Speed, ...]:
    """Time every fold at every length.

    Args:
        lengths: Messages of the transcripts.
        least_s: For how long at least each fold is repeated.
    """
    columns = [_folds(length) for length in lengths]
    return tuple(
        Speed(fold, tuple(_micros(column[fold], least_s) for column in columns))
        for fold in columns[0]
    )


def transcript(length: int) -> tuple[SessionMessage, ...]:
    """Write a deliberation of five members that goes round and round."""
    return tuple(_message(sequence) for sequence in range(1, length + 1))


def _message(sequence: int) -> SessionMessage:
    member = _MEMBERS[sequence % len(_MEMBERS)]
    option = _OPTIONS[sequence // 2 % len(_OPTIONS)]
    before, earlier = max(1, sequence - 2), max(1, sequence - 5)
    lines = (
        f"!propose #{option} is what I would do",
        f"!evidence #{option} ^{before} as the log has it",
        f"!support #{option} ^{before} I agree",
        "Let me think about that for a moment.",
        f"!object >{earlier} ^{before} that does not follow",
        f"!question #{option} who has seen this before",
    )
    return SessionMessage(sequence, AgentAuthor(member, member), lines[sequence % len(lines)])


def _folds(length: int) -> dict[str, Callable[[], object]]:
    messages = transcript(length)
    traces = read(messages)
    at = messages[-1].sequence
    standing = standings(traces, at, _POLICY.quorum)
    roster = Roster(tuple(Member(one, one) for one in (*_MEMBERS, *_OTHERS)), (), ())
    here = Desk(_PLACE.desk_id, _PLACE.desk_name, None, _MEMBERS)
    desks = DeskSet((here, Desk("platform", "Platform", None, _OTHERS)), (), (), (), ())
    state = EpisodeState(_PLACE, watermark=0)
    author = MentionedByAgent(_MEMBERS[0])
    reply = ReferralInput(
        key=DispatchKey(at),
        conversation=DispatchConversation(_PLACE.desk_id, None),
        author_id=author.id,
        content=_QUESTION,
        mentions=resolve(_QUESTION, None, author, roster, desks),
        hop=0,
    )
    return {
        "step": lambda: step(state, messages, roster, desks, _POLICY),
        "step, traces kept": lambda: examine_live(state, messages, traces, _MEMBERS, _POLICY),
        "standings": lambda: standings(traces, at, _POLICY.quorum),
        "bids": lambda: bids(
            traces,
            standing,
            _MEMBERS,
            (),
            at=at,
            weights=_POLICY.weights,
            dominance_cap=_POLICY.dominance_cap,
            repetition_cap=_POLICY.repetition_cap,
            quorum=_POLICY.quorum,
        ),
        "directory": lambda: directory(traces, at, DirectoryPolicy(), ()),
        "referral": lambda: referral(_CROSSING, reply, roster, desks),
        "mention": lambda: resolve(_QUESTION, None, author, roster, desks),
    }


def _micros(fold: Callable[[], object], least_s: float) -> float:
    """Give the microseconds a call takes, averaged over at least so many seconds."""
    fold()
    calls, started = 0, perf_counter()
    while True:
        fold()
        calls += 1
        elapsed_s = perf_counter() - started
        if elapsed_s >= least_s:
            return elapsed_s / calls * 1e6
