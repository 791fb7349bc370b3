"""`jupyter colophon metadata …`: instances of schemaspaces by Elyra's words."""
