"""How is hivebot started as a module? `python -m hivebot` is the command line."""

from __future__ import annotations

from hivebot.entrypoints.cli import main

main()
