"""Which keys may a desk's policies have: referral, deliberation, budget?

Defaults are those of the records and of hive.md 20: what is not written is off.
Source: product.md 3 and 5, turns.md, hive.md 20.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hivebot.adapters.config_files.kinds import Flag, Usd
from hivebot.hive.referral import Reach as ReferralReach
from hivebot.services.records.policy import Consult, Opening, ReferralsShown, Shown

U16 = 65_535


class Entry(BaseModel):
    """A mapping in the file; keys that are not listed are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ReferralEntry(Entry):
    """Whether questions leave the desk, how far, and how long it waits."""

    enabled: Flag = Field(default=False, description="The switch.")
    max_hops: int = Field(
        default=0,
        ge=0,
        le=32,
        description="Hand-offs one message may start; a question and its answer take 2.",
    )
    reach: ReferralReach = Field(
        default=ReferralReach.LOCAL,
        description="local: nowhere; channels: agents of other desks; desks: desks by name too.",
    )
    returns: Flag = Field(default=False, description="Whether the answer comes back to the asker.")
    timeout_s: int = Field(
        default=600, ge=10, le=86_400, description="Seconds after which the question has expired."
    )
    answer_within_s: int = Field(
        default=120, ge=1, le=86_400, description="Seconds after which people are told to wait."
    )
    referrals_per_hour: int = Field(
        default=6, ge=0, le=1000, description="Questions an hour to any one other desk."
    )
    refer_on: Flag = Field(
        default=False,
        description="Whether this desk may ask on when it answers; needs max_hops of 4.",
    )
    referrals_shown: ReferralsShown = Field(
        default=ReferralsShown.CHANNEL,
        description="Whether answers to far questions stand in the channel or under the question.",
    )


class QuorumEntry(Entry):
    """What it takes to carry an option."""

    threshold: int = Field(default=2, ge=1, le=100, description="Supporters needed.")
    window: int = Field(
        default=30, ge=1, le=10_000, description="Messages back that count; older ones do not."
    )
    require_grounded: Flag = Field(
        default=True, description="Whether supports and objections must cite a message."
    )
    refutation_cap: int | None = Field(
        default=None, ge=1, le=100, description="Refuters that stop an option; null: any number."
    )
    require_evidential: Flag = Field(
        default=False, description="Whether citations must lead to a fact; measured as harmful."
    )


class WeightsEntry(Entry):
    """What makes a message pull on a member, in tenths."""

    recency: int = Field(default=5, ge=0, le=U16, description="Weight of being recent.")
    importance: int = Field(default=30, ge=0, le=U16, description="Weight of the kind of move.")
    relevance: int = Field(default=20, ge=0, le=U16, description="Weight of the member's affinity.")
    half_life: int = Field(
        default=20, ge=1, le=1_000_000, description="Messages after which recency is halved."
    )


class DirectoryEntry(Entry):
    """How who knows what is folded from an episode; off unless written."""

    half_life: int = Field(default=20, ge=1, le=1_000_000, description="Messages to one half.")
    specialisation: int = Field(
        default=30, ge=0, le=U16, description="Tenths on what an agent stated itself."
    )
    credibility: int = Field(
        default=20, ge=0, le=U16, description="Tenths on what others built on it."
    )
    prior: int = Field(default=10, ge=0, le=U16, description="Tenths on the configured affinity.")
    discredit: int = Field(default=20, ge=0, le=U16, description="Tenths an objection takes away.")
    window: int = Field(default=30, ge=1, le=10_000, description="Messages back that count.")
    floor: int = Field(
        default=1000, ge=0, le=1_000_000, description="Weight from which an agent knows a topic."
    )


class EpisodeEntry(Entry):
    """How the desk deliberates."""

    opening: Opening = Field(
        default=Opening.EVIDENCE_FIRST, description="What members say before they see one another."
    )
    consult: Consult = Field(
        default=Consult.OFF, description="Whether other desks are asked before anybody proposes."
    )
    consult_timeout_s: int = Field(
        default=60, ge=1, le=3600, description="Seconds those answers are waited for."
    )
    max_asks: int = Field(
        default=2, ge=0, le=10, description="Questions to other desks per deliberation."
    )
    options: Literal["listed", "open"] = Field(
        default="listed", description="Whether a member may add an option once it sees the floor."
    )
    announce_priors: Flag = Field(
        default=False, description="Whether directory lines shown to agents hold the affinities."
    )
    deliberation: Shown = Field(
        default=Shown.FOLDED, description="Whether turns are posted or folded behind a button."
    )
    deadline_s: int = Field(
        default=180, ge=10, le=3600, description="Seconds after which the standing so far is told."
    )
    turn_budget: int = Field(default=12, ge=1, le=200, description="Turns one deliberation costs.")
    blind_round: Flag = Field(
        default=True, description="Whether members open without seeing one another."
    )
    dominance_cap: int = Field(
        default=50, ge=0, le=100, description="Per cent of the talk above which one is held back."
    )
    repetition_cap: int = Field(
        default=3, ge=0, le=100, description="Supporters from which more pull nobody; 0: never."
    )
    defer_cap: int | None = Field(
        default=None, ge=1, le=100, description="Deferrals that still name the topic; null: any."
    )
    quorum: QuorumEntry = Field(default_factory=QuorumEntry, description="What it takes to agree.")
    weights: WeightsEntry = Field(
        default_factory=WeightsEntry, description="What makes a message pull."
    )
    directory: DirectoryEntry | None = Field(default=None, description="Who knows what; null: off.")


class BudgetEntry(Entry):
    """What the desk may spend; 0 is nothing, never unbounded."""

    turns_per_day: int = Field(default=2000, ge=0, le=1_000_000, description="Model turns a day.")
    tokens_per_day: int = Field(
        default=5_000_000, ge=0, le=10_000_000_000, description="Tokens a day."
    )
    usd_per_day: Usd = Field(
        default=Decimal(50), description="US dollars a day.", json_schema_extra={"default": 50}
    )
    tokens_per_question: int = Field(
        default=500_000, ge=0, le=100_000_000, description="Tokens one question may cost."
    )
    prompt_tokens_max: int = Field(
        default=6000, ge=500, le=1_000_000, description="Tokens of one prompt; older rows are cut."
    )
    output_tokens_max: int = Field(
        default=1500, ge=50, le=100_000, description="Tokens of one answer."
    )
