"""Unit tests of what in the database adapter needs no database."""
