"""The SQLite provider: one file in WAL mode with `synchronous=FULL`, and all SQL for it."""
