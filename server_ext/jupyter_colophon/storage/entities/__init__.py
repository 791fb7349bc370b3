"""Rows of entities, aspects and their history."""
