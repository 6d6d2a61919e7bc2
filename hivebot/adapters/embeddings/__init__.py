"""Embeddings, behind the ports of hivebot.services."""
