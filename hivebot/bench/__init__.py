"""Does it pay? Benchmarks over the folds of `hive` and the memory of `proxy`."""
