"""Lineage of SQL statements, by their text."""
