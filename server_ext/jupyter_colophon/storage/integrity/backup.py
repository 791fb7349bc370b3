"""A backup: everything that is truth, as gzipped JSON Lines that any provider can take (spec MODEL-22).

The first line is the header, `{"format", "version", "product", "time", "tables"}` with each table's shape; then a line
for every row, `[table, value, …]` in the order of the shape's fields, bytes in Base64; the last line is the trailer,
`{"rows": {table: count}, "sha256"}` over all lines before it. Derived data are left out and rebuilt.
"""

import base64
import errno
import gzip
import hashlib
import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from jupyter_colophon.core.errors import BackupRejected, StoreDamaged
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.fsync import sync_folder
from jupyter_colophon.storage.migrations.runner import NAME as SCHEMA
from jupyter_colophon.storage.migrations.runner import read_progress
from jupyter_colophon.storage.specs import from_text, to_text
from jupyter_colophon.storage.spi import Key, Row, TableContext, TableSpec

FORMAT, VERSION = "jupyter-colophon-backup", 1
#: The change log, as a table of the backup: it is none of the store's, and no table can have this name.
LOG = TableSpec("change log", tables.CHANGE, ("seq",))
_AT_ONCE = 500
_LEVEL = 6
_DAMAGED = "it is damaged, or no backup of a catalog"


@dataclass(frozen=True, slots=True)
class Header:
    """What a backup says of itself. `tables` are its tables' shapes, the log's among them; `time` is in ms.

    `schema` is the schema version of the store, None for one from before there were versions.
    """

    product: str
    time: int
    tables: Mapping[str, TableSpec]
    schema: int | None = None


def write(
    tx: TableContext, path: Path, specs: list[TableSpec], product: str, time: int, tick: Callable[[str], None]
) -> dict[str, int]:
    """Write what one transaction sees to a file, private, all at once or not at all; returns the rows of each table.

    Raises OSError, with this path; `tick` is called with the table, slice by slice.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return _replace(tx, path, specs, {"product": product, "time": time}, tick)
    except OSError as error:
        # Nobody asked for the file of another name that is written first.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _replace(
    tx: TableContext, path: Path, specs: list[TableSpec], about: dict[str, Any], tick: Callable[[str], None]
) -> dict[str, int]:
    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb", filename="", compresslevel=_LEVEL) as file:
                rows = _write(tx, file, specs, about, tick)
            raw.flush()
            os.fsync(raw.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return rows


def check(path: Path) -> Header:
    """Read a backup from its beginning to its end. Raises BackupRejected where anything is not as it was written."""
    with _named(path):
        return _check(path)


def _check(path: Path) -> Header:
    rows: Counter[str] = Counter()
    header, digest, trailer = None, hashlib.sha256(), None
    for line in _lines(path):
        if trailer is not None:
            raise BackupRejected("there is something after its end")
        if header is None:
            header = _header(line)
        elif line.startswith(b"{"):
            trailer = _parsed(line)
            continue
        else:
            table, row = _row(header, line)
            rows[table] += 1
            if table == tables.SETTINGS.id and row["name"] == SCHEMA:
                header = replace(header, schema=_schema_version(row))
        digest.update(line)
    if header is None or trailer is None:
        raise BackupRejected("its end is missing")
    if trailer != {"rows": dict(rows), "sha256": digest.hexdigest()}:
        raise BackupRejected("it is not what was written")
    return header


def read(path: Path, header: Header) -> Iterator[tuple[str, list[Row]]]:
    """The rows of a checked backup, in slices of one table each."""
    with _named(path):
        yield from _read(path, header)


def _read(path: Path, header: Header) -> Iterator[tuple[str, list[Row]]]:
    table, rows = "", list[Row]()
    lines = _lines(path)
    next(lines)
    for line in lines:
        if line.startswith(b"{"):
            break
        of, row = _row(header, line)
        if rows and (of != table or len(rows) == _AT_ONCE):
            yield table, rows
            rows = []
        table = of
        rows.append(row)
    if rows:
        yield table, rows


def _write(
    tx: TableContext, file: gzip.GzipFile, specs: list[TableSpec], about: dict[str, Any], tick: Callable[[str], None]
) -> dict[str, int]:
    digest, counts = hashlib.sha256(), Counter[str]()

    def line(value: Any) -> bytes:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        file.write(text)
        return text

    shapes = [json.loads(to_text(spec)) for spec in (*specs, LOG)]
    digest.update(line({"format": FORMAT, "version": VERSION, **about, "tables": shapes}))
    for spec in (*specs, LOG):
        for rows in _slices(tx, spec):
            tick(spec.id)
            for row in rows:
                digest.update(line([spec.id, *_row_values(spec, row)]))
            counts[spec.id] += len(rows)
    found = {table: count for table, count in counts.items() if count}
    line({"rows": found, "sha256": digest.hexdigest()})
    return found


def _slices(tx: TableContext, spec: TableSpec) -> Iterator[list[Row]]:
    place: Key = ()
    while True:
        if spec is LOG:
            rows = tx.log.read(place[0] if place else 0, _AT_ONCE, {})
        else:
            rows = list(tx.table(spec.id).scan(sources_of_truth.beyond(place), _AT_ONCE))
        if not rows:
            return
        yield rows
        place = tuple(rows[-1][name] for name in spec.primary_key)


def _row_values(spec: TableSpec, row: Row) -> Iterator[Any]:
    for name, kind in spec.fields.items():
        value = row[name]
        yield base64.b64encode(value).decode() if kind == "bytes" and value is not None else value


def _row(header: Header, line: bytes) -> tuple[str, Row]:
    values = _parsed(line)
    known = isinstance(values, list) and values and isinstance(values[0], str)
    spec = header.tables.get(values[0]) if known else None
    if spec is None or len(values) != len(spec.fields) + 1:
        raise BackupRejected("a row of it fits none of its tables")
    row = dict(zip(spec.fields, values[1:], strict=True))
    for name, kind in spec.fields.items():
        if kind == "bytes" and row[name] is not None:
            row[name] = _bytes(row[name])
    # A log of an earlier release has fewer fields; tables of the store do without what is not given.
    return spec.id, (dict.fromkeys(tables.CHANGE) | row if spec.id == LOG.id else row)


def _header(line: bytes) -> Header:
    header = _parsed(line)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BackupRejected("the file is not a backup of a catalog")
    if header.get("version") != VERSION:
        raise BackupRejected("it is of a version that this program does not know")
    try:
        specs = [from_text(json.dumps(one)) for one in header["tables"]]
        return Header(header["product"], header["time"], {spec.id: spec for spec in specs})
    except (StoreDamaged, ValueError, KeyError, TypeError):
        raise BackupRejected(_DAMAGED) from None


def _schema_version(row: Row) -> int:
    try:
        return read_progress(row).version
    except (ValueError, KeyError, TypeError):
        raise BackupRejected(_DAMAGED) from None


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """A refusal says of which file it is."""
    try:
        yield
    except BackupRejected as refused:
        raise BackupRejected(f"{path}: {refused.detail}") from None


def _bytes(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        raise BackupRejected(_DAMAGED) from None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise BackupRejected(_DAMAGED) from None


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            yield from file
    except FileNotFoundError:
        raise BackupRejected("no such file") from None
    except EOFError:
        raise BackupRejected("its end is missing") from None
    except (OSError, zlib.error) as error:
        raise BackupRejected(getattr(error, "strerror", None) or _DAMAGED) from None
