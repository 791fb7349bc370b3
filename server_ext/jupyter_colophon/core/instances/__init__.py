"""Instances of schemaspaces."""
