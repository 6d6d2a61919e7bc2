from __future__ import annotations

import pytest

from hivebot.hive.conversation import (
    Conversation,
    DispatchConversation,
    dispatch_conversation,
    equivalent,
    is_general,
    same_conversation,
)

ENG = Conversation("eng", "Engineering")
GENERAL = Conversation("main", "Whatever")
GENERAL_BY_NAME = Conversation("c1", "GENERAL")


@pytest.mark.parametrize("chat", [None, "", "main", "MAIN", "General", "gEnErAl"])
def test_a_missing_an_empty_and_either_reserved_word_are_general(chat: str | None) -> None:
    assert is_general(chat)


@pytest.mark.parametrize("chat", [" ", " main", "eng", "Ｍain", "maın", "generals"])
def test_nothing_else_is_general_and_nothing_is_trimmed(chat: str) -> None:
    assert not is_general(chat)


def test_two_chats_are_one_when_both_are_general_or_both_are_equal() -> None:
    assert same_conversation(None, "MAIN")
    assert same_conversation("eng", "eng")
    assert not same_conversation("eng", "main")
    assert not same_conversation("", "eng")
    assert not same_conversation("eng", "Eng")


def test_conversations_in_different_threads_differ() -> None:
    assert not equivalent(ENG, Conversation("eng", "Engineering", 4))
    assert equivalent(Conversation("eng", "E", 4), Conversation("eng", "Other", 4))


def test_a_conversation_is_general_by_id_or_by_name() -> None:
    assert equivalent(GENERAL, GENERAL_BY_NAME)
    assert not equivalent(GENERAL_BY_NAME, ENG)
    assert not equivalent(ENG, GENERAL)


def test_names_do_not_merge_desks() -> None:
    assert not equivalent(ENG, Conversation("eng2", "Engineering"))


def test_routing_spells_the_general_conversation_in_one_way() -> None:
    assert dispatch_conversation(GENERAL_BY_NAME) == DispatchConversation("General", None)
    assert dispatch_conversation(Conversation("eng", "E", 4)) == DispatchConversation("eng", 4)
