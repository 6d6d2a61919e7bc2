"""How many calls does Slack allow, and when may the next one come?"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from hivebot.sandbox.settings import Settings

TIER_1, TIER_2, TIER_3, TIER_4 = 1, 20, 50, 100
WINDOW_S = 60.0
POSTS_PER_S = 1.0
POST_BURST = 5.0


@dataclass(slots=True)
class _Bucket:
    """Tokens left of one channel, as they stood at one time."""

    tokens: float
    at: float


@dataclass(slots=True)
class Limiter:
    """Counts calls per method and posts per channel over a clock that is passed in."""

    clock: Callable[[], float]
    _calls: dict[str, deque[float]] = field(default_factory=dict[str, deque[float]])
    _buckets: dict[str, _Bucket] = field(default_factory=dict[str, _Bucket])

    def refusal(self, method: str, tier: int, channel: str, settings: Settings) -> int | None:
        """Count one call and return None, or the whole seconds to wait when it is one too many.

        A refused call is not counted. Posts are limited per channel first (about one a second, a
        burst of five), then per workspace; every other method by its tier.

        Source: slack.md section 5.
        """
        if not settings.rate_limits:
            return None
        if method == "chat.postMessage":
            ceiling = settings.per_minute.get(method, settings.workspace_posts_per_minute)
            return self._take(channel) or self._count(method, ceiling)
        return self._count(method, settings.per_minute.get(method, tier))

    def _take(self, channel: str) -> int | None:
        now = self.clock()
        bucket = self._buckets.setdefault(channel, _Bucket(POST_BURST, now))
        bucket.tokens = min(POST_BURST, bucket.tokens + (now - bucket.at) * POSTS_PER_S)
        bucket.at = now
        if bucket.tokens < 1:
            return max(1, math.ceil((1 - bucket.tokens) / POSTS_PER_S))
        bucket.tokens -= 1
        return None

    def _count(self, key: str, per_minute: int) -> int | None:
        now = self.clock()
        calls = self._calls.setdefault(key, deque())
        while calls and calls[0] <= now - WINDOW_S:
            calls.popleft()
        if len(calls) >= per_minute:
            return max(1, math.ceil(calls[0] + WINDOW_S - now)) if calls else int(WINDOW_S)
        calls.append(now)
        return None
