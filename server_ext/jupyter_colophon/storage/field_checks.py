"""Check rows, keys, ranges and limits against a table's spec (spec STORE-9) before anything is sent to the store."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidField, quote_and_truncate_text
from jupyter_colophon.storage.spi import FieldType, FieldValue, Range, TableSpec


def require_valid_row(spec: TableSpec, row: Mapping[str, Any]) -> None:
    """Raise InvalidField for an unknown field, a wrong type, or an incomplete key."""
    _require_valid_values(spec, row)
    for name in spec.primary_key:
        if row.get(name) is None:
            raise InvalidField(f"{spec.id}: the complete key is required")


def require_valid_rows(spec: TableSpec, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Check rows with the same fields in the same order, column by column, which is faster than `require_valid_row` for each."""
    missing = set(spec.primary_key)
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        if not _has_only_plain_values(spec.fields.get(name), column):
            for value in column:
                _require_valid_values(spec, {name: value})
        if name in missing and None not in column:
            missing.remove(name)
    if missing and rows:
        raise InvalidField(f"{spec.id}: the complete key is required")


def _has_only_plain_values(kind: FieldType | None, column: tuple[Any, ...]) -> bool:
    """Return whether a column has only the most common values: ASCII strings, or integers in range."""
    if kind == "string":
        try:
            return "".join(column).isascii()
        except TypeError:
            return set(map(type, column)) <= {str, NoneType} and "".join(filter(None, column)).isascii()
    kinds = set(map(type, column)) - {NoneType}
    if kind == "long" and kinds == {int}:
        values = [value for value in column if value is not None]
        return _FITS[kind](min(values)) and _FITS[kind](max(values))
    return kind is not None and not kinds


def require_complete_key(spec: TableSpec, key: tuple[Any, ...]) -> None:
    """Raise InvalidField unless this is a complete key."""
    if len(key) != len(spec.primary_key):
        raise InvalidField(f"{spec.id}: a key has {len(spec.primary_key)} parts")
    _require_valid_key_parts(spec, key)


def require_complete_keys(spec: TableSpec, keys: Collection[tuple[Any, ...]]) -> None:
    """Check complete keys, part by part, which is faster than `require_complete_key` for each of many."""
    if len(keys) < _FEW or not _are_plain_keys(spec, keys):
        for key in keys:
            require_complete_key(spec, key)


def _are_plain_keys(spec: TableSpec, keys: Collection[tuple[Any, ...]]) -> bool:
    return set(map(len, keys)) == {len(spec.primary_key)} and all(
        None not in part and _has_only_plain_values(spec.fields[name], part)
        for name, part in zip(spec.primary_key, zip(*keys, strict=True), strict=True)
    )


def require_valid_range(spec: TableSpec, keys: Range) -> None:
    """Raise InvalidField unless both ends are prefixes of keys."""
    for end in (keys.begin, keys.end):
        if len(end) > len(spec.primary_key):
            raise InvalidField(f"{spec.id}: a key has at most {len(spec.primary_key)} parts")
        _require_valid_key_parts(spec, end)


def require_indexed_field(spec: TableSpec, name: str, value: Any = None) -> None:
    """Raise InvalidField unless this is an indexed field or a part of the key, and the value has its type."""
    if name not in spec.indexes and name not in spec.primary_key:
        raise InvalidField(f"{spec.id}: {quote_and_truncate_text(name)} is not an indexed field")
    if value is not None and not _FITS[spec.fields[name]](value):
        raise InvalidField(f"{spec.id}.{name} must be {spec.fields[name]}, not {type(value).__name__}")


def require_valid_filters(spec: TableSpec, filters: Sequence[FieldValue]) -> None:
    """Raise InvalidField unless these are indexed fields or parts of the key, and the values have their types."""
    names = {condition.name for condition in filters}
    if len(filters) >= _FEW and len(names) == 1:
        (name,) = names
        require_indexed_field(spec, name)
        if _has_only_plain_values(spec.fields[name], tuple([condition.value for condition in filters])):
            return
    for condition in filters:
        require_indexed_field(spec, condition.name, condition.value)


def require_known_columns(spec: TableSpec, names: Sequence[str]) -> None:
    """Raise InvalidField for an unknown field."""
    for name in names:
        if name not in spec.fields:
            raise InvalidField(f"{spec.id} has no field {quote_and_truncate_text(name)}")


def require_valid_changes(spec: TableSpec, fields: Mapping[str, Any]) -> None:
    """Raise InvalidField unless these are values of fields outside the key."""
    if keys := [name for name in fields if name in spec.primary_key]:
        raise InvalidField(f"{spec.id}: fields of the primary key cannot be updated: {', '.join(sorted(keys))}")
    _require_valid_values(spec, fields)


def require_valid_amounts(spec: TableSpec, name: str, amounts: Mapping[tuple[Any, ...], int]) -> None:
    """Raise InvalidField unless these are complete keys, with amounts for an integer field outside the key."""
    require_integer_field(spec, name)
    fits = _FITS[spec.fields[name]]
    require_complete_keys(spec, amounts)
    for amount in amounts.values():
        if name in spec.primary_key or not fits(amount):
            require_valid_changes(spec, {name: amount})


def require_integer_field(spec: TableSpec, name: str) -> None:
    """Raise InvalidField unless this is an integer field."""
    if spec.fields.get(name) not in ("int", "long"):
        raise InvalidField(f"{spec.id}: {quote_and_truncate_text(name)} is not an integer field")


def require_non_negative_limit(limit: int | None) -> None:
    """Raise InvalidField for a negative limit."""
    if limit is not None and limit < 0:
        raise InvalidField("limit must not be negative")


def _require_valid_values(spec: TableSpec, row: Mapping[str, Any]) -> None:
    kinds = spec.fields
    for name, value in row.items():
        kind = kinds.get(name)
        # Fast path for the most common values, since every written value is checked here.
        if kind == "string" and (value is None or (type(value) is str and value.isascii())):
            continue
        if kind is None:
            raise InvalidField(f"{spec.id} has no field {quote_and_truncate_text(name)}")
        if value is not None and not _FITS[kind](value):
            raise InvalidField(f"{spec.id}.{name} must be {kind}, not {type(value).__name__}")


def _require_valid_key_parts(spec: TableSpec, parts: tuple[Any, ...]) -> None:
    kinds = spec.fields
    for name, value in zip(spec.primary_key, parts, strict=False):
        if kinds[name] == "string" and type(value) is str and value.isascii():
            continue
        if not _FITS[kinds[name]](value):
            raise InvalidField(f"{spec.id}.{name} must be {kinds[name]}, not {type(value).__name__}")


def _create_integer_check(bits: int) -> Callable[[Any], bool]:
    bound = 1 << (bits - 1)
    return lambda value: type(value) is int and -bound <= value < bound


def _is_encodable_text(value: str) -> bool:
    """Return whether a string can be encoded: a lone surrogate cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_storable_number(value: Any) -> bool:
    """Return whether this is a number that a 64-bit column stores exactly.

    NaN has no place in an order, and SQLite stores it as null; above 2**53 not every integer is a double.
    """
    if type(value) is int:
        return -_WHOLE_MAX <= value <= _WHOLE_MAX
    return type(value) is float and value == value


_WHOLE_MAX: Final = 2**53
#: The number of keys from which it is faster to check them part by part.
_FEW: Final = 4
_FITS: Final[dict[FieldType, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str) and (value.isascii() or _is_encodable_text(value)),
    "int": _create_integer_check(32),
    "long": _create_integer_check(64),
    "float": _is_storable_number,
    "double": _is_storable_number,
    "bytes": lambda value: isinstance(value, bytes),
    "bool": lambda value: isinstance(value, bool),
}
