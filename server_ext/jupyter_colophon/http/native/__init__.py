"""Our own REST API (contract: native.md), one resource a file."""
