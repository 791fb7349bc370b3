"""Where the secrets of instances are: beside them, in a file, in the system's keyring, in the environment (security.md B2.12)."""
