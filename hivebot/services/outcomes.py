"""What do people see of a deliberation? The progress message, and every ending it can become.

Pure. The option's sentence is said, never only its slug. Source: turns.md 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hivebot.hive.conversation import AgentAuthor
from hivebot.hive.quorum import Standing
from hivebot.services.inert import one_line
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow
from hivebot.services.records.outgoing import Body, Button, SourceLink
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.records.replies import (
    Bearing,
    CommitTurn,
    DeliberateTurn,
    Fact,
    OpeningTurn,
    PositionTurn,
    Reply,
    Stance,
)
from hivebot.services.records.rows import MessageRow
from hivebot.services.snapshots import active_members

STOP = "episode_stop"
ANSWER_NOW = "episode_answer_now"
CHOOSE = "episode_choose"
TWO_MORE = "episode_two_more"
ASK_ANOTHER = "episode_ask_another"
AGAIN = "episode_again"
WHY = "episode_why"

OBJECTIONS_SHOWN = 3
FACTS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Spoken:
    """One committed turn of the episode: its row and what it consisted of."""

    row: MessageRow
    reply: Reply | None


@dataclass(frozen=True, slots=True)
class Debate:
    """Everything an outcome is told from.

    Attributes:
        standings: In the order the options were first advocated.
        agreed: The option a quorum stands on, "" for none.
        channel_id: Where it can be read.
        elapsed_s: Seconds since the question.
    """

    episode: EpisodeRow
    desk: DeskConfig
    configuration: Configuration
    spoken: tuple[Spoken, ...]
    standings: tuple[Standing, ...]
    agreed: str
    channel_id: str
    elapsed_s: int

    @property
    def members(self) -> tuple[str, ...]:
        """Who may speak, in desk order."""
        return active_members(self.desk, self.configuration)

    def option(self, topic: str) -> str:
        """An option's sentence, with its slug where that says something else."""
        found = next((option for option in self.episode.options if option.id == topic), None)
        if found is None:
            return topic
        if found.text.lower() == found.id.replace("-", " "):
            return found.text
        return f"{one_line(found.text)} ({found.id})"

    def name(self, agent_id: str) -> str:
        """An agent's name."""
        agent = self.configuration.agent(agent_id)
        return agent.name if agent is not None else agent_id


def again_note(episode: EpisodeRow) -> tuple[str, ...]:
    """The note of a turn whose message offers to deliberate again."""
    return (f"{AGAIN}:{episode.id}",)


def again_buttons(notes: Sequence[str]) -> tuple[Button, ...]:
    """The button such a note asks for."""
    ids = [note.removeprefix(f"{AGAIN}:") for note in notes if note.startswith(f"{AGAIN}:")]
    return tuple(Button(AGAIN, "Deliberate again with this", value) for value in ids)


def began(desk: DeskConfig, episode_id: int) -> Body:
    """The first post, which waits for nothing."""
    return Body(
        text=f"The desk #{desk.id} is looking at your question …",
        buttons=_running_buttons(episode_id),
    )


def progress(debate: Debate, speaker_id: str, *, blind: bool) -> Body:
    """Where the deliberation stands: turn, time, who speaks, what leads once it can be seen."""
    episode = debate.episode
    spent = episode.state.spent if episode.state is not None else 0
    budget = debate.desk.episode.policy.turn_budget + episode.extra_turns
    parts = [
        f"Turn {min(spent + 1, budget)} of at most {budget}",
        f"{debate.elapsed_s} s",
        f"{debate.name(speaker_id)} is speaking",
    ]
    if blind:
        parts.append("members do not see one another yet")
    elif debate.standings:
        leading = max(debate.standings, key=lambda one: (len(one.supporters), one.support))
        if leading.supporters:
            parts.append(f"leading: {debate.option(leading.topic)}")
    return Body(
        text=" · ".join(parts),
        heading=_choices(debate),
        buttons=_running_buttons(episode.id),
    )


def _running_buttons(episode_id: int) -> tuple[Button, ...]:
    value = str(episode_id)
    return (Button(STOP, "Stop", value), Button(ANSWER_NOW, "Answer now", value))


def _choices(debate: Debate) -> str:
    options = " · ".join(debate.option(option.id) for option in debate.episode.options)
    return f"Deciding between: {options}" if options else ""


def closed(episode: EpisodeRow) -> Body:
    """What is left to say when the question is gone, or nobody knows the desk any more."""
    return Body(text=f"Stopped: {episode.reason}." if episode.reason else "This was stopped.")


def outcome(debate: Debate) -> Body:
    """What the progress message becomes.

    Raises:
        ValueError: the episode has not ended, or the lead answers instead.
    """
    match debate.episode.end:
        case EpisodeEnd.CONVERGED:
            return _converged(debate)
        case EpisodeEnd.CHOSEN:
            return _chosen(debate)
        case EpisodeEnd.DEADLOCKED:
            return _undecided(debate, "The desk is split and nobody is left to move.")
        case EpisodeEnd.EXHAUSTED:
            return _exhausted(debate)
        case EpisodeEnd.IDLE:
            return _undecided(debate, "Nobody had more to say.")
        case EpisodeEnd.TIMED_OUT:
            limit = debate.desk.episode.deadline_s
            return _undecided(debate, f"Time was up after {limit} s; this is where it stood.")
        case EpisodeEnd.STOPPED:
            return _undecided(debate, f"Stopped: {debate.episode.reason}.")
        case EpisodeEnd.FAILED:
            return _undecided(debate, f"The desk could not go on: {debate.episode.reason}.")
        case EpisodeEnd.LEAD_ANSWERS | None:
            raise ValueError("there is no outcome to tell")


def _converged(debate: Debate) -> Body:
    """The answer first, who decided it, what speaks against it, and the facts at the end."""
    topic = debate.episode.topic
    answer, open_points = _answer(debate.spoken)
    option = debate.option(topic)
    standing = next((one for one in debate.standings if one.topic == topic), None)
    backers = len(standing.supporters) if standing is not None else 0
    return Body(
        text="\n\n".join(
            part
            for part in (
                answer,
                f"Decided by {backers} of {len(debate.members)}: {option}",
                _bullets("What speaks against it:", _objections(debate, topic)),
                f"Open: {one_line(open_points)}" if open_points else "",
            )
            if part
        ),
        small=_in_time(debate),
        buttons=(_why(debate),),
        sources=_fact_links(debate, topic),
    )


def _chosen(debate: Debate) -> Body:
    topic = debate.episode.topic
    return Body(
        text=_bullets("What speaks against it:", _objections(debate, topic))
        or "The desk had not come to a decision of its own.",
        heading=f"Chosen: {debate.option(topic)}",
        small=debate.episode.reason,
        buttons=(_why(debate),),
        sources=_fact_links(debate, topic),
    )


def _exhausted(debate: Debate) -> Body:
    if debate.agreed:
        option = debate.option(debate.agreed)
        return _undecided(
            debate, f"Agreed on {option}, not confirmed before the budget ended.", debate.agreed
        )
    return _undecided(debate, "The budget ended before the desk agreed.")


def _undecided(debate: Debate, said: str, first: str = "") -> Body:
    """No decision: what was found for and against each option, and what can be done now."""
    episode = debate.episode
    ordered = sorted(episode.options, key=lambda option: option.id != first)
    value = str(episode.id)
    choose = tuple(
        Button(CHOOSE, f"Choose {option.id}", f"{episode.id}:{option.id}") for option in ordered
    )
    return Body(
        text="\n".join(_option_lines(debate, option.id) for option in ordered)
        or "No option was on the table yet.",
        heading=said,
        small=_in_time(debate),
        buttons=(
            *choose,
            Button(TWO_MORE, "Two more rounds", value, confirm=_cost_of_more(debate)),
            Button(ASK_ANOTHER, "Ask another desk", value),
            _why(debate),
        ),
    )


def _why(debate: Debate) -> Button:
    return Button(WHY, "Why", str(debate.episode.id))


def _cost_of_more(debate: Debate) -> str:
    turns = 2 * len(debate.members)
    spent = debate.episode.state.spent if debate.episode.state is not None else 0
    return f"The desk has spoken {_counted(spent, 'turn')}; this allows up to {turns} more."


def _option_lines(debate: Debate, topic: str) -> str:
    standing = next((one for one in debate.standings if one.topic == topic), None)
    backers = [debate.name(agent) for agent in standing.supporters] if standing else []
    lines = [f"• {debate.option(topic)}: {_backed(backers)}"]
    for bearing, label in ((Bearing.FOR, "for"), (Bearing.AGAINST, "against")):
        best = _best(debate.spoken, topic, bearing)
        if best is not None:
            lines.append(f"    {label}: {_said(best[1].text, debate.name(best[0]))}")
    return "\n".join(lines)


def _said(text: str, name: str) -> str:
    """A member's words in a line of the outcome, which must not look like a line of ours."""
    return f"{one_line(text)} ({name})"


def _backed(names: Sequence[str]) -> str:
    return f"backed by {', '.join(names)}" if names else "backed by nobody"


def _answer(spoken: Sequence[Spoken]) -> tuple[str, str]:
    """The newest agreeing commitment's words to the person, and its open points."""
    for one in reversed(spoken):
        if isinstance(one.reply, CommitTurn) and one.reply.agree and one.reply.answer:
            return one.reply.answer, one.reply.open_points
    return "", ""


def _objections(debate: Debate, topic: str) -> list[str]:
    """Reasons of objectors and refuters, then the strongest facts against it."""
    found: list[str] = []
    for one in debate.spoken:
        name = debate.name(_author(one.row))
        match one.reply:
            case DeliberateTurn(stance=Stance.REFUTE, option=option, reason=reason) if (
                option == topic and reason
            ):
                found.append(_said(reason, name))
            case DeliberateTurn(stance=Stance.OBJECT, target=target, reason=reason) if (
                reason and _advocates(debate, target) == topic
            ):
                found.append(_said(reason, name))
            case CommitTurn(agree=False, reason=reason) if reason:
                found.append(_said(reason, name))
            case _:
                pass
    against = _best(debate.spoken, topic, Bearing.AGAINST)
    if against is not None:
        found.append(_said(against[1].text, debate.name(against[0])))
    return list(dict.fromkeys(found))[:OBJECTIONS_SHOWN]


def _advocates(debate: Debate, seq: int) -> str:
    for one in debate.spoken:
        if one.row.seq == seq:
            match one.reply:
                case DeliberateTurn(option=option) | PositionTurn(option=option):
                    return option
                case _:
                    return ""
    return ""


def _fact_links(debate: Debate, topic: str) -> tuple[SourceLink, ...]:
    """The facts that speak for it, each once, with a link where its turn was posted."""
    found: dict[str, SourceLink] = {}
    for row, fact in _facts(debate.spoken):
        if fact.option == topic and fact.bearing is Bearing.FOR and fact.text not in found:
            link = f"message:{debate.channel_id}/{row.ts}" if row.ts else ""
            label = f"{debate.name(_author(row))}: {one_line(fact.text).rstrip('.')}"
            found[fact.text] = SourceLink(label, link)
    return tuple(found.values())[:FACTS_SHOWN]


def _best(spoken: Sequence[Spoken], topic: str, bearing: Bearing) -> tuple[str, Fact] | None:
    fitting = [
        (_author(row), fact)
        for row, fact in _facts(spoken)
        if fact.option == topic and fact.bearing is bearing
    ]
    return max(fitting, key=lambda one: one[1].strength, default=None)


def _facts(spoken: Sequence[Spoken]) -> Iterable[tuple[MessageRow, Fact]]:
    for one in spoken:
        match one.reply:
            case OpeningTurn() | PositionTurn() | DeliberateTurn() | CommitTurn():
                for fact in one.reply.facts:
                    yield one.row, fact
            case _:
                pass


def _author(row: MessageRow) -> str:
    return row.author.id if isinstance(row.author, AgentAuthor) else ""


def _bullets(title: str, points: Sequence[str]) -> str:
    return "\n".join([title, *(f"• {point}" for point in points)]) if points else ""


def _in_time(debate: Debate) -> str:
    return f"{_counted(len(debate.spoken), 'turn')} in {debate.elapsed_s} s"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
