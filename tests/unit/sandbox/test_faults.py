"""What shall go wrong, and how often?"""

from __future__ import annotations

from hivebot.sandbox.faults import CallFault, EventFault, FaultBook
from hivebot.sandbox.shapes import Json


def event(subtype: str | None = None) -> Json:
    return {"event": {"type": "message", "subtype": subtype}}


def test_a_fault_strikes_as_often_as_it_says_and_no_more() -> None:
    book = FaultBook(calls=[CallFault(method="chat.update", answer="drop", times=2)])
    struck = [book.for_call("chat.update", "C0PAY") is not None for _ in range(3)]
    assert struck == [True, True, False]


def test_a_fault_strikes_its_method_and_channel_alone() -> None:
    book = FaultBook(calls=[CallFault(method="chat.update", answer="drop", channel="C0PAY")])
    assert book.for_call("chat.delete", "C0PAY") is None
    assert book.for_call("chat.update", "C0DATA") is None
    assert book.for_call("chat.update", "C0PAY") is not None


def test_a_star_strikes_whatever_comes() -> None:
    book = FaultBook(
        calls=[CallFault(method="*", answer="drop")], events=[EventFault(event="*", effect="lose")]
    )
    assert book.for_call("auth.test", "") is not None
    assert book.for_event(event("message_deleted")) is not None


def test_an_event_is_known_by_its_subtype_where_it_has_one() -> None:
    book = FaultBook(events=[EventFault(event="message", effect="hold", times=2)])
    assert book.for_event(event("message_deleted")) is None
    assert book.for_event(event()) is not None
    assert book.for_event(event()) is not None
    assert book.for_event(event()) is None


def test_faults_can_be_forgotten() -> None:
    book = FaultBook(
        calls=[CallFault(method="*", answer="drop")], events=[EventFault(event="*", effect="lose")]
    )
    book.clear()
    assert book.for_call("auth.test", "") is None
    assert book.for_event(event()) is None
