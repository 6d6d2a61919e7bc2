"""Are the figures filled, and do they name nobody?"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from aiohttp.test_utils import TestClient, TestServer
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from hivebot.adapters.db.counting import totals
from hivebot.entrypoints.metering import MeteredModels, MeteredPoster, StoredFigures
from hivebot.entrypoints.web import build_web
from hivebot.hive.gate import GateAct
from hivebot.proxy.prediction import PassReply
from hivebot.services.records.arrivals import Audience
from hivebot.services.records.outgoing import Posted, SendFailure
from hivebot.telemetry import Metrics
from tests.configurations import desk_of, with_more
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedModels, failing
from tests.fakes.outbox_rows import CREATED
from tests.fakes.poster import FakePoster
from tests.integration.services.stewards import holding, press, world_of
from tests.integration.services.stories import CANARY, ask, begin
from tests.integration.services.world import ANA, DATA, PAYMENTS, STEWARD, World, said

pytestmark = pytest.mark.integration


def page(metrics: Metrics) -> str:
    return metrics.render()[0].decode()


async def played(engine: AsyncEngine) -> tuple[World, Metrics]:
    """A deliberation, a question to another desk, a direct message, all metered."""
    metrics = Metrics()
    world = World(engine, FakeClock(CREATED), with_more(orchestrator="pia"))
    world.models = MeteredModels(world.models, metrics)
    await world.install()
    await begin(world)
    await ask(world, CANARY, DATA)
    await ask(world, "@#platform what is known about deploys?")
    await ask(world, "how are refunds doing?", "D0ANA", audience=Audience.DM)
    return world, metrics


async def test_what_was_done_is_counted_from_the_rows(engine: AsyncEngine) -> None:
    world, metrics = await played(engine)
    figures = StoredFigures(engine, metrics)
    await figures.refresh()
    shown = page(metrics)
    assert 'hivebot_episodes_total{desk="data",end="converged"} 1.0' in shown
    assert 'hivebot_referrals_total{state="answered"} 1.0' in shown
    assert 'hivebot_turns_total{desk="data",kind="episode",outcome="committed"} 12.0' in shown
    assert 'hivebot_turns_total{desk="dm",kind="answer",outcome="committed"} 1.0' in shown
    assert 'hivebot_waiting{queue="jobs"} 0.0' in shown
    assert 'hivebot_oldest_seconds{queue="jobs"} 0.0' in shown
    assert world.ran


async def test_no_label_names_a_channel_or_a_person(engine: AsyncEngine) -> None:
    _, metrics = await played(engine)
    await StoredFigures(engine, metrics).refresh()
    shown = page(metrics)
    for name in (ANA, DATA, PAYMENTS, "D0ANA", "T0HIVE"):
        assert name not in shown


async def test_what_models_took_and_cost_is_counted_by_their_names(engine: AsyncEngine) -> None:
    _, metrics = await played(engine)
    shown = page(metrics)
    assert 'hivebot_turn_seconds_count{model="briefed"}' in shown
    assert 'hivebot_replies_total{model="briefed",outcome="clean"}' in shown
    assert 'hivebot_cost_usd_micros_total{model="briefed"} 0.0' in shown


async def test_a_model_that_fails_is_counted_by_its_kind(engine: AsyncEngine) -> None:
    models = ScriptedModels()
    models.will("pia", "answer", failing("timed_out"))
    metrics = Metrics()
    world = World(engine, FakeClock(CREATED), models=MeteredModels(models, metrics))
    await world.install()
    await ask(world, "@hive how are refunds doing?")
    assert 'outcome="timed_out"' in page(metrics)


async def test_what_a_proxy_took_and_cost_is_counted_too(engine: AsyncEngine) -> None:
    sure = iter([0.1, 0.9])
    models, metrics = ScriptedModels(), Metrics()
    models.predicts = lambda _asked: PassReply("Fine.", next(sure), "approve")
    models.moves = "It names the day."
    metered = MeteredModels(models, metrics)
    world = World(engine, FakeClock(CREATED), holding("payments"), models=metered)
    await world.install()
    await ask(world, "@hive how are refunds doing?")
    # an answer of 100, two passes and a sentence of 50 each
    shown = page(metrics)
    assert 'hivebot_tokens_total{direction="prompt",model="briefed"} 250.0' in shown
    assert 'hivebot_cost_usd_micros_total{model="briefed"} 9.0' in shown


async def test_what_waits_is_shown_with_its_age(engine: AsyncEngine) -> None:
    world, metrics = World(engine, FakeClock(CREATED)), Metrics()
    await world.install()
    await world.hear(said("@hive how are refunds doing?", addressed=True))
    await StoredFigures(engine, metrics).refresh()
    assert 'hivebot_waiting{queue="jobs"} 1.0' in page(metrics)
    assert (await totals(engine)).oldest_s["jobs"] >= 0


async def test_gates_are_counted_by_desk_and_by_who_decided(engine: AsyncEngine) -> None:
    world = await world_of(engine, FakeClock(CREATED), holding("payments"))
    metrics = Metrics()
    figures = StoredFigures(engine, metrics)
    await ask(world, "@hive how are refunds doing?")
    await figures.refresh()
    assert 'hivebot_gates_open{desk="payments"} 1.0' in page(metrics)
    assert (await totals(engine)).oldest_s["gates"] > 0
    await press(world, GateAct.APPROVE)
    await ask(world, "@hive how are refunds doing today?")
    world.clock.advance(10**7)
    await world.gates.look()
    await figures.refresh()
    shown = page(metrics)
    assert 'hivebot_gates_open{desk="payments"} 0.0' in shown
    for outcome, by in (("approved", "person"), ("expired", "nobody")):
        labels = f'by="{by}",desk="payments",kind="answer_review",outcome="{outcome}"'
        assert f"hivebot_gates_total{{{labels}}} 1.0" in shown
    assert STEWARD not in shown
    assert (await totals(engine)).oldest_s["gates"] == 0


async def test_what_a_desk_may_spend_and_has_spent_today_is_shown(engine: AsyncEngine) -> None:
    world, metrics = World(engine, FakeClock(datetime.now(tz=UTC))), Metrics()
    await world.install()
    figures = StoredFigures(engine, metrics, world.policies.current)
    await ask(world, "@hive how are refunds doing?")
    await ask(world, "how are refunds doing?", "D0ANA", audience=Audience.DM)
    await figures.refresh()
    shown = page(metrics)
    assert 'hivebot_spent{desk="payments",what="turns"} 1.0' in shown
    budget = desk_of(world.configuration, "payments").budget
    allowed = f'hivebot_budget{{desk="payments",what="turns"}} {float(budget.turns_per_day)}'
    assert allowed in shown
    assert ANA not in shown


async def test_posts_that_were_refused_or_are_of_unknown_fate_are_shown(
    engine: AsyncEngine,
) -> None:
    world, metrics = World(engine, FakeClock(CREATED)), Metrics()
    await world.install()
    figures = StoredFigures(engine, metrics)
    await ask(world, "@hive how are refunds doing?")
    await figures.refresh()
    assert 'hivebot_unposted{state="failed"} 0.0' in page(metrics)
    async with engine.begin() as connection:
        await connection.execute(text("update outbox set state = 'unknown'"))
    await figures.refresh()
    assert 'hivebot_unposted{state="unknown"} 0.0' not in page(metrics)


async def test_while_the_database_is_away_the_last_figures_stay(engine: AsyncEngine) -> None:
    away = create_async_engine("postgresql+psycopg://nobody@127.0.0.1:9/none")
    metrics = Metrics()
    figures = StoredFigures(away, metrics)
    await figures.refresh()
    await away.dispose()
    assert "hivebot_turns_total{" not in page(metrics)


async def test_sends_and_refusals_are_counted(engine: AsyncEngine) -> None:
    metrics, poster = Metrics(), FakePoster()
    world = World(engine, FakeClock(CREATED))
    await world.install()
    await ask(world, "@hive how are refunds doing?")
    row = (await world.outbox(PAYMENTS))[-1]
    metered = MeteredPoster(poster, metrics)
    assert metered.parts(row) == 1
    posted = await metered.post(row, "")
    assert isinstance(posted, Posted)
    poster.fail(SendFailure("wait", "ratelimited", retry_after_s=7))
    await metered.post(row, "")
    await metered.edit(row, posted.ts)
    poster.fail(SendFailure("archived", "is_archived"))
    await metered.delete(row.destination, posted.ts)
    assert await metered.lookup(row, "", datetime.min.replace(tzinfo=CREATED.tzinfo))
    shown = page(metrics)
    assert 'hivebot_posts_total{kind="post",outcome="sent"} 1.0' in shown
    assert 'hivebot_posts_total{kind="edit",outcome="sent"} 1.0' in shown
    assert 'hivebot_slack_wait_seconds_total{kind="post"} 7.0' in shown
    assert 'hivebot_slack_errors_total{error="is_archived",kind="delete"} 1.0' in shown


async def test_the_page_is_brought_up_to_date_before_it_is_shown() -> None:
    metrics, refreshed = Metrics(), list[int]()

    async def refresh() -> None:
        refreshed.append(1)

    async def ready() -> bool:
        return True

    app = build_web(None, metrics, ready, "", refresh=refresh)
    async with TestClient(TestServer(app)) as client:
        assert "hivebot_ready 1.0" in await (await client.get("/metrics")).text()
    assert refreshed == [1]
