"""Backups: all source data as gzipped JSON Lines that any provider can load (spec MODEL-22).

The first line is the header, `{"format", "version", "product", "time", "archive", "tables"}` with the spec of each
table; then a line for every row, `[table, value, …]` in the order of the spec's fields, with bytes in Base64; the last
line is the trailer, `{"rows": {table: count}, "sha256"}` over all previous lines. Derived data are omitted and rebuilt.
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from jupyter_colophon.core.errors import BackupRejected, StoreDamaged
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.changes.archived_rows import ArchivePosition, read_archive_position
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.fsync import sync_folder_to_disk
from jupyter_colophon.storage.migrations.runner import NAME as SCHEMA
from jupyter_colophon.storage.migrations.runner import parse_migration_progress
from jupyter_colophon.storage.specs import from_json_text, to_json_text
from jupyter_colophon.storage.spi import Key, Row, TableContext, TableSpec

FORMAT, VERSION = "jupyter-colophon-backup", 1
#: The change log as a table of the backup; no table of the store can have this name.
LOG = TableSpec("change log", tables.CHANGE, ("seq",))
_AT_ONCE = 500
_LEVEL = 6
_DAMAGED = "the file is damaged or not a backup of a catalog"


@dataclass(frozen=True, slots=True)
class BackupHeader:
    """The header of a backup. `tables` are the specs of its tables, including the log; `time` is in ms.

    `schema` is the schema version of the store, None before there were versions.
    """

    product: str
    time: int
    tables: Mapping[str, TableSpec]
    schema: int | None = None
    #: The position in the archive of changes; None if the store archived none.
    archive: ArchivePosition | None = None
    #: The number of the newest change; 0 if there is none.
    newest_change: int = 0


def write_backup_file(
    tx: TableContext, path: Path, specs: list[TableSpec], product: str, time: int, report_table: Callable[[str], None]
) -> dict[str, int]:
    """Write the content of a store as one transaction sees it to a private file, atomically; return the number of rows
    by table.

    Raises OSError with this path; `tick` is called with the table, slice by slice.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        header = {"product": product, "time": time, "archive": _read_archive_position(tx)}
        return _write_and_replace_file(tx, path, specs, header, report_table)
    except OSError as error:
        # Report the requested path, not that of the temporary file.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _write_and_replace_file(
    tx: TableContext, path: Path, specs: list[TableSpec], header: dict[str, Any], report_table: Callable[[str], None]
) -> dict[str, int]:
    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb", filename="", compresslevel=_LEVEL) as file:
                rows = _write_header_and_rows(tx, file, specs, header, report_table)
            raw.flush()
            os.fsync(raw.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder_to_disk(path.parent)
    return rows


def _read_archive_position(tx: TableContext) -> dict[str, Any] | None:
    position = read_archive_position(tx)
    return None if position is None else asdict(position)


def check_whole_backup(path: Path) -> BackupHeader:
    """Read a backup completely. Raises BackupRejected if anything differs from what was written."""
    with _name_file_in_rejections(path):
        return _check_all_lines(path)


def _check_all_lines(path: Path) -> BackupHeader:
    rows: Counter[str] = Counter()
    header, digest, trailer, row = None, hashlib.sha256(), None, Row()
    for line in _read_lines(path):
        if trailer is not None:
            raise BackupRejected("there is data after its end")
        if header is None:
            header = _parse_header(line)
        elif line.startswith(b"{"):
            trailer = _parse_line(line)
            continue
        else:
            table, row = _parse_row(header, line)
            rows[table] += 1
            if table == tables.SETTINGS.id and row["name"] == SCHEMA:
                header = replace(header, schema=_get_schema_version(row))
        digest.update(line)
    if header is None or trailer is None:
        raise BackupRejected("it is truncated")
    if trailer != {"rows": dict(rows), "sha256": digest.hexdigest()}:
        raise BackupRejected("its checksum does not match")
    # The change log is the last table.
    return replace(header, newest_change=row.get("seq", 0))


def iterate_backup_rows(path: Path, header: BackupHeader) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of a checked backup, in slices of one table each."""
    with _name_file_in_rejections(path):
        yield from _iterate_rows_of_file(path, header)


def _iterate_rows_of_file(path: Path, header: BackupHeader) -> Iterator[tuple[str, list[Row]]]:
    table, rows = "", list[Row]()
    lines = _read_lines(path)
    next(lines)
    for line in lines:
        if line.startswith(b"{"):
            break
        of, row = _parse_row(header, line)
        if rows and (of != table or len(rows) == _AT_ONCE):
            yield table, rows
            rows = []
        table = of
        rows.append(row)
    if rows:
        yield table, rows


def _write_header_and_rows(
    tx: TableContext,
    file: gzip.GzipFile,
    specs: list[TableSpec],
    header: dict[str, Any],
    report_table: Callable[[str], None],
) -> dict[str, int]:
    digest, counts = hashlib.sha256(), Counter[str]()

    def encode_line(value: Any) -> bytes:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        file.write(text)
        return text

    shapes = [json.loads(to_json_text(spec)) for spec in (*specs, LOG)]
    digest.update(encode_line({"format": FORMAT, "version": VERSION, **header, "tables": shapes}))
    for spec in (*specs, LOG):
        for rows in _iterate_table_slices(tx, spec):
            report_table(spec.id)
            for row in rows:
                digest.update(encode_line([spec.id, *_encode_row(spec, row)]))
            counts[spec.id] += len(rows)
    present = {table: count for table, count in counts.items() if count}
    encode_line({"rows": present, "sha256": digest.hexdigest()})
    return present


def _iterate_table_slices(tx: TableContext, spec: TableSpec) -> Iterator[list[Row]]:
    place: Key = ()
    while True:
        if spec is LOG:
            rows = tx.log.read_changes(place[0] if place else 0, _AT_ONCE, {})
        else:
            rows = list(tx.get_table(spec.id).scan(sources_of_truth.build_range_after_key(place), _AT_ONCE))
        if not rows:
            return
        yield rows
        place = tuple(rows[-1][name] for name in spec.primary_key)


def _encode_row(spec: TableSpec, row: Row) -> Iterator[Any]:
    for name, kind in spec.fields.items():
        value = row[name]
        yield base64.b64encode(value).decode() if kind == "bytes" and value is not None else value


def _parse_row(header: BackupHeader, line: bytes) -> tuple[str, Row]:
    values = _parse_line(line)
    is_row = isinstance(values, list) and values and isinstance(values[0], str)
    spec = header.tables.get(values[0]) if is_row else None
    if spec is None or len(values) != len(spec.fields) + 1:
        raise BackupRejected("a row does not match its table")
    row = dict(zip(spec.fields, values[1:], strict=True))
    for name, kind in spec.fields.items():
        if kind == "bytes" and row[name] is not None:
            row[name] = _decode_bytes(row[name])
    # The log of an earlier version has fewer fields; tables of the store treat missing fields as null.
    return spec.id, (dict.fromkeys(tables.CHANGE) | row if spec.id == LOG.id else row)


def _parse_header(line: bytes) -> BackupHeader:
    header = _parse_line(line)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BackupRejected("the file is not a backup of a catalog")
    if header.get("version") != VERSION:
        raise BackupRejected("its format version is not supported by this program")
    try:
        specs = [from_json_text(json.dumps(document)) for document in header["tables"]]
        archive = header.get("archive")
        position = None if archive is None else ArchivePosition(archive["generation"], archive["row"])
        return BackupHeader(header["product"], header["time"], {spec.id: spec for spec in specs}, archive=position)
    except (StoreDamaged, ValueError, KeyError, TypeError):
        raise BackupRejected(_DAMAGED) from None


def _get_schema_version(row: Row) -> int:
    try:
        return parse_migration_progress(row).version
    except (ValueError, KeyError, TypeError):
        raise BackupRejected(_DAMAGED) from None


@contextmanager
def _name_file_in_rejections(path: Path) -> Iterator[None]:
    """Add the name of the file to a rejection."""
    try:
        yield
    except BackupRejected as refused:
        raise BackupRejected(f"{path}: {refused.detail}") from None


def _decode_bytes(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        raise BackupRejected(_DAMAGED) from None


def _parse_line(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise BackupRejected(_DAMAGED) from None


def _read_lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            yield from file
    except FileNotFoundError:
        raise BackupRejected("no such file") from None
    except EOFError:
        raise BackupRejected("it is truncated") from None
    except (OSError, zlib.error) as error:
        raise BackupRejected(getattr(error, "strerror", None) or _DAMAGED) from None
