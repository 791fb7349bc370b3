"""Split a line of a recipe into tokens, and quote values for it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from jupyter_colophon.wrangling.errors import RecipeError

TokenKind = Literal["column", "text", "expression", "word", "comma"]
_SPACE: Final = re.compile(r"\s*")
_COLUMN: Final = re.compile(r":([^\s,;:'\"]+)")
_WORD: Final = re.compile(r"[^\s,;:'\"{}]+")
_QUOTED: Final = {quote: re.compile(rf"{quote}((?:[^{quote}\\]|\\.)*){quote}") for quote in "'\""}
#: In texts, only these escapes are replaced, so that regular expressions need no doubled backslashes.
_ESCAPE: Final = re.compile(r"\\(['\"tnr])")
#: The escapes in the name of a column, which may end in a backslash.
_COLUMN_ESCAPE: Final = re.compile(r"\\(['\"tnr\\])")
_BACKSLASH: Final = "\\"
_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")
_ESCAPED: Final = {"t": "\t", "n": "\n", "r": "\r"}
_BRACES: Final = re.compile(r"[{}]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_PLAIN_COLUMN: Final = re.compile(r"[^\s,;:'\"]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `column` is its position in the line, from 1."""

    kind: TokenKind
    value: str
    column: int


def split_lines(text: str) -> list[str]:
    """Return the lines of a recipe; a name may contain other characters that Unicode defines as line breaks."""
    lines = _LINE_BREAK.split(text)
    return lines if lines[-1] else lines[:-1]


def iterate_tokens(text: str, line: int) -> Iterator[Token]:
    """Yield the tokens of one line. Raises RecipeError."""
    position = 0
    while True:
        blank = _SPACE.match(text, position)
        position = blank.end() if blank else position
        if position >= len(text) or text[position:].strip() == ";":
            return
        token, position = _read_token(text, position, line)
        yield token


def _read_token(text: str, position: int, line: int) -> tuple[Token, int]:
    rest = text[position]
    if rest == ",":
        return Token("comma", ",", position + 1), position + 1
    if rest in _QUOTED:
        value, end = _read_quoted_text(text, position, line, _ESCAPE)
        return Token("text", value, position + 1), end
    if text.startswith("exp:{", position):
        end = _find_closing_brace(text, position + 4, line)
        # Positions inside an expression are those in the line.
        return Token("expression", text[position + 5 : end], position + 6), end + 1
    if rest == ":" and text[position + 1 : position + 2] in _QUOTED:
        value, end = _read_quoted_text(text, position + 1, line, _COLUMN_ESCAPE)
        return Token("column", value, position + 1), end
    for kind, pattern in (("column", _COLUMN), ("word", _WORD)):
        if found := pattern.match(text, position):
            value = found[1] if kind == "column" else found[0]
            return Token("column" if kind == "column" else "word", value, position + 1), found.end()
    raise RecipeError(line, position + 1, f"unexpected {rest!r}")


def _read_quoted_text(text: str, position: int, line: int, escapes: re.Pattern[str]) -> tuple[str, int]:
    found = _QUOTED[text[position]].match(text, position)
    if found is None:
        raise RecipeError(line, position + 1, f"the text has no closing {text[position]}")
    return escapes.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), found[1]), found.end()


def _find_closing_brace(text: str, position: int, line: int) -> int:
    depth = 0
    for found in _BRACES.finditer(text, position):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not depth:
            return found.start()
    raise RecipeError(line, position + 1, "the expression has no closing }")


def quote_text(text: str) -> str:
    """Return a text in quotes, as an argument."""
    escaped = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r").replace("'", "\\'")
    return f"'{escaped}'"


def quote_column(name: str) -> str:
    """Return a column as an argument."""
    if _PLAIN_COLUMN.fullmatch(name):
        return f":{name}"
    return f":{quote_text(name.replace(_BACKSLASH, _BACKSLASH * 2))}"
