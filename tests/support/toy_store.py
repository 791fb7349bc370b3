"""A third storage provider, for tests (spec STORE-15): tables in memory, one writer at a time, snapshots for readers.

It uses only what a third-party provider uses: the protocols of `storage/spi.py` and the checks of rows and specs. It
has none of the subsystems and none of the capabilities. Option: `place`, the name of a store within this process.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from jupyter_colophon.core.errors import InvalidField, NotFound, StorageError
from jupyter_colophon.storage import specs
from jupyter_colophon.storage.spi import DEFAULT_RETRY, Locks, RetryPolicy, TableSpec
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime
from jupyter_colophon.storage.transactions import run_actions_after_commit
from support.toy_table import TableContent, ToyTable

T = TypeVar("T")


@dataclass
class _ToyStore:
    """One store; committed data is never changed, only replaced."""

    tables: Mapping[str, TableContent] = field(default_factory=dict)
    commits: int = 0
    writing: threading.Lock = field(default_factory=threading.Lock)


_PLACES: dict[str, _ToyStore] = {}


class ToyProvider:
    name = "toy"
    subsystems: frozenset[str] = frozenset()
    capabilities: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._busy = threading.local()
        self.table_admin = ToyAdmin(self)
        self.tx_runner = self

    def initialize(self, config: Mapping[str, Any]) -> None:
        if config.keys() != {"place"}:
            raise InvalidField("the toy store requires the option place and has no other")
        self.place = _PLACES.setdefault(config["place"], _ToyStore())

    def run(
        self,
        work: Callable[[Any], T],
        *,
        read_only: bool = False,
        retry: RetryPolicy = DEFAULT_RETRY,
        locks: Locks | None = None,
    ) -> T:
        if getattr(self._busy, "now", False):
            raise StorageError("a transaction cannot be opened inside another one")
        self._busy.now = True
        try:
            after, value = self._run_read(work) if read_only else self._run_write(work)
        finally:
            self._busy.now = False
        run_actions_after_commit(after)
        return value

    def check_health(self) -> Mapping[str, str]:
        return {"status": "ok", "detail": "", "journalMode": ""}

    def find_store_problems(self) -> list[str]:
        return []

    def rebuild_derived_data(self) -> None:
        pass

    def reclaim_space(self) -> int:
        return 0

    def describe_store(self) -> Mapping[str, str]:
        return {"engine": "toy", "place": "memory"}

    def get_data_version(self) -> int:
        return self.place.commits

    def close(self) -> None:
        pass

    def _run_read(self, work: Callable[[Any], T]) -> tuple[list[Callable[[], None]], T]:
        tx = ToyContext(self.place.tables, TransactionLifetime(), read_only=True)
        try:
            return tx.after, work(tx)
        finally:
            tx.life.end_transaction()

    def _run_write(self, work: Callable[[Any], T]) -> tuple[list[Callable[[], None]], T]:
        with self.place.writing:
            tx = ToyContext(self.place.tables, TransactionLifetime.create_for_write(), read_only=False)
            try:
                value = work(tx)
                tx.life.require_open()
            finally:
                tx.life.end_transaction()
            self.replace({**self.place.tables, **tx.written})
        return tx.after, value

    def replace(self, tables: Mapping[str, TableContent]) -> None:
        self.place.tables = tables
        self.place.commits += 1


class ToyContext:
    def __init__(self, tables: Mapping[str, TableContent], life: TransactionLifetime, *, read_only: bool) -> None:
        self._found, self.life, self._read_only = tables, life, read_only
        self.written: dict[str, TableContent] = {}
        self.after: list[Callable[[], None]] = []

    def get_table(self, table_id: str) -> ToyTable:
        self.life.require_open()
        if table_id not in self._found:
            raise InvalidField(f"unknown table {table_id}")
        return ToyTable(
            self._found[table_id].spec,
            self.life,
            lambda: self._get_content(table_id),
            lambda: self._get_writable_content(table_id),
        )

    def on_commit(self, action: Callable[[], None]) -> None:
        self.after.append(action)

    def _get_content(self, table_id: str) -> TableContent:
        return self.written.get(table_id) or self._found[table_id]

    def _get_writable_content(self, table_id: str) -> TableContent:
        if self._read_only:
            raise StorageError("the transaction is read-only")
        if table_id not in self.written:
            self.written[table_id] = self._found[table_id].copy()
        return self.written[table_id]


class ToyAdmin:
    def __init__(self, provider: ToyProvider) -> None:
        self._provider = provider

    def create_or_update(self, *table_specs: TableSpec) -> None:
        for spec in table_specs:
            specs.require_valid_spec(spec)
        with self._provider.place.writing:
            tables = dict(self._provider.place.tables)
            for spec in table_specs:
                specs.require_new_table_name(spec, tables)
                if spec.id in tables:
                    specs.require_compatible_spec(tables[spec.id].spec, spec)
                    tables[spec.id] = tables[spec.id].copy_with_fields(spec)
                else:
                    tables[spec.id] = TableContent(spec)
            self._provider.replace(tables)

    def exists(self, table_id: str) -> bool:
        return table_id in self._provider.place.tables

    def get_spec(self, table_id: str) -> TableSpec:
        if not self.exists(table_id):
            raise NotFound("table", table_id)
        return self._provider.place.tables[table_id].spec

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        with self._provider.place.writing:
            tables = dict(self._provider.place.tables)
            if table_id in tables:
                old = tables.pop(table_id)
                specs.require_unused_table_name(new_id, tables)
                spec = specs.build_renamed_spec(old.spec, new_id, fields)
                specs.require_valid_spec(spec)
                tables[new_id] = old.copy_with_renamed_fields(spec, fields)
                self._provider.replace(tables)

    def drop(self, table_id: str) -> None:
        with self._provider.place.writing:
            self._provider.replace(
                {id_: content for id_, content in self._provider.place.tables.items() if id_ != table_id}
            )

    def list(self) -> list[str]:
        return sorted(self._provider.place.tables)
