"""The SQLite provider: one file, WAL with `synchronous=FULL`, every word of SQL for it."""
