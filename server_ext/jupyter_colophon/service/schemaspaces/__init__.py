"""Schemaspaces and their schemas, from whoever registers them; nobody's fault harms another (spec SEC-17)."""
