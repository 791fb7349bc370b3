"""Map column types of any engine to DataHub's types."""

from typing import Final

#: Prefixes of type names in lower case, and DataHub's types; other types are strings.
_TYPES: Final = (
    (("bool",), "BooleanType"),
    (("timestamp", "time"), "TimeType"),
    (("date",), "DateType"),
    (("int", "bigint", "smallint", "tinyint", "long", "short", "byte", "float", "double", "decimal", "num", "real"),
     "NumberType"),
    (("binary", "varbinary", "blob", "bytea", "fixed"), "BytesType"),
    (("array", "list"), "ArrayType"),
    (("map",), "MapType"),
    (("struct", "row", "record"), "RecordType"),
    (("enum",), "EnumType"),
    (("union",), "UnionType"),
)  # fmt: skip


def map_field_type(native: str) -> str:
    """Return DataHub's type of a column."""
    word = native.lower()
    return next((type_ for beginnings, type_ in _TYPES if word.startswith(beginnings)), "StringType")
