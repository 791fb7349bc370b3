"""Runs, accesses, statements and edges."""
