"""Lineage graphs, runs, and declared lineage."""
