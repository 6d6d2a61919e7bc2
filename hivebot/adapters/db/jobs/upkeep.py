"""What happens to jobs whose worker died, and to jobs that are done?"""

from __future__ import annotations

from collections.abc import Collection

import procrastinate
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status

# Longer than three heartbeats, so that a busy worker is not taken for a dead one.
STALLED_AFTER_S = 30.0
KEEP_HOURS = 24

# Only a job still in the hands of the worker it was seen with: another may have rescued it.
_RETRY = """
with seen as materialized (
    select id from procrastinate_jobs
    where id = %(id)s and status = 'doing' and worker_id is not distinct from %(worker)s::bigint
    for update
)
select procrastinate_retry_job_v2(id, now(), null, null, null) from seen
"""


async def rescue(app: procrastinate.App, *, stalled_after_s: float = STALLED_AFTER_S) -> int:
    """Put jobs of dead workers back, each under its lock as before. Returns how many there were.

    A job whose queueing lock a waiting job has is ended instead: the waiting one does its work.

    Raises:
        procrastinate.exceptions.ConnectorException: The database is away.
    """
    stalled = list(await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=stalled_after_s))
    for job in stalled:
        await _rescue(app, job)
    return len(stalled)


async def rescue_own(
    app: procrastinate.App,
    worker_id: int,
    running: Collection[int],
    suspected: Collection[int],
) -> frozenset[int]:
    """Put back what a living worker holds and does not run. Returns whom to suspect next time.

    A job is left like that when the database goes away while it is handed out or while its end is
    noted. Its worker lives, so no other takes it for stalled, and its lock would be held for ever.

    Args:
        app: The opened queue.
        worker_id: Ours.
        running: Ids of the jobs that run now.
        suspected: What the look before has returned: only what is found twice is put back, since a
            job that is being handed out, or whose end is being noted, looks the same.

    Raises:
        procrastinate.exceptions.ConnectorException: The database is away.
    """
    held = [
        job
        for job in await app.job_manager.list_jobs_async(
            status=Status.DOING.value, worker_id=worker_id
        )
        if job.id is not None and job.id not in running
    ]
    for job in held:
        if job.id in suspected:
            await _rescue(app, job)
    return frozenset(job.id for job in held if job.id is not None) - frozenset(suspected)


async def _rescue(app: procrastinate.App, job: Job) -> None:
    try:
        await app.connector.execute_query_all_async(_RETRY, id=job.id, worker=job.worker_id)
    except UniqueViolation:
        await app.job_manager.finish_job(job, Status.ABORTED, delete_job=False)


async def remove_finished(app: procrastinate.App, *, hours: int = KEEP_HOURS) -> None:
    """Remove jobs that ended, in whatever way, more than this long ago."""
    await app.job_manager.delete_old_jobs(
        nb_hours=hours, include_failed=True, include_cancelled=True, include_aborted=True
    )
