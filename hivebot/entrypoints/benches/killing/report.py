"""How is said what was left after the kills?"""

from __future__ import annotations

from hivebot.entrypoints.benches.killing.checking import checks, failure_lines
from hivebot.entrypoints.benches.killing.plan import Kind, Victim
from hivebot.entrypoints.benches.killing.run import Report
from hivebot.entrypoints.benches.reporting import Aim, Sheet

SHOWN_MAX = 5
"""Places where something does not hold that are named; more are counted."""


def sheet(report: Report) -> Sheet:
    """What was asked and what was killed."""
    questions = report.plan.questions
    asked = [f"{sum(one.kind is kind for one in questions)} {kind.value}" for kind in Kind]
    killed = [
        f"{victim.value} {count} times"
        for victim, count in report.killed.items()
        if victim is not Victim.SILENCE
    ]
    ended = [f"{name} {count} times" for name, count in report.ended.items()]
    return Sheet(
        title=f"Killed while it works, seed {report.plan.seed}",
        columns=("what", "found"),
        words=2,
        rows=[
            ("questions", f"{len(questions)}: {', '.join(asked)}"),
            ("SIGKILL", ", ".join(killed)),
            ("worker silent for a while", f"{report.killed.get(Victim.SILENCE, 0)} times"),
            ("answers of Slack lost", str(len(report.plan.losses))),
            ("ended by itself", ", ".join(ended) or "nothing"),
            ("given up by Slack after four tries", str(len(report.found.given_up))),
            ("lines that say why not", str(failure_lines(report.found.threads))),
            ("asked for", f"{report.asked_s:.0f} s"),
            ("settled after", f"{report.settled_s:.0f} s"),
        ],
    )


def aims(report: Report) -> list[Aim]:
    """What must hold, each with the first places where it does not."""
    made: list[Aim] = []
    for check in checks(report.found):
        named = "; ".join(check.broken[:SHOWN_MAX])
        more = len(check.broken) - SHOWN_MAX
        found = f"{named}{f'; and {more} more' if more > 0 else ''}" if named else "everywhere"
        made.append(Aim(check.claim, check.held, found))
    return made


def as_json(report: Report) -> dict[str, object]:
    """The same as data; the aims are added where it is shown."""
    return {
        "seed": report.plan.seed,
        "questions": len(report.plan.questions),
        "kills": {victim.value: count for victim, count in report.killed.items()},
        "ended_by_themselves": dict(report.ended),
        "answers_lost": len(report.plan.losses),
        "given_up": len(report.found.given_up),
        "failure_lines": failure_lines(report.found.threads),
        "asked_s": round(report.asked_s, 1),
        "settled_s": round(report.settled_s, 1),
        "states": {
            f"{what}.{state}": count for (what, state), count in report.found.states.items()
        },
        "replays": {verdict.value: count for verdict, count in report.found.replays.items()},
    }
