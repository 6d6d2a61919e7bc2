"""Who keeps the queue being worked on while workers and databases come and go?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import procrastinate
from procrastinate.app import WorkerOptions
from procrastinate.exceptions import ConnectorException
from procrastinate.job_context import JobContext
from procrastinate.worker import Worker

from hivebot.adapters.db.jobs.upkeep import rescue, rescue_own

CONCURRENCY = 16
POLL_S = 0.1
GRACE_S = 20.0
RESCUE_EVERY_S = 10.0
RESTART_MAX_S = 15.0
_SETTLED_AFTER_S = 60.0
_SWALLOWED_S = 5.0


class SupervisedWorker:
    """Works on the queue until it is told to stop, starting again whenever the work ends by itself.

    Args:
        app: The opened queue.
        concurrency: Jobs at the same time.
        queues: Names of the queues to take from; None for all.
        restarted: Called with the cause each time the work ended by itself; None when unknown.
        grace_s: How long running jobs may go on after `stop`; then they are put back.
        restart_max_s: Longest wait before the work starts again.
    """

    def __init__(
        self,
        app: procrastinate.App,
        *,
        concurrency: int = CONCURRENCY,
        queues: Sequence[str] | None = None,
        restarted: Callable[[BaseException | None], None] | None = None,
        grace_s: float = GRACE_S,
        rescue_every_s: float = RESCUE_EVERY_S,
        restart_max_s: float = RESTART_MAX_S,
    ) -> None:
        self._app = app
        self._concurrency = concurrency
        self._queues = queues
        self._restarted = restarted
        self._grace_s = grace_s
        self._rescue_every_s = rescue_every_s
        self._restart_max_s = restart_max_s
        self._stopping = asyncio.Event()
        self._ready = False
        self._worker_id: int | None = None
        self._running: set[int] = set()

    @property
    def ready(self) -> bool:
        """Is the queue being worked on, as far as we know?"""
        return self._ready

    def stop(self) -> None:
        """Take no more jobs; `run` ends when the running ones have, or after `grace_s`."""
        self._stopping.set()

    async def run(self) -> None:
        """Work until `stop`."""
        loop = asyncio.get_running_loop()
        failures = 0
        while not self._stopping.is_set():
            began = loop.time()
            cause = await self._once()
            if self._stopping.is_set():
                return
            failures = 0 if loop.time() - began > _SETTLED_AFTER_S else failures + 1
            if self._restarted is not None:
                self._restarted(cause)
            await _until(self._stopping, min(0.25 * 2 ** min(failures, 10), self._restart_max_s))

    async def _once(self) -> BaseException | None:
        """One run of the worker; returns what ended it."""
        try:
            await self._app.job_manager.check_connection_async()
        except ConnectorException as exc:
            return exc
        ended = asyncio.Event()
        work = asyncio.create_task(self._work(), name="queue worker")
        rescues = asyncio.create_task(self._rescues(ended), name="queue rescue")
        told = asyncio.create_task(self._stopping.wait(), name="queue stop")
        self._ready = True
        try:
            await asyncio.wait({work, rescues, told}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.set()
            told.cancel()
            pending = {work, rescues}
            while pending:
                # More than once, because a driver may swallow the first.
                work.cancel()
                _, pending = await asyncio.wait(pending, timeout=self._grace_s + _SWALLOWED_S)
            self._ready = False
        return None if work.cancelled() else work.exception()

    async def _work(self) -> None:
        options: WorkerOptions = {
            "concurrency": self._concurrency,
            "fetch_job_polling_interval": POLL_S,
            "shutdown_graceful_timeout": self._grace_s,
            "install_signal_handlers": False,
            # Deleting would bypass the trigger that wakes workers when a lock is freed.
            "delete_jobs": "never",
            "worker_middleware": [self._noted],
        }
        if self._queues is not None:
            options["queues"] = self._queues
        await self._app.run_worker_async(**options)

    async def _noted(
        self, call_next: Callable[[], Awaitable[object]], context: JobContext, worker: Worker
    ) -> object:
        """Run a job, and know meanwhile that it runs."""
        self._worker_id = worker.worker_id
        job_id = context.job.id
        assert job_id is not None  # noqa: S101 - it was fetched
        self._running.add(job_id)
        try:
            return await call_next()
        finally:
            self._running.discard(job_id)

    async def _rescues(self, ended: asyncio.Event) -> None:
        # Ended by an event: a driver that is cancelled may report an error of the database instead.
        suspected: frozenset[int] = frozenset()
        while not ended.is_set():
            try:
                await rescue(self._app)
                if self._worker_id is not None:
                    suspected = await rescue_own(
                        self._app, self._worker_id, self._running, suspected
                    )
            except ConnectorException:
                self._ready = False
            else:
                self._ready = True
            await _until(ended, self._rescue_every_s)


async def _until(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, at most so long."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
