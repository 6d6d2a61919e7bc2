"""What does a slash command do, and to whom does it say what? Source: product.md 9, rights.md 1."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from hivebot.hive.crossing import Audience
from hivebot.hive.waking import Listen
from hivebot.services.commanding import Commanding, Typed
from hivebot.services.knowing import Knowing
from hivebot.services.records.commands import COMMANDS, HINT
from hivebot.services.records.memories import Place
from hivebot.services.records.outgoing import Body, SendFailure
from hivebot.services.records.policy import Deliberate
from hivebot.services.records.reloads import KeptOld, Reloaded
from tests.configurations import with_desk
from tests.fakes.poster import home_person
from tests.integration.services.remembered import plant
from tests.integration.services.stories import CANARY, answers, ask, begin, episodes, finish, reload
from tests.integration.services.world import ANA, DATA, PAYMENTS, PLATFORM, STEWARD, TEAM, World

pytestmark = pytest.mark.integration

QUESTION = "the new ingest is ready: #canary, #revert or #ship?"


@dataclass
class Edge:
    """What lies outside: doors, a voice, and the files.

    Attributes:
        open: (person, channel) pairs the person can open.
        fails: What the next post meets.
        reloads: What reading the files comes to.
    """

    open: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    fails: SendFailure | None = None
    reloads: Reloaded | KeptOld = field(default_factory=lambda: Reloaded("r2", "r1", ()))

    async def may_open(self, team_id: str, user_id: str, channel_id: str) -> bool:
        return team_id == TEAM and (user_id, channel_id) in self.open

    async def say(self, team_id: str, channel_id: str, text: str) -> str | SendFailure:
        if self.fails is not None:
            return self.fails
        self.said.append((channel_id, text))
        return f"1700000060.{len(self.said):06}"

    async def reload(self) -> Reloaded | KeptOld:
        return self.reloads


@pytest.fixture
def edge() -> Edge:
    return Edge(open={(ANA, channel) for channel in (PAYMENTS, PLATFORM, DATA)})


async def typed(
    world: World, edge: Edge, words: str, channel_id: str = DATA, user_id: str = ANA
) -> Body:
    commanding = Commanding(
        work=world.work,
        policies=world.policies,
        directory=world.directory,
        doors=edge,
        voice=edge,
        reload=edge.reload,
        who_knew=Knowing(world.work, world.policies).who_knows,
    )
    word, body = await commanding.run(Typed(TEAM, channel_id, user_id, words))
    assert word in {command.word for command in COMMANDS} | {""}
    return body


async def test_the_help_is_the_table_as_far_as_it_is_for_whoever_asks(
    world: World, edge: Edge
) -> None:
    for words in ("", "help", "  HELP  "):
        body = await typed(world, edge, words)
        assert body.text.count("\n") == len([one for one in COMMANDS if not one.admins]) - 1
    assert "reload" not in body.text
    admin = await typed(world, edge, "help", user_id=STEWARD)
    assert all(f"`/hive {one.usage}` {one.does}" in admin.text for one in COMMANDS)
    assert all(one.usage in HINT for one in COMMANDS)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("dekss", "There is no `/hive dekss`. Did you mean `/hive desks`?"),
        ("xyzzy", "There is no `/hive xyzzy`. `/hive help` lists"),
        ("why", "write `@hive why` as a reply"),
        ("stop now", "write `@hive stop` as a reply"),
    ],
)
async def test_an_unknown_word_is_answered_with_what_there_is(
    world: World, edge: Edge, words: str, says: str
) -> None:
    assert says in (await typed(world, edge, words)).text


async def test_only_desks_the_person_can_open_are_listed(world: World, edge: Edge) -> None:
    edge.open = {(ANA, DATA)}
    body = await typed(world, edge, "desks")
    assert "@#data" in body.text
    assert "payments" not in body.text
    assert "There is no desk" in (await typed(world, edge, "desks", user_id=STEWARD)).text


async def test_what_admins_may_is_refused_to_everybody_else(world: World, edge: Edge) -> None:
    for word in ("reload", "policy"):
        body = await typed(world, edge, word)
        assert body.text == f"Only an admin can use `/hive {word}`. Nothing has changed."


async def test_an_admin_reads_the_rules_of_the_channels_desk(world: World, edge: Edge) -> None:
    body = await typed(world, edge, "policy", user_id=STEWARD)
    assert body.heading == "#data"
    assert "mode hive" in body.text
    assert "No desk is bound" in (await typed(world, edge, "policy", "C0NONE", STEWARD)).text
    asks = await typed(world, edge, "policy", PAYMENTS, STEWARD)
    assert "asks #" in asks.text


async def test_an_admin_is_told_what_reading_the_files_came_to(world: World, edge: Edge) -> None:
    assert "Nothing has changed" in (await typed(world, edge, "reload", user_id=STEWARD)).text

    changes = tuple(f"~ {number}" for number in range(20))
    edge.reloads = Reloaded("r2", "r1", changes, ("f:1: careful",))
    body = await typed(world, edge, "reload", user_id=STEWARD)
    assert body.heading == "Revision r2 is in force"
    assert "~ 14\n• and 5 more" in body.text
    assert "warning: f:1: careful" in body.text

    edge.reloads = KeptOld("r1", tuple(f"f:{number}: wrong" for number in range(12)))
    body = await typed(world, edge, "reload", user_id=STEWARD)
    assert "f:9: wrong\n• and 2 more" in body.text
    assert "Revision r1 stays in force" in body.small


async def test_a_question_is_posted_in_the_persons_name_and_deliberated(
    world: World, edge: Edge
) -> None:
    await begin(world)
    body = await typed(world, edge, f"ask {QUESTION}")
    assert "answers in its thread" in body.text
    assert edge.said == [(DATA, f"Ana asks: {QUESTION}")]

    await finish(world)
    (found,) = await episodes(world)
    assert found.asker_user_id == ANA
    assert await world.texts(DATA, "1700000060.000001")


async def test_a_desk_that_answers_alone_deliberates_when_it_is_asked_to(
    world: World, edge: Edge
) -> None:
    await reload(world, with_desk("data", deliberate=Deliberate.ASKED))
    await ask(world, CANARY, DATA)
    before = len(await episodes(world))
    await typed(world, edge, f"ask {QUESTION}")
    await finish(world)
    assert len(await episodes(world)) == before + 1


async def test_a_question_is_refused_before_anything_is_posted(world: World, edge: Edge) -> None:
    assert "Write the question" in (await typed(world, edge, "ask")).text
    assert "No desk is bound" in (await typed(world, edge, "ask what?", "C0NONE")).text
    for changed, says in (
        ({"guest": True}, "does not take questions of guests"),
        ({"stranger": True}, "its own organisation only"),
        ({"deactivated": True}, "is deactivated"),
    ):
        world.directory.people[ANA] = home_person(ANA, "Ana", **changed)
        assert says in (await typed(world, edge, "ask what?")).text
    assert edge.said == []


async def test_a_question_slack_does_not_take_is_not_asked(world: World, edge: Edge) -> None:
    edge.fails = SendFailure("not_member", "not_in_channel")
    body = await typed(world, edge, "ask what?")
    assert body.text == (
        "Your question was not asked: the bot is not in that channel. Remedy: invite the bot to "
        "the channel."
    )
    assert await world.log(DATA) == ()


async def test_marks_in_a_question_deposit_nothing(world: World, edge: Edge) -> None:
    await begin(world)
    await typed(world, edge, "ask !propose #canary")
    (row,) = await world.log(DATA)
    assert "!propose" in row.content
    assert row.content != "deliberate !propose #canary"


async def test_who_knows_names_the_last_deliberation_and_its_worth(
    world: World, edge: Edge
) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)

    for channel in (DATA, PAYMENTS):
        body = await typed(world, edge, "who-knows #canary", channel)
        assert body.heading == "Who knows #canary, by one deliberation of #data"
        assert "laid down" in body.text
        assert "rho" in body.small
    assert "has deliberated #walrus" in (await typed(world, edge, "who-knows walrus")).text
    assert "Name the topic" in (await typed(world, edge, "who-knows")).text


async def test_who_knows_tells_nothing_of_a_desk_the_person_cannot_open(
    world: World, edge: Edge
) -> None:
    await begin(world)
    await ask(world, CANARY, DATA)
    edge.open = {(ANA, PAYMENTS)}
    body = await typed(world, edge, "who-knows #canary", PAYMENTS)
    assert "No desk whose channel you can open" in body.text


async def test_what_a_desk_remembers_is_told_as_far_as_it_may_be_read_here(
    world: World, edge: Edge
) -> None:
    """rights.md 3, product.md 9."""
    assert "remembers nothing yet" in (await typed(world, edge, "memory", PAYMENTS)).text
    await ask(world, "@hive how are refunds doing?")
    await plant(world, "c1", "Three days. " * 40, by=STEWARD)
    await plant(world, "g1", "fine so")
    await plant(world, "secret", "the zebrafish", places=(Place(Audience.PRIVATE, "G1"),))

    body = await typed(world, edge, "memory", PAYMENTS)
    first, *rest = body.text.splitlines()
    assert first == (
        "#payments remembers 2 decisions that may be read here, 2 of them above the threshold, "
        "after 3 interactions."
    )
    assert [line.partition(":")[0] for line in rest] == [
        "- correction, 2023-11-14",
        "- approve, 2023-11-14",
    ]
    assert rest[0].endswith("…")
    assert "zebrafish" not in body.text


async def test_a_channel_without_a_desk_remembers_nothing(world: World, edge: Edge) -> None:
    unbound = await typed(world, edge, "memory", "C0NONE")
    assert unbound == await typed(world, edge, "ask what?", "C0NONE")


async def test_a_muted_channel_stays_so_until_the_bot_is_mentioned(
    world: World, edge: Edge
) -> None:
    assert "nothing to mute" in (await typed(world, edge, "mute", PAYMENTS)).text
    await reload(world, with_desk("payments", listen=Listen.ALL))
    await ask(world, "how are refunds doing today?")
    assert len(await world.all_turns()) == 1

    assert "keep silent in this channel" in (await typed(world, edge, "mute", PAYMENTS)).text
    await ask(world, "how are payouts doing today?")
    assert len(await world.all_turns()) == 1
    asked = await ask(world, "@hive how are payouts doing today?")
    assert len(await answers(world, PAYMENTS, asked.ts)) == 1


async def test_an_unknown_person_counts_as_a_guest(world: World, edge: Edge) -> None:
    world.directory.people[ANA] = replace(home_person(ANA), known=False)
    assert "guests" in (await typed(world, edge, "ask what?")).text
