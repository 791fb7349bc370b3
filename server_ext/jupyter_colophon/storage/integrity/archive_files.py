"""The files of an archive: gzipped JSON Lines that continue a backup.

A file begins with a header, `{"format", "version", "generation", "first", "last", "tables"}`; then follows a line for
every row, `[number, operation, table, value, …]`; the last line is `{"sha256"}` over all previous lines. Files are in a
folder for each generation, and are named by their first and last row. Processes that write files at the same time write
the same rows, perhaps divided in another way, so that files may overlap.
"""

import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Final

from jupyter_colophon.core.errors import BackupRejected, StoreDamaged
from jupyter_colophon.storage.changes.archived_rows import COMMIT, DELETE, ArchivePosition, parse_content
from jupyter_colophon.storage.fsync import create_private_folders, sync_folder_to_disk
from jupyter_colophon.storage.integrity.backup import LOG
from jupyter_colophon.storage.specs import from_json_text
from jupyter_colophon.storage.spi import FieldType, Key, Row, TableSpec

FORMAT: Final = "jupyter-colophon-archive"
VERSION: Final = 1
#: The name of the change log in triggers.
_LOG_TABLE: Final = "change_log"
_SUFFIX: Final = ".jsonl.gz"
_NAME: Final = re.compile(r"[0-9]{20}-[0-9]{20}\.jsonl\.gz")
_DAMAGED: Final = "the file is damaged or not part of an archive"


@dataclass(frozen=True, slots=True)
class ArchivedChange:
    """A change of one row: its new values, None if it was deleted."""

    table: str
    key: Key
    row: Row | None


@dataclass(frozen=True, slots=True)
class ArchivedWrite:
    """The changes of one write, in their order."""

    last_row: int
    time: int
    changes: Sequence[ArchivedChange]

    @property
    def newest_change(self) -> int:
        """The number of its newest change in the change log; 0 if it made none."""
        return max((change.key[0] for change in self.changes if change.table == LOG.id and change.row), default=0)


def write_archive_file(folder: Path, generation: str, specs: Sequence[str], rows: Sequence[Row]) -> Path:
    """Write rows of the table of archived rows to a private file, atomically and durably. Raises OSError."""
    place = folder / generation
    create_private_folders(place)
    path = place / f"{rows[0]['id']:020}-{rows[-1]['id']:020}{_SUFFIX}"
    header = {
        "format": FORMAT,
        "version": VERSION,
        "generation": generation,
        "first": rows[0]["id"],
        "last": rows[-1]["id"],
        "tables": [json.loads(text) for text in specs],
    }
    descriptor, name = mkstemp(dir=place, prefix=".archive.")
    try:
        with os.fdopen(descriptor, "wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as file:
                _write_lines(file, header, rows)
            raw.flush()
            os.fsync(raw.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder_to_disk(place)
    return path


def find_last_row(folder: Path, generation: str) -> int:
    """Return the number of the last row in the files of a generation; 0 if there are none."""
    return max((int(path.name[21:41]) for path in _list_files(folder, generation)), default=0)


def iterate_archived_writes(folder: Path, position: ArchivePosition) -> Iterator[ArchivedWrite]:
    """Yield the writes after a position. Raises BackupRejected if files are missing or damaged."""
    if not folder.is_dir():
        raise BackupRejected(f"{folder}: no such folder")
    files = _list_files(folder, position.generation)
    if not files:
        raise BackupRejected(
            f"{folder}: no file continues the backup: the archive is that of another catalog, or was started again after a change of"
            " the tables after the backup"
        )
    changes: list[ArchivedChange] = []
    expected = position.row + 1
    for path in files:
        for number, operation, table, content in _iterate_rows(path, expected):
            if number < expected:
                continue
            if number > expected:
                raise BackupRejected(f"{folder}: the archived rows {expected} to {number - 1} are missing")
            expected += 1
            if operation == COMMIT:
                yield ArchivedWrite(number, content[0], changes)
                changes = []
            else:
                changes.append(_build_change(operation, table, content))


def _build_change(operation: str, table: TableSpec, content: list[Any]) -> ArchivedChange:
    if operation == DELETE:
        return ArchivedChange(table.id, tuple(content), None)
    row = {name: decode_value(kind, value) for (name, kind), value in zip(table.fields.items(), content, strict=True)}
    return ArchivedChange(table.id, tuple(row[name] for name in table.primary_key), row)


def decode_value(kind: FieldType, value: Any) -> Any:
    """Return the value of a field from its JSON value."""
    if value is None:
        return None
    if kind == "bytes":
        return bytes.fromhex(value)
    if kind in ("float", "double"):
        return float(value)
    return bool(value) if kind == "bool" else value


def _write_lines(file: gzip.GzipFile, header: Mapping[str, Any], rows: Sequence[Row]) -> None:
    digest = hashlib.sha256()
    lines = [[row["id"], row["operation"], row["source"], parse_content(row["content"])] for row in rows]
    for value in (header, *lines):
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        digest.update(line)
        file.write(line)
    file.write(json.dumps({"sha256": digest.hexdigest()}).encode() + b"\n")


def _list_files(folder: Path, generation: str) -> list[Path]:
    place = folder / generation
    return sorted(path for path in place.iterdir() if _NAME.fullmatch(path.name)) if place.is_dir() else []


def _read_header(path: Path) -> dict[str, Any]:
    with gzip.open(path, "rb") as file:
        return _parse_header(path, file.readline())


def _iterate_rows(path: Path, expected: int) -> Iterator[tuple[int, str, TableSpec, list[Any]]]:
    """Yield the rows of a file, once all of it is known to be intact; none if all of them are before `expected`."""
    try:
        header = _read_header(path)
        if header["last"] < expected:
            return
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        if json.loads(lines[-1]) != {"sha256": hashlib.sha256(b"".join(lines[:-1])).hexdigest()}:
            raise BackupRejected(f"{path}: its checksum does not match")
        specs = {spec.id: spec for spec in (from_json_text(json.dumps(shape)) for shape in header["tables"])}
        specs |= {_LOG_TABLE: LOG, "": LOG}
        rows = [
            (number, operation, specs[table], content)
            for number, operation, table, content in map(json.loads, lines[1:-1])
        ]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, StoreDamaged) as error:
        raise BackupRejected(f"{path}: {getattr(error, 'strerror', None) or _DAMAGED}") from None
    yield from rows


def _parse_header(path: Path, line: bytes) -> dict[str, Any]:
    header = json.loads(line)
    if not isinstance(header, dict) or header.get("format") != FORMAT or header.get("version") != VERSION:
        raise BackupRejected(f"{path}: {_DAMAGED}, or of a newer version")
    return header
