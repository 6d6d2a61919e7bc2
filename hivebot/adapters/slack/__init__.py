"""Slack, behind the ports of hivebot.services."""
