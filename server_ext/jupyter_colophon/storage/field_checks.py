"""What fits a table: types, whole keys, ranges and limits (spec STORE-9). Checked before anything is sent."""

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidField, shown
from jupyter_colophon.storage.spi import Field, FieldType, Range, TableSpec


def check_row(spec: TableSpec, row: Mapping[str, Any]) -> None:
    """Raise InvalidField for an unknown field, a wrong type, or a key that is not whole."""
    _check_values(spec, row)
    for name in spec.primary_key:
        if row.get(name) is None:
            raise InvalidField(f"{spec.id}: the whole key must be given")


def check_rows(spec: TableSpec, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """The same for rows that have values of the same fields, in their order; column by column, which is quicker."""
    missing = set(spec.primary_key)
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        if not _is_plain(spec.fields.get(name), column):
            for value in column:
                _check_values(spec, {name: value})
        if name in missing and None not in column:
            missing.remove(name)
    if missing and rows:
        raise InvalidField(f"{spec.id}: the whole key must be given")


def _is_plain(kind: FieldType | None, column: tuple[Any, ...]) -> bool:
    """Whether a column holds nothing but what nearly all do: texts of ASCII for a text, numbers that fit for a long."""
    kinds = set(map(type, column)) - {NoneType}
    if kind == "string":
        return kinds <= {str} and "".join(filter(None, column)).isascii()
    if kind == "long" and kinds == {int}:
        there = [value for value in column if value is not None]
        return _FITS[kind](min(there)) and _FITS[kind](max(there))
    return kind is not None and not kinds


def check_key(spec: TableSpec, key: tuple[Any, ...]) -> None:
    """Raise InvalidField unless this is a whole key."""
    if len(key) != len(spec.primary_key):
        raise InvalidField(f"{spec.id}: a whole key has {len(spec.primary_key)} parts")
    _check_parts(spec, key)


def check_range(spec: TableSpec, keys: Range) -> None:
    """Raise InvalidField unless both ends are prefixes of keys."""
    for end in (keys.begin, keys.end):
        if len(end) > len(spec.primary_key):
            raise InvalidField(f"{spec.id}: a key has at most {len(spec.primary_key)} parts")
        _check_parts(spec, end)


def check_index(spec: TableSpec, name: str, value: Any = None) -> None:
    """Raise InvalidField unless this is an indexed field, or part of the key, that can have this value."""
    if name not in spec.indexes and name not in spec.primary_key:
        raise InvalidField(f"{spec.id}: {shown(name)} is not an index")
    if value is not None and not _FITS[spec.fields[name]](value):
        raise InvalidField(f"{spec.id}.{name} takes {spec.fields[name]}, not {type(value).__name__}")


def check_filters(spec: TableSpec, filters: Sequence[Field]) -> None:
    """Raise InvalidField unless these are indexed fields, or parts of the key, that can have these values."""
    for one in filters:
        check_index(spec, one.name, one.value)


def check_columns(spec: TableSpec, names: Sequence[str]) -> None:
    """Raise InvalidField for a field that the table does not have."""
    for name in names:
        if name not in spec.fields:
            raise InvalidField(f"{spec.id} has no field {shown(name)}")


def check_change(spec: TableSpec, fields: Mapping[str, Any]) -> None:
    """Raise InvalidField unless these are values of fields that are no part of the key."""
    if keys := fields.keys() & set(spec.primary_key):
        raise InvalidField(f"{spec.id}: the key cannot be changed ({', '.join(sorted(keys))})")
    _check_values(spec, fields)


def check_number(spec: TableSpec, name: str) -> None:
    """Raise InvalidField unless this is a field with a whole number."""
    if spec.fields.get(name) not in ("int", "long"):
        raise InvalidField(f"{spec.id}: {shown(name)} is not a whole number")


def check_limit(limit: int | None) -> None:
    """Raise InvalidField for a limit below 0."""
    if limit is not None and limit < 0:
        raise InvalidField("a limit is not negative")


def _check_values(spec: TableSpec, row: Mapping[str, Any]) -> None:
    kinds = spec.fields
    for name, value in row.items():
        kind = kinds.get(name)
        # Nearly all are of this sort, and all that is written comes by here.
        if kind == "string" and type(value) is str and value.isascii():
            continue
        if kind is None:
            raise InvalidField(f"{spec.id} has no field {shown(name)}")
        if value is not None and not _FITS[kind](value):
            raise InvalidField(f"{spec.id}.{name} takes {kind}, not {type(value).__name__}")


def _check_parts(spec: TableSpec, parts: tuple[Any, ...]) -> None:
    for name, value in zip(spec.primary_key, parts, strict=False):
        if type(value) is str and value.isascii() and spec.fields[name] == "string":
            continue
        if not _FITS[spec.fields[name]](value):
            raise InvalidField(f"{spec.id}.{name} takes {spec.fields[name]}, not {type(value).__name__}")


def _whole(bits: int) -> Callable[[Any], bool]:
    bound = 1 << (bits - 1)
    return lambda value: type(value) is int and -bound <= value < bound


def _is_unicode(value: str) -> bool:
    """Whether a text can be written down: half a surrogate pair cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    """Whether this is a number that a column of 64 bits holds just as it is.

    Not a number has no place in an order, and SQLite makes null of it; beyond 2**53 not every whole number is there.
    """
    if type(value) is int:
        return -_WHOLE_MAX <= value <= _WHOLE_MAX
    return type(value) is float and value == value


_WHOLE_MAX: Final = 2**53
_FITS: Final[dict[FieldType, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str) and (value.isascii() or _is_unicode(value)),
    "int": _whole(32),
    "long": _whole(64),
    "float": _is_number,
    "double": _is_number,
    "bytes": lambda value: isinstance(value, bytes),
    "bool": lambda value: isinstance(value, bool),
}
