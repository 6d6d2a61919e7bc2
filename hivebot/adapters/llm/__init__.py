"""Language models, behind the ports of hivebot.services."""
