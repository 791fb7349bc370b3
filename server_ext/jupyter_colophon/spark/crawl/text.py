"""How a text is to be read: what its first lines tell of delimiter, header, quotes and encoding."""

import bz2
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, cast

_LOOKED_AT_BYTES = 64 * 1024
_LINES = 50
_DELIMITERS = ",;\t|"
_VALUE = re.compile(r"[-+]?[\d.,:/\-T ]*\d[\d.,:/\-TZ %]*|true|false|null|nan", re.IGNORECASE)
_MARKS = {b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}


def options(path: Path, format_: str) -> Mapping[str, str]:
    """Spark's options to read a file of CSV or JSON. Raises OSError, EOFError for what cannot be unpacked."""
    start = _start(path)
    encoding = _encoding(start)
    if b"\0" in start and not encoding.startswith("UTF-16"):
        raise OSError(0, "is no text")
    said = {} if encoding == "UTF-8" else {"encoding": encoding}
    text = start.decode(encoding, "replace").removeprefix("\ufeff")
    if format_ == "json":
        return said | _json(text)
    # The last line may be cut off.
    whole = text[: text.rfind("\n") + 1] if len(start) >= _LOOKED_AT_BYTES and "\n" in text else text
    return said | _csv(whole, "\t" if ".tsv" in path.name.lower() else None)


def _start(path: Path) -> bytes:
    """The first bytes, unpacked."""
    try:
        match path.suffix.lower():
            case ".gz":
                with gzip.open(path) as file:
                    return file.read(_LOOKED_AT_BYTES)
            case ".bz2":
                with bz2.open(path) as file:
                    return file.read(_LOOKED_AT_BYTES)
            case ".deflate":
                with path.open("rb") as raw:
                    return _inflated(raw)
            case _:
                with path.open("rb") as raw:
                    return raw.read(_LOOKED_AT_BYTES)
    except (zlib.error, EOFError) as error:
        raise OSError(0, f"cannot be unpacked ({error})") from None


def _inflated(raw: BinaryIO) -> bytes:
    return zlib.decompressobj().decompress(raw.read(_LOOKED_AT_BYTES), _LOOKED_AT_BYTES)


def _encoding(start: bytes) -> str:
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    try:
        # A character may be cut off at the end.
        start[: max(len(start) - 3, 0) if len(start) >= _LOOKED_AT_BYTES else None].decode("utf-8")
    except UnicodeDecodeError as error:
        return "UTF-8" if error.reason == "unexpected end of data" else "ISO-8859-1"
    return "UTF-8"


def _json(text: str) -> dict[str, str]:
    """A document over several lines, or an array, is read as a whole; else each line is a record."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first or first.lstrip().startswith("["):
        return {"multiLine": "true"} if first else {}
    try:
        json.loads(first)
    except ValueError:
        # A first line that is cut off at the end of what was looked at is a record too.
        return {"multiLine": "true"} if "\n" in text and not first.rstrip().endswith("}") else {}
    return {}


def _csv(text: str, delimiter: str | None) -> dict[str, str]:
    delimiter = delimiter or max(_DELIMITERS, key=lambda one: _width(text, one))
    rows = _rows(text, delimiter)
    said = {"sep": delimiter, "header": str(_has_header(rows)).lower(), "escape": '"'}
    if any("\n" in cell for row in rows for cell in row):
        said["multiLine"] = "true"
    return said


def _width(text: str, delimiter: str) -> int:
    """How many columns a delimiter makes, where it makes some and most rows have as many as the first."""
    widths = [len(row) for row in _rows(text, delimiter) if row]
    if not widths or widths[0] == 1 or 2 * widths.count(widths[0]) < len(widths):
        return 0
    return widths[0]


def _rows(text: str, delimiter: str) -> list[list[str]]:
    try:
        lines = cast("Iterable[str]", text.splitlines(keepends=True))
        return [row for row, _ in zip(csv.reader(lines, delimiter=delimiter), range(_LINES), strict=False)]
    except csv.Error:
        return []


def _has_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: texts, no two alike, none of them a number or a date."""
    if not rows or not rows[0]:
        return False
    first = [cell.strip() for cell in rows[0]]
    return all(cell and not _VALUE.fullmatch(cell) for cell in first) and len({*first}) == len(first)
