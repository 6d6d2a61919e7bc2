"""hivebot: a self-hosted Slack app for teams that run desks of LLM agents."""
