"""Stores of instances: files with records, the catalog, and Elyra stores."""
