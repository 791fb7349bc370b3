"""Complete a provider with the features that it does not implement (spec STORE-15)."""

import builtins
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from jupyter_colophon.storage.portable.edges import PortableEdges
from jupyter_colophon.storage.portable.log import PortableLog
from jupyter_colophon.storage.portable.search import PortableSearch
from jupyter_colophon.storage.portable.table import PortableTable
from jupyter_colophon.storage.portable.tables import TABLES_OF_SUBSYSTEM
from jupyter_colophon.storage.spi import (
    CAPABILITIES,
    DEFAULT_RETRY,
    SUBSYSTEMS,
    ChangeLog,
    EdgeIndex,
    Locks,
    RetryPolicy,
    SearchIndex,
    StorageProvider,
    StructuredTable,
    TableAdmin,
    TableContext,
    TableSpec,
)
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime

T = TypeVar("T")
_INTERNAL_TABLES = {spec.id for specs in TABLES_OF_SUBSYSTEM.values() for spec in specs}


class _TableSpecNeeded(BaseException):
    """A transaction needs the spec of a table, which providers need not return inside a transaction. It is run again."""

    def __init__(self, table_id: str) -> None:
        super().__init__(table_id)
        self.table_id = table_id


class PortableProvider:
    """An open provider with all subsystems and capabilities. Creating it raises StorageError if the store is not writable."""

    subsystems, capabilities = SUBSYSTEMS, CAPABILITIES

    def __init__(self, provider: StorageProvider) -> None:
        self._provider = provider
        self.name, self.check_health, self.get_data_version, self.close = (
            provider.name,
            provider.check_health,
            provider.get_data_version,
            provider.close,
        )
        self.find_store_problems, self.rebuild_derived_data = (
            provider.find_store_problems,
            provider.rebuild_derived_data,
        )
        self.reclaim_space, self.describe_store = provider.reclaim_space, provider.describe_store
        self._shapes: dict[str, TableSpec] = {}
        self.table_admin: TableAdmin = PortableAdmin(provider.table_admin, self._shapes)
        self.tx_runner = self
        needed = {
            spec.id: spec for subsystem in SUBSYSTEMS - provider.subsystems for spec in TABLES_OF_SUBSYSTEM[subsystem]
        }
        if needed:
            self.table_admin.create_or_update(*needed.values())

    def initialize(self, config: Mapping[str, Any]) -> None:
        """Open the store with these options."""
        self._provider.initialize(config)

    def run(
        self,
        work: Callable[[TableContext], T],
        *,
        read_only: bool = False,
        retry: RetryPolicy = DEFAULT_RETRY,
        locks: Locks | None = None,
    ) -> T:
        """Run in one transaction of the provider, which excludes all others: portable subsystems have shared rows."""

        def run_with_subsystems(tx: TableContext) -> T:
            lifetime = TransactionLifetime.create_for_read()
            try:
                return work(PortableContext(tx, self._provider, self._shapes, lifetime))
            finally:
                lifetime.end_transaction()

        while True:
            try:
                return self._provider.tx_runner.run(run_with_subsystems, read_only=read_only, retry=retry)
            except _TableSpecNeeded as wanted:
                self._shapes[wanted.table_id] = self.table_admin.get_spec(wanted.table_id)


class PortableContext:
    """The context of one transaction: the provider's own subsystems, and portable ones."""

    def __init__(
        self,
        tx: TableContext,
        provider: StorageProvider,
        shapes: Mapping[str, TableSpec],
        lifetime: TransactionLifetime,
    ) -> None:
        self._tx, self._shapes, self._life = tx, shapes, lifetime
        self._subsystems, self._lacking = provider.subsystems, CAPABILITIES - provider.capabilities
        self._tables: dict[str, StructuredTable] = {}
        self.on_commit = tx.on_commit

    @property
    def log(self) -> ChangeLog:
        """The change log."""
        return self._tx.log if "log" in self._subsystems else PortableLog(self.get_table)

    @property
    def search(self) -> SearchIndex:
        """The full-text index."""
        return self._tx.search if "search" in self._subsystems else PortableSearch(self.get_table)

    @property
    def edges(self) -> EdgeIndex:
        """The lineage index."""
        return self._tx.edges if "edges" in self._subsystems else PortableEdges(self.get_table)

    def get_table(self, table_id: str) -> StructuredTable:
        """Return the table of a spec that was created. Raises InvalidField if it does not exist."""
        if table_id not in self._tables:
            self._tables[table_id] = self._add_missing_capabilities(self._tx.get_table(table_id), table_id)
        return self._tables[table_id]

    def _add_missing_capabilities(self, table: StructuredTable, table_id: str) -> StructuredTable:
        if not self._lacking:
            return table
        if table_id not in self._shapes:
            raise _TableSpecNeeded(table_id)
        return PortableTable(table, self._shapes[table_id], self._lacking, self._life)


class PortableAdmin:
    """Create and drop tables; those of the subsystems are hidden."""

    def __init__(self, admin: TableAdmin, shapes: dict[str, TableSpec]) -> None:
        self._admin, self._shapes = admin, shapes
        self.exists = admin.exists

    def create_or_update(self, *specs: TableSpec) -> None:
        """Create or extend tables to match these specs."""
        self._admin.create_or_update(*specs)
        self._shapes.update({spec.id: spec for spec in specs})

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Rename a table and fields of it; its rows are kept."""
        self._admin.rename(table_id, new_id, fields)
        self._shapes.pop(table_id, None)
        self._shapes.pop(new_id, None)

    def drop(self, table_id: str) -> None:
        """Drop a table with all its rows, if it exists."""
        self._admin.drop(table_id)
        self._shapes.pop(table_id, None)

    def get_spec(self, table_id: str) -> TableSpec:
        """Return the spec of a table. Raises NotFound."""
        return self._admin.get_spec(table_id)

    def list(self) -> builtins.list[str]:
        """Return the ids of all tables, sorted."""
        return [table_id for table_id in self._admin.list() if table_id not in _INTERNAL_TABLES]
