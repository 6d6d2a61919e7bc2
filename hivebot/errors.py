"""Which kinds of failure exist? The root of the one error tree.

HivebotError
├── hive.errors.HiveError        a malformed snapshot or policy given to a fold
├── proxy.errors.ProxyError      malformed memory input
├── settings.SettingsError       the environment cannot be used (exit 78)
├── adapters.config_files.ConfigError  the configuration files cannot be used (exit 78)
└── services.ports.PortError     an outside system failed
"""

from __future__ import annotations

from typing import ClassVar


class HivebotError(Exception):
    """Anything hivebot raises on purpose.

    Attributes:
        code: Stable snake_case name of the kind, safe to log and to match on.
    """

    code: ClassVar[str] = "hivebot"
