"""Which keys may stand in a configuration file, what do they mean, and within which bounds?

Defaults are those of the records and of hive.md 20: what is not written is off.
Source: product.md 3 to 8, turns.md, rights.md, briefed.md.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from hivebot.adapters.config_files.findings import shown
from hivebot.adapters.config_files.kinds import (
    BaseUrlOrNone,
    BotId,
    Channel,
    ChannelOrNone,
    Distinct,
    Flag,
    Host,
    IconOrNone,
    Id,
    Line,
    Model,
    ModelOrNone,
    OptionOrNone,
    ReachValue,
    StewardId,
    Topic,
    Usd,
    UserGroupOrNone,
    UserId,
    misfit,
)
from hivebot.adapters.config_files.policies import BudgetEntry, Entry, EpisodeEntry, ReferralEntry
from hivebot.proxy.retrieval import Normalization
from hivebot.proxy.vectors import EXPERIENCE, Dimension
from hivebot.services.records.policy import (
    Deliberate,
    DeskMode,
    Listen,
    OnExpiry,
    Output,
    ProxyMode,
    Reach,
    ReachKind,
    Threads,
)


class FactEntry(Entry):
    """One statement a rule-based agent knows."""

    text: Line = Field(min_length=1, description="The statement, as it is said to people.")
    about: Annotated[tuple[str, ...], Distinct] = Field(
        default=(),
        max_length=40,
        description="Words that call it up: one of them in a question is enough.",
    )
    option: OptionOrNone = Field(
        default="", description="Id of the option it bears on in a deliberation."
    )
    bearing: Literal["for", "against", "neutral"] = Field(
        default="neutral", description="Whether it speaks for or against that option."
    )
    strength: int = Field(default=3, ge=1, le=5, description="How much it weighs, 1 to 5.")


class RulesEntry(Entry):
    """What a rule-based agent knows; only for `model: briefed`."""

    shared: tuple[FactEntry, ...] = Field(
        default=(), max_length=500, description="Facts that everybody on the desk has."
    )
    holds: tuple[FactEntry, ...] = Field(
        default=(), max_length=500, description="Facts that only this agent has."
    )
    refer: dict[str, str] = Field(
        default_factory=dict[str, str],
        max_length=200,
        description="Word in a question, and the id of the desk to ask about it.",
    )
    opening_facts: int = Field(
        default=3, ge=1, le=3, description="Facts stated in the blind round, at most."
    )


class PriceEntry(Entry):
    """What a model costs, in US dollars per million tokens."""

    input_usd: Usd = Field(description="US dollars per million prompt tokens.")
    output_usd: Usd = Field(description="US dollars per million output tokens.")


class AgentEntry(Entry):
    """A persona."""

    id: Id = Field(description="Unique; people mention the agent by it.")
    name: str = Field(
        default="", max_length=80, description="Shown above its posts. Default: the id."
    )
    role: str = Field(default="", max_length=200, description="A few words; its colleagues see it.")
    brief: str = Field(
        default="",
        max_length=20_000,
        description="What only this agent is told: fixed part of each prompt, paid with each turn.",
    )
    model: Model = Field(
        description="`briefed` (rule-based, no network) or provider:name, as openai:gpt-5-mini."
    )
    icon: IconOrNone = Field(default="", description="Emoji as `:gear:`, or address of an image.")
    output: Output = Field(
        default=Output.AUTO, description="How the model is made to answer in structure."
    )
    timeout_s: int = Field(
        default=60, ge=1, le=600, description="Seconds after which a call is given up."
    )
    price: PriceEntry | None = Field(
        default=None, description="Without it the model runs on a token budget only."
    )
    base_url: BaseUrlOrNone = Field(
        default="", description="Another address for the provider; it receives the key."
    )
    affinity: dict[Topic, Annotated[int, Field(ge=0, le=100)]] = Field(
        default_factory=dict[str, int],
        max_length=100,
        description="Topic and how much it concerns this agent, 0 to 100; 50 where none is given.",
    )
    threshold: int = Field(
        default=0,
        ge=-1_000_000,
        le=1_000_000,
        description="Urge, in thousandths, below which the agent stays silent in a deliberation.",
    )
    retired: Flag = Field(
        default=False, description="Kept so that old decisions can be replayed; never asked again."
    )
    rules: RulesEntry = Field(
        default_factory=RulesEntry, description="What a `briefed` agent knows."
    )


class AnswersToEntry(Entry):
    """Whose questions the desk takes beside full members of the workspace."""

    guests: Flag = Field(default=False, description="Guests of the workspace.")
    strangers: Flag = Field(default=False, description="Members of other organisations.")
    deactivated: Flag = Field(default=False, description="Deactivated people.")
    people: Annotated[tuple[UserId, ...], Distinct] = Field(
        default=(), max_length=200, description="User ids that may ask although they are neither."
    )

    @model_validator(mode="before")
    @classmethod
    def _members_is_the_default(cls, value: object) -> object:
        if value == "members":
            return {}
        if isinstance(value, str):
            raise misfit(
                f"{shown(value)} does not fit", "write `members`, or {guests: yes, people: [U…]}"
            )
        return value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Allow the one word beside the mapping."""
        mapping = handler.resolve_ref_schema(handler(core_schema))
        return {"anyOf": [{"const": "members"}, dict(mapping)]}


class GatesEntry(Entry):
    """What waits for a steward before it goes out, where, and for how long."""

    answers: Flag = Field(default=False, description="Its answers wait before they are sent.")
    decisions: Flag = Field(
        default=False, description="Its converged decisions wait before they are told."
    )
    channel: ChannelOrNone = Field(
        default="", description="Where gates are posted. Default: in the thread concerned."
    )
    expires_s: int = Field(
        default=86_400, ge=60, le=2_592_000, description="Seconds a gate waits; reminds at half."
    )
    on_expiry: OnExpiry = Field(
        default=OnExpiry.DROP, description="What becomes of what it holds: drop or release."
    )
    self_approve: Flag = Field(default=False, description="Who asked may approve.")


class MemoryEntry(Entry):
    """What comes to the mind of the desk's proxy, and how soon it is forgotten."""

    preset: Literal["seed"] = Field(
        default="seed", description="What is not written here. The seed's values forget fast."
    )
    tau: float | None = Field(
        default=None,
        ge=-20,
        le=5,
        description="Activation threshold. Default: the preset's -0.5.",
    )
    remember_single_for: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="Instead of `tau`: interactions for which what was used once is remembered.",
    )
    normalization: Normalization = Field(
        default=Normalization.MINMAX, description="How activation is scaled: minmax or tanh."
    )
    scored_dimensions: Annotated[tuple[Dimension, ...], Distinct] = Field(
        default=EXPERIENCE,
        min_length=1,
        max_length=5,
        description="Percepts that are compared; their number is the divisor.",
    )


class ProxyEntry(Entry):
    """Who predicts what the stewards will decide."""

    mode: ProxyMode = Field(
        default=ProxyMode.SUGGEST,
        description="suggest: shown beside the buttons; off: nothing is predicted.",
    )
    agent: str = Field(
        default="", description="The agent whose model predicts. Default: the memories vote."
    )


class DeskEntry(Entry):
    """A roster of agents bound to one channel."""

    id: Id = Field(description="Unique; people ask the desk by it: `@#platform`.")
    name: str = Field(default="", max_length=80, description="Shown to people. Default: the id.")
    description: str = Field(
        default="", max_length=1000, description="What the desk is for; other desks read it."
    )
    channel: Channel = Field(
        description='Id of its channel, or its name in quotes: "#payments". One desk per channel.'
    )
    user_group: UserGroupOrNone = Field(
        default="", description="Id of a user group that stands for the desk; Slack pings it too."
    )
    members: Annotated[tuple[Id, ...], Distinct] = Field(
        min_length=1, max_length=100, description="Ids of its agents; the first active one leads."
    )
    mode: DeskMode = Field(
        default=DeskMode.LEAD,
        description="lead: the first answers; select: a model picks; hive: all deliberate.",
    )
    selector_model: ModelOrNone = Field(
        default="", description="The model that picks under `mode: select`."
    )
    deliberate: Deliberate | None = Field(
        default=None,
        description="When to deliberate. Default: always under `mode: hive`, else when asked to.",
    )
    listen: Listen = Field(
        default=Listen.MENTION, description="Whether every message wakes the desk, or a mention."
    )
    threads: Threads = Field(
        default=Threads.ASKER, description="Which messages in a thread wake the desk again."
    )
    asks: ReachValue = Field(
        default_factory=lambda: Reach(ReachKind.NONE),
        description="Desks it may ask: none, any (public ones), a list of ids, or gate.",
    )
    answers: ReachValue = Field(
        default_factory=lambda: Reach(ReachKind.NONE),
        description="Desks it answers: none, any (public ones), a list of ids, or gate.",
    )
    asks_wider: Literal["gate", "allow"] = Field(
        default="gate", description="Whether a steward must see what goes to a wider audience."
    )
    answers_to: AnswersToEntry = Field(
        default_factory=AnswersToEntry, description="Whose questions it takes: `members`, or more."
    )
    blind_spots: Annotated[tuple[Line, ...], Distinct] = Field(
        default=(),
        max_length=50,
        description="What it does not know and other desks may: what asking them pays for.",
    )
    stewards: Annotated[tuple[StewardId, ...], Distinct] = Field(
        default=(), max_length=200, description="Who decides its gates; nobody when empty."
    )
    bots: Annotated[tuple[BotId, ...], Distinct] = Field(
        default=(), max_length=200, description="Bots that may wake it by mentioning it."
    )
    may_mark: Annotated[tuple[UserId, ...], Distinct] = Field(
        default=(), max_length=200, description="People whose `!` lines count as moves."
    )
    links: Annotated[tuple[Host, ...], Distinct] = Field(
        default=(), max_length=200, description="Hosts whose addresses are clickable in answers."
    )
    file_contents: Flag = Field(
        default=False, description="Whether contents of attached files are fetched."
    )
    referral: ReferralEntry = Field(
        default_factory=ReferralEntry, description="Questions to other desks."
    )
    episode: EpisodeEntry = Field(default_factory=EpisodeEntry, description="How it deliberates.")
    gates: GatesEntry = Field(
        default_factory=GatesEntry, description="What waits for its stewards."
    )
    memory: MemoryEntry = Field(
        default_factory=MemoryEntry, description="What its proxy remembers, and for how long."
    )
    proxy: ProxyEntry = Field(
        default_factory=ProxyEntry, description="Who predicts what its stewards will decide."
    )
    budget: BudgetEntry = Field(default_factory=BudgetEntry, description="What it may spend.")


class GeneralEntry(Entry):
    """What happens in channels no desk is bound to."""

    enabled: Flag = Field(default=False, description="Whether the bot answers there at all.")
    members: Annotated[tuple[Id, ...], Distinct] = Field(
        default=(), max_length=100, description="Ids of the agents that answer there."
    )


class RetentionEntry(Entry):
    """How many days rows are kept."""

    inbox_days: int = Field(default=7, ge=7, le=3650, description="Raw events, for repeats.")
    outbox_days: int = Field(default=90, ge=1, le=3650, description="Posts as wanted.")


class EmbedderEntry(Entry):
    """What gives remembered texts their vectors."""

    model: str = Field(
        default="wordllama",
        min_length=1,
        max_length=200,
        description="`wordllama`, shipped with the program, or provider and model: `openai:…`.",
    )
    base_url: BaseUrlOrNone = Field(
        default="", description="Another address for the provider; it receives the key."
    )


class ConfigFile(Entry):
    """Everything that may stand in `config/`."""

    orchestrator: str = Field(
        default="", description="Id of the agent that answers direct messages; nobody when empty."
    )
    admins: Annotated[tuple[UserId, ...], Distinct] = Field(
        default=(), max_length=200, description="User ids that may reload, erase and resume."
    )
    admin_channel: ChannelOrNone = Field(
        default="", description="Channel for what only admins can mend."
    )
    general: GeneralEntry = Field(
        default_factory=GeneralEntry, description="Channels no desk is bound to."
    )
    retention: RetentionEntry = Field(
        default_factory=RetentionEntry, description="How long rows are kept."
    )
    embedder: EmbedderEntry = Field(
        default_factory=EmbedderEntry, description="What gives remembered texts their vectors."
    )
    agents: tuple[AgentEntry, ...] = Field(
        min_length=1, max_length=1000, description="All agents, of all desks."
    )
    desks: tuple[DeskEntry, ...] = Field(min_length=1, max_length=500, description="All desks.")
