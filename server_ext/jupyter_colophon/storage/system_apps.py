"""Store which system applications were deployed, with how many instances, and delete the rows of their tables with a namespace.

Tables whose key begins with `context`, the name of a namespace, belong to namespaces. Their rows are deleted by the
transactions that delete the other content of the namespace, so that none is left when it can be created again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.storage.app_files.rows import SYSTEM_APP_FILES
from jupyter_colophon.storage.namespace_secrets import NAMESPACE_SECRETS
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec

#: `tables` is an object in JSON with the key of each table, `instances` one with the number for each scaled service.
SYSTEM_APPS: Final = TableSpec(
    "system_apps",
    {
        "name": "string",
        "version": "string",
        "tables": "string",
        "deployed": "long",
        "disabled": "bool",
        "instances": "string",
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


def find_system_app(tx: TableContext, name: str) -> SystemAppRecord | None:
    """Return the record of an application; None if there is none."""
    row = tx.get_table(SYSTEM_APPS.id).read((name,))
    return None if row is None else _parse_row(row)


def list_system_apps(tx: TableContext) -> list[SystemAppRecord]:
    """Return the records of all applications, by name."""
    return [_parse_row(row) for row in tx.get_table(SYSTEM_APPS.id).scan(Range())]


def record_deployment(tx: TableContext, name: str, version: str, specs: tuple[TableSpec, ...], now: int) -> None:
    """Record that an application is deployed with these tables. Tables of earlier versions still belong to it."""
    before = tx.get_table(SYSTEM_APPS.id).read((name,))
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


def is_context_table(spec: TableSpec) -> bool:
    """Return whether the rows of a table belong to namespaces."""
    return spec.primary_key[0] == CONTEXT


def list_tables_of_apps(tx: TableContext) -> list[TableSpec]:
    """Return the tables of all applications, sorted by name; of their fields, only the names of those in the key."""
    rows = tx.get_table(SYSTEM_APPS.id).scan(Range())
    keys = {table: key for row in rows for table, key in json.loads(row["tables"] or "{}").items()}
    return [TableSpec(table, {}, tuple(key)) for table, key in sorted(keys.items())]


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
    return SystemAppRecord(row["name"], row["version"] or "", row["deployed"], bool(row["disabled"]), instances)
