"""Which rules does a situation call for?"""

from __future__ import annotations

from hivebot.adapters.llm.briefed import answers, floor
from hivebot.adapters.llm.sight import sight_of
from hivebot.services.records.asking import TurnRequest
from hivebot.services.records.replies import Reply


def speak(request: TurnRequest) -> Reply:
    """Fill the schema of the situation. The same request always gives the same reply.

    Source: briefed.md.
    """
    sight = sight_of(request)
    match request.situation:
        case "opening":
            return floor.opening(floor.stand_of(request, sight))
        case "position":
            return floor.position(floor.stand_of(request, sight))
        case "deliberate":
            return floor.deliberate(floor.stand_of(request, sight))
        case "commit":
            return floor.commit(floor.stand_of(request, sight))
        case "answer":
            return answers.answer(request, sight)
        case "relay":
            return answers.relay(request, sight)
        case "consult":
            return answers.consult(request, sight)
        case "framing":
            return answers.frame(request, sight)
