"""A provider that lacks something, together with what stands in for it (spec STORE-15)."""

import builtins
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from jupyter_colophon.storage.portable.edges import PortableEdges
from jupyter_colophon.storage.portable.log import PortableLog
from jupyter_colophon.storage.portable.search import PortableSearch
from jupyter_colophon.storage.portable.table import PortableTable
from jupyter_colophon.storage.portable.tables import OF_SEAM
from jupyter_colophon.storage.spi import (
    CAPABILITIES,
    PATIENT,
    SEAMS,
    EdgeIndex,
    Log,
    RetryPolicy,
    SearchIndex,
    StorageProvider,
    StructuredTable,
    TableAdmin,
    TableContext,
    TableSpec,
)
from jupyter_colophon.storage.transaction_lifetime import Life

T = TypeVar("T")
_OURS = {spec.id for specs in OF_SEAM.values() for spec in specs}


class _ShapeWanted(BaseException):
    """A transaction needs the shape of a table, which no provider has to tell inside of one. It is begun again."""

    def __init__(self, table_id: str) -> None:
        super().__init__(table_id)
        self.table_id = table_id


class PortableProvider:
    """An open provider with all seams and capabilities. Making it raises StorageError where it cannot be written to."""

    seams, capabilities = SEAMS, CAPABILITIES

    def __init__(self, provider: StorageProvider) -> None:
        self._provider = provider
        self.name, self.health, self.commits, self.close = (
            provider.name,
            provider.health,
            provider.commits,
            provider.close,
        )
        self.check, self.repair = provider.check, provider.repair
        self.reclaim, self.about = provider.reclaim, provider.about
        self._shapes: dict[str, TableSpec] = {}
        self.table_admin: TableAdmin = _Admin(provider.table_admin, self._shapes)
        self.tx_runner = self
        needed = {spec.id: spec for seam in SEAMS - provider.seams for spec in OF_SEAM[seam]}
        if needed:
            self.table_admin.create_or_update(*needed.values())

    def initialize(self, config: Mapping[str, Any]) -> None:
        """Open the store with these options."""
        self._provider.initialize(config)

    def run(self, work: Callable[[TableContext], T], *, read_only: bool = False, retry: RetryPolicy = PATIENT) -> T:
        """Run in one transaction of the provider's."""

        def whole(tx: TableContext) -> T:
            life = Life.of_a_read()
            try:
                return work(_Context(tx, self._provider, self._shapes, life))
            finally:
                life.end()

        while True:
            try:
                return self._provider.tx_runner.run(whole, read_only=read_only, retry=retry)
            except _ShapeWanted as wanted:
                self._shapes[wanted.table_id] = self.table_admin.schema(wanted.table_id)


class _Context:
    """What one transaction can reach; of `tx`, the seams that its provider has."""

    def __init__(
        self, tx: TableContext, provider: StorageProvider, shapes: Mapping[str, TableSpec], life: Life
    ) -> None:
        self._tx, self._shapes, self._life = tx, shapes, life
        self._seams, self._lacking = provider.seams, CAPABILITIES - provider.capabilities
        self._tables: dict[str, StructuredTable] = {}
        self.after_commit = tx.after_commit

    @property
    def log(self) -> Log:
        """The change log."""
        return self._tx.log if "log" in self._seams else PortableLog(self.table)

    @property
    def search(self) -> SearchIndex:
        """Full text."""
        return self._tx.search if "search" in self._seams else PortableSearch(self.table)

    @property
    def edges(self) -> EdgeIndex:
        """Lineage."""
        return self._tx.edges if "edges" in self._seams else PortableEdges(self.table)

    def table(self, table_id: str) -> StructuredTable:
        """The table of a spec that was created. Raises InvalidField if it does not exist."""
        if table_id not in self._tables:
            self._tables[table_id] = self._whole(self._tx.table(table_id), table_id)
        return self._tables[table_id]

    def _whole(self, table: StructuredTable, table_id: str) -> StructuredTable:
        if not self._lacking:
            return table
        if table_id not in self._shapes:
            raise _ShapeWanted(table_id)
        return PortableTable(table, self._shapes[table_id], self._lacking, self._life)


class _Admin:
    """Makes tables; those of the seams are not shown."""

    def __init__(self, admin: TableAdmin, shapes: dict[str, TableSpec]) -> None:
        self._admin, self._shapes = admin, shapes
        self.exists = admin.exists

    def create_or_update(self, *specs: TableSpec) -> None:
        """Make tables exist in this shape."""
        self._admin.create_or_update(*specs)
        self._shapes.update({spec.id: spec for spec in specs})

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Give a table another name, and other names to some of its fields; its rows stay."""
        self._admin.rename(table_id, new_id, fields)
        self._shapes.pop(table_id, None)
        self._shapes.pop(new_id, None)

    def drop(self, table_id: str) -> None:
        """Take a table away with all its rows, if it is there."""
        self._admin.drop(table_id)
        self._shapes.pop(table_id, None)

    def schema(self, table_id: str) -> TableSpec:
        """The shape of a table. Raises NotFound."""
        return self._admin.schema(table_id)

    def list(self) -> builtins.list[str]:
        """The ids of all tables, sorted."""
        return [table_id for table_id in self._admin.list() if table_id not in _OURS]
