"""Where does a message stand, and as what? Source: product.md 3."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hivebot.hive.conversation import AgentAuthor, SystemAuthor
from hivebot.services.records.rows import MessageRole
from hivebot.services.threads import copy_into, copy_of_root
from tests.unit.services.rows import MESSAGE


def test_a_threads_first_row_is_its_root_as_it_stands() -> None:
    root = replace(MESSAGE, addressed=True, files=("a.csv",), shown="shown")

    copy = copy_of_root(2, root)

    assert (copy.conversation_id, copy.copy_of, copy.ts) == (2, root.id, root.ts)
    assert (copy.content, copy.shown, copy.author) == ("why?", "shown", root.author)
    assert (copy.user_id, copy.user_team_id, copy.files) == ("U0ANA", "T0HIVE", ("a.csv",))
    assert (copy.addressed, copy.wakes, copy.judged) == (True, True, False)


@pytest.mark.parametrize(
    ("judged", "wakes", "copied"),
    [(False, True, False), (True, True, True), (False, False, True), (True, False, True)],
)
def test_a_root_that_was_judged_or_wakes_nobody_is_not_judged_again(
    *, judged: bool, wakes: bool, copied: bool
) -> None:
    root = replace(MESSAGE, judged=judged, wakes=wakes)

    assert copy_of_root(2, root).judged is copied


def test_a_row_that_stands_for_an_unseen_root_is_copied_as_speech() -> None:
    root = replace(
        MESSAGE, role=MessageRole.BACKFILLED, author=SystemAuthor("message", "earlier"), content=""
    )

    assert copy_of_root(2, root).role is MessageRole.SPEECH
    assert copy_of_root(2, replace(MESSAGE, role=MessageRole.QUESTION)).role is (
        MessageRole.QUESTION
    )


def test_what_a_deliberation_is_given_is_not_judged_again_and_keeps_who_said_it() -> None:
    given = copy_into(5, replace(MESSAGE, turn_id=3, addressed=True))

    assert (given.conversation_id, given.copy_of, given.role) == (5, 11, MessageRole.SPEECH)
    assert (given.content, given.user_id, given.ts) == ("why?", "U0ANA", "1.7")
    assert (given.judged, given.wakes, given.addressed, given.turn_id) == (True, False, False, None)


def test_an_answer_that_came_home_is_one_in_the_deliberation_too() -> None:
    home = replace(
        MESSAGE, role=MessageRole.RETURN, author=AgentAuthor("lasse", "Lasse"), referral_id=4
    )

    given = copy_into(5, home)

    assert (given.role, given.referral_id) == (MessageRole.RETURN, 4)
