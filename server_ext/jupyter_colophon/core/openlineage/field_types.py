"""Types of columns, by any engine's words for them, as DataHub's."""

from typing import Final

#: Beginnings of the names of types, in lower case, and DataHub's types; what none fits is a string.
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


def field_type(native: str) -> str:
    """DataHub's type of a column."""
    word = native.lower()
    return next((type_ for beginnings, type_ in _TYPES if word.startswith(beginnings)), "StringType")
