"""How are people and channels called when a text is shown? By name; the stored text keeps ids.

Names are data like everything else in a body: the renderer neutralises them. A channel is named
only where its readers may know it. Source: product.md 3, slack.md 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from hivebot.hive.crossing import Audience
from hivebot.services.ports import Directory
from hivebot.services.records.outgoing import Body, Destination, Quote

NAMES_MAX: Final = 40
"""Ids looked up for one message; further ones are shown as they are."""

A_PRIVATE_CHANNEL: Final = "a private channel"

_PERSON: Final = re.compile(r"(?<![\w@#])@([UW][A-Z0-9]{4,20})(?![\w-])")
_CHANNEL: Final = re.compile(r"(?<![\w@#])#([CG][A-Z0-9]{4,20})(?![\w-])")
_BARE_PERSON: Final = re.compile(r"[UW][A-Z0-9]{4,20}")


async def with_names(body: Body, place: Destination, directory: Directory) -> Body:
    """The body with names for ids in its text, its quotes and its sources; gate artifacts stay."""
    texts = [body.text, *(quote.text for quote in body.quotes if _by_name(quote))]
    people = _found(_PERSON, texts)
    people += [
        source.label for source in body.sources if _BARE_PERSON.fullmatch(source.label) is not None
    ]
    channels = _found(_CHANNEL, texts)
    if not people and not channels:
        return body
    names: dict[str, str] = {}
    for user_id in list(dict.fromkeys(people))[:NAMES_MAX]:
        names[user_id] = (await directory.person(place.team_id, user_id)).name or user_id
    for channel_id in list(dict.fromkeys(channels))[:NAMES_MAX]:
        names[channel_id] = await _channel(directory, place, channel_id)
    return replace(
        body,
        text=_named(body.text, names),
        quotes=tuple(
            replace(quote, text=_named(quote.text, names)) if _by_name(quote) else quote
            for quote in body.quotes
        ),
        sources=tuple(
            replace(source, label=names.get(source.label, source.label)) for source in body.sources
        ),
    )


def _by_name(quote: Quote) -> bool:
    return quote.named or not quote.plain


def _found(pattern: re.Pattern[str], texts: Iterable[str]) -> list[str]:
    return [match[1] for text in texts for match in pattern.finditer(text)]


async def _channel(directory: Directory, place: Destination, channel_id: str) -> str:
    facts = await directory.channel(place.team_id, channel_id)
    if facts is None:
        return f"#{channel_id}"
    if facts.audience is Audience.PUBLIC or channel_id == place.channel_id:
        return f"#{facts.name or channel_id}"
    return A_PRIVATE_CHANNEL


def _named(text: str, names: dict[str, str]) -> str:
    known = _PERSON.sub(lambda match: f"@{names.get(match[1], match[1])}", text)
    return _CHANNEL.sub(lambda match: names.get(match[1], match[0]), known)
