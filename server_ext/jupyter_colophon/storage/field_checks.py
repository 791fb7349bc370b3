"""Check rows, keys, ranges and limits against a table's spec (spec STORE-9) before anything is sent to the store."""

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidField, quote_text
from jupyter_colophon.storage.spi import FieldType, FieldValue, Range, TableSpec


def check_row(spec: TableSpec, row: Mapping[str, Any]) -> None:
    """Raise InvalidField for an unknown field, a wrong type, or an incomplete key."""
    _check_values(spec, row)
    for name in spec.primary_key:
        if row.get(name) is None:
            raise InvalidField(f"{spec.id}: the complete key is required")


def check_rows(spec: TableSpec, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Check rows with the same fields in the same order, column by column, which is faster than `check_row` for each."""
    missing = set(spec.primary_key)
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        if not _is_plain(spec.fields.get(name), column):
            for value in column:
                _check_values(spec, {name: value})
        if name in missing and None not in column:
            missing.remove(name)
    if missing and rows:
        raise InvalidField(f"{spec.id}: the complete key is required")


def _is_plain(kind: FieldType | None, column: tuple[Any, ...]) -> bool:
    """Return whether a column has only the most common values: ASCII strings, or integers in range."""
    kinds = set(map(type, column)) - {NoneType}
    if kind == "string":
        return kinds <= {str} and "".join(filter(None, column)).isascii()
    if kind == "long" and kinds == {int}:
        values = [value for value in column if value is not None]
        return _FITS[kind](min(values)) and _FITS[kind](max(values))
    return kind is not None and not kinds


def check_key(spec: TableSpec, key: tuple[Any, ...]) -> None:
    """Raise InvalidField unless this is a complete key."""
    if len(key) != len(spec.primary_key):
        raise InvalidField(f"{spec.id}: a key has {len(spec.primary_key)} parts")
    _check_parts(spec, key)


def check_range(spec: TableSpec, keys: Range) -> None:
    """Raise InvalidField unless both ends are prefixes of keys."""
    for end in (keys.begin, keys.end):
        if len(end) > len(spec.primary_key):
            raise InvalidField(f"{spec.id}: a key has at most {len(spec.primary_key)} parts")
        _check_parts(spec, end)


def check_index(spec: TableSpec, name: str, value: Any = None) -> None:
    """Raise InvalidField unless this is an indexed field or a part of the key, and the value has its type."""
    if name not in spec.indexes and name not in spec.primary_key:
        raise InvalidField(f"{spec.id}: {quote_text(name)} is not an index")
    if value is not None and not _FITS[spec.fields[name]](value):
        raise InvalidField(f"{spec.id}.{name} must be {spec.fields[name]}, not {type(value).__name__}")


def check_filters(spec: TableSpec, filters: Sequence[FieldValue]) -> None:
    """Raise InvalidField unless these are indexed fields or parts of the key, and the values have their types."""
    for condition in filters:
        check_index(spec, condition.name, condition.value)


def check_columns(spec: TableSpec, names: Sequence[str]) -> None:
    """Raise InvalidField for an unknown field."""
    for name in names:
        if name not in spec.fields:
            raise InvalidField(f"{spec.id} has no field {quote_text(name)}")


def check_change(spec: TableSpec, fields: Mapping[str, Any]) -> None:
    """Raise InvalidField unless these are values of fields outside the key."""
    if keys := fields.keys() & set(spec.primary_key):
        raise InvalidField(f"{spec.id}: fields of the primary key cannot be updated: {', '.join(sorted(keys))}")
    _check_values(spec, fields)


def check_number(spec: TableSpec, name: str) -> None:
    """Raise InvalidField unless this is an integer field."""
    if spec.fields.get(name) not in ("int", "long"):
        raise InvalidField(f"{spec.id}: {quote_text(name)} is not an integer field")


def require_non_negative_limit(limit: int | None) -> None:
    """Raise InvalidField for a negative limit."""
    if limit is not None and limit < 0:
        raise InvalidField("limit must not be negative")


def _check_values(spec: TableSpec, row: Mapping[str, Any]) -> None:
    kinds = spec.fields
    for name, value in row.items():
        kind = kinds.get(name)
        # Fast path for the most common values, since every written value is checked here.
        if kind == "string" and type(value) is str and value.isascii():
            continue
        if kind is None:
            raise InvalidField(f"{spec.id} has no field {quote_text(name)}")
        if value is not None and not _FITS[kind](value):
            raise InvalidField(f"{spec.id}.{name} must be {kind}, not {type(value).__name__}")


def _check_parts(spec: TableSpec, parts: tuple[Any, ...]) -> None:
    for name, value in zip(spec.primary_key, parts, strict=False):
        if type(value) is str and value.isascii() and spec.fields[name] == "string":
            continue
        if not _FITS[spec.fields[name]](value):
            raise InvalidField(f"{spec.id}.{name} must be {spec.fields[name]}, not {type(value).__name__}")


def _check_integer(bits: int) -> Callable[[Any], bool]:
    bound = 1 << (bits - 1)
    return lambda value: type(value) is int and -bound <= value < bound


def _is_unicode(value: str) -> bool:
    """Return whether a string can be encoded: a lone surrogate cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    """Return whether this is a number that a 64-bit column stores exactly.

    NaN has no place in an order, and SQLite stores it as null; above 2**53 not every integer is a double.
    """
    if type(value) is int:
        return -_WHOLE_MAX <= value <= _WHOLE_MAX
    return type(value) is float and value == value


_WHOLE_MAX: Final = 2**53
_FITS: Final[dict[FieldType, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str) and (value.isascii() or _is_unicode(value)),
    "int": _check_integer(32),
    "long": _check_integer(64),
    "float": _is_number,
    "double": _is_number,
    "bytes": lambda value: isinstance(value, bytes),
    "bool": lambda value: isinstance(value, bool),
}
