"""Which of a desk's members would the rule-based selector pick for a message?"""

from __future__ import annotations

from collections.abc import Sequence

from hivebot.adapters.llm.briefed.words import content_words


def choose(message: str, candidates: Sequence[tuple[str, str, str, str]]) -> str | None:
    """Give the id of the candidate whose label, role and description share most with the message.

    Args:
        message: What was asked.
        candidates: (id, label, role, description); the earlier wins a tie.

    Returns:
        An id, or None when nobody shares a content word.
    """
    asked = content_words(message)
    best = max(candidates, key=lambda each: _common(asked, each), default=None)
    return best[0] if best is not None and _common(asked, best) else None


def _common(asked: frozenset[str], candidate: tuple[str, str, str, str]) -> int:
    return len(asked & content_words(" ".join(candidate[1:])))
