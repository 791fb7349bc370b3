"""Schemaspaces and schemas that packages register; a failing package does not affect others (spec SEC-17)."""
