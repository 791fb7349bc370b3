"""Runs of ingestions: which there were, what each wrote, and taking back what one wrote."""

ROUTES: list[tuple[str, type]] = []
