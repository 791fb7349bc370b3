"""Archive the changes of a store in a folder, for restores to a point in time (docs/how-to/back-up-and-restore.md)."""

import logging
import uuid
from pathlib import Path
from typing import Final

from jupyter_colophon.core.errors import InvalidField, StorageError
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.changes import archived_rows
from jupyter_colophon.storage.fsync import create_private_folders
from jupyter_colophon.storage.integrity.archive_files import find_last_row, write_archive_file
from jupyter_colophon.storage.specs import to_json_text
from jupyter_colophon.storage.spi import RowArchive, StorageProvider
from jupyter_colophon.storage.system_app_workers import SYSTEM_APP_WORKERS
from jupyter_colophon.system.worker import Worker

#: About the most rows of a file.
_ROWS_A_FILE: Final = 20_000
#: Seconds between two files, unless there are many rows: so much may be lost with the disk of the store.
PAUSE_S: Final = 15.0
#: Tables whose changes are not archived: derived ones, and those that change while nothing is written.
_OMITTED: Final = tables.DERIVED | {tables.LEASES.id, SYSTEM_APP_WORKERS.id, archived_rows.TABLE.id}
_logger = logging.getLogger("jupyter_colophon.archive")


def find_row_archive(provider: StorageProvider) -> RowArchive | None:
    """Return what records changes of rows in a store; None if it cannot."""
    archive: RowArchive | None = getattr(provider, "row_archive", None)
    return archive


def start_archive(provider: StorageProvider, folder: Path) -> "Archiver":
    """Archive the changes of a store in a folder from now on. Raises InvalidField if the store cannot, OSError.

    If the tables have changed since it was started last, a new generation begins, which needs a new backup.
    """
    recorder = find_row_archive(provider)
    if recorder is None:
        raise InvalidField(
            f"the storage provider {provider.name} archives no changes (c.Colophon.archive_folder):"
            " use the archive of the database itself"
        )
    create_private_folders(folder)
    admin, archiver = provider.table_admin, Archiver(provider, folder)
    specs = [admin.get_spec(name) for name in admin.list() if name not in _OMITTED]
    texts = tuple(to_json_text(spec) for spec in specs)
    before = provider.tx_runner.run(archived_rows.read_archive_state, read_only=True)
    generation = before.generation if before is not None and before.specs == texts else uuid.uuid4().hex
    if before is not None and before.generation != generation:
        archiver.move_all_rows_to_files()
    admin.create_or_update(archived_rows.TABLE)
    recorder.start(specs, archived_rows.ArchiveState(generation, texts).stored_value)
    archiver.start()
    return archiver


def stop_archive_if_started(provider: StorageProvider) -> None:
    """Archive the changes of a store no longer."""
    recorder = find_row_archive(provider)
    if recorder is not None and is_archiving(provider):
        recorder.stop()
        provider.table_admin.drop(archived_rows.TABLE.id)


def is_archiving(provider: StorageProvider) -> bool:
    """Return whether a store archives its changes. Raises StorageError."""
    return provider.tx_runner.run(archived_rows.read_archive_state, read_only=True) is not None


class Archiver:
    """Moves archived rows of a store to files, on a thread of its own. Several processes may do so at the same time."""

    def __init__(self, provider: StorageProvider, folder: Path) -> None:
        self._provider, self._folder = provider, folder
        #: The last row in the files, by generation.
        self._last_moved: dict[str, int] = {}
        self._worker = Worker(
            "colophon-archive",
            self._move_and_wait,
            _logger,
            f"archiving changes in {folder}",
            unavailable=(StorageError, OSError),
        )

    def start(self) -> None:
        """Start moving."""
        self._worker.start()

    def close(self) -> None:
        """Move what is left, and stop."""
        self._worker.close()
        try:
            self.move_all_rows_to_files()
        except (StorageError, OSError) as error:
            # Nothing is lost: the next server moves them.
            _logger.warning("changes were not moved to the archive %s: %s", self._folder, error)

    def move_all_rows_to_files(self) -> None:
        """Move the rows of all writes that have ended by now. Raises StorageError, OSError."""
        position = self._provider.tx_runner.run(archived_rows.read_archive_position, read_only=True)
        if position is None:
            return
        while self._find_last_moved(position.generation) < position.row and self._move_rows_to_file():
            pass
        # Another process may have written the newest file, and not deleted its rows yet.
        last = self._find_last_moved(position.generation)
        self._provider.tx_runner.run(lambda tx: archived_rows.delete_rows_through(tx, last))

    def _move_rows_to_file(self) -> int:
        """Move the oldest rows to a file; return their number."""
        run = self._provider.tx_runner.run
        state = run(archived_rows.read_archive_state, read_only=True)
        if state is None:
            return 0
        after = self._find_last_moved(state.generation)
        rows = run(lambda tx: archived_rows.read_rows_of_whole_writes(tx, after, _ROWS_A_FILE), read_only=True)
        if not rows:
            return 0
        write_archive_file(self._folder, state.generation, state.specs, rows)
        last: int = rows[-1]["id"]
        run(lambda tx: archived_rows.delete_rows_through(tx, last))
        self._last_moved[state.generation] = last
        return len(rows)

    def _find_last_moved(self, generation: str) -> int:
        if generation not in self._last_moved:
            self._last_moved[generation] = find_last_row(self._folder, generation)
        return self._last_moved[generation]

    def _move_and_wait(self) -> float:
        return 0.0 if self._move_rows_to_file() >= _ROWS_A_FILE else PAUSE_S
