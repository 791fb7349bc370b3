"""The PostgreSQL provider: one schema of a database, and all SQL for it (extra `postgresql`)."""
