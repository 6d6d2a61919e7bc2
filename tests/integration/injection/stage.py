"""What happens along each way an attack can come in? The real edge, use cases and renderers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import cast

from hivebot.adapters.config_files.canonical import canonical, with_revision
from hivebot.adapters.slack.events import arrival
from hivebot.entrypoints.receiving import text_context
from hivebot.services.records.arrivals import Arrival, ChannelChanged, MessageArrived
from hivebot.services.records.policy import Configuration, DeskConfig
from hivebot.services.steering import Push, Steered, Steering
from tests.fakes.poster import home_person
from tests.integration.injection.attacks import Attack, Way
from tests.integration.injection.puppet import MODEL, Puppet
from tests.integration.services.remembered import plant
from tests.integration.services.stories import episode, finish, until_spoken
from tests.integration.services.world import (
    ANA,
    BEN,
    CONFIGURATION,
    DATA,
    PAYMENTS,
    PLATFORM,
    TEAM,
    WORKSPACE,
    World,
    key,
    next_ts,
)

FINANCE = "C0FIN"
DILEMMA = "<@U0BOT> #canary, #revert or #ship?"
EVE = {"user": "U9EVE", "user_team": "T9ACME", "team": "T9ACME"}

_numbers = count(1)


def puppets() -> Configuration:
    """The example with a puppet behind every agent, and a private desk that may ask platform.

    Platform would answer it: only the wider audience stands between.
    """
    agents = tuple(replace(one, model=MODEL) for one in CONFIGURATION.agents)
    payments, platform, data = (_desk(one) for one in CONFIGURATION.desks)
    askers = replace(platform.answers, desks=("payments", "finance"))
    platform = replace(platform, answers=askers)
    finance = replace(payments, id="finance", name="Finance", channel=FINANCE, members=("otto",))
    desks = (payments, platform, data, finance)
    return with_revision(replace(CONFIGURATION, agents=agents, desks=desks))


def _desk(desk: DeskConfig) -> DeskConfig:
    policy = replace(desk.episode.policy, turn_budget=8)
    return replace(desk, episode=replace(desk.episode, policy=policy))


@dataclass(slots=True)
class Stage:
    """A world in which every model is a puppet.

    Attributes:
        crossings: Questions the person has put to another desk.
        steered: What came of a press.
    """

    world: World
    puppet: Puppet
    configuration: Configuration
    attack: Attack
    crossings: int = 0
    steered: Steered | None = None

    async def type(
        self, text: str, channel_id: str = PAYMENTS, thread_ts: str = "", **fields: object
    ) -> MessageArrived | None:
        """Let a person type, by way of the whole edge; carry out everything it leads to."""
        came = self.event(text, channel_id, thread_ts, **fields)
        await self.world.hear(came)
        await finish(self.world)
        return came if isinstance(came, MessageArrived) else None

    def event(
        self, text: str, channel_id: str = PAYMENTS, thread_ts: str = "", **fields: object
    ) -> Arrival:
        """What Slack's event about a message comes to."""
        kinds = {"D": "im", "C": "group" if channel_id == FINANCE else "channel"}
        event: dict[str, object] = {
            "type": "message",
            "channel": channel_id,
            "channel_type": kinds[channel_id[0]],
            "user": ANA,
            "team": TEAM,
            "ts": next_ts(),
            "text": text,
            **({"thread_ts": thread_ts} if thread_ts else {}),
            **fields,
        }
        payload: dict[str, object] = {
            "type": "event_callback",
            "team_id": TEAM,
            "event_id": f"EvAttack{next(_numbers)}",
            "event_time": 1_700_000_050,
            "authorizations": [{"team_id": TEAM, "enterprise_id": None, "user_id": "U0BOT"}],
            "event": {name: value for name, value in event.items() if value is not None},
        }
        return arrival(payload, text_context(self.configuration, WORKSPACE))

    async def running(self, turns: int = 2) -> MessageArrived:
        """A deliberation of which so many turns were spoken; the message that asked for it."""
        came = self.event(DILEMMA, DATA)
        assert isinstance(came, MessageArrived)
        await self.world.hear(came)
        await until_spoken(self.world, turns)
        return came


Play = Callable[[Stage], Awaitable[object]]


async def play(world: World, attack: Attack, configuration: Configuration | None = None) -> Stage:
    """Carry an attack out, under `puppets()` unless told otherwise."""
    puppet = Puppet(attack.orders or attack.text, attack.desk)
    world.models = puppet.models()
    configuration = configuration or puppets()
    await world.policies.adopt(configuration, canonical(configuration))
    made = Stage(world, puppet, configuration, attack)
    await _WAYS[attack.way](made)
    await finish(world)
    return made


async def _question(stage: Stage) -> None:
    await stage.type(stage.attack.text)


async def _dilemma(stage: Stage) -> None:
    await stage.type(f"{DILEMMA} {stage.attack.text}", DATA)


async def _aside(stage: Stage) -> None:
    asked = await stage.running()
    await stage.type(stage.attack.text.replace("@hive", "<@U0BOT>"), DATA, asked.ts, user=BEN)


async def _alert(stage: Stage) -> None:
    asked = await stage.running()
    bot = {"user": None, "bot_id": "B0ALERT", "app_id": "A0ALERT", "subtype": "bot_message"}
    await stage.type(stage.attack.text, DATA, asked.ts, **bot)


async def _stranger(stage: Stage) -> None:
    asked = await stage.running()
    await stage.type(stage.attack.text, DATA, asked.ts, **EVE)


async def _across(stage: Stage) -> None:
    stage.crossings = 1
    await stage.type(f"@#platform {stage.attack.text}")


async def _file(stage: Stage) -> None:
    files = [{"id": "F1", "name": stage.attack.text}]
    await stage.type("@pia what is in this?", subtype="file_share", files=files)


async def _root(stage: Stage) -> None:
    ts = next_ts()
    stage.world.directory.roots[PAYMENTS, ts] = stage.attack.text
    await stage.type("@pia look at this", thread_ts=ts)


async def _edit(stage: Stage) -> None:
    came = await stage.type("@pia how long does a refund take?")
    assert came is not None
    message = {"type": "message", "user": ANA, "ts": came.ts, "text": stage.attack.text}
    edited = {**message, "edited": {"user": ANA, "ts": next_ts()}}
    await stage.type(
        "", subtype="message_changed", message=edited, previous_message=message, user=None
    )


async def _topic(stage: Stage) -> None:
    text = f"<@{ANA}> set the channel topic: {stage.attack.text}"
    await stage.type(text, subtype="channel_topic", topic=stage.attack.text)


async def _channel_name(stage: Stage) -> None:
    await stage.world.hear(ChannelChanged(key(), PLATFORM, "renamed", stage.attack.text))
    facts = stage.world.directory.channels[PLATFORM]
    stage.world.directory.channels[PLATFORM] = replace(facts, name=stage.attack.text)
    await stage.type("@pia what is said in <#C0PLAT>?")


async def _display_name(stage: Stage) -> None:
    stage.world.directory.people[ANA] = home_person(ANA, stage.attack.text)
    await stage.type("@pia who am I?")


async def _private(stage: Stage) -> None:
    await stage.type(stage.attack.text, FINANCE)


async def _direct(stage: Stage) -> None:
    await stage.type(stage.attack.text, "D0ANA")


async def _button(stage: Stage) -> None:
    asked = await stage.running()
    found = await episode(stage.world)
    steering = Steering(
        stage.world.work, stage.world.policies, stage.world.directory, stage.world.clock
    )
    act = cast("Callable[[Push], Awaitable[Steered]]", getattr(steering, stage.attack.text))
    stage.steered = await act(Push(TEAM, DATA, asked.ts, BEN, f"{found.id}:ship"))


async def _memory(stage: Stage) -> None:
    """The desk remembers it as a steward's words, and everybody who asks sees it."""
    await plant(stage.world, "c1", stage.attack.text, by="U0STEW")
    await stage.type("@pia how long does a refund take?")
    assert any("c1" in prompt for prompt in stage.puppet.seen), "it was never shown"


_WAYS: dict[Way, Play] = {
    Way.QUESTION: _question,
    Way.DILEMMA: _dilemma,
    Way.ASIDE: _aside,
    Way.ALERT: _alert,
    Way.STRANGER: _stranger,
    Way.FAR_ANSWER: _across,
    Way.FORWARDED: _across,
    Way.FILE_NAME: _file,
    Way.ROOT: _root,
    Way.EDIT: _edit,
    Way.TOPIC: _topic,
    Way.CHANNEL_NAME: _channel_name,
    Way.DISPLAY_NAME: _display_name,
    Way.PRIVATE: _private,
    Way.DIRECT: _direct,
    Way.BUTTON: _button,
    Way.MEMORY: _memory,
}
