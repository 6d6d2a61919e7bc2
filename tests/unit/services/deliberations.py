"""What was said in a deliberation of a test? Rows, a desk of three, and nothing stored."""

from __future__ import annotations

from collections.abc import Mapping

from hivebot.hive.conversation import AgentAuthor, Conversation, PersonAuthor
from hivebot.hive.directory import DirectoryPolicy
from hivebot.hive.episode import EpisodePolicy, EpisodeState
from hivebot.hive.referral import ReferralPolicy
from hivebot.hive.threshold import AgentThreshold
from hivebot.services.expertise import Deliberated
from hivebot.services.records.episodes import EpisodeEnd, EpisodeRow, EpisodeStage, Wish
from hivebot.services.records.policy import (
    AgentConfig,
    Configuration,
    DeskConfig,
    EpisodeSettings,
    ReferralSettings,
)
from hivebot.services.records.rows import MessageRole, MessageRow
from tests.fakes.clock import START

SLOW = DirectoryPolicy(half_life=1_000_000)
"""Nothing fades, so that weights can be told at sight."""


def row(seq: int, agent_id: str, content: str) -> MessageRow:
    """What an agent said in the log; "" is the person who asked."""
    author = AgentAuthor(agent_id, agent_id) if agent_id else PersonAuthor("U0ANA", "Ana")
    return MessageRow(
        id=seq,
        conversation_id=1,
        seq=seq,
        role=MessageRole.SPEECH,
        author=author,
        ts="",
        user_id="",
        user_team_id="",
        content=content,
        shown="",
        revision=1,
        addressed=False,
        wakes=False,
        mentions=(),
        traces=(),
        turn_id=None,
        referral_id=None,
        copy_of=None,
        judged=True,
        created_at=START,
    )


def configured(policy: DirectoryPolicy | None = SLOW) -> Configuration:
    """One desk of anna, bert and carl."""
    agents = tuple(
        AgentConfig(name, name.capitalize(), "", "", "briefed" if name == "anna" else "openai:x")
        for name in ("anna", "bert", "carl")
    )
    desk = DeskConfig(
        id="ops",
        name="Ops",
        description="",
        channel="C0OPS",
        members=("anna", "bert", "carl"),
        referral=ReferralSettings(ReferralPolicy()),
        episode=EpisodeSettings(EpisodePolicy(directory=policy)),
    )
    return Configuration("r1", agents, (desk,))


def deliberated(
    *said: tuple[str, str],
    policy: DirectoryPolicy | None = SLOW,
    affinity: tuple[tuple[str, int], ...] = (),
    reasons: Mapping[str, int] | None = None,
) -> Deliberated:
    """An episode in which this was said, after a question in row 1; carl has the affinity."""
    state = EpisodeState(
        Conversation("ops", "Ops"),
        watermark=1,
        thresholds=(
            AgentThreshold("anna"),
            AgentThreshold("bert"),
            AgentThreshold("carl", 0, affinity),
        ),
    )
    episode = EpisodeRow(
        id=1,
        conversation_id=1,
        log_id=2,
        desk_id="ops",
        question_id=1,
        asker_user_id="U0ANA",
        stage=EpisodeStage.ENDED,
        options=(),
        state=state,
        extra_turns=0,
        asked=0,
        failures=(),
        end=EpisodeEnd.IDLE,
        topic="",
        reason="",
        revision="r1",
        progress_id=None,
        progressed_at=START,
        wish=Wish.NONE,
        reserved_tokens=0,
        reserved_usd_micros=0,
        created_at=START,
        consult_due_at=START,
        deadline_at=START,
    )
    rows = [row(1, "", "#ship or #wait?")]
    rows += [row(seq, who, content) for seq, (who, content) in enumerate(said, start=2)]
    return Deliberated(episode, state, tuple(rows), reasons or {}, configured(policy))
