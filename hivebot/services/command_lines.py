"""Which sentences do people read who command hivebot, or keep it running?

Beside `lines`, which holds what is said about questions. Source: product.md 8 and 9, rights.md 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.services.expertise import Knowledge
from hivebot.services.inert import one_line
from hivebot.services.records.commands import IN_THREADS, REPLIED, Command
from hivebot.services.records.memories import Recollection, RememberedChunk
from hivebot.services.records.outgoing import Body
from hivebot.services.records.policy import Configuration, DeskConfig

CHANGES_TOLD = 15


def config_refused(problems: Sequence[str], revision: str, most: int) -> Body:
    """To admins: the files cannot be used, what is in force still, and what to mend."""
    told = [f"• {problem}" for problem in problems[:most]]
    if len(problems) > most:
        told.append(f"• and {len(problems) - most} more; the log has all of them")
    return Body(
        heading="The configuration files cannot be used",
        text="\n".join(told),
        small=f"Revision {revision} stays in force, whole. Mend the files; they are read again",
    )


def config_taken(revision: str, changes: Sequence[str], warnings: Sequence[str]) -> Body:
    """To an admin: what is in force now, and what has changed by it."""
    if not changes:
        return Body(text=f"Nothing has changed: revision {revision} is in force.")
    told = [f"• {change}" for change in changes[:CHANGES_TOLD]]
    if len(changes) > CHANGES_TOLD:
        told.append(f"• and {len(changes) - CHANGES_TOLD} more; see `hivebot config history`")
    told += [f"• warning: {warning}" for warning in warnings[:CHANGES_TOLD]]
    return Body(
        heading=f"Revision {revision} is in force",
        text="\n".join(told),
        small="What has begun runs to its end under the revision it began with",
    )


def commands(allowed: Sequence[Command]) -> Body:
    """Private: what can be typed, made of the one table."""
    told = [f"• `/hive {one.usage}` {one.does}" for one in allowed]
    threads = ", ".join(f"`@hive {word}`" for word in (*IN_THREADS, *REPLIED))
    return Body(
        text="\n".join(told),
        small=f"Slash commands do not work in threads; say {threads} there",
    )


def unknown_command(word: str, nearest: str) -> Body:
    """Private: no such word."""
    offer = f" Did you mean `/hive {nearest}`?" if nearest else ""
    return Body(text=f"There is no `/hive {word}`.{offer} `/hive help` lists what there is.")


def in_threads(word: str) -> Body:
    """Private: a word that is for threads."""
    return Body(text=f"That is for a thread: write `@hive {word}` as a reply in it.")


def admins_only(command: Command) -> Body:
    """Private: a command of admins."""
    return Body(
        text=f"Only an admin can use `/hive {command.word}`. Nothing has changed.",
        small="Admins are listed as `admins` in the configuration",
    )


def nothing_to_ask() -> Body:
    """Private: a question is missing."""
    return Body(text="Write the question behind it: `/hive ask #one or #two?`")


def asked_for(name: str, question: str) -> str:
    """What is posted when somebody has the bot ask a desk."""
    return f"{name} asks: {question}"


def asked(desk: str) -> Body:
    """Private: the question stands in the channel."""
    return Body(text=f"Your question stands in the channel; #{desk} answers in its thread.")


def not_posted(why: str, remedy: str) -> Body:
    """Private: the question could not be posted."""
    return Body(text=f"Your question was not asked: {why}. Remedy: {remedy}.")


def desks(configuration: Configuration, opened: Sequence[DeskConfig]) -> Body:
    """Private: the desks somebody can open."""
    if not opened:
        return Body(text="There is no desk whose channel you can open.")
    told = [f"• {_desk(configuration, desk)}" for desk in opened]
    return Body(text="\n".join(told), small="Only desks whose channel you can open are listed")


def _desk(configuration: Configuration, desk: DeskConfig) -> str:
    found = [configuration.agent(member) for member in desk.members]
    names = [one.name for one in found if one is not None and not one.retired]
    about = f": {desk.description}" if desk.description else ""
    return f"*{desk.name}* (@#{desk.id}){about} · {', '.join(names)}"


def no_topic() -> Body:
    """Private: a topic is missing."""
    return Body(text="Name the topic: `/hive who-knows #topic`")


def nobody_knows(topic: str) -> Body:
    """Private: the topic was never deliberated where this person can look."""
    return Body(text=f"No desk whose channel you can open has deliberated #{topic}.")


def who_knows(topic: str, found: Knowledge) -> Body:
    """Private: who showed to know a topic in one deliberation, and what that is worth."""
    names = {one.agent_id: one.name for one in found.speakers}
    holdings = next((one.holdings for one in found.topics if one.topic == topic), ())
    told = [
        f"• {names.get(one.agent_id, one.agent_id)}: {one.weight:,} "
        f"({one.deposited:,} laid down, {one.credited:,} credited, {one.configured:,} configured)"
        for one in holdings
    ]
    record = found.record
    rho = "no episode yet"
    if record.rho is not None:
        rho = f"{record.rho.value:.2f} ({record.rho.low:.2f} to {record.rho.high:.2f}, n = "
        rho += f"{record.rho.n})"
    mutual = f"{record.mutual / record.credit:.0%}" if record.credit else "none given"
    told += [f"*{verdict}*" for verdict in record.verdicts]
    return Body(
        heading=f"Who knows #{topic}, by one deliberation of #{found.episode.desk_id}",
        text="\n".join(told) or "Nobody has shown to know anything.",
        small=(
            f"Weight against speech share: rho {rho} · mutual credit: {mutual} · turns won by "
            f"knowing: {record.knows_turns} of {record.turns}"
        ),
    )


MEMORIES_TOLD: Final = 5
"""So many memories are told; the rest is counted."""

_REMEMBERED_MAX: Final = 200


def nothing_remembered(desk: str) -> Body:
    """Private: there is no memory yet."""
    return Body(
        text=f"#{desk} remembers nothing yet: no gate was decided here, and no answer corrected."
    )


def remembered(desk: str, found: Recollection) -> Body:
    """Private: what a desk remembers that may be read here, the strongest first."""
    head = (
        f"#{desk} remembers {found.candidates} decisions that may be read here, "
        f"{found.survivors} of them above the threshold, after {found.clock} interactions."
    )
    told = [
        f"- {one.chunk.outcome or one.chunk.type}, {one.created_at:%Y-%m-%d}: {_words(one)}"
        for one in found.chunks
    ]
    return Body(
        text="\n".join((head, *told)),
        small="hivebot memory shows, exports and forgets them",
    )


def _words(one: RememberedChunk) -> str:
    said = one_line(one.chunk.human_response or one.chunk.content)
    return said if len(said) <= _REMEMBERED_MAX else f"{said[: _REMEMBERED_MAX - 1]}…"


def policy(desk: DeskConfig, revision: str) -> Body:
    """Private: the rules a desk runs under."""
    referral, episode, budget = desk.referral, desk.episode, desk.budget
    fold = episode.policy
    on = "on" if referral.policy.enabled else "off"
    told = [
        (
            f"• answers: mode {desk.mode.value}, deliberate {desk.deliberate.value}, listens to "
            f"{desk.listen.value}, threads {desk.threads.value}"
        ),
        f"• asks {_reach(desk.asks)}, answers {_reach(desk.answers)}, wider {desk.asks_wider}",
        (
            f"• questions to other desks: {on}, at most {referral.policy.max_hops} hops, "
            f"{referral.per_hour} an hour for each desk, {referral.timeout_s} s"
        ),
        (
            f"• deliberation: {fold.turn_budget} turns, opening {episode.opening.value}, consult "
            f"{episode.consult.value}, at most {episode.max_asks} asks, {episode.deadline_s} s"
        ),
        (
            f"• a day: {budget.turns_per_day:,} turns, {budget.tokens_per_day:,} tokens, "
            f"${budget.usd_micros_per_day / 1_000_000:,.2f}"
        ),
        f"• stewards: {len(desk.stewards)}",
    ]
    return Body(
        heading=f"#{desk.id}",
        text="\n".join(told),
        small=f"Revision {revision}; every field stands in the configuration files",
    )


def _reach(reach: Reach) -> str:
    if reach.kind is ReachKind.DESKS:
        return ", ".join(f"#{desk}" for desk in reach.desks)
    return reach.kind.value


def muted_channel() -> Body:
    """Private: silent in the channel."""
    return Body(text="I keep silent in this channel until I am mentioned.")


def nothing_to_mute() -> Body:
    """Private: nothing was ever said here."""
    return Body(text="Nothing has been said to me here yet, so there is nothing to mute.")
