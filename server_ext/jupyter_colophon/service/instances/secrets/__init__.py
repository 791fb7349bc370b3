"""Stores of the secrets of instances: documents, a file, the system's keyring, the environment (spec SEC-14)."""
