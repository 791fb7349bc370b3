"""`jupyter colophon metadata …`: Elyra's commands for instances of schemaspaces."""
