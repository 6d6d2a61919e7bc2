"""Use cases: async, one per module, over ports only."""
