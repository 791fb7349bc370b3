"""Exit codes, and errors as one line on stderr (docs/cli.md)."""

import sys

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2


def print_error(text: str) -> None:
    """Print an error as one line on stderr."""
    print(f"jupyter colophon: {' '.join(text.split())}", file=sys.stderr)
