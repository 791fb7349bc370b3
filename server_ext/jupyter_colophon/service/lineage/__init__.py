"""Lineage queries and runs."""
