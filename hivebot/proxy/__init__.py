"""ACT-R proxy memory: pure functions over chunks, traces and vectors."""
