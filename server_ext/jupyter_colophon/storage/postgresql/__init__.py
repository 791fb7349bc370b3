"""The PostgreSQL provider: one schema of a database, and every word of SQL for it (extra `postgresql`)."""
