"""`jupyter colophon …`: what keeps a catalog healthy, without a server (docs/cli.md)."""
