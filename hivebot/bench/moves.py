"""What does a member say on its turn?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hivebot.bench.participant import CONCESSION, SOCIAL, Participant, last_best
from hivebot.bench.reading import RULED_OUT, Reading
from hivebot.hive.quorum import QuorumPolicy, Standing
from hivebot.hive.trace import Trace

PROSE: Final = "I have nothing to add to what stands here."

_LARGEST_REFUTATION_CAP: Final = 256


@dataclass(frozen=True, slots=True)
class Floor:
    """Under what conditions a member speaks.

    Attributes:
        blind: Whether it sees no peer.
        committing: Whether the room puts an option on record.
        quorum: What the host told it about carrying an option.
    """

    blind: bool
    committing: bool
    quorum: QuorumPolicy


def compose(member: Participant, reading: Reading, floor: Floor) -> str:
    """Write one turn; the first rule that answers wins.

    0. Prose, by chance.
    1. Evidence first, in a blind turn: what it alone knows.
    2. A refutation, where the room has a cap on them.
    3. The fact it holds against an option that was proposed.
    4. An objection to the worst of several options that reached the threshold.
    5. A commitment, when the room commits.
    6. Evidence first: a proposal nobody made that beats all that were made.
    7. Support for the best proposal.
    8. Support that closes a quorum, if it is not much worse.
    9. A deferral to somebody who knows better.
    10. Its own favourite.
    11. A critic's objection to what it likes less.
    12. What it saw, or else a question.

    Source: bench.md section 5.
    """
    if member.rambles():
        return PROSE
    turn = _Turn(member, reading, floor)
    for rule in _RULES:
        line = rule(turn)
        if line is not None:
            return line
    return turn.remark()


class _Turn:
    """The rules of one turn, over one reading."""

    def __init__(self, member: Participant, reading: Reading, floor: Floor) -> None:
        self.member = member
        self.reading = reading
        self.floor = floor
        self.scores = member.scores
        self.favourite = member.favourite

    @cached_property
    def proposed(self) -> dict[str, int]:
        """What every proposal is worth by now, in order of their first being made."""
        return {option: self.posterior(option) for option in self.reading.proposals}

    def posterior(self, option: str) -> int:
        """Say what an option is worth once others' support and refutations are counted."""
        supporters = self.reading.supporters.get(option, ())
        others = len(supporters) - (self.member.id in supporters)
        against = len(self.reading.refuters.get(option, ()))
        return self.scores[option] + SOCIAL * others - self.member.manner.grounds * against

    def supports(self, option: str) -> bool:
        """Say whether the member backs an option already."""
        return self.member.id in self.reading.supporters.get(option, ())

    def open_with_evidence(self) -> str | None:
        """Rule 1."""
        member = self.member
        if not (member.manner.evidence_first and self.floor.blind):
            return None
        topic = member.refutes or member.specialty or self.favourite
        if topic in self.reading.evidenced:
            return None
        return _fact(topic) if topic == member.refutes else f"!evidence #{topic} as I read it"

    def refute(self) -> str | None:
        """Rule 2."""
        cap = self.floor.quorum.refutation_cap
        if cap is None or cap > _LARGEST_REFUTATION_CAP:
            return None
        bar = self.scores[self.favourite] - CONCESSION
        topic = _most_supported(
            standing
            for standing in self.reading.standings
            if standing.topic != self.favourite
            and standing.topic not in self.reading.refuted
            and self.scores[standing.topic] < bar
        )
        if topic is None:
            return None
        grounds = self.reading.first_evidence or self.reading.proposals.get(topic)
        return None if grounds is None else f"!refute #{topic} ^{grounds} does not hold"

    def state_fact(self) -> str | None:
        """Rule 3."""
        topic = self.member.refutes
        if topic is None or topic in self.reading.evidenced:
            return None
        proposal = self.reading.proposals.get(topic)
        return None if proposal is None else _fact(topic, proposal)

    def break_tie(self) -> str | None:
        """Rule 4."""
        threshold = self.floor.quorum.threshold
        ready = [one for one in self.reading.standings if len(one.supporters) >= threshold]
        if len(ready) < 2:
            return None
        ranked = sorted(ready, key=lambda one: self.posterior(one.topic), reverse=True)
        best, worst = ranked[0], ranked[-1]
        grounds = self.reading.proposals.get(best.topic)
        if grounds is None or self.posterior(worst.topic) >= self.posterior(best.topic):
            return None
        for trace in self.reading.advocacies:
            if trace.topic == worst.topic and trace.agent_id in worst.supporters:
                return f"!object >{trace.sequence} ^{grounds} the other one is better"
        return None

    def commit(self) -> str | None:
        """Rule 5."""
        if not (self.floor.committing and self.proposed):
            return None
        backers = self.reading.backers
        topic = last_best(
            {option: (backers(option), worth) for option, worth in self.proposed.items()}
        )
        return f"!commit #{topic} ^{self.reading.proposals[topic]} so be it"

    def propose_better(self) -> str | None:
        """Rule 6."""
        if not self.member.manner.evidence_first:
            return None
        worths = {option: self.posterior(option) for option in self.scores}
        best = last_best(worths)
        if best in self.proposed or any(worth >= worths[best] for worth in self.proposed.values()):
            return None
        return f"!propose #{best} on the evidence"

    def support_best(self) -> str | None:
        """Rule 7."""
        if not self.proposed:
            return None
        topic = last_best(self.proposed)
        if self.supports(topic):
            return None
        grounds = self.reading.proposals[topic]
        if self.member.manner.evidence_first:
            grounds = self.reading.told.get(topic, grounds)
        return f"!support #{topic} ^{grounds} I agree"

    def close(self) -> str | None:
        """Rule 8."""
        short = self.floor.quorum.threshold - 1
        closable = {
            option: worth
            for option, worth in self.proposed.items()
            if self.reading.backers(option) == short and not self.supports(option)
        }
        if not closable:
            return None
        topic = last_best(closable)
        held = [worth for option, worth in self.proposed.items() if self.supports(option)]
        if held and closable[topic] < max(held) - CONCESSION:
            return None
        return f"!support #{topic} ^{self.reading.proposals[topic]} I can live with it"

    def defer(self) -> str | None:
        """Rule 9."""
        member = self.member
        if member.defers_used >= member.manner.defer_cap:
            return None
        topic = _most_supported(
            standing
            for standing in self.reading.standings
            if standing.topic in member.elsewhere and standing.topic != member.specialty
        )
        if topic is None:
            return None
        member.defers_used += 1
        return f"!defer #{topic} somebody here knows better"

    def propose_favourite(self) -> str | None:
        """Rule 10."""
        if self.favourite in self.reading.proposals:
            return None
        return f"!propose #{self.favourite} is my choice"

    def criticise(self) -> str | None:
        """Rule 11."""
        grounds = self.reading.proposals.get(self.favourite)
        if grounds is None or not self.member.is_critic:
            return None
        bar = self.scores[self.favourite]
        rival: Trace | None = None
        most = 0
        for trace in self.reading.advocacies:
            topic = trace.topic
            if topic is None or topic == self.favourite or self.scores[topic] >= bar:
                continue
            backers = self.reading.backers(topic)
            if rival is None or backers >= most:
                rival, most = trace, backers
        return None if rival is None else f"!object >{rival.sequence} ^{grounds} I doubt it"

    def remark(self) -> str:
        """Rule 12."""
        grounds = self.reading.proposals.get(self.favourite)
        return "!question what else is there" if grounds is None else f"!evidence ^{grounds} I saw"


def _fact(topic: str, grounds: int | None = None) -> str:
    cited = "" if grounds is None else f"^{grounds} "
    return f"!evidence #{topic} {cited}{RULED_OUT}"


def _most_supported(standings: Iterable[Standing]) -> str | None:
    """Give the option with the most supporters, the last on ties."""
    best: str | None = None
    most = 0
    for standing in standings:
        if best is None or len(standing.supporters) >= most:
            best, most = standing.topic, len(standing.supporters)
    return best


_RULES: Final[tuple[Callable[[_Turn], str | None], ...]] = (
    _Turn.open_with_evidence,
    _Turn.refute,
    _Turn.state_fact,
    _Turn.break_tie,
    _Turn.commit,
    _Turn.propose_better,
    _Turn.support_best,
    _Turn.close,
    _Turn.defer,
    _Turn.propose_favourite,
    _Turn.criticise,
)
