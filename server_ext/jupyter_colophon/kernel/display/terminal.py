"""Pages as plain text, for a terminal and for whoever reads a notebook without JavaScript."""

from collections.abc import Iterable
from functools import singledispatch

from jupyter_colophon.core.text_width import padded, width
from jupyter_colophon.kernel.display.elements import Block, Chips, Line, Preformatted, Table, Title

#: A cell of a table is cut here: a property may hold 10 KB.
WIDEST_CELL = 60


def text_of(blocks: Iterable[Block]) -> str:
    """The whole page; tables and titles are set off by an empty line."""
    return "\n".join(_parts(blocks)).strip("\n")


def printable(text: str) -> str:
    """The text without control characters: a value must not move a terminal's cursor or change its colours."""
    return "".join(char if char.isprintable() else _ESCAPES.get(char, "\N{REPLACEMENT CHARACTER}") for char in text)


def cut(text: str, length: int) -> str:
    """The text, cut to a length with an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"


_ESCAPES = {"\n": "⏎", "\t": " ", "\r": "", "\N{NO-BREAK SPACE}": " "}


def _parts(blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        if isinstance(block, Title | Table):
            yield ""
        yield _text(block)


@singledispatch
def _text(block: Block) -> str:
    raise TypeError(block)


@_text.register
def _title(block: Title) -> str:
    return printable(f"{block.text}  {block.note}" if block.note else block.text)


@_text.register
def _line(block: Line) -> str:
    return printable(block.text)


@_text.register
def _chips(block: Chips) -> str:
    return printable(f"{block.label}: {', '.join(block.words) or 'none'}")


@_text.register
def _preformatted(block: Preformatted) -> str:
    return "\n".join(printable(line) for line in block.text.split("\n"))


@_text.register
def _table(block: Table) -> str:
    rows = [block.columns, *block.rows]
    cells = [[cut(printable(cell), WIDEST_CELL) for cell in row] for row in rows]
    widths = [max(width(row[column]) for row in cells) for column in range(len(block.columns))]
    lines = ["  ".join(map(padded, row, widths)).rstrip() for row in cells]
    lines.insert(1, "  ".join("-" * one for one in widths))
    caption = [printable(block.caption)] if block.caption else []
    return "\n".join([*caption, *(f"  {line}" for line in lines)])
