"""Is an answer corrected over Slack's own protocol? Menu, modal, edit, and the next answer."""

from __future__ import annotations

import pytest

from hivebot.sandbox.shapes import Json, as_map, as_maps, as_text
from tests.e2e.play import ANA, BEN, PAYMENTS, STEW, Play

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

QUESTION = "@pia how long does a refund take?"
RIGHT = "Three days, and not more."


def menu_of(row: Json) -> Json:
    """The overflow menu under an answer."""
    found = [
        element
        for block in as_maps(row["blocks"])
        if block["type"] == "actions"
        for element in as_maps(block["elements"])
        if element["type"] == "overflow"
    ]
    return found[-1]


async def answer_to(play: Play, asked: str) -> Json:
    return (await play.thread(PAYMENTS, asked))[-1]


async def choose(play: Play, user: str, row: Json, label: str) -> None:
    """Pick one line of an answer's menu."""
    menu = menu_of(row)
    values = {
        as_text(as_map(one["text"])["text"]): as_text(one["value"])
        for one in as_maps(menu["options"])
    }
    await play.people.press(
        user, PAYMENTS, as_text(row["ts"]), as_text(menu["action_id"]), chosen=[values[label]]
    )


async def test_a_steward_corrects_and_the_next_answer_says_so(http: Play) -> None:
    asked = await http.people.say(ANA, PAYMENTS, QUESTION)
    answer = await answer_to(http, asked)

    await choose(http, BEN, answer, "Correct")
    (suggesting,) = await http.people.views(BEN)
    assert suggesting["title"] == "Suggest a correction"
    await http.people.close_view(BEN, as_text(suggesting["id"]))

    await choose(http, STEW, answer, "Correct")
    (modal,) = await http.people.views(STEW)
    assert (modal["title"], modal["inputs"]) == ("Correct", ["words", "teach"])
    refused = await http.people.submit(STEW, as_text(modal["id"]), {"words": " "})
    assert refused["errors"] == {"correction": "A correction needs words."}
    done = await http.people.submit(STEW, as_text(modal["id"]), {"words": RIGHT})
    assert done["closed"]

    corrected = await answer_to(http, asked)
    assert corrected["ts"] == answer["ts"]
    assert as_text(corrected["plain"]).index(RIGHT) < as_text(corrected["plain"]).index(
        "five working days"
    )
    assert "Corrected by" in as_text(corrected["plain"])
    assert "'strike': True" in str(corrected["blocks"])

    again = await http.people.say(BEN, PAYMENTS, QUESTION)
    assert f'"{RIGHT}"' in as_text((await answer_to(http, again))["plain"])


async def test_a_thumb_down_shows_the_menu_and_remove_takes_the_answer_away(http: Play) -> None:
    asked = await http.people.say(ANA, PAYMENTS, QUESTION)
    answer = await answer_to(http, asked)
    await http.people.react(ANA, PAYMENTS, as_text(answer["ts"]), "-1")
    await http.settled()
    (shown,) = await http.people.ephemerals(ANA, channel=PAYMENTS, after=asked)
    labels = [as_text(button["text"]) for button in as_maps(shown["buttons"])]
    assert labels == ["Correct", "Not for us: ask another desk", "Say more", "Why this speaker?",
                      "Remove"]  # fmt: skip

    await choose(http, ANA, answer, "Remove")
    (modal,) = await http.people.views(ANA)
    assert (await http.people.submit(ANA, as_text(modal["id"])))["closed"]
    assert "this answer was removed by" in as_text((await answer_to(http, asked))["plain"])
