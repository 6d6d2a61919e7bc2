"""Temporary."""
from hivebot.adapters.llm.briefed import speak
from hivebot.adapters.llm.reply import render
from hivebot.services.records.asking import Spent, TurnReply
from hivebot.services.records.replies import Shape


class AgentModels:
    def __init__(self, keys):
        pass

    async def reply(self, request):
        return TurnReply(speak(request), Shape.CLEAN, Spent())

    def render(self, request, reply, sequence):
        return render(request, reply, sequence)

    async def select(self, agent, message, candidates):
        return None
