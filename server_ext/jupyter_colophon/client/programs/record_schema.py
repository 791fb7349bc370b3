"""The schema of the records that a program reads or writes."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of a record; the type is empty if unknown."""

    name: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class RecordSchema:
    """The fields of a record, in order."""

    fields: tuple[RecordField, ...]

    @classmethod
    def parse(cls, value: Any) -> "RecordSchema":
        """Create a schema from names, pairs, a mapping of names to types, Spark's `StructType`, Avro, or JSON of these.

        Raises ValueError for anything else.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            value = json.loads(value)
        value = getattr(value, "fields", value)
        if isinstance(value, Mapping):
            inside = value.get("fields")
            value = inside if isinstance(inside, list) else value.items()
        if not isinstance(value, Iterable):
            msg = f"{type(value).__name__} is not a schema"
            raise ValueError(msg)
        return cls(tuple(_parse_field(item) for item in value))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the fields."""
        return tuple(field.name for field in self.fields)


def _parse_field(value: Any) -> RecordField:
    if isinstance(value, RecordField):
        return value
    if isinstance(value, str):
        return RecordField(value)
    if isinstance(value, Mapping) and isinstance(value.get("name"), str):
        return RecordField(value["name"], _format_type(value.get("type", "")))
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return RecordField(value[0], _format_type(value[1]))
    if isinstance(getattr(value, "name", None), str):
        return RecordField(value.name, _format_type(getattr(value, "dataType", "")))
    msg = f"{type(value).__name__} is not a field of a schema"
    raise ValueError(msg)


def _format_type(value: Any) -> str:
    simple = getattr(value, "simpleString", None)
    return str(simple()) if simple is not None else value if isinstance(value, str) else json.dumps(value)
