"""Our own REST API, one resource a file."""
