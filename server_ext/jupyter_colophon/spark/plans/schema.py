"""Spark's JSON of data types, as fields."""

from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_colophon.spark.plans.observation import Field

SQL_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}


def fields(struct: Mapping[str, Any]) -> tuple[Field, ...]:
    """Give the columns of a `StructType`'s JSON."""
    return tuple(Field(item["name"], type_name(item["type"]), bool(item["nullable"])) for item in struct["fields"])


def attributes(attrs: Iterable[Mapping[str, Any]]) -> tuple[Field, ...]:
    """Give the columns that a plan node's output attributes stand for."""
    return tuple(Field(item["name"], type_name(item["dataType"]), bool(item["nullable"])) for item in attrs)


def type_name(type_: Any) -> str:
    """Write a type as Spark SQL does."""
    if isinstance(type_, str):
        return SQL_NAMES.get(type_, type_)
    match type_.get("type"):
        case "struct":
            inner = ",".join(f"{item['name']}:{type_name(item['type'])}" for item in type_["fields"])
            return f"struct<{inner}>"
        case "array":
            return f"array<{type_name(type_['elementType'])}>"
        case "map":
            return f"map<{type_name(type_['keyType'])},{type_name(type_['valueType'])}>"
        case "udt":
            return type_name(type_["sqlType"])
        case other:
            return str(other)
