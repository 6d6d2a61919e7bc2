"""What do integration tests stand on? Directories that Postgres may use."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.fixture
def data_dir() -> Generator[Path]:
    """A short path that does not exist yet, below a directory that any account may pass."""
    above = Path(tempfile.mkdtemp(prefix="hb-")).resolve()
    above.chmod(0o711)
    yield above / "data"
    shutil.rmtree(above)
