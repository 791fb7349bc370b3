"""Output of commands on instances: text and tables on stdout, log lines on stderr (spec INST-12)."""

import json
import logging
import sys
from collections.abc import Sequence
from typing import Any

from jupyter_colophon.core.display_text import format_count_with_noun, format_rows_in_aligned_columns

_LOG_FORMAT = "[%(levelname)1.1s %(asctime)s.%(msecs)03d] %(message)s"
log = logging.getLogger("jupyter_colophon.cli.instances")


def print_escaped_line(text: str = "") -> None:
    """Print a line on stdout, with control characters escaped."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text)
    print(text)


def print_json(document: Any) -> None:
    """Print a document as JSON on stdout."""
    print(json.dumps(document, indent=2))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table as Elyra does: underlined headings, three spaces after the first column."""
    for line in format_rows_in_aligned_columns([headings, ["-" * len(heading) for heading in headings], *rows], "   "):
        print_escaped_line(line)


def format_instance_count(number: int) -> str:
    """Return a number of instances as text: `1 instance`, `2 instances`."""
    return format_count_with_noun(number, "instance")


class _LineFormatter(logging.Formatter):
    """Format records as lines, with tracebacks only at level DEBUG."""

    def __init__(self) -> None:
        super().__init__(_LOG_FORMAT, "%Y-%m-%d %H:%M:%S")

    def formatException(self, ei: Any) -> str:
        """Return the traceback at level DEBUG, else its last line."""
        traceback = super().formatException(ei)
        return traceback if logging.getLogger().isEnabledFor(logging.DEBUG) else traceback.rpartition("\n")[2]


def log_to_stderr(level: str) -> None:
    """Print the log lines of all loggers on stderr. Raises ValueError if the level is unknown."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter())
    logging.basicConfig(handlers=[handler], level=level.upper())
