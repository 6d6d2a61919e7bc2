"""Postgres, behind the ports of hivebot.services."""
