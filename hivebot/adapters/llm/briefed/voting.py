"""What would the memories themselves decide? The rule-based proxy: no network, no chance."""

from __future__ import annotations

from hivebot.proxy.prediction import PassReply, vocabulary
from hivebot.proxy.vote import memory_vote
from hivebot.services.records.predictions import PredictionRequest


def vote(asked: PredictionRequest) -> PassReply | None:
    """Let what was remembered vote; None for an abstention, so that a person is asked.

    Source: proxy-experiment.md (the predictor that is deterministic and offline).
    """
    found = memory_vote(asked.ballots, frozenset(vocabulary(asked.state)))
    if not found.outcome:
        return None
    said = f"{found.voters} like decisions say {found.outcome}."
    return PassReply(said, found.confidence, found.outcome, found.supporters)
