"""Which questions are the model adapters tested with? Builders of turn requests."""

from __future__ import annotations

from typing import Unpack, cast

from typing_extensions import TypedDict

from hivebot.hive.conversation import AgentAuthor, PersonAuthor, SystemAuthor
from hivebot.hive.transcript import SessionMessage
from hivebot.services.records.asking import (
    Colleague,
    FarDesk,
    Floor,
    FloorLine,
    Memory,
    SeenRow,
    Situation,
    TurnRequest,
)
from hivebot.services.records.policy import AgentConfig, Opening, Output, Price, RuleBrief
from hivebot.services.records.replies import Option

OPTIONS = (
    Option("canary", "Roll out to ten percent first"),
    Option("revert", "Go back to the last release"),
    Option("ship", "Ship to everybody now"),
)
COLLEAGUES = (
    Colleague("anna", "Anna", "planner"),
    Colleague("bert", "Bert", "critic"),
    Colleague("carl", "Carl", "archivist"),
)


class AgentFields(TypedDict, total=False):
    """What a test may set of an agent."""

    model: str
    output: Output
    rules: RuleBrief
    timeout_s: int
    price: Price
    base_url: str
    brief: str
    affinity: tuple[tuple[str, int], ...]


class RequestFields(TypedDict, total=False):
    """What a test may set of a request."""

    agent: AgentConfig
    rows: tuple[SeenRow, ...]
    question: int
    colleagues: tuple[Colleague, ...]
    may_ask: tuple[FarDesk, ...]
    options: tuple[Option, ...]
    options_open: bool
    floor: Floor | None
    memories: tuple[Memory, ...]
    watermark: int
    max_asks: int
    defer: bool
    refute: bool
    opening: Opening
    returned: int
    returned_state: str
    left_out: tuple[tuple[int, int], ...]
    prompt_tokens_max: int
    output_tokens_max: int


def agent(agent_id: str = "anna", **fields: Unpack[AgentFields]) -> AgentConfig:
    """An agent called after its id."""
    filled: AgentFields = {"model": "briefed", "brief": "You plan.", **fields}
    return AgentConfig(id=agent_id, name=agent_id.capitalize(), role="planner", **filled)


def person(sequence: int, content: str, name: str = "Pia") -> SeenRow:
    """What a person said."""
    return SeenRow(SessionMessage(sequence, PersonAuthor(f"U0{name.upper()}", name), content))


def said(sequence: int, agent_id: str, content: str) -> SeenRow:
    """What an agent said."""
    author = AgentAuthor(agent_id, agent_id.capitalize())
    return SeenRow(SessionMessage(sequence, author, content))


def noted(sequence: int, content: str) -> SeenRow:
    """What the host wrote."""
    return SeenRow(SessionMessage(sequence, SystemAuthor("outcome", "Outcome"), content))


def returned(sequence: int, agent_id: str, content: str, desk: str = "Platform") -> SeenRow:
    """An answer that came back from another desk."""
    author = AgentAuthor(agent_id, agent_id.capitalize())
    return SeenRow(SessionMessage(sequence, author, content), "answer_from_desk", desk)


def floor(topic: str = "", *standings: FloorLine, directory: tuple[str, ...] = ()) -> Floor:
    """What is known of the floor."""
    return Floor("commit" if topic else "deliberate", topic, standings, directory)


def asked(situation: str = "answer", **fields: Unpack[RequestFields]) -> TurnRequest:
    """A request with one question in row 1, its episode (if it is one) above it."""
    filled: RequestFields = {
        "agent": agent(),
        "rows": (person(1, "Which way do we roll out?"),),
        "question": 1,
        "colleagues": COLLEAGUES,
        **fields,
    }
    if situation in {"opening", "position", "deliberate", "commit", "relay"}:
        filled = {"options": OPTIONS, "watermark": 1, **filled}
    return TurnRequest(
        desk_id="ops",
        desk_name="Operations",
        situation=cast("Situation", situation),
        **filled,
    )
