"""Checks of stored data against its sources, backup and restore."""
