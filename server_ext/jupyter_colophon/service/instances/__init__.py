"""Instances of schemaspaces: stores, saving, presentation, secrets and records."""
