"""Format text for a terminal: its width, and without control characters."""

import unicodedata
from collections.abc import Iterable, Sequence

_WIDE = frozenset("WF")
_SHOWN_AS = {"\n": "⏎", "\t": " ", "\r": "", "\N{NO-BREAK SPACE}": " "}


def count_display_columns(text: str) -> int:
    """Return the number of columns that a text takes: two for a wide East Asian character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(_count_character_columns(character) for character in text)


def format_rows_in_aligned_columns(rows: Iterable[Sequence[str]], first_gap: str = "  ") -> list[str]:
    """Return rows as lines, each column as wide as its widest cell; `first_gap` follows the first column."""
    rows = list(rows)
    widths = [max(map(count_display_columns, column)) for column in zip(*rows, strict=True)]
    gaps = [first_gap, *["  "] * len(widths)]
    return [
        "".join(
            cell + " " * (widest - count_display_columns(cell)) + gap
            for cell, widest, gap in zip(row, widths, gaps, strict=False)
        ).rstrip()
        for row in rows
    ]


def escape_control_characters(text: str) -> str:
    """Return a text in one line with control characters escaped: a value must not move the cursor or change colours."""
    return "".join(char if char.isprintable() else _SHOWN_AS.get(char, "\N{REPLACEMENT CHARACTER}") for char in text)


def truncate_text(text: str, length_max: int) -> str:
    """Return a text, truncated to a length with an ellipsis."""
    return text if len(text) <= length_max else text[: length_max - 1] + "…"


def format_count_with_noun(number: int, noun: str) -> str:
    """Return a number with its noun, for nouns with a plural in s: `1 field`, `2 fields`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _count_character_columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
