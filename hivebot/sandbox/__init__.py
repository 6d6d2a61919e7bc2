"""A local workspace that speaks the Slack protocol; imports nothing else of hivebot."""
