"""Which made-up people decide by which rule? Streams that show where each predictor breaks.

They are never quoted as accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from hivebot.bench.chance import Stream, mix
from hivebot.bench.proxy.decisions import OUTCOMES, Decision, DecisionStream
from hivebot.proxy.chunks import Outcome

T = TypeVar("T")

SEED: Final = 20260311
_CONTEXTS: Final = (
    ("payments", "the checkout service"),
    ("mobile", "the phone application"),
    ("search", "the index of articles"),
    ("billing", "the monthly invoices"),
    ("support", "the answers to customers"),
    ("data", "the nightly export"),
    ("hiring", "the interview calendar"),
    ("legal", "the contract archive"),
    ("design", "the icon library"),
    ("network", "the office routers"),
    ("events", "the speaker programme"),
    ("library", "the lending desk"),
)
_SUBJECTS: Final = (
    "raise the retry limit",
    "rename a public field",
    "skip the slow tests",
    "add a second reviewer",
    "delete records older than a year",
    "translate the error messages",
)
_LEADS: Final = ("A change to", "Proposal for", "About", "Request concerning", "One thing on")
_REASONS: Final = (
    "It came up in the last review.",
    "The team asked twice.",
    "It saves an hour a week.",
    "Nobody objected so far.",
    "It is small and can be undone.",
)
_WORDS: Final = MappingProxyType(
    {
        Outcome.APPROVE: ("Fine.", "Go ahead.", "Yes, good."),
        Outcome.CORRECT: ("Only with a date in it.", "Change the wording first.", "Add an owner."),
        Outcome.REJECT: ("No.", "Not this year.", "We tried that, it failed."),
    }
)
_QUESTIONS: Final = ("Who asked for it?", "What does it cost?", "Since when?")
_WEIGHTS: Final = (Outcome.APPROVE,) * 5 + (Outcome.CORRECT,) * 3 + (Outcome.REJECT,) * 2


@dataclass(frozen=True, slots=True)
class GeneratorPolicy:
    """How a made-up population decides.

    Attributes:
        contexts: Kinds of request, 1 to 12.
        subcases: Subjects per context, 1 to 6, each with a preferred outcome of its own.
        deciders: People.
        decisions: Decisions of each.
        drift_per_mille: Share of preferences that change half-way.
        slips_per_mille: Share of decisions against the preference.
        dialog_per_mille: Share of decisions preceded by a question.

    Source: proxy-experiment.md (data, generated).
    """

    contexts: int = 4
    subcases: int = 4
    deciders: int = 24
    decisions: int = 120
    drift_per_mille: int = 333
    slips_per_mille: int = 50
    dialog_per_mille: int = 0

    @property
    def name(self) -> str:
        """Give the label of the population in tables."""
        return f"{self.contexts} contexts, dialog {self.dialog_per_mille / 1000:.1f}"


SETTINGS: Final[tuple[GeneratorPolicy, ...]] = tuple(
    GeneratorPolicy(contexts=contexts, dialog_per_mille=dialog)
    for contexts in (1, 4, 12)
    for dialog in (0, 300)
)
"""The registered populations: contexts 1, 4, 12; dialog share 0 and 0.3."""


def generate(policy: GeneratorPolicy, seed: int = SEED) -> tuple[DecisionStream, ...]:
    """Make the streams of a population; the same seed gives the same text on every machine."""
    return tuple(_stream(policy, mix(seed, number), number) for number in range(policy.deciders))


def _stream(policy: GeneratorPolicy, seed: int, number: int) -> DecisionStream:
    chance = Stream(mix(seed, policy.contexts))
    cases = [
        (context, subject)
        for context in range(policy.contexts)
        for subject in range(policy.subcases)
    ]
    preferred = {case: _pick(chance, _WEIGHTS) for case in cases}
    decisions: list[Decision] = []
    for place in range(policy.decisions):
        if place == policy.decisions // 2:
            preferred = {
                case: _other(chance, outcome) if chance.chance(policy.drift_per_mille) else outcome
                for case, outcome in preferred.items()
            }
        case = _pick(chance, cases)
        decisions.append(_decision(policy, chance, case, preferred[case]))
    return DecisionStream(f"person-{number:02}", tuple(decisions))


def _decision(
    policy: GeneratorPolicy, chance: Stream, case: tuple[int, int], preferred: Outcome
) -> Decision:
    context, where = _CONTEXTS[case[0]]
    title, reason = f"{_pick(chance, _LEADS)} {where}", _pick(chance, _REASONS)
    request = f"{title}\nWe want to {_SUBJECTS[case[1]]}. {reason}"
    outcome = _other(chance, preferred) if chance.chance(policy.slips_per_mille) else preferred
    words = _pick(chance, _WORDS[outcome])
    asked = chance.chance(policy.dialog_per_mille)
    return Decision(request, context, outcome, words, _pick(chance, _QUESTIONS) if asked else "")


def _pick(chance: Stream, among: Sequence[T]) -> T:
    return among[chance.below(len(among))]


def _other(chance: Stream, outcome: Outcome) -> Outcome:
    return Outcome(_pick(chance, [each for each in OUTCOMES if each != outcome]))
