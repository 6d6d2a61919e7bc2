"""Inputs that a fuzzer finds by what they make run: `make fuzz`."""
