"""Where the secrets of instances are: beside them, in a file, in the system's keyring, in the environment (spec SEC-14)."""
