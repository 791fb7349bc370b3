"""The change log, and the tables of what follows or feeds it."""
