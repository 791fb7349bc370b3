"""`jupyter colophon metadata …`: instances of schemaspaces by Elyra's words (elyra.md 4, docs/cli.md)."""
