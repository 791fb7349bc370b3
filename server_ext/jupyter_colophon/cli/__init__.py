"""The command line, `jupyter colophon …` (docs/cli.md)."""
