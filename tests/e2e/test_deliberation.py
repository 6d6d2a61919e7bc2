"""Does a desk decide together what no member could tell alone, and say so in one message?"""

from __future__ import annotations

import pytest

from tests.e2e.play import ANA, DATA, Play, said_by

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

DILEMMA = "@hive the new ingest is ready: #canary, #revert or #ship?"


async def test_a_dilemma_is_decided_for_what_only_some_of_them_knew(http: Play) -> None:
    asked = await http.people.say(ANA, DATA, DILEMMA)
    rows = await http.thread(DATA, asked)
    assert len(rows) == 2
    outcome = said_by(rows, "hive")
    assert len(outcome) == 1
    assert "Decided by 3 of 5: canary" in outcome[0]
    assert rows[1]["edited"] is True
    posts = [call for call in await http.people.calls("chat.postMessage") if call["error"] is None]
    assert len([call for call in posts if asked in str(call["args"])]) == 1


async def test_a_question_without_options_is_answered_by_the_lead_alone(http: Play) -> None:
    asked = await http.people.say(ANA, DATA, "@hive when are the dashboards refreshed?")
    rows = await http.thread(DATA, asked)
    assert "06:00" in "\n".join(said_by(rows, "Anna"))
    assert len(said_by(rows, "Anna")) == 1


async def test_two_dilemmas_at_once_are_decided_each_in_its_own_thread(http: Play) -> None:
    first = await http.people.say(ANA, DATA, DILEMMA)
    second = await http.people.say(ANA, DATA, DILEMMA)
    for asked in (first, second):
        outcome = said_by(await http.thread(DATA, asked), "hive")
        assert len(outcome) == 1
        assert "Decided by 3 of 5: canary" in outcome[0]
