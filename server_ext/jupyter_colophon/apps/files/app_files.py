"""The files of an application in one namespace (the FileSet of CDAP)."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from jupyter_colophon.apps.files.partitions import PartitionedFiles
from jupyter_colophon.apps.files.stored_file import (
    StoredFile,
    encode_metadata,
    parse_file_row,
    require_valid_file_name,
)
from jupyter_colophon.apps.tables import create_no_namespace_error, require_namespace_urn
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AlreadyExists, CommitUnknown, NotFound, StorageError
from jupyter_colophon.storage.app_files import rows
from jupyter_colophon.storage.app_files.folder import AppFileFolder, open_file
from jupyter_colophon.storage.entities.aspects import find_entity_summary
from jupyter_colophon.storage.spi import Row, TableContext

T = TypeVar("T")
#: No keys, in JSON.
_NO_KEYS: Final = "{}"
_CHUNK_BYTES: Final = 1_048_576
#: How many files are listed in one transaction.
_PAGE: Final = 200
#: How often a file is opened that was replaced after its row was read.
_OPEN_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class AppFiles:
    """Stores files of an application, by names such as `models/churn/weights.bin`.

    They belong to the namespace of the call, and are deleted with it; those of a call without a namespace belong to
    none. A stored file never changes: `put` replaces it as a whole, and who reads it continues with the former content.
    Methods raise NotFound if the namespace no longer exists, and TransactionMisused inside `execute`.
    """

    transactions: AppTransactions
    principal: Principal
    folder: AppFileFolder | None

    @property
    def namespace(self) -> str:
        """Return the namespace of the files; empty if they belong to none."""
        return self.transactions.context

    def in_namespace(self, name: str) -> "AppFiles":
        """Return the files of the application in another namespace."""
        return replace(self, transactions=replace(self.transactions, context=name))

    def get_partitions(self, name: str, keys: Sequence[str]) -> PartitionedFiles:
        """Return a set of partitions with these keys. Raises InvalidName, InvalidField."""
        return PartitionedFiles(self, name, tuple(keys))

    def put(self, name: str, content: bytes | BinaryIO, *, metadata: Mapping[str, str] | None = None) -> StoredFile:
        """Store a file, or replace it. It is durable and complete when this returns, and invisible before.

        Raises InvalidName, InvalidField for invalid metadata, TooLarge, StoreFull, StorageError.
        """
        return self.put_with_keys(name, content, metadata or {}, {})

    def put_with_keys(
        self, name: str, content: bytes | BinaryIO, metadata: Mapping[str, str], keys: Mapping[str, str | int]
    ) -> StoredFile:
        """Store a file; with keys, as a new partition (partitions.py). Raises AlreadyExists, and the errors of `put`."""
        require_valid_file_name(name)
        row: dict[str, Any] = {"keys": json.dumps(keys), "metadata": encode_metadata(metadata)}
        folder, generation = self._require_folder(), self.run(self._require_generation, read_only=True)
        try:
            file_id, size = folder.write_file(self.namespace, generation, self._read_chunks(content))
        except StorageError:
            # The folder may have been removed with the namespace.
            self.run(self._require_generation, read_only=True)
            raise
        row |= self._get_key_row(name) | {
            "file": file_id,
            "generation": generation,
            "size": size,
            "created": time.time_ns() // 1_000_000,
            "created_by": self.principal.user,
        }
        try:
            replaced = self.run(lambda tx: self._register(tx, row))
        except CommitUnknown:
            raise  # The file may have its row.
        except BaseException:
            folder.remove_file(self.namespace, generation, file_id)
            raise
        if replaced is not None:
            folder.remove_file(self.namespace, replaced["generation"], replaced["file"])
        return parse_file_row(row)

    def get(self, name: str) -> StoredFile:
        """Return the description of a file. Raises NotFound."""
        return parse_file_row(self._read_row(name))

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading, in binary mode; close it after use. Raises NotFound, StorageError."""
        for _ in range(_OPEN_TRIES):
            row = self._read_row(name)
            try:
                return open_file(self._get_path(row))
            except FileNotFoundError:
                continue  # It was replaced meanwhile.
        raise StorageError(
            f"the content of the file {name!r} is missing: restore the folder c.Colophon.app_file_folder of this store"
        )

    def get_path(self, name: str) -> Path:
        """Return the path of the present content of a file, for readers such as Spark. Raises NotFound.

        It exists until the file is replaced or deleted; it must not be written.
        """
        return self._get_path(self._read_row(name))

    def list(self, prefix: str = "") -> Iterator[StoredFile]:
        """Yield the files whose names begin with a prefix, by name, in pages."""
        after: str | None = None
        while page := self._read_page(prefix, after):
            yield from map(parse_file_row, page)
            after = page[-1]["name"]

    def set_metadata(self, name: str, metadata: Mapping[str, str]) -> StoredFile:
        """Replace the metadata of a file. Raises NotFound, InvalidField."""
        text = encode_metadata(metadata)

        def write(tx: TableContext) -> Row:
            row = self._find_row(tx, name) | {"metadata": text}
            tx.get_table(rows.SYSTEM_APP_FILES.id).upsert(row)
            return row

        return parse_file_row(self.run(write))

    def delete(self, name: str) -> None:
        """Delete a file. Raises NotFound."""

        def delete_row(tx: TableContext) -> Row:
            row = self._find_row(tx, name)
            tx.get_table(rows.SYSTEM_APP_FILES.id).delete(self._get_key(name))
            return row

        row = self.run(delete_row)
        self._require_folder().remove_file(self.namespace, row["generation"], row["file"])

    def run(self, work: Callable[[TableContext], T], *, read_only: bool = False) -> T:
        """Run a transaction within the time limit of the call."""
        return self.transactions.run_on_platform_tables(work, read_only=read_only)

    def _register(self, tx: TableContext, row: Row) -> Row | None:
        """Write the row of new content; return the replaced row. Raises NotFound for content of an earlier generation."""
        self._require_generation(tx)
        table = tx.get_table(rows.SYSTEM_APP_FILES.id)
        replaced = table.read(self._get_key(row["name"]))
        if replaced is not None and row["keys"] != _NO_KEYS:
            raise AlreadyExists("partition", row["name"])
        table.upsert(row)
        return replaced

    def _require_generation(self, tx: TableContext) -> int:
        """Return the generation of the namespace. Raises NotFound unless it exists, and is not being deleted."""
        if self.namespace and find_entity_summary(tx, str(require_namespace_urn(self.namespace))) is None:
            raise create_no_namespace_error(self.namespace)
        return rows.read_generation(tx, self.namespace)

    def _read_row(self, name: str) -> Row:
        return self.run(lambda tx: self._find_row(tx, name), read_only=True)

    def _read_page(self, prefix: str, after: str | None) -> Sequence[Row]:
        def read(tx: TableContext) -> Sequence[Row]:
            self._require_generation(tx)
            return rows.list_files_after(tx, self.namespace, self.transactions.app, prefix, after, _PAGE)

        return self.run(read, read_only=True)

    def _find_row(self, tx: TableContext, name: str) -> Row:
        self._require_generation(tx)
        row = tx.get_table(rows.SYSTEM_APP_FILES.id).read(self._get_key(name))
        if row is None:
            raise NotFound("file", name)
        return row

    def _get_path(self, row: Row) -> Path:
        return self._require_folder().get_path(self.namespace, row["generation"], row["file"])

    def _get_key(self, name: str) -> tuple[str, str, str]:
        return self.namespace, self.transactions.app, name

    def _get_key_row(self, name: str) -> dict[str, object]:
        return dict(zip(rows.SYSTEM_APP_FILES.primary_key, self._get_key(name), strict=True))

    def _require_folder(self) -> AppFileFolder:
        if self.folder is None:
            raise StorageError("this process has no folder of files (c.Colophon.app_file_folder)")
        return self.folder

    def _read_chunks(self, content: bytes | BinaryIO) -> Iterator[bytes]:
        """Yield the content in chunks. Raises SystemAppTimeout after the time limit of the call."""
        if isinstance(content, bytes):
            yield content
            return
        while chunk := content.read(_CHUNK_BYTES):
            self.transactions.require_time_left()
            yield chunk
