"""Check table specs and their changes (spec STORE-13), and store them as JSON."""

import json
import re
from collections.abc import Iterable, Mapping

from jupyter_colophon.core.errors import InvalidField, StoreDamaged, TableSchemaIncompatible, quote_and_truncate_text
from jupyter_colophon.storage.spi import FieldType, TableSpec

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,47}")
_ORDERABLE: frozenset[FieldType] = frozenset({"int", "long", "string", "bool"})
_WIDER: dict[tuple[FieldType, FieldType], bool] = {("int", "long"): True, ("float", "double"): True}
_KINDS = {"int", "long", "float", "double", "string", "bytes", "bool"}


def require_valid_spec(spec: TableSpec) -> None:
    """Raise InvalidField unless a spec is valid: names, a primary key, keys and indexes of an ordered type.

    Names that differ only in case are one name to SQLite.
    """
    _require_tuples(spec)
    _require_valid_names(spec)
    if unknown := set(spec.fields.values()) - _KINDS:
        raise InvalidField(f"{spec.id}: unknown type {quote_and_truncate_text(str(min(unknown)))}")
    if not spec.primary_key:
        raise InvalidField(f"{spec.id} has no key")
    for name in (*spec.primary_key, *spec.indexes):
        kind = spec.fields.get(name)
        if kind is None:
            raise InvalidField(f"{spec.id}: there is no field {quote_and_truncate_text(name)} for the key or an index")
        if kind not in _ORDERABLE:
            raise InvalidField(
                f"{spec.id}: {quote_and_truncate_text(name)} is a field of type {kind}, which cannot be part of a key or "
                "an index: use int, long, string or bool"
            )


def _require_tuples(spec: TableSpec) -> None:
    for argument in ("primary_key", "indexes"):
        # Packages are not necessarily checked by types: ("name") is a string.
        if isinstance(names := getattr(spec, argument), str):
            raise InvalidField(f"{spec.id}: {argument} must be a tuple of names: write ({names!r},)")


def _require_valid_names(spec: TableSpec) -> None:
    for name in (spec.id, *spec.fields):
        if not _NAME.fullmatch(name):
            raise InvalidField(f"{quote_and_truncate_text(name)} is not a valid name of a table or field")
    for names in ([name.lower() for name in spec.fields], spec.primary_key, spec.indexes):
        if len(set(names)) < len(names):
            raise InvalidField(f"{spec.id} has a repeated field, part of the key, or index")


def require_new_table_name(spec: TableSpec, ids: Iterable[str]) -> None:
    """Raise InvalidField if a table of the store has the same name in another letter case."""
    for existing in ids:
        if existing != spec.id and existing.lower() == spec.id.lower():
            raise InvalidField(f"the name of the table {spec.id} differs from {existing} only in case")


def require_unused_table_name(table_id: str, ids: Iterable[str]) -> None:
    """Raise InvalidField if a table of the store has this name in any letter case."""
    if table_id.lower() in {existing.lower() for existing in ids}:
        raise InvalidField(f"the table {table_id} already exists")


def require_compatible_spec(old: TableSpec, new: TableSpec) -> None:
    """Raise TableSchemaIncompatible unless a table of the old spec can be changed to the new one."""
    if old.primary_key != new.primary_key:
        raise TableSchemaIncompatible(f"the table {new.id} has another key")
    for name, kind in old.fields.items():
        if name not in new.fields:
            raise TableSchemaIncompatible(f"the table {new.id} has a field {name} that this program does not know")
        if new.fields[name] != kind and (kind, new.fields[name]) not in _WIDER:
            raise TableSchemaIncompatible(f"{new.id}.{name} is {kind} and cannot be changed to {new.fields[name]}")
    if missing := set(old.indexes) - set(new.indexes):
        raise TableSchemaIncompatible(f"the table {new.id} has an index {min(missing)} that this program does not know")


def build_renamed_spec(spec: TableSpec, table_id: str, fields: Mapping[str, str]) -> TableSpec:
    """Return a spec with another name, and with fields renamed by `fields`. Raises InvalidField."""
    new = [fields.get(name, name) for name in spec.fields]
    if len({name.lower() for name in new}) < len(new):
        raise InvalidField(f"{table_id} would have two fields of the same name")
    return TableSpec(
        table_id,
        {fields.get(name, name): kind for name, kind in spec.fields.items()},
        tuple(fields.get(name, name) for name in spec.primary_key),
        tuple(fields.get(name, name) for name in spec.indexes),
    )


def to_json_text(spec: TableSpec) -> str:
    """Return a spec as JSON."""
    # In the order of the fields of the class: texts are compared.
    document = {
        "id": spec.id,
        "fields": list(spec.fields.items()),
        "primary_key": spec.primary_key,
        "indexes": spec.indexes,
    }
    return json.dumps(document)


def from_json_text(text: str) -> TableSpec:
    """Parse a spec from JSON. Raises StoreDamaged if it is invalid."""
    try:
        document = json.loads(text)
        return TableSpec(
            document["id"], dict(document["fields"]), tuple(document["primary_key"]), tuple(document["indexes"])
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StoreDamaged("the spec of a table cannot be read") from error
