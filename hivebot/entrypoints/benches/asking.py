"""How long does a person wait? For the answer that comes back, and for the first sign of a debate.

Everything real: a Postgres, a local workspace that speaks Slack's protocol, the bot's web, worker
and clock as processes of their own. Its agents are rule-based and take no time, so what is measured
is the way and not the model. Source: product.md 3, turns.md 6.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hivebot.entrypoints.benches.timing import Times, times_of
from hivebot.entrypoints.demo.stage import Stage, stage
from hivebot.sandbox.client import SandboxClient

ASKER: Final = "U0ANA"
NEAR: Final = "C0PAY"
DEBATING: Final = "C0DATA"
ANSWER: Final = "503 twice"
WARM_UP: Final = 3
TIMEOUT_S: Final = 30.0
P95_MAX_MS: Final = 500

CONFIG: Final = """\
# Two desks of which one asks the other, and one that deliberates; as much as anybody wants to ask.
agents:
  - {id: pia, name: Pia, role: lead, model: briefed, rules: {refer: {gateway: platform}}}
  - id: lasse
    name: Lasse
    role: gateway engineer
    model: briefed
    rules:
      holds:
        - {text: The gateway retries a 503 twice and then hands it on., about: [gateway]}
  - id: anna
    name: Anna
    role: ingest
    model: briefed
    rules:
      shared: &shared
        - {text: All tests pass., about: [test], option: ship, bearing: for, strength: 2}
      holds:
        - {text: It was announced., about: [word], option: ship, bearing: for, strength: 1}
  - {id: bert, name: Bert, role: storage, model: briefed, rules: {shared: *shared}}
desks:
  - id: payments
    channel: C0PAY
    members: [pia]
    asks: [platform]
    blind_spots: [how the gateway treats errors]
    referral: &crossing
      {enabled: yes, max_hops: 2, reach: desks, returns: yes, referrals_per_hour: 1000}
    budget: &plenty {turns_per_day: 1000000}
  - id: platform
    channel: C0PLAT
    members: [lasse]
    answers: [payments]
    referral: *crossing
    budget: *plenty
  - id: data
    channel: C0DATA
    members: [anna, bert]
    mode: hive
    budget: {turns_per_day: 1000000, tokens_per_day: 100000000}
"""

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """How long a person waited.

    Attributes:
        answer: From the message to the answer of another desk, told in the person's thread.
        progress: From the question to the message that shows how its deliberation is coming on.
    """

    answer: Times
    progress: Times


async def measure(count: int, progress: Progress = lambda _done: None) -> RoundTrips:
    """Ask one question after the other, each once the one before it is answered.

    The workspace's rate limits are off: above a post a second Slack itself makes people wait.

    Args:
        count: Questions of each kind.
        progress: Told of each answer.

    Raises:
        StageError: a process did not get ready.
        WaitError: an answer did not come within half a minute.
    """
    with configuration() as config:
        async with stage(config, sandbox_settings={"rate_limits": False}) as running:
            return RoundTrips(
                answer=await _answers(running, count, progress),
                progress=await _signs(running.people, count, progress),
            )


@contextmanager
def configuration() -> Generator[Path]:
    """A file with the bench's own desks."""
    with tempfile.TemporaryDirectory(prefix="hivebot-bench-") as folder:
        path = Path(folder) / "hivebot.yaml"
        path.write_text(CONFIG, encoding="utf-8")
        yield path


async def _answers(running: Stage, count: int, progress: Progress) -> Times:
    took: list[float] = []
    for number in range(-WARM_UP, count):
        began = time.perf_counter()
        words = f"@#platform does the gateway retry on 503? Asked as number {number}."
        ts = await running.people.say(ASKER, NEAR, words)
        await running.people.wait_for(
            channel=NEAR, thread_ts=ts, contains=ANSWER, own=True, timeout_s=TIMEOUT_S
        )
        if number >= 0:
            took.append(time.perf_counter() - began)
            progress(1)
    return times_of(took)


async def _signs(people: SandboxClient, count: int, progress: Progress) -> Times:
    took: list[float] = []
    for number in range(-WARM_UP, count):
        began = time.perf_counter()
        words = f"@hive number {number}: #revert or #ship?"
        ts = await people.say(ASKER, DEBATING, words)
        await people.wait_for(channel=DEBATING, thread_ts=ts, own=True, timeout_s=TIMEOUT_S)
        if number >= 0:
            took.append(time.perf_counter() - began)
            progress(1)
        await people.wait_for(
            channel=DEBATING, thread_ts=ts, own=True, contains="Decided by", timeout_s=TIMEOUT_S
        )
    return times_of(took)
