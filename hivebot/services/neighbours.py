"""Which desks may a desk ask, as far as the configuration alone can tell? Pure.

Source: rights.md 2, product.md 5.
"""

from __future__ import annotations

from hivebot.hive.crossing import Reach, ReachKind
from hivebot.hive.referral import Reach as ReferralReach
from hivebot.services.records.asking import FarDesk
from hivebot.services.records.policy import Configuration, DeskConfig


def far_desks(desk: DeskConfig, configuration: Configuration) -> tuple[FarDesk, ...]:
    """Desks this one may ask, as far as the configuration alone can tell."""
    policy = desk.referral.policy
    if not policy.enabled or policy.reach is not ReferralReach.DESKS:
        return ()
    return tuple(
        FarDesk(other.id, other.name, other.description)
        for other in configuration.desks
        if other.id != desk.id
        and _reaches(desk.asks, other.id)
        and _reaches(other.answers, desk.id)
    )


def _reaches(reach: Reach, desk_id: str) -> bool:
    """Whether a question may be put, if only to wait for a steward."""
    named = reach.kind is ReachKind.DESKS and desk_id in reach.desks
    return named or reach.kind in (ReachKind.ANY, ReachKind.GATE)
