"""Forward the requests of a single-user server to the shared service (docs/how-to/run-a-shared-service.md)."""
