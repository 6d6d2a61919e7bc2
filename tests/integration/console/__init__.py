"""Tests of the console over real HTTP."""
