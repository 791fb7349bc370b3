"""Replace the names of a person in the rows of a table, or list the rows that have them, a slice at a time."""

from typing import Any, Final

from jupyter_colophon.core.privacy.person import KEPT_USER_ASPECTS, PersonNames
from jupyter_colophon.storage import audit_tables, tables
from jupyter_colophon.storage.artifacts import ARTIFACT_PARTS, ARTIFACTS
from jupyter_colophon.storage.entities.sources_of_truth import build_range_after_key
from jupyter_colophon.storage.privacy.erasures import ERASURES
from jupyter_colophon.storage.spi import Key, Row, TableContext, TableSpec
from jupyter_colophon.storage.system_app_workers import SYSTEM_APP_WORKERS
from jupyter_colophon.storage.system_apps import TABLE_PREFIX, list_tables_of_apps

#: The rows that one short transaction reads.
_AT_ONCE: Final = 200
#: Tables that are not visited: keys and progress of the store itself, logs with seals (person_logs.py), and uploaded code.
_WITHOUT_NAMES: Final = frozenset(
    {
        tables.SETTINGS.id,
        tables.LEASES.id,
        tables.LOG_SEALS.id,
        ARTIFACTS.id,
        ARTIFACT_PARTS.id,
        SYSTEM_APP_WORKERS.id,
        *(spec.id for spec in audit_tables.ALL),
    }
)
#: The tables that may have names of people. Derived ones are rebuilt from them. A new table is included by itself.
TABLES: Final[tuple[TableSpec, ...]] = tuple(
    spec for spec in tables.ALL if spec.id not in _WITHOUT_NAMES and spec.id not in tables.DERIVED
)
#: The tables with the aspects of an entity.
_ASPECT_TABLES: Final = frozenset({tables.ASPECTS.id, tables.ASPECT_VERSIONS.id, tables.TIMESERIES.id})
#: A field that has a form of its own in tables of the platform.
_PRINCIPAL: Final = "principal"
#: A field of the running erasure itself.
_ERASED: Final = "person"


def replace_names_in_slice(
    tx: TableContext, spec: TableSpec, names: PersonNames, after: list[Any] | None
) -> tuple[int, list[Any] | None]:
    """Replace the names in the next rows of a table; return the number of changed rows and the key to continue after.

    What describes the person, the other aspects of the user's entity, is deleted.
    """
    table, rows = tx.get_table(spec.id), _read_slice(tx, spec, after)
    changed = 0
    for row in rows:
        if is_description_of_person(spec.id, row, names):
            table.delete(_get_key(spec, row))
        elif (replaced := _replace_in_row(spec, row, names)) != row:
            if _get_key(spec, replaced) != _get_key(spec, row):
                table.delete(_get_key(spec, row))
            table.upsert(replaced)
        else:
            continue
        changed += 1
    return changed, _get_next_position(spec, rows)


def list_rows_with_names(
    tx: TableContext, spec: TableSpec, names: PersonNames, after: list[Any] | None
) -> tuple[list[Row], list[Any] | None]:
    """Return those of the next rows of a table that have names of the person, and the key to continue after."""
    rows = _read_slice(tx, spec, after)
    named = [
        row for row in rows if is_description_of_person(spec.id, row, names) or _replace_in_row(spec, row, names) != row
    ]
    return named, _get_next_position(spec, rows)


def is_description_of_person(table: str, row: Row, names: PersonNames) -> bool:
    """Return whether a row of a table is an aspect that describes the person."""
    return table in _ASPECT_TABLES and row["urn"] == names.urn and row["aspect"] not in KEPT_USER_ASPECTS


def replace_names_in_tables_of_apps(
    tx: TableContext, names: PersonNames, position: list[Any] | None
) -> tuple[int, list[Any] | None]:
    """Do the same with the tables of system applications, one after the other; a position begins with a table."""
    first, after = ("", None) if position is None else position
    specs = [spec for spec in list_tables_of_apps(tx) if spec.id >= first]
    if not specs:
        return 0, None
    changed, after = replace_names_in_slice(tx, specs[0], names, after if specs[0].id == first else None)
    if after is not None:
        return changed, [specs[0].id, after]
    return changed, [specs[1].id, None] if len(specs) > 1 else None


def select_texts(row: Row) -> Row:
    """Return the texts of a row of an application: its other fields mean something to the application only."""
    return {name: value for name, value in row.items() if isinstance(value, str) and name != _PRINCIPAL}


def _replace_in_row(spec: TableSpec, row: Row, names: PersonNames) -> Row:
    if spec.id.startswith(TABLE_PREFIX):
        return row | names.replace_in_row(select_texts(row))
    if spec.id == ERASURES.id:
        return names.replace_in_row({name: value for name, value in row.items() if name != _ERASED}) | {
            _ERASED: row[_ERASED]
        }
    return names.replace_in_row(row)


def _read_slice(tx: TableContext, spec: TableSpec, after: list[Any] | None) -> list[Row]:
    key: Key = () if after is None else tuple(after)
    return list(tx.get_table(spec.id).scan(build_range_after_key(key), _AT_ONCE))


def _get_key(spec: TableSpec, row: Row) -> Key:
    return tuple(row[name] for name in spec.primary_key)


def _get_next_position(spec: TableSpec, rows: list[Row]) -> list[Any] | None:
    return list(_get_key(spec, rows[-1])) if len(rows) == _AT_ONCE else None
