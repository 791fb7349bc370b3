"""`jupyter colophon ingest …`: what other tools left in files."""
