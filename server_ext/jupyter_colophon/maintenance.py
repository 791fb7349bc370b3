"""Compose a store for maintenance: no API and no feed, and nothing is created."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.composition import create_or_migrate_store, read_time_ms
from jupyter_colophon.core.access import ScopeAuthorizer
from jupyter_colophon.core.changes.sink_status import SinkState
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.service_token import ServiceToken
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.service.admin.backups import BackupService
from jupyter_colophon.service.admin.check_slices import SliceChecker
from jupyter_colophon.service.admin.integrity_check import IntegrityChecker, Progress
from jupyter_colophon.service.admin.log_truncation import delete_changes_older_than_days
from jupyter_colophon.service.admin.renamespace import NamespaceMover
from jupyter_colophon.service.admin.service_tokens import ServiceTokenService
from jupyter_colophon.service.admin.store_status import StoreStatus, read_store_status
from jupyter_colophon.service.changes import schedules
from jupyter_colophon.service.changes.sinks import read_sink_states
from jupyter_colophon.service.registry_files import load_entity_registry
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.changes import archived_rows
from jupyter_colophon.storage.integrity.archive_files import find_last_row
from jupyter_colophon.storage.secret import read_or_create_store_key
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class Maintenance:
    """An open store for maintenance. Nothing is created in it, and no listener is notified."""

    provider: StorageProvider
    registry: Registry
    progress: Progress

    def create_integrity_checker(self) -> IntegrityChecker:
        """Return the checker of the store, which also rebuilds derived data."""
        return IntegrityChecker(
            self.provider, self.registry, read_or_create_store_key(self.provider), read_time_ms, self.progress
        )

    def create_slice_checker(self) -> SliceChecker:
        """Return the checker of slices of the store, which several processes can check side by side."""
        return SliceChecker(self.create_integrity_checker())

    def create_backup_service(self, product: str) -> BackupService:
        """Return the service that writes and restores backups; `product` is our version."""
        return BackupService(self.provider, self.registry, read_time_ms, product, self.progress)

    def create_namespace_mover(self, identity: IdentityRules) -> NamespaceMover:
        """Return the service that moves entities to the namespaces of these rules.

        Servers find its changes in the change log.
        """
        write_path = WritePath(self.provider, self.registry, identity, ScopeAuthorizer(), read_time_ms, lambda: None)
        return NamespaceMover(self.provider, self.registry, write_path, self.progress)

    def delete_old_changes_and_reclaim_space(self, days: int) -> tuple[int, int]:
        """Delete changes older than `days` and reclaim space; return the number of changes and of bytes."""
        removed = delete_changes_older_than_days(
            self.provider, read_or_create_store_key(self.provider), read_time_ms, days, self.progress
        )
        return removed, self.provider.reclaim_space()

    def read_newest_change_number(self) -> int:
        """Return the number of the newest change, 0 if there is none."""
        return self.provider.tx_runner.run(lambda tx: tx.log.get_newest_number(), read_only=True)

    def read_store_status(self) -> StoreStatus:
        """Return the status of the store."""
        return read_store_status(self.provider)

    def read_sink_states(self, names: Iterable[str]) -> list[SinkState]:
        """Return the progress of these sinks."""
        return read_sink_states(self.provider, names)

    def describe_schedule_states(self, instances: Sequence[Instance]) -> list[dict[str, Any]]:
        """Return the state of the schedules among these instances, which may include pipelines."""
        return schedules.describe_schedules_with_state(self.provider, instances)

    def list_service_tokens(self) -> list[ServiceToken]:
        """Return the tokens of programs."""
        return ServiceTokenService(self.provider, read_time_ms).list_tokens()

    def is_archiving(self) -> bool:
        """Return whether the store archives its changes."""
        return self.provider.tx_runner.run(archived_rows.read_archive_state, read_only=True) is not None

    def find_oldest_unmoved_change(self, folder: Path | None) -> int | None:
        """Return the time of the oldest archived change that is not in the folder; None if there is none."""

        def find(tx: TableContext) -> int | None:
            state = archived_rows.read_archive_state(tx)
            if state is None:
                return None
            after = 0 if folder is None else find_last_row(folder, state.generation)
            return archived_rows.find_oldest_unmoved_time(tx, after)

        return self.provider.tx_runner.run(find, read_only=True)

    def measure_age_ms(self, time: int) -> int:
        """Return the age of a time in ms."""
        return read_time_ms() - time

    def close(self) -> None:
        """Close the store."""
        self.provider.close()


def open_store_for_maintenance(
    store: StorageChoice, progress: Progress, *, new: bool = False, registry_extension: Path | None = None
) -> Maintenance:
    """Open the store for maintenance. Raises StorageError, or InvalidField for an invalid option.

    Unless the catalog may be `new`, raises NoCatalog if there is none; it is not created.
    """
    provider = providers.open_complete_provider(store)
    try:
        registry = load_entity_registry(registry_extension)
        create_or_migrate_store(provider, registry, must_exist=not new)
        return Maintenance(provider, registry, progress)
    except BaseException:
        provider.close()
        raise
