"""What does a desk remember when a test begins?"""

from __future__ import annotations

from dataclasses import replace

from hivebot.proxy.chunks import Chunk, ChunkType
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.memories import NewChunk, PerceptTexts, Place, Scope, Sources
from tests.fakes.embedders import bag
from tests.integration.services.world import PAYMENTS, STEWARD, TEAM, World

REFUND = "@hive how long does a refund take?"
HERE = Place(Audience.PUBLIC, PAYMENTS)


async def plant(
    world: World,
    name: str,
    words: str,
    *,
    proxy: str = "payments",
    places: tuple[Place, ...] = (HERE,),
    question: str = REFUND,
    by: str = "",
) -> None:
    """Let the desk remember a correction of the steward's, or what was approved."""
    chunk = Chunk(
        id=name,
        type=ChunkType.REVIEW_CORRECTION if by else ChunkType.GATE_OUTCOME,
        state="" if by else "answer_review",
        task_type=f"review:{by}" if by else proxy,
        outcome="correction" if by else "approve",
        human_response=words,
        content="what was said",
        embedding_model=world.embedder.model,
    )
    vectors = replace(chunk.vectors, stimulus=bag(question))
    async with world.work.begin() as tx:
        memory = await tx.memories.ensure(TEAM, proxy)
        await tx.memories.record(
            memory.id,
            NewChunk(
                replace(chunk, vectors=vectors),
                Scope.of(places),
                Sources(user_ids=(by or STEWARD,)),
                PerceptTexts(question),
            ),
        )
