"""Capture of what the Python processes of a command read and write (`jupyter colophon run`)."""
