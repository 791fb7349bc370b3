"""The fields of the records that a program takes in or gives out."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of a record; the type is empty where nobody said it."""

    name: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class RecordSchema:
    """The fields of a record, in order."""

    fields: tuple[RecordField, ...]

    @classmethod
    def of(cls, told: Any) -> "RecordSchema":
        """From what there is: names, pairs, a mapping of names to types, Spark's `StructType`, Avro, or JSON of these.

        Raises ValueError where it is none of them.
        """
        if isinstance(told, cls):
            return told
        if isinstance(told, str):
            told = json.loads(told)
        told = getattr(told, "fields", told)
        if isinstance(told, Mapping):
            inside = told.get("fields")
            told = inside if isinstance(inside, list) else told.items()
        if not isinstance(told, Iterable):
            msg = f"{type(told).__name__} is no schema"
            raise ValueError(msg)
        return cls(tuple(_field(one) for one in told))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(field.name for field in self.fields)


def _field(told: Any) -> RecordField:
    if isinstance(told, RecordField):
        return told
    if isinstance(told, str):
        return RecordField(told)
    if isinstance(told, Mapping) and isinstance(told.get("name"), str):
        return RecordField(told["name"], _type(told.get("type", "")))
    if isinstance(told, tuple) and len(told) == 2 and isinstance(told[0], str):
        return RecordField(told[0], _type(told[1]))
    if isinstance(getattr(told, "name", None), str):
        return RecordField(told.name, _type(getattr(told, "dataType", "")))
    msg = f"{type(told).__name__} is no field of a schema"
    raise ValueError(msg)


def _type(told: Any) -> str:
    simple = getattr(told, "simpleString", None)
    return str(simple()) if simple is not None else told if isinstance(told, str) else json.dumps(told)
