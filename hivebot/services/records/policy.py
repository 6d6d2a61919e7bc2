"""What has been configured? The running configuration, as values; validated before it gets here.

Source: product.md 5 to 8, rights.md, hive.md 20.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from hivebot.hive.attention import AgentThreshold
from hivebot.hive.crossing import AnswersTo, Reach, ReachKind
from hivebot.hive.episode import EpisodePolicy
from hivebot.hive.referral import ReferralPolicy
from hivebot.hive.waking import Listen, Threads
from hivebot.proxy.retrieval import SEED, RetrievalPolicy


class DeskMode(StrEnum):
    """Who answers a question on the desk."""

    LEAD = "lead"
    SELECT = "select"
    HIVE = "hive"


class Deliberate(StrEnum):
    """When a question is deliberated rather than answered by the lead."""

    ALWAYS = "always"
    LEAD_DECIDES = "lead_decides"
    ASKED = "asked"


class Opening(StrEnum):
    """What the blind round consists of."""

    POSITIONS = "positions"
    EVIDENCE_FIRST = "evidence_first"


class Consult(StrEnum):
    """Whether peers are asked before anybody has proposed."""

    OFF = "off"
    BEFORE_PROPOSALS = "before_proposals"


class Shown(StrEnum):
    """Whether a deliberation's turns are posted or folded behind a button."""

    SHOWN = "shown"
    FOLDED = "folded"


class ReferralsShown(StrEnum):
    """Where the answer to a far question appears in the answering channel."""

    CHANNEL = "channel"
    THREAD = "thread"


class Output(StrEnum):
    """How a model is made to answer in structure."""

    AUTO = "auto"
    TOOL = "tool"
    NATIVE = "native"
    PROMPTED = "prompted"
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class BriefFact:
    """One fact of a rule-based brief. Source: briefed.md."""

    option: str
    bearing: str
    strength: int
    text: str
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleBrief:
    """What a `briefed` agent knows: shared and held facts, and which desk to ask about a word."""

    shared: tuple[BriefFact, ...] = ()
    holds: tuple[BriefFact, ...] = ()
    refer: tuple[tuple[str, str], ...] = ()
    opening_facts: int = 3


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars in millionths per million tokens, prompt and output."""

    input_usd_micros: int
    output_usd_micros: int


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """A persona.

    Attributes:
        id: Unique, a mention alias.
        model: A provider's name (`openai:…`) or `briefed`.
        brief: Free text for the prompt's fixed part.
        rules: The rule-based brief; used only by `model: briefed`.
        affinity: Topic to 0..100, in configured order.
        retired: Kept for replay, never asked again.
    """

    id: str
    name: str
    role: str
    brief: str
    model: str
    icon: str = ""
    rules: RuleBrief = field(default_factory=RuleBrief)
    affinity: tuple[tuple[str, int], ...] = ()
    threshold: int = 0
    output: Output = Output.AUTO
    timeout_s: int = 60
    price: Price | None = None
    base_url: str = ""
    retired: bool = False

    @property
    def rule_based(self) -> bool:
        """Whether no model is behind this persona."""
        return self.model == "briefed"

    def as_threshold(self) -> AgentThreshold:
        """The market's record of this member."""
        return AgentThreshold(agent_id=self.id, threshold=self.threshold, affinity=self.affinity)


@dataclass(frozen=True, slots=True)
class ReferralSettings:
    """The referral fold's policy and what the host adds to it.

    Attributes:
        policy: The fold's own bounds.
        timeout_s: After this the referral ends as `expired`.
        answer_within_s: After this the status line says that no answer has come.
        per_hour: Questions an hour from this desk to any one other desk.
        refer_on: Whether the answering desk may ask on; needs `max_hops` of at least 4.
        shown: Where the answer appears in this desk's channel.
    """

    policy: ReferralPolicy
    timeout_s: int = 600
    answer_within_s: int = 120
    per_hour: int = 6
    refer_on: bool = False
    shown: ReferralsShown = ReferralsShown.CHANNEL


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """The episode fold's policy and what the host adds to it. Source: turns.md, product.md 5."""

    policy: EpisodePolicy
    opening: Opening = Opening.EVIDENCE_FIRST
    consult: Consult = Consult.OFF
    consult_timeout_s: int = 60
    max_asks: int = 2
    options_open: bool = False
    announce_priors: bool = False
    shown: Shown = Shown.FOLDED
    deadline_s: int = 180


@dataclass(frozen=True, slots=True)
class Budget:
    """What a desk may spend. 0 means nothing, never unbounded."""

    turns_per_day: int = 2000
    tokens_per_day: int = 5_000_000
    usd_micros_per_day: int = 50_000_000
    tokens_per_question: int = 500_000
    prompt_tokens_max: int = 6000
    output_tokens_max: int = 1500


class OnExpiry(StrEnum):
    """What becomes of what a gate holds when nobody has decided in time."""

    DROP = "drop"
    RELEASE = "release"


class ProxyMode(StrEnum):
    """What a desk's proxy does at its gates. It decides nothing: a steward does."""

    OFF = "off"
    SUGGEST = "suggest"


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """Who predicts what a desk's stewards will decide. Source: product.md 7.

    Attributes:
        agent: Id of the agent whose model predicts; "" lets the memories vote.
    """

    mode: ProxyMode = ProxyMode.SUGGEST
    agent: str = ""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Which of a desk's acts wait for a steward, where, and for how long. Source: product.md 7.

    Attributes:
        answers: Its answers wait before they are sent.
        decisions: Its converged decisions wait before they are told.
        channel: Channel id where gates are posted; "" posts them in the thread concerned.
        expires_s: Seconds a gate waits; it reminds once at half of them.
        self_approve: Who asked may approve.
    """

    answers: bool = False
    decisions: bool = False
    channel: str = ""
    expires_s: int = 86_400
    on_expiry: OnExpiry = OnExpiry.DROP
    self_approve: bool = False


@dataclass(frozen=True, slots=True)
class DeskConfig:
    """A roster of agents bound to one Slack channel.

    Attributes:
        channel: Channel id, or `#name` until it is resolved at load.
        user_group: Id of a user group that stands for the desk in mentions, or "".
        members: Agent ids in desk order; the first active one is the lead.
        bots: Bot ids whose posts may wake the desk when they mention it.
        may_mark: User ids whose lines are read for traces.
        memory: What comes to mind of what was decided before, and how soon it is forgotten.
        proxy: Who predicts at its gates.
        blind_spots: What the desk knows that it does not know and other desks may, for which
            asking them pays.
    """

    id: str
    name: str
    description: str
    channel: str
    members: tuple[str, ...]
    referral: ReferralSettings
    episode: EpisodeSettings
    mode: DeskMode = DeskMode.LEAD
    selector_model: str = ""
    user_group: str = ""
    listen: Listen = Listen.MENTION
    threads: Threads = Threads.ASKER
    deliberate: Deliberate = Deliberate.ASKED
    asks: Reach = field(default_factory=lambda: Reach(ReachKind.NONE))
    answers: Reach = field(default_factory=lambda: Reach(ReachKind.NONE))
    asks_wider: str = "gate"
    answers_to: AnswersTo = field(default_factory=AnswersTo)
    stewards: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    may_mark: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    blind_spots: tuple[str, ...] = ()
    file_contents: bool = False
    budget: Budget = field(default_factory=Budget)
    gates: GateSettings = field(default_factory=GateSettings)
    memory: RetrievalPolicy = SEED
    proxy: ProxySettings = field(default_factory=ProxySettings)


@dataclass(frozen=True, slots=True)
class GeneralConfig:
    """What happens in a channel no desk is bound to."""

    enabled: bool = False
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retention:
    """How long rows are kept, in days."""

    inbox_days: int = 7
    outbox_days: int = 90


@dataclass(frozen=True, slots=True)
class EmbedderConfig:
    """What gives remembered texts their vectors.

    Attributes:
        model: `wordllama`, which is shipped with the program, or provider and model.
        base_url: Another address for the provider; it receives the key.
    """

    model: str = "wordllama"
    base_url: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One revision of everything in `config/`.

    Attributes:
        revision: Content digest; each decision names it.
        orchestrator: Id of the agent that answers direct messages, or "".
        admins: User ids that may reload, erase and resume.
        admin_channel: Channel id for what only admins can mend, or "".
    """

    revision: str
    agents: tuple[AgentConfig, ...]
    desks: tuple[DeskConfig, ...]
    orchestrator: str = ""
    admins: tuple[str, ...] = ()
    admin_channel: str = ""
    general: GeneralConfig = field(default_factory=GeneralConfig)
    retention: Retention = field(default_factory=Retention)
    embedder: EmbedderConfig = field(default_factory=EmbedderConfig)

    def agent(self, agent_id: str) -> AgentConfig | None:
        """The agent with this id."""
        return next((agent for agent in self.agents if agent.id == agent_id), None)

    def desk(self, desk_id: str) -> DeskConfig | None:
        """The desk with this id."""
        return next((desk for desk in self.desks if desk.id == desk_id), None)

    def desk_of_channel(self, channel_id: str) -> DeskConfig | None:
        """The desk bound to this channel."""
        return next((desk for desk in self.desks if desk.channel == channel_id), None)
