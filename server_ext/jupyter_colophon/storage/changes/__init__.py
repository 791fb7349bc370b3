"""The change log, and the tables that follow it or feed it."""
