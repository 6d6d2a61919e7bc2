"""Processes: they compose and start, and decide nothing."""
