"""In which order do the desks of a federation speak, ask and answer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hivebot.bench.federation.hall import Hall, Letter, Posting, Switchboard
from hivebot.hive.episode import HiveTurn, Speak


@dataclass(frozen=True, slots=True)
class Crossing:
    """How the desks of a federation may reach each other.

    Attributes:
        on_floor: Whether turns of the floor are spent on asking every other desk once.
        ask_cap: Questions a desk may ask without spending a turn.
        digest: Times a desk states its readings to everybody.
    """

    on_floor: bool = False
    ask_cap: int = 0
    digest: int = 0


@dataclass(slots=True)
class Traffic:
    """What the desks of a federation wrote.

    Attributes:
        turns: Messages of agents, digests and questions off the floor apart.
        crossings: Questions and answers that went on their way, and digests that arrived.
        stranded: Letters for desks that had finished.
        asks: Questions off the floor.
        digests: Statements to everybody.
    """

    turns: int = 0
    crossings: int = 0
    stranded: int = 0
    asks: int = 0
    digests: int = 0


class Scheduler:
    """Passes over the desks in order until a pass does nothing.

    Source: bench.md sections 8 and 9.
    """

    def __init__(self, halls: Sequence[Hall], switchboard: Switchboard, crossing: Crossing) -> None:
        self.traffic = Traffic()
        self._halls = {hall.id: hall for hall in halls}
        self._switchboard = switchboard
        self._crossing = crossing
        self._peers = len(halls) - 1

    def run(self) -> Traffic:
        """Run the federation to its end."""
        halls = tuple(self._halls.values())
        moved = len(halls)
        while moved:
            moved = sum(self._move(hall) for hall in halls)
        return self.traffic

    def _move(self, hall: Hall) -> bool:
        """Let one desk do one thing; the first that is due.

        1. A finished desk drops its post.
        2. The oldest letter is delivered.
        3. A digest is published.
        4. A question is asked off the floor.
        5. The deliberation takes a step.
        """
        if hall.outcome is not None:
            self.traffic.stranded += len(hall.post)
            hall.post.clear()
            return False
        for due in self._rules:
            if due(hall):
                break
        return True

    @property
    def _rules(self) -> tuple[Callable[[Hall], bool], ...]:
        return self._deliver, self._publish, self._ask_aside, self._step

    def _deliver(self, hall: Hall) -> bool:
        if not hall.post:
            return False
        self._write(hall, hall.reply(hall.post.popleft()))
        self.traffic.turns += 1
        return True

    def _publish(self, hall: Hall) -> bool:
        if hall.published >= self._crossing.digest:
            return False
        member = hall.members[hall.published % len(hall.members)]
        statement = hall.state(member)
        hall.published += 1
        for other in self._halls.values():
            if other is not hall:
                other.desk.write(member.author, statement.text)
                other.absorb((statement,))
        self.traffic.digests += 1
        self.traffic.crossings += self._peers
        return True

    def _ask_aside(self, hall: Hall) -> bool:
        if hall.asked >= min(self._crossing.ask_cap, self._peers):
            return False
        member = hall.members[hall.asked % len(hall.members)]
        self._write(hall, hall.question(member))
        self.traffic.asks += 1
        return True

    def _step(self, hall: Hall) -> bool:
        examined = hall.desk.examine()
        if not isinstance(examined.step, Speak):
            hall.outcome = hall.desk.finish(examined.step)
            return True
        turn = examined.step.turn
        if self._crossing.on_floor and hall.asked < self._peers:
            self._ask(hall, turn)
        else:
            hall.desk.record(turn, hall.desk.compose(turn, examined))
        self.traffic.turns += 1
        return True

    def _ask(self, hall: Hall, turn: HiveTurn) -> None:
        posting = hall.question(hall.desk.participant(turn.agent_id))
        message = hall.desk.record(turn, posting.text)
        self._send(hall, posting, message.sequence)

    def _write(self, hall: Hall, posting: Posting) -> None:
        """Append a message that is no turn, let the desk absorb it, and send it where it is due."""
        message = hall.desk.write(posting.author.author, posting.text)
        self._send(hall, posting, message.sequence)
        hall.absorb(posting.statements)

    def _send(self, hall: Hall, posting: Posting, sequence: int) -> None:
        """Put a message into the post of the desk it owes a turn on, if any.

        An answer takes home only what its own desk thinks.
        """
        due = self._switchboard.judge(hall.id, posting, sequence)
        if due is not None:
            letter = Letter(due, posting.statements[-1:])
            self._halls[due.to_conversation.desk_id].post.append(letter)
            self.traffic.crossings += 1
