"""The functional core: pure folds over frozen records. Standard library only."""
