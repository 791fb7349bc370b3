"""Text as a terminal shows it: its width, and nothing that a terminal would obey."""

import unicodedata
from collections.abc import Iterable, Sequence

_WIDE = frozenset("WF")
_SHOWN_AS = {"\n": "⏎", "\t": " ", "\r": "", "\N{NO-BREAK SPACE}": " "}


def width(text: str) -> int:
    """Return the columns that a text takes: two for a wide East Asian character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def align(rows: Iterable[Sequence[str]], first_gap: str = "  ") -> list[str]:
    """Return rows as lines, each column as wide as its widest cell; `first_gap` follows the first column."""
    rows = list(rows)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    gaps = [first_gap, *["  "] * len(widths)]
    return [
        "".join(
            cell + " " * (widest - width(cell)) + gap for cell, widest, gap in zip(row, widths, gaps, strict=False)
        ).rstrip()
        for row in rows
    ]


def printable(text: str) -> str:
    """Return a text in one line without control characters: a value must not move a cursor or change colours."""
    return "".join(char if char.isprintable() else _SHOWN_AS.get(char, "\N{REPLACEMENT CHARACTER}") for char in text)


def cut(text: str, length: int) -> str:
    """Return a text, cut to a length with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, one whose plural ends in s: `1 field`, `2 fields`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
