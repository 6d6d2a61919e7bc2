"""Which options do the benchmarks of one desk and of several have in common?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Episodes = Annotated[int, typer.Option("--episodes", min=1, help="Rooms or federations to play.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the run.")]
Jobs = Annotated[int, typer.Option("--jobs", min=1, help="Processes; they never change a number.")]
Topics = Annotated[int, typer.Option("--topics", min=2, max=256, help="Options to decide between.")]
Noise = Annotated[
    int | None,
    typer.Option(
        "--noise",
        min=0,
        help="Half-width of what members misjudge. Default: 90; 50 for a hidden profile or desks.",
        show_default=False,
    ),
]
Budget = Annotated[
    int | None, typer.Option("--budget", min=0, help="Turns of hive+. Default: three a member.")
]
Quorum = Annotated[
    int | None, typer.Option("--quorum", min=1, help="Quorum of hive+. Default: a majority.")
]
Window = Annotated[int, typer.Option("--window", min=1, help="Messages hive+ looks back.")]
Dominance = Annotated[int, typer.Option("--dominance", min=0, help="Dominance cap of hive+, %.")]
Repetition = Annotated[int, typer.Option("--repetition", min=0, help="Repetition cap of hive+.")]
NoBlind = Annotated[bool, typer.Option("--no-blind", help="Let the opening round of hive+ see.")]
Chosen = Annotated[
    str | None, typer.Option("--arms", help="Only these arms, with commas.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV and nothing else.")]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", help="Draw accuracy against turns to an SVG.", show_default=False),
]
Trace = Annotated[bool, typer.Option("--trace", help="Show the first episode, line by line.")]
