"""Detection of the options for a text file: delimiter, header, quotes and encoding, from its first lines."""

import bz2
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, cast

_SAMPLE_BYTES = 64 * 1024
_LINES = 50
_DELIMITERS = ",;\t|"
_VALUE = re.compile(r"[-+]?[\d.,:/\-T ]*\d[\d.,:/\-TZ %]*|true|false|null|nan", re.IGNORECASE)
_MARKS = {b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}


def detect_reader_options(path: Path, format_: str) -> Mapping[str, str]:
    """Return Spark's options for a CSV or JSON file. Raises OSError, EOFError if it cannot be decompressed."""
    start = _read_decompressed_start(path)
    encoding = _detect_encoding(start)
    if b"\0" in start and not encoding.startswith("UTF-16"):
        raise OSError(0, "is not a text file")
    options = {} if encoding == "UTF-8" else {"encoding": encoding}
    text = start.decode(encoding, "replace").removeprefix("\ufeff")
    if format_ == "json":
        return options | _detect_json_options(text)
    # Drop the last line, which may be incomplete.
    whole = text[: text.rfind("\n") + 1] if len(start) >= _SAMPLE_BYTES and "\n" in text else text
    return options | _detect_csv_options(whole, "\t" if ".tsv" in path.name.lower() else None)


def _read_decompressed_start(path: Path) -> bytes:
    """Return the first bytes, decompressed."""
    try:
        match path.suffix.lower():
            case ".gz":
                with gzip.open(path) as file:
                    return file.read(_SAMPLE_BYTES)
            case ".bz2":
                with bz2.open(path) as file:
                    return file.read(_SAMPLE_BYTES)
            case ".deflate":
                with path.open("rb") as raw:
                    return _unpack_deflate(raw)
            case _:
                with path.open("rb") as raw:
                    return raw.read(_SAMPLE_BYTES)
    except (zlib.error, EOFError) as error:
        raise OSError(0, f"cannot be decompressed ({error})") from None


def _unpack_deflate(raw: BinaryIO) -> bytes:
    return zlib.decompressobj().decompress(raw.read(_SAMPLE_BYTES), _SAMPLE_BYTES)


def _detect_encoding(start: bytes) -> str:
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    try:
        # The last character may be incomplete.
        start[: max(len(start) - 3, 0) if len(start) >= _SAMPLE_BYTES else None].decode("utf-8")
    except UnicodeDecodeError as error:
        return "UTF-8" if error.reason == "unexpected end of data" else "ISO-8859-1"
    return "UTF-8"


def _detect_json_options(text: str) -> dict[str, str]:
    """Return options for JSON: a multi-line document or an array is read as a whole; else each line is a record."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first or first.lstrip().startswith("["):
        return {"multiLine": "true"} if first else {}
    try:
        json.loads(first)
    except ValueError:
        # A first line that is longer than the bytes read is a record too.
        return {"multiLine": "true"} if "\n" in text and not first.rstrip().endswith("}") else {}
    return {}


def _detect_csv_options(text: str, delimiter: str | None) -> dict[str, str]:
    delimiter = delimiter or max(_DELIMITERS, key=lambda candidate: _count_columns(text, candidate))
    rows = _parse_rows(text, delimiter)
    options = {"sep": delimiter, "header": str(_has_header(rows)).lower(), "escape": '"'}
    if any("\n" in cell for row in rows for cell in row):
        options["multiLine"] = "true"
    return options


def _count_columns(text: str, delimiter: str) -> int:
    """Return the number of columns with a delimiter; 0 unless most rows have as many as the first."""
    widths = [len(row) for row in _parse_rows(text, delimiter) if row]
    if not widths or widths[0] == 1 or 2 * widths.count(widths[0]) < len(widths):
        return 0
    return widths[0]


def _parse_rows(text: str, delimiter: str) -> list[list[str]]:
    try:
        lines = cast("Iterable[str]", text.splitlines(keepends=True))
        return [row for row, _ in zip(csv.reader(lines, delimiter=delimiter), range(_LINES), strict=False)]
    except csv.Error:
        return []


def _has_header(rows: list[list[str]]) -> bool:
    """Return whether the first row has column names: strings without duplicates, numbers and dates."""
    if not rows or not rows[0]:
        return False
    first = [cell.strip() for cell in rows[0]]
    return all(cell and not _VALUE.fullmatch(cell) for cell in first) and len({*first}) == len(first)
