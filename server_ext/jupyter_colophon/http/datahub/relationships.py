"""Relationships."""

ROUTES: list[tuple[str, type]] = []
