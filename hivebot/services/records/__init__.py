"""Which values pass between use cases and the outside? Frozen records, one module per matter."""
