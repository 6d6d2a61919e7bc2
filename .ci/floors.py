"""Is enough of each file run? Branch coverage: all of the core, nine tenths of every other file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CORE = ("hivebot/hive/", "hivebot/proxy/")
CORE_FLOOR = 100.0
FLOOR = 90.0


def main() -> int:
    """Print each file below its floor; 1 when there is one."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        subprocess.run(
            [sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(report)], check=True
        )
        files = json.loads(report.read_text())["files"]
    low = 0
    for name, figures in sorted(files.items()):
        floor = CORE_FLOOR if name.startswith(CORE) else FLOOR
        percent = figures["summary"]["percent_covered"]
        if percent < floor:
            low += 1
            print(f"{name}: {percent:.1f} % of branches, the floor is {floor:.0f} %")
    print(f"floors: {len(files)} files, {low} below their floor")
    return 1 if low or not files else 0


if __name__ == "__main__":
    sys.exit(main())
