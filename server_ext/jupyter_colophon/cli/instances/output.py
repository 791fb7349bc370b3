"""How these commands speak: text and tables on stdout, log lines on stderr (spec INST-12)."""

import json
import logging
import sys
from collections.abc import Sequence
from typing import Any

from jupyter_colophon.core.display_text import align, count_of

_LOG_FORMAT = "[%(levelname)1.1s %(asctime)s.%(msecs)03d] %(message)s"
log = logging.getLogger("jupyter_colophon.cli.instances")


def say(text: str = "") -> None:
    """A line on stdout. What a terminal would obey is shown instead."""
    print("".join(one if one.isprintable() or one in "\n\t" else repr(one)[1:-1] for one in text))


def answer(document: Any) -> None:
    """A document on stdout, for programs."""
    print(json.dumps(document, indent=2))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows below their heads, as Elyra does: a rule as long as each head, three blanks behind the first column."""
    for line in align([heads, ["-" * len(head) for head in heads], *rows], "   "):
        say(line)


def count(number: int) -> str:
    """Return a number of instances in words."""
    return count_of(number, "instance")


class _Lines(logging.Formatter):
    """A line each; tracebacks are for who looks for the fault."""

    def __init__(self) -> None:
        super().__init__(_LOG_FORMAT, "%Y-%m-%d %H:%M:%S")

    def formatException(self, ei: Any) -> str:
        """Where it was raised, for `--debug`; else its last line."""
        whole = super().formatException(ei)
        return whole if logging.getLogger().isEnabledFor(logging.DEBUG) else whole.rpartition("\n")[2]


def log_to_stderr(level: str) -> None:
    """Have everybody's log lines come on stderr. Raises ValueError for what is no level."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logging.basicConfig(handlers=[handler], level=level.upper())
