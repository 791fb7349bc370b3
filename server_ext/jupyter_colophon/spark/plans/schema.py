"""Spark's JSON of data types, as fields."""

from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_colophon.capture.observation import SchemaField

SQL_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}


def parse_fields(struct: Mapping[str, Any]) -> tuple[SchemaField, ...]:
    """Return the columns of a `StructType`'s JSON."""
    return tuple(
        SchemaField(item["name"], format_type(item["type"]), bool(item["nullable"])) for item in struct["fields"]
    )


def parse_attributes(attrs: Iterable[Mapping[str, Any]]) -> tuple[SchemaField, ...]:
    """Return the columns of a plan node's output attributes."""
    return tuple(SchemaField(item["name"], format_type(item["dataType"]), bool(item["nullable"])) for item in attrs)


def format_type(type_: Any) -> str:
    """Return a type in the syntax of Spark SQL."""
    if isinstance(type_, str):
        return SQL_NAMES.get(type_, type_)
    match type_.get("type"):
        case "struct":
            inner = ",".join(f"{item['name']}:{format_type(item['type'])}" for item in type_["fields"])
            return f"struct<{inner}>"
        case "array":
            return f"array<{format_type(type_['elementType'])}>"
        case "map":
            return f"map<{format_type(type_['keyType'])},{format_type(type_['valueType'])}>"
        case "udt":
            return format_type(type_["sqlType"])
        case other:
            return str(other)
