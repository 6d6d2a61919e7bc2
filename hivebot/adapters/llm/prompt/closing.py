"""What does a prompt end with? Memories, the floor, the legal moves, and what was said last.

A blind turn is told its options and nothing else of the episode. Source: turns.md 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hivebot.adapters.llm.prompt.fitting import tokens
from hivebot.adapters.llm.prompt.frames import harmless, memory_element, option_element, row_element
from hivebot.adapters.llm.sight import Sight, is_blind
from hivebot.adapters.llm.text import shortened
from hivebot.hive.conversation import AgentAuthor
from hivebot.services.records.asking import FloorLine, TurnRequest
from hivebot.services.records.replies import Stance

MEMORY_TOKENS_MAX: Final = 800

_OWN_MAX: Final = 400
_SEEING: Final = frozenset({"deliberate", "commit"})


def closing_part(request: TurnRequest, sight: Sight) -> str:
    """Write what changes from turn to turn, most lasting first."""
    parts = [
        _memories(request),
        _options(request),
        *(_floor(request) if request.situation in _SEEING else ()),
        _legal(request, sight),
        "" if is_blind(request) else _own_last(request, sight),
        _task(request),
    ]
    return "\n\n".join(part for part in parts if part)


def _memories(request: TurnRequest) -> str:
    """Show memories in the order given, as far as there is room."""
    shown: list[str] = []
    room = MEMORY_TOKENS_MAX
    for memory in request.memories:
        element = memory_element(memory)
        room -= tokens(element)
        if room < 0:
            break
        shown.append(element)
    return _under("What was remembered", shown)


def _options(request: TurnRequest) -> str:
    options = [option_element(option.id, option.text) for option in request.options]
    return _under("The options", options)


def _floor(request: TurnRequest) -> Iterable[str]:
    floor = request.floor
    if floor is None:
        return
    yield _under("Where the options stand", [_standing(line) for line in floor.standings])
    yield _under("Who has shown to know what", [harmless(line) for line in floor.directory])
    if floor.topic:
        yield f"The members are about to agree on {harmless(floor.topic)}."


def _standing(line: FloorLine) -> str:
    parts = [f"{line.option}: backed by {_names(line.supporters)}"]
    if line.silenced:
        parts.append(f"silenced by an objection: {_names(line.silenced)}")
    if line.refuted_by:
        parts.append(f"refuted by {_names(line.refuted_by)}")
    return harmless("; ".join(parts))


def _legal(request: TurnRequest, sight: Sight) -> str:
    """Name every value that a field of the schema may have here."""
    moves: list[str] = []
    if request.options:
        moves.append(f"option: {_names(option.id for option in request.options)}")
    if request.options_open and request.situation in {"position", "deliberate"}:
        field = "new_option" if request.situation == "position" else "option, with `propose`"
        moves.append(f"{field}: one that is missing, in one line, instead of a listed one")
    if request.situation == "deliberate":
        targets = dict.fromkeys(
            str(trace.sequence) for trace in sight.advocacies(but=request.agent.id)
        )
        moves.extend((f"stance: {_names(_stances(request))}", f"target: {_names(targets)}"))
    if request.situation in {*_SEEING, "answer"}:
        moves.append(f"cites: {_names(str(number) for number in (0, *sight.by_number))}")
    if request.may_ask:
        moves.extend(_desks(request))
    return _under("What you may name", [f"- {move}" for move in moves])


def _desks(request: TurnRequest) -> Iterable[str]:
    most = f" (at most {request.max_asks})" if request.situation == "consult" else ""
    yield f"desk{most}: {_names(desk.id for desk in request.may_ask)}"
    for desk in request.may_ask:
        yield harmless(f"{desk.id} is {desk.name}: {desk.description}")


def _stances(request: TurnRequest) -> Iterable[str]:
    closed = {Stance.DEFER: not request.defer, Stance.REFUTE: not request.refute}
    return (stance.value for stance in Stance if not closed.get(stance, False))


def _own_last(request: TurnRequest, sight: Sight) -> str:
    """Repeat the member's own last words, so that it does not say them again."""
    own = [
        row
        for row in sight.rows
        if isinstance(row.message.author, AgentAuthor) and row.message.author.id == request.agent.id
    ]
    if not own:
        return ""
    body = shortened(own[-1].message.content, _OWN_MAX)
    return f"What you said last\n{row_element(own[-1], request.agent.id, body)}"


def _task(request: TurnRequest) -> str:
    match request.situation:
        case "answer" if request.returned:
            return (
                f"The other desk's answer is message {request.returned}. It is shown word for word "
                "beside yours: do not repeat it, say what it means for the question in message "
                f"{request.question}."
            )
        case "answer" if request.returned_state:
            return (
                "The question to the other desk came to nothing: "
                f"{harmless(request.returned_state)}. Say so, and answer message "
                f"{request.question} as far as you can."
            )
        case "relay":
            return f"Pass on what message {request.returned} says."
        case "answer":
            return f"Answer message {request.question} now."
        case _:
            return f"The question is message {request.question}. It is your turn."


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _under(title: str, lines: Iterable[str]) -> str:
    listed = "\n".join(lines)
    return f"{title}\n{listed}" if listed else ""
