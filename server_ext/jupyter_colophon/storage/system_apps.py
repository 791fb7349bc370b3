"""Store which system applications were deployed, with how many instances, and delete the rows of their tables with a namespace.

Tables whose key begins with `context`, the name of a namespace, belong to namespaces. Their rows are deleted by the
transactions that delete the other content of the namespace, so that none is left when it can be created again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.storage.app_files.rows import SYSTEM_APP_FILES
from jupyter_colophon.storage.namespace_secrets import NAMESPACE_SECRETS
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec

#: `tables` is an object in JSON with the key of each table, `instances` one with the number for each scaled service.
#: `dropping` is true while its tables are being deleted.
SYSTEM_APPS: Final = TableSpec(
    "system_apps",
    {
        "name": "string",
        "version": "string",
        "tables": "string",
        "deployed": "long",
        "disabled": "bool",
        "instances": "string",
        "dropping": "bool",
    },
    ("name",),
)
#: The beginning of the names of their tables.
TABLE_PREFIX: Final = "app_"
#: The part of a key that is a namespace.
CONTEXT: Final = "context"


@dataclass(frozen=True, slots=True)
class SystemAppRecord:
    """What the store knows of an application. `deployed` is in ms, None if it was disabled before its first deployment."""

    name: str
    version: str = ""
    deployed: int | None = None
    disabled: bool = False
    #: How many processes run each service for which a number was requested.
    instances: Mapping[str, int] = field(default_factory=dict)
    #: Its tables, also those of earlier versions; of their fields, only the names of those in the key.
    tables: tuple[TableSpec, ...] = ()
    is_dropping: bool = False


def find_system_app(tx: TableContext, name: str) -> SystemAppRecord | None:
    """Return the record of an application; None if there is none."""
    row = tx.get_table(SYSTEM_APPS.id).read((name,))
    return None if row is None else _parse_row(row)


def list_system_apps(tx: TableContext) -> list[SystemAppRecord]:
    """Return the records of all applications, by name."""
    return [_parse_row(row) for row in tx.get_table(SYSTEM_APPS.id).scan(Range())]


def record_deployment(tx: TableContext, name: str, version: str, specs: tuple[TableSpec, ...], now: int) -> None:
    """Record that an application is deployed with these tables. Tables of earlier versions still belong to it.

    Raises StoreUnavailable while former tables are being deleted.
    """
    before = tx.get_table(SYSTEM_APPS.id).read((name,))
    if before is not None and before["dropping"]:
        raise StoreUnavailable(f"the former tables of the system application {name} are still being deleted")
    keys = {} if before is None else json.loads(before["tables"] or "{}")
    keys.update({spec.id: spec.primary_key for spec in specs})
    row = {"name": name, "version": version, "tables": json.dumps(keys), "deployed": now}
    tx.get_table(SYSTEM_APPS.id).upsert(row)


def set_disabled(tx: TableContext, name: str, *, disabled: bool) -> None:
    """Disable or enable an application for all processes."""
    tx.get_table(SYSTEM_APPS.id).upsert({"name": name, "disabled": disabled})


def set_instances(tx: TableContext, name: str, service: str, instances: int) -> None:
    """Record how many processes are to run a service, in all servers together; 0 withdraws an earlier request."""
    record = find_system_app(tx, name) or SystemAppRecord(name)
    requested = {key: number for key, number in {**record.instances, service: instances}.items() if number}
    tx.get_table(SYSTEM_APPS.id).upsert({"name": name, "instances": json.dumps(requested)})


def start_dropping(tx: TableContext, name: str) -> None:
    """Record that the tables of an application are being deleted: it is not deployed any more."""
    tx.get_table(SYSTEM_APPS.id).update({"name": name, "deployed": None, "dropping": True})


def finish_dropping(tx: TableContext, name: str) -> None:
    """Record that the tables of an application are deleted. Only that it is disabled is kept."""
    record = find_system_app(tx, name)
    tx.get_table(SYSTEM_APPS.id).delete((name,))
    if record is not None and record.disabled:
        set_disabled(tx, name, disabled=True)


def is_context_table(spec: TableSpec) -> bool:
    """Return whether the rows of a table belong to namespaces."""
    return spec.primary_key[0] == CONTEXT


def list_tables_of_apps(tx: TableContext) -> list[TableSpec]:
    """Return the tables of all applications, sorted by name, without those that are being deleted."""
    records = (record for record in list_system_apps(tx) if not record.is_dropping)
    tables = {table.id: table for record in records for table in record.tables}
    return [table for _, table in sorted(tables.items())]


def has_rows_of_context(tx: TableContext, namespace: str) -> bool:
    """Return whether there are secrets of a namespace, or rows of an application."""
    return any(list(tx.get_table(spec.id).scan(Range.prefix(namespace), 1)) for spec in _list_context_tables(tx))


def delete_next_rows_of_context(tx: TableContext, namespace: str, limit: int) -> bool:
    """Delete at most `limit` secrets, or rows of applications, of a namespace; return whether there were any."""
    for spec in _list_context_tables(tx):
        table = tx.get_table(spec.id)
        rows = list(table.scan(Range.prefix(namespace), limit))
        if rows:
            table.delete_many([tuple(row[name] for name in spec.primary_key) for row in rows])
            return True
    return False


def _list_context_tables(tx: TableContext) -> list[TableSpec]:
    return [SYSTEM_APP_FILES, NAMESPACE_SECRETS, *(spec for spec in list_tables_of_apps(tx) if is_context_table(spec))]


def _parse_row(row: Row) -> SystemAppRecord:
    instances = json.loads(row["instances"] or "{}")
    keys = json.loads(row["tables"] or "{}")
    return SystemAppRecord(
        row["name"],
        row["version"] or "",
        row["deployed"],
        bool(row["disabled"]),
        instances,
        tuple(TableSpec(table, {}, tuple(key)) for table, key in sorted(keys.items())),
        bool(row["dropping"]),
    )
