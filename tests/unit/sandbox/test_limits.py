"""How many calls does Slack allow, and when may the next one come?"""

from __future__ import annotations

from hivebot.sandbox.limits import TIER_2, TIER_3, Limiter
from hivebot.sandbox.settings import Settings
from tests.unit.sandbox.app_under_test import Clock

POST = "chat.postMessage"


def refusals(limiter: Limiter, method: str, channel: str, count: int, **switches: object) -> int:
    settings = Settings().changed(switches)
    answers = [limiter.refusal(method, TIER_3, channel, settings) for _ in range(count)]
    return sum(one is not None for one in answers)


def test_a_channel_takes_a_burst_of_five_posts_and_then_one_a_second() -> None:
    clock = Clock()
    limiter = Limiter(clock)
    assert refusals(limiter, POST, "C0PAY", 6) == 1
    clock.now += 1
    assert refusals(limiter, POST, "C0PAY", 2) == 1


def test_a_refused_post_is_told_how_long_to_wait() -> None:
    limiter = Limiter(Clock())
    assert refusals(limiter, POST, "C0PAY", 5) == 0
    assert limiter.refusal(POST, TIER_3, "C0PAY", Settings()) == 1


def test_channels_have_a_burst_each() -> None:
    limiter = Limiter(Clock())
    assert refusals(limiter, POST, "C0PAY", 5) == 0
    assert refusals(limiter, POST, "C0DATA", 5) == 0


def test_the_workspace_has_a_ceiling_for_posts() -> None:
    limiter = Limiter(Clock())
    assert refusals(limiter, POST, "C0PAY", 3, workspace_posts_per_minute=2) == 1


def test_a_method_is_limited_by_its_tier_over_a_sliding_minute() -> None:
    clock = Clock()
    limiter = Limiter(clock)
    assert refusals(limiter, "chat.update", "", 50) == 0
    clock.now += 20
    assert limiter.refusal("chat.update", TIER_3, "", Settings()) == 40
    clock.now += 40
    assert refusals(limiter, "chat.update", "", 1) == 0


def test_each_method_counts_for_itself() -> None:
    limiter = Limiter(Clock())
    refusals(limiter, "chat.update", "", 50)
    assert limiter.refusal("users.list", TIER_2, "", Settings()) is None


def test_a_tier_can_be_set_by_name() -> None:
    switches = {"per_minute": {"conversations.history": 1}}
    assert refusals(Limiter(Clock()), "conversations.history", "", 2, **switches) == 1


def test_a_tier_of_nothing_refuses_at_once() -> None:
    settings = Settings(per_minute={"users.list": 0})
    assert Limiter(Clock()).refusal("users.list", TIER_2, "", settings) == 60


def test_limits_can_be_switched_off() -> None:
    assert refusals(Limiter(Clock()), POST, "C0PAY", 50, rate_limits=False) == 0
