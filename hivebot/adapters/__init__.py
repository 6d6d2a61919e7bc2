"""Outside systems, each behind a port and ignorant of the others."""
