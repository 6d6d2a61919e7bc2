"""The queue of jobs: procrastinate on the same Postgres. Source: datapath.md 3."""

from __future__ import annotations

from hivebot.adapters.db.jobs.app import Handlers, build_app, open_app
from hivebot.adapters.db.jobs.queue import SessionJobs
from hivebot.adapters.db.jobs.upkeep import remove_finished, rescue, rescue_own
from hivebot.adapters.db.jobs.worker import SupervisedWorker

__all__ = [
    "Handlers",
    "SessionJobs",
    "SupervisedWorker",
    "build_app",
    "open_app",
    "remove_finished",
    "rescue",
    "rescue_own",
]
