"""What do the configuration files say, as records?"""

from __future__ import annotations

from hivebot.adapters.config_files.canonical import canonical, from_canonical, with_channels
from hivebot.adapters.config_files.changes import diff
from hivebot.adapters.config_files.findings import ConfigError, Finding
from hivebot.adapters.config_files.loading import Loaded, load, schema
from hivebot.adapters.config_files.watching import fingerprint

__all__ = [
    "ConfigError",
    "Finding",
    "Loaded",
    "canonical",
    "diff",
    "fingerprint",
    "from_canonical",
    "load",
    "schema",
    "with_channels",
]
