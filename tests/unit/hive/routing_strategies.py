"""Which values can the routing folds meet? Small alphabets, so that names meet often."""

from __future__ import annotations

from hypothesis import strategies as st

from hivebot.hive.conversation import (
    AgentAuthor,
    Conversation,
    DispatchConversation,
    OperatorAuthor,
    PersonAuthor,
    SystemAuthor,
    TranscriptAuthor,
)
from hivebot.hive.desk import Desk, DeskAddition, DeskOrder, DeskSet, ResponderMode
from hivebot.hive.dispatch import DispatchInput, DispatchKey, DispatchPolicy
from hivebot.hive.mention import (
    AgentTarget,
    DeskTarget,
    EveryoneTarget,
    Mention,
    MentionAuthor,
    MentionedByAgent,
    MentionedByOther,
    MentionedByPerson,
    MentionTarget,
    PersonTarget,
)
from hivebot.hive.referral import Reach, ReferralInput, ReferralOrigin, ReferralPolicy
from hivebot.hive.roster import Member, Person, Roster
from hivebot.hive.scalars import U32_MAX, U64_MAX
from hivebot.hive.transcript import LogPage, LogRow, SessionMessage, SessionQuery

AGENT_IDS = ("ann", "bob", "carl", "dora")
DESK_IDS = ("eng", "ops", "General")

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
bodies = st.text(
    st.sampled_from("@#`~ \n\r\t.,(a_Ü\u2028\u001cannbobeng") | st.characters(), max_size=60
)
agent_ids = st.sampled_from(AGENT_IDS)
desk_ids = st.sampled_from(DESK_IDS)
u32s = st.integers(0, U32_MAX)
u64s = st.integers(0, U64_MAX)

mention_targets: st.SearchStrategy[MentionTarget] = st.one_of(
    st.builds(AgentTarget, agent_ids),
    st.builds(PersonTarget, agent_ids),
    st.builds(DeskTarget, desk_ids),
    st.just(EveryoneTarget()),
)
mentions = st.builds(Mention, mention_targets, texts, st.integers(0, 9) | u64s, st.booleans())
mention_lists = st.lists(mentions, max_size=4).map(tuple)
mention_authors: st.SearchStrategy[MentionAuthor] = st.one_of(
    st.builds(MentionedByAgent, agent_ids),
    st.builds(MentionedByPerson, agent_ids),
    st.just(MentionedByOther()),
)

names = st.none() | st.sampled_from(("Ann", "ann", "eng", "Ö", "a b", " "))
id_sets = st.lists(agent_ids, unique=True).map(tuple)
members = st.builds(Member, agent_ids, names)
people = st.builds(Person, agent_ids, st.sampled_from(("Ann", "A B", "a-b", " ", "eng")))
rosters = st.builds(
    Roster,
    st.lists(members, unique_by=lambda member: member.id).map(tuple),
    st.lists(people, unique_by=lambda person: person.id, max_size=3).map(tuple),
    id_sets,
)


def _a_desk(desk_id: str, members: tuple[str, ...], mode: ResponderMode) -> Desk:
    return Desk(desk_id, desk_id, None, members, mode)


desks = st.builds(_a_desk, desk_ids, id_sets, st.sampled_from(ResponderMode))
additions = st.builds(DeskAddition, desk_ids, agent_ids)
orders = st.builds(DeskOrder, desk_ids, id_sets)


def _a_desk_set(
    listed: list[Desk], more: list[DeskAddition], retired: tuple[str, ...], split: int
) -> DeskSet:
    known = {desk.id for desk in listed}
    return DeskSet(
        tuple(listed[:split]),
        tuple(listed[split:]),
        tuple(entry for entry in more if entry.desk_id in known),
        (),
        retired,
    )


desk_sets = st.builds(
    _a_desk_set,
    st.lists(desks, unique_by=lambda desk: desk.id),
    st.lists(additions, max_size=3),
    id_sets,
    st.integers(0, 3),
)

conversations = st.builds(Conversation, texts, texts, st.none() | u64s)
dispatch_conversations = st.builds(
    DispatchConversation, desk_ids | texts, st.none() | st.integers(0, 3) | u64s
)
keys = st.builds(DispatchKey, u64s)
origins = st.builds(ReferralOrigin, dispatch_conversations, agent_ids)
hops = st.integers(0, 3) | u32s
dispatch_policies = st.builds(DispatchPolicy, st.booleans(), hops)
dispatch_inputs = st.builds(
    DispatchInput, keys, dispatch_conversations, agent_ids, texts, mention_lists, hops
)
referral_policies = st.builds(
    ReferralPolicy, st.booleans(), hops, st.sampled_from(Reach), st.booleans()
)
referral_inputs = st.builds(
    ReferralInput,
    keys,
    dispatch_conversations,
    agent_ids,
    texts,
    mention_lists,
    hops,
    st.none() | origins,
)

transcript_authors: st.SearchStrategy[TranscriptAuthor] = st.one_of(
    st.just(OperatorAuthor()),
    st.builds(PersonAuthor, texts, texts),
    st.builds(AgentAuthor, texts, texts),
    st.builds(SystemAuthor, texts, texts),
)
log_rows = st.builds(LogRow, u64s, st.none() | texts, st.none() | u64s, transcript_authors, texts)
log_pages = st.builds(LogPage, st.lists(log_rows, max_size=3).map(tuple), st.none() | u64s)
session_queries = st.builds(SessionQuery, conversations, st.none() | u64s, u64s)
session_messages = st.builds(SessionMessage, u64s, transcript_authors, texts)
