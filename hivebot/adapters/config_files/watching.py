"""Have the configuration files been touched?"""

from __future__ import annotations

import hashlib
from pathlib import Path

from hivebot.adapters.config_files.sources import files_in


def fingerprint(path: Path) -> str:
    """Give a text that changes with the files: their names, sizes and moments, nothing inside them.

    Asked for rather than waited for: a directory that is mounted or linked anew, as containers do,
    tells nobody that it has changed.
    """
    seen = hashlib.sha256()
    try:
        files = files_in(path)
    except OSError as error:
        return type(error).__name__
    for file in files:
        try:
            facts = file.stat()
            about = f"{facts.st_ino}:{facts.st_size}:{facts.st_mtime_ns}"
        except OSError as error:
            about = type(error).__name__
        seen.update(f"{file}:{about}\n".encode())
    return seen.hexdigest()[:16]
