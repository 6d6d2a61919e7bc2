"""What keeps this installation from working? `hivebot doctor`, line by line, with remedies."""

from hivebot.entrypoints.doctor.command import examine, report

__all__ = ["examine", "report"]
