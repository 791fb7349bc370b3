"""Artifacts: files with Python code that belong to a namespace, and the plugins that they declare."""
