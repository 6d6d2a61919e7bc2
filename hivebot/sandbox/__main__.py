"""How is the sandbox started as a process of its own?"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hivebot.sandbox.errors import RealTokenError
from hivebot.sandbox.server import load_world, refuse_real_tokens, serve
from hivebot.sandbox.settings import Settings
from hivebot.sandbox.shapes import compact
from hivebot.sandbox.workspace import Workspace
from hivebot.sandbox.world import default_world

EX_CONFIG = 78


def arguments() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="python -m hivebot.sandbox")
    parser.add_argument("--port", type=int, default=0, help="0 for a free one")
    parser.add_argument("--config", type=Path, help="world to start with, as JSON")
    parser.add_argument("--state", type=Path, help="file in which the world survives a restart")
    parser.add_argument("--settings", default="{}", help="switches to begin with, as JSON")
    return parser


async def serve_until(
    stop: asyncio.Event, *, port: int, config: Path | None, state: Path | None, settings: Settings
) -> None:
    """Serve until ``stop`` is set; the first line on stdout is JSON with the URLs and tokens."""
    world = load_world(state, config) or default_world()
    async with serve(Workspace(world, settings), port=port, state_file=state) as running:
        ready = {
            "url": running.base_url,
            "api_url": running.api_url,
            "bot_token": settings.bot_token,
            "app_token": settings.app_token,
            "signing_secret": settings.signing_secret,
        }
        sys.stdout.write(compact(ready) + "\n")
        sys.stdout.flush()
        await stop.wait()


async def _serve_until_signal(options: argparse.Namespace, settings: Settings) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    await serve_until(
        stop,
        port=int(options.port),
        config=options.config,
        state=options.state,
        settings=settings,
    )


def run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run the sandbox and return the exit status: 78 when the environment holds real tokens."""
    options = arguments().parse_args(argv)
    try:
        refuse_real_tokens(environ)
    except RealTokenError as exc:
        sys.stderr.write(f"{exc}\n")
        return EX_CONFIG
    settings = Settings.model_validate_json(str(options.settings))
    asyncio.run(_serve_until_signal(options, settings))
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], os.environ))
