"""Which desks may a desk ask? Source: rights.md 2, product.md 5."""

from __future__ import annotations

import pytest

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.hive.referral import Reach as ReferralReach
from hivebot.services.neighbours import far_desks
from hivebot.services.records.policy import Configuration
from tests.configurations import CONFIGURATION, desk_of, with_desk

ANY = Reach(ReachKind.ANY)


def asked(configuration: Configuration) -> list[str]:
    return [desk.id for desk in far_desks(desk_of(configuration, "payments"), configuration)]


def test_both_ends_have_to_name_the_other() -> None:
    assert asked(CONFIGURATION) == ["platform"]
    assert asked(with_desk("platform", answers=Reach(ReachKind.NONE))) == []
    assert asked(with_desk("payments", asks=Reach(ReachKind.DESKS, ("data",)))) == []


def test_any_at_both_ends_is_every_other_desk_that_says_so() -> None:
    configuration = with_desk("data", with_desk("payments", asks=ANY), answers=ANY)

    assert asked(configuration) == ["platform", "data"]


@pytest.mark.parametrize("end", ["asks", "answers"])
def test_what_a_steward_may_allow_is_offered(end: str) -> None:
    desk = "payments" if end == "asks" else "platform"

    assert asked(with_desk(desk, CONFIGURATION, **{end: Reach(ReachKind.GATE)})) == ["platform"]


def test_where_referral_is_off_or_does_not_reach_desks_nobody_may_be_asked() -> None:
    assert asked(with_desk("payments", referral__policy__enabled=False)) == []
    assert asked(with_desk("payments", referral__policy__reach=ReferralReach.CHANNELS)) == []


def test_a_desk_is_offered_with_its_name_and_description() -> None:
    (far,) = far_desks(desk_of(CONFIGURATION, "payments"), CONFIGURATION)

    assert (far.name, far.description) == ("Platform", "The API gateway, deploys and databases.")
