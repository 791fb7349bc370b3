"""The elements of a page. Each element escapes user-written text for HTML and for terminals."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from jupyter_colophon.core.display_text import (
    count_display_columns,
    escape_control_characters,
    format_rows_in_aligned_columns,
    truncate_text,
)

# Styles are inline, since a style sheet in one output would affect the whole document. Colours are JupyterLab's, so
# that light and dark themes both work.
_QUIET = "color:var(--jp-ui-font-color2,#757575)"
_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0;overflow-wrap:break-word;max-width:36em"
_RULE = "border-bottom:1px solid var(--jp-border-color2,#bdbdbd)"
_TAG = (
    "display:inline-block;padding:0 8px;margin:0 4px 2px 0;border-radius:10px;"
    "border:1px solid var(--jp-border-color1,#9e9e9e)"
)


class EntityName(str):
    """The name of an entity, which opens its page where the lab extension shows it. Everywhere else it is plain text."""

    __slots__ = ("urn",)
    urn: str

    def __new__(cls, name: str, urn: str) -> "EntityName":
        """Create the name of the entity with this URN."""
        self = super().__new__(cls, name)
        self.urn = urn
        return self


class Element(Protocol):
    """A part of a page."""

    def to_document(self) -> dict[str, Any]:
        """Return it as JSON for the lab extension."""

    def to_text(self, max_cell: int | None) -> str:
        """Return it as text for a terminal, with the cells of tables truncated to a length."""

    def to_html(self) -> str:
        """Return it as HTML."""


@dataclass(frozen=True, slots=True)
class Title:
    """The subject of the page, and a note on it."""

    text: str
    note: str = ""

    def to_document(self) -> dict[str, Any]:
        """Return both texts."""
        return {"kind": "title", "text": _build_cell(self.text), "note": self.note}

    def to_text(self, max_cell: int | None) -> str:
        """Return one line, set off by an empty one."""
        return "\n" + escape_control_characters(f"{self.text}  {self.note}" if self.note else self.text)

    def to_html(self) -> str:
        """Return the text in bold, the note beside it."""
        note = f' <span style="{_QUIET}">{escape(self.note)}</span>' if self.note else ""
        return f'<div style="margin:2px 0 6px"><strong>{escape(self.text)}</strong>{note}</div>'


@dataclass(frozen=True, slots=True)
class TextLine:
    """A sentence. A `quiet` one is less prominent."""

    text: str
    quiet: bool = False

    def to_document(self) -> dict[str, Any]:
        """Return the text."""
        return {"kind": "line", "text": self.text, "quiet": self.quiet}

    def to_text(self, max_cell: int | None) -> str:
        """Return one line."""
        return escape_control_characters(self.text)

    def to_html(self) -> str:
        """Return one line."""
        style = f' style="{_QUIET}"' if self.quiet else ""
        return f"<div{style}>{escape(self.text)}</div>"


#: Shown in place of an empty list of words.
_NO_WORDS = "none"


@dataclass(frozen=True, slots=True)
class TagList:
    """A labelled list of short words, which are values of a key of the search unless that is empty."""

    label: str
    words: tuple[str, ...]
    key: str = "tags"

    def to_document(self) -> dict[str, Any]:
        """Return the words, and the text in place of none; with a key, each word is a value of it that can be searched."""
        return {"kind": "tags", "label": self.label, "words": list(self.words), "key": self.key, "empty": _NO_WORDS}

    def to_text(self, max_cell: int | None) -> str:
        """Return one line."""
        return escape_control_characters(f"{self.label}: {', '.join(self.words) or _NO_WORDS}")

    def to_html(self) -> str:
        """Return a frame around each word."""
        words = "".join(f'<span style="{_TAG}">{escape(word)}</span>' for word in self.words)
        none = f'<span style="{_QUIET}">{_NO_WORDS}</span>'
        return f'<div><span style="{_QUIET}">{escape(self.label)}:</span> {words or none}</div>'


@dataclass(frozen=True, slots=True)
class Preformatted:
    """Preformatted text. Below a caption it is indented, so that no line looks like a line of the page."""

    text: str
    caption: str = ""

    def to_document(self) -> dict[str, Any]:
        """Return the text."""
        return {"kind": "text", "text": self.text, "caption": self.caption}

    def to_text(self, max_cell: int | None) -> str:
        """Return its lines."""
        return _format_lines_below_caption(
            self.caption, [escape_control_characters(line) for line in self.text.rstrip("\n").split("\n")]
        )

    def to_html(self) -> str:
        """Return its lines."""
        caption = f'<div style="{_QUIET}">{escape(self.caption)}</div>' if self.caption else ""
        return f'{caption}<pre style="margin:4px 0">{escape(self.text)}</pre>'


@dataclass(frozen=True, slots=True)
class TableElement:
    """Rows under column names, with a caption; each row has as many cells as there are columns."""

    caption: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]

    def drop_empty_columns(self) -> "TableElement":
        """Return the same table without empty columns."""
        filled = [at for at in range(len(self.columns)) if any(_format_cell(row[at]) for row in self.rows)]
        rows = [[row[at] for at in filled] for row in self.rows]
        return TableElement(self.caption, tuple(self.columns[at] for at in filled), rows)

    def to_document(self) -> dict[str, Any]:
        """Return the rows; a cell is a text, a linked name, or a list of both."""
        rows = [[_build_cell(cell) for cell in row] for row in self.rows]
        return {"kind": "table", "caption": self.caption, "columns": list(self.columns), "rows": rows}

    def to_text(self, max_cell: int | None) -> str:
        """Return aligned lines with a rule below the column names, set off by an empty line."""
        rows = [[escape_control_characters(_format_cell(cell)) for cell in row] for row in (self.columns, *self.rows)]
        if max_cell is not None:
            rows = [[truncate_text(cell, max_cell) for cell in row] for row in rows]
        rows.insert(1, ["-" * max(map(count_display_columns, column)) for column in zip(*rows, strict=True)])
        return "\n" + _format_lines_below_caption(self.caption, format_rows_in_aligned_columns(rows))

    def to_html(self) -> str:
        """Return a table with headers."""
        head = "".join(f'<th scope="col" style="{_CELL};{_RULE}">{escape(name)}</th>' for name in self.columns)
        rows = ("".join(f'<td style="{_CELL}">{escape(_format_cell(cell))}</td>' for cell in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        style = f"text-align:left;caption-side:top;white-space:nowrap;{_QUIET}"
        caption = f'<caption style="{style}">{escape(self.caption)}</caption>' if self.caption else ""
        return (
            f'<table style="border-collapse:collapse;margin:8px 0">{caption}'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _format_lines_below_caption(caption: str, lines: list[str]) -> str:
    if not caption:
        return "\n".join(lines)
    return "\n".join([escape_control_characters(caption), *(f"  {line}" for line in lines)])


def _build_cell(value: object) -> Any:
    if isinstance(value, list | tuple):
        return [_build_cell(item) for item in value]
    return {"text": str(value), "urn": value.urn} if isinstance(value, EntityName) else _format_cell(value)


def _format_cell(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
