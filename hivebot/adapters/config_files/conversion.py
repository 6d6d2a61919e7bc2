"""How do the entries of the file format become records?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Final

from hivebot.adapters.config_files.format import (
    AgentEntry,
    ConfigFile,
    DeskEntry,
    FactEntry,
    MemoryEntry,
    RulesEntry,
)
from hivebot.adapters.config_files.policies import BudgetEntry, EpisodeEntry, ReferralEntry
from hivebot.hive.directory import DirectoryPolicy
from hivebot.hive.episode import EpisodePolicy
from hivebot.hive.quorum import QuorumPolicy
from hivebot.hive.referral import ReferralPolicy
from hivebot.hive.salience import SalienceWeights
from hivebot.proxy.activation import threshold_for_single
from hivebot.proxy.retrieval import SEED, RetrievalPolicy
from hivebot.services.records.policy import (
    AgentConfig,
    AnswersTo,
    BriefFact,
    Budget,
    Configuration,
    Deliberate,
    DeskConfig,
    DeskMode,
    EmbedderConfig,
    EpisodeSettings,
    GateSettings,
    GeneralConfig,
    Price,
    ProxySettings,
    ReferralSettings,
    Retention,
    RuleBrief,
)

_MICROS: Final = 1_000_000


def to_records(file: ConfigFile) -> Configuration:
    """Give the configuration a file describes, with its names still names and no revision."""
    return Configuration(
        revision="",
        agents=tuple(_agent(entry) for entry in file.agents),
        desks=tuple(_desk(entry) for entry in file.desks),
        orchestrator=file.orchestrator,
        admins=file.admins,
        admin_channel=file.admin_channel,
        general=GeneralConfig(enabled=file.general.enabled, members=file.general.members),
        retention=Retention(**file.retention.model_dump()),
        embedder=EmbedderConfig(**file.embedder.model_dump()),
    )


def _agent(entry: AgentEntry) -> AgentConfig:
    price = entry.price
    return AgentConfig(
        id=entry.id,
        name=entry.name or entry.id,
        role=entry.role,
        brief=entry.brief,
        model=entry.model,
        icon=entry.icon,
        rules=_rules(entry.rules),
        affinity=tuple(entry.affinity.items()),
        threshold=entry.threshold,
        output=entry.output,
        timeout_s=entry.timeout_s,
        price=None if price is None else Price(_micros(price.input_usd), _micros(price.output_usd)),
        base_url=entry.base_url,
        retired=entry.retired,
    )


def _rules(entry: RulesEntry) -> RuleBrief:
    return RuleBrief(
        shared=_facts(entry.shared),
        holds=_facts(entry.holds),
        refer=tuple(entry.refer.items()),
        opening_facts=entry.opening_facts,
    )


def _facts(entries: Iterable[FactEntry]) -> tuple[BriefFact, ...]:
    return tuple(
        BriefFact(
            option=entry.option,
            bearing=entry.bearing,
            strength=entry.strength,
            text=entry.text,
            about=entry.about,
        )
        for entry in entries
    )


def _desk(entry: DeskEntry) -> DeskConfig:
    by_mode = Deliberate.ALWAYS if entry.mode is DeskMode.HIVE else Deliberate.ASKED
    return DeskConfig(
        id=entry.id,
        name=entry.name or entry.id,
        description=entry.description,
        channel=entry.channel,
        members=entry.members,
        referral=_referral(entry.referral),
        episode=_episode(entry.episode),
        mode=entry.mode,
        selector_model=entry.selector_model,
        user_group=entry.user_group,
        listen=entry.listen,
        threads=entry.threads,
        deliberate=entry.deliberate or by_mode,
        asks=entry.asks,
        answers=entry.answers,
        asks_wider=entry.asks_wider,
        answers_to=AnswersTo(
            guests=entry.answers_to.guests,
            strangers=entry.answers_to.strangers,
            deactivated=entry.answers_to.deactivated,
            people=entry.answers_to.people,
        ),
        stewards=entry.stewards,
        bots=entry.bots,
        may_mark=entry.may_mark,
        links=entry.links,
        blind_spots=entry.blind_spots,
        file_contents=entry.file_contents,
        budget=_budget(entry.budget),
        gates=GateSettings(
            answers=entry.gates.answers,
            decisions=entry.gates.decisions,
            channel=entry.gates.channel,
            expires_s=entry.gates.expires_s,
            on_expiry=entry.gates.on_expiry,
            self_approve=entry.gates.self_approve,
        ),
        memory=_memory(entry.memory),
        proxy=ProxySettings(entry.proxy.mode, entry.proxy.agent),
    )


def _memory(entry: MemoryEntry) -> RetrievalPolicy:
    """The preset with what is written instead; the interactions win over the threshold."""
    tau = SEED.retrieval_threshold if entry.tau is None else entry.tau
    if entry.remember_single_for is not None:
        tau = threshold_for_single(entry.remember_single_for)
    return replace(
        SEED,
        retrieval_threshold=tau,
        normalization=entry.normalization,
        dimensions=entry.scored_dimensions,
    )


def _referral(entry: ReferralEntry) -> ReferralSettings:
    return ReferralSettings(
        policy=ReferralPolicy(
            enabled=entry.enabled,
            max_hops=entry.max_hops,
            reach=entry.reach,
            returns=entry.returns,
        ),
        timeout_s=entry.timeout_s,
        answer_within_s=entry.answer_within_s,
        per_hour=entry.referrals_per_hour,
        refer_on=entry.refer_on,
        shown=entry.referrals_shown,
    )


def _episode(entry: EpisodeEntry) -> EpisodeSettings:
    directory = entry.directory
    return EpisodeSettings(
        policy=EpisodePolicy(
            turn_budget=entry.turn_budget,
            blind_round=entry.blind_round,
            dominance_cap=entry.dominance_cap,
            repetition_cap=entry.repetition_cap,
            directory=None if directory is None else DirectoryPolicy(**directory.model_dump()),
            defer_cap=entry.defer_cap,
            quorum=QuorumPolicy(**entry.quorum.model_dump()),
            weights=SalienceWeights(**entry.weights.model_dump()),
        ),
        opening=entry.opening,
        consult=entry.consult,
        consult_timeout_s=entry.consult_timeout_s,
        max_asks=entry.max_asks,
        options_open=entry.options == "open",
        announce_priors=entry.announce_priors,
        shown=entry.deliberation,
        deadline_s=entry.deadline_s,
    )


def _budget(entry: BudgetEntry) -> Budget:
    return Budget(
        turns_per_day=entry.turns_per_day,
        tokens_per_day=entry.tokens_per_day,
        usd_micros_per_day=_micros(entry.usd_per_day),
        tokens_per_question=entry.tokens_per_question,
        prompt_tokens_max=entry.prompt_tokens_max,
        output_tokens_max=entry.output_tokens_max,
    )


def _micros(usd: Decimal) -> int:
    return int(usd * _MICROS)
