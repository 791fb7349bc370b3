"""Pages as HTML for notebooks. Everything is escaped; colours are JupyterLab's, so that light and dark both work."""

from collections.abc import Iterable
from functools import singledispatch
from html import escape

from jupyter_colophon.kernel.display.elements import Block, Chips, Line, Preformatted, Table, Title

# Styles stand at the elements: outputs share one document, a style sheet in one of them would reach all.
_QUIET = "color:var(--jp-ui-font-color2,#757575)"
_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0;overflow-wrap:break-word;max-width:36em"
_RULE = "border-bottom:1px solid var(--jp-border-color2,#bdbdbd)"
_CHIP = (
    "display:inline-block;padding:0 8px;margin:0 4px 2px 0;border-radius:10px;"
    "border:1px solid var(--jp-border-color1,#9e9e9e)"
)


def html_of(blocks: Iterable[Block]) -> str:
    """The whole page as one element."""
    return f'<div class="jp-Colophon-answer">{"".join(_html(block) for block in blocks)}</div>'


@singledispatch
def _html(block: Block) -> str:
    raise TypeError(block)


@_html.register
def _title(block: Title) -> str:
    note = f' <span style="{_QUIET}">{escape(block.note)}</span>' if block.note else ""
    return f'<div style="margin:2px 0 6px"><strong>{escape(block.text)}</strong>{note}</div>'


@_html.register
def _line(block: Line) -> str:
    style = f' style="{_QUIET}"' if block.quiet else ""
    return f"<div{style}>{escape(block.text)}</div>"


@_html.register
def _chips(block: Chips) -> str:
    chips = "".join(f'<span style="{_CHIP}">{escape(word)}</span>' for word in block.words)
    none = f'<span style="{_QUIET}">none</span>'
    return f'<div><span style="{_QUIET}">{escape(block.label)}:</span> {chips or none}</div>'


@_html.register
def _preformatted(block: Preformatted) -> str:
    return f'<pre style="margin:4px 0">{escape(block.text)}</pre>'


@_html.register
def _table(block: Table) -> str:
    head = "".join(f'<th scope="col" style="{_CELL};{_RULE}">{escape(name)}</th>' for name in block.columns)
    body = "".join(f"<tr>{_row(row)}</tr>" for row in block.rows)
    caption = f'<caption style="text-align:left;caption-side:top;white-space:nowrap;{_QUIET}">{escape(block.caption)}</caption>'
    caption = caption if block.caption else ""
    return (
        f'<table style="border-collapse:collapse;margin:8px 0">{caption}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _row(row: tuple[str, ...]) -> str:
    return "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row)
