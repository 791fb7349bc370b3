"""Maintenance of a store: backups, integrity checks, log truncation."""
