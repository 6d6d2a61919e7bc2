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
        and _named_or_any(desk.asks, other.id)
        and _named_or_any(other.answers, desk.id)
    )


def _named_or_any(reach: Reach, desk_id: str) -> bool:
    return reach.kind is ReachKind.ANY or (reach.kind is ReachKind.DESKS and desk_id in reach.desks)
