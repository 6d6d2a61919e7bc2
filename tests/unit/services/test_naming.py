"""How are people and channels called when a text is shown?"""

from __future__ import annotations

from hivebot.hive.crossing import Audience
from hivebot.services.naming import with_names
from hivebot.services.ports import ChannelFacts
from hivebot.services.records.outgoing import Body, Destination, Quote, SourceLink
from tests.fakes.poster import FakeDirectory, home_person

PLACE = Destination("T0HIVE", "C0PAY")


def channel(channel_id: str, name: str, audience: Audience) -> ChannelFacts:
    return ChannelFacts(channel_id, name, audience, archived=False, member=True)


DIRECTORY = FakeDirectory(
    people=[home_person("U0BEN", "Ben")],
    channels=[
        channel("C0PAY", "payments", Audience.PRIVATE),
        channel("C0PLAT", "platform", Audience.PUBLIC),
        channel("C0FIN", "finance", Audience.PRIVATE),
    ],
)


async def shown(text: str) -> str:
    return (await with_names(Body(text=text), PLACE, DIRECTORY)).text


async def test_people_are_called_by_name_and_unknown_ones_by_id() -> None:
    assert await shown("ask @U0BEN, or @U0NOBODY.") == "ask @Ben, or @U0NOBODY."


async def test_a_channel_is_named_where_its_readers_may_know_it() -> None:
    assert await shown("see #C0PLAT and #C0PAY") == "see #platform and #payments"
    assert await shown("see #C0FIN") == "see a private channel"
    assert await shown("see #C0GONE") == "see #C0GONE"


async def test_what_only_looks_like_an_id_stays() -> None:
    text = "x@U0BEN @@U0BEN @U0BEN-x @u0ben ##C0PLAT @platform #canary"
    assert await shown(text) == text


async def test_a_body_that_names_nobody_is_given_back_as_it_is() -> None:
    body = Body(text="nobody here", quotes=(Quote("a", "b", "", "c"),))
    assert await with_names(body, PLACE, DIRECTORY) is body


async def test_quotes_and_sources_are_named_and_a_gates_artifact_is_not() -> None:
    body = Body(
        text="",
        quotes=(
            Quote("Lasse", "#platform", "", "as @U0BEN said"),
            Quote("To be decided", "", "", "as @U0BEN said", plain=True),
            Quote("The question", "", "", "@U0BEN?", plain=True, named=True),
        ),
        sources=(SourceLink("U0BEN", "message:C0PAY/1.1"), SourceLink("a tool")),
    )
    named = await with_names(body, PLACE, DIRECTORY)
    assert [quote.text for quote in named.quotes] == [
        "as @Ben said",
        "as @U0BEN said",
        "@Ben?",
    ]
    assert [source.label for source in named.sources] == ["Ben", "a tool"]
