"""Delete what applications left: tables, files, cursors, schedules and events. A killed process is continued by others."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from jupyter_colophon.apps.events.listener_worker import LEASE_PREFIX as LISTENER_PREFIX
from jupyter_colophon.apps.jobs import LEASE_PREFIX as JOB_PREFIX
from jupyter_colophon.apps.schedules.schedule_worker import LEASE_PREFIX as SCHEDULE_PREFIX
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.system_app_data import (
    delete_background_state,
    delete_files,
    delete_next_rows,
    list_next_files,
)
from jupyter_colophon.storage.system_apps import (
    SystemAppRecord,
    find_system_app,
    finish_dropping,
    list_system_apps,
)
from jupyter_colophon.system.worker import Worker

T = TypeVar("T")
#: How many rows and files a transaction deletes, so that others wait only briefly.
_ROWS: Final = 1_000
_FILES: Final = 200
#: How long a request waits for the end, in seconds; the rest is deleted in the background.
_REQUEST_S: Final = 1.0
_logger = logging.getLogger("jupyter_colophon.apps")


@dataclass(slots=True)
class AppDataRemoval:
    """Deletes the data of the applications that are recorded as being dropped, on one thread while there are any."""

    provider: StorageProvider
    folder: AppFileFolder | None
    #: Called after tables were dropped.
    on_tables_changed: Callable[[], None]
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread, which is not started yet."""
        self._worker = Worker(
            "colophon-app-data",
            self._delete_all,
            _logger,
            "deleting tables of system applications",
            unavailable=(StorageError,),
        )

    def delete_some_and_continue(self, app: str) -> None:
        """Delete the data of an application for a moment, and the rest in the background. Raises StorageError."""
        until = time.monotonic() + _REQUEST_S
        while self._delete_next(app):
            if time.monotonic() > until:
                self.start_or_resume_deletion()
                return

    def delete_now(self, app: str) -> None:
        """Delete all data of an application. Raises StorageError."""
        while self._delete_next(app):
            pass

    def start_or_resume_deletion(self) -> None:
        """Continue what this or another process began."""
        self._worker.wake()
        self._worker.start()

    def close(self) -> None:
        """Stop; another process continues."""
        self._worker.close()

    def _delete_all(self) -> float:
        while records := [record for record in self._run_reading(list_system_apps) if record.is_dropping]:
            for record in records:
                while self._delete_next(record.name):
                    if self._worker.is_stopped:
                        return Worker.DONE
        return Worker.DONE

    def _delete_next(self, app: str) -> bool:
        """Delete some data of an application; return whether there may be more."""
        record = self._run_reading(lambda tx: find_system_app(tx, app))
        if record is None or not record.is_dropping:
            return False
        if self._delete_next_files(app) or self._delete_next_of_tables(record):
            return True
        prefixes = [f"{LISTENER_PREFIX}{app}:", f"{SCHEDULE_PREFIX}{app}:", f"{JOB_PREFIX}{app}/"]

        def finish(tx: TableContext) -> None:
            delete_background_state(tx, app, prefixes)
            finish_dropping(tx, app)

        self.provider.tx_runner.run(finish)
        self.on_tables_changed()
        return False

    def _delete_next_files(self, app: str) -> bool:
        files = self._run_reading(lambda tx: list_next_files(tx, app, _FILES))
        if self.folder is not None:
            # Before their rows: the next step finds again what is left after a crash.
            for file in files:
                self.folder.remove_file(file["context"], file["generation"], file["file"])
        if files:
            self.provider.tx_runner.run(lambda tx: delete_files(tx, files))
        return bool(files)

    def _delete_next_of_tables(self, record: SystemAppRecord) -> bool:
        existing = {*self.provider.table_admin.list()}
        spec = next((spec for spec in record.tables if spec.id in existing), None)
        if spec is None:
            return False
        # Row by row, since dropping a large table would block all writes.
        if not self.provider.tx_runner.run(lambda tx: delete_next_rows(tx, spec, _ROWS)):
            self.provider.table_admin.drop(spec.id)
        return True

    def _run_reading(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work, read_only=True)
