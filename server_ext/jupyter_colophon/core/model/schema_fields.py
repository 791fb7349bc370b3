"""Fields and their types out of schemas, nested ones too: what search knows of a schema.

A field is given as (path, type) and, where it is nested, again by its own name alone. A type is its plain
word (`decimal`, `struct`, `record`), and where more was said the whole as well.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

#: Bounds of what is read out of one schema; what lies beyond is not indexed.
DEPTH_MAX: Final = 16
FIELDS_MAX: Final = 20_000
TYPE_CHARACTERS_MAX: Final = 200
#: A nested field repeats the names above it: without a bound, one long name would be repeated by each field inside it.
PATH_CHARACTERS_MAX: Final = 2_000

Field = tuple[str, str]

_TYPE_WORD = re.compile(r"[^<(]*")
# DataHub's paths of the second version carry types in brackets between the names.
_PATH_TYPES = re.compile(r"\[[^\]]*\]\.?")
_STRUCTURE = re.compile(r"[<>(),]")


def fields_of_columns(columns: object) -> list[Field]:
    """The fields of a list of `{"fieldPath", "nativeDataType"}`, with what is inside `struct<…>` and its like."""
    if not isinstance(columns, list):
        return []
    return _bounded(_columns(columns))


def fields_of_avro(schema: object) -> list[Field]:
    """The fields of an Avro schema, given as JSON or as its text; nothing when it is neither."""
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except (ValueError, RecursionError):
            return []
    return _bounded(_avro("", schema, 0))


def columns_of_avro(schema: str) -> list[Field]:
    """The fields of an Avro schema's text as a list of columns, each path once with its plain type; nothing of other texts."""
    try:
        found = _avro("", json.loads(schema), 0)
        return list({path: (path, type_) for path, type_ in found}.values())[:FIELDS_MAX]
    except (ValueError, RecursionError):
        return []


def column_path(path: str) -> str:
    """Return the plain path of a column: DataHub's paths of the second version without their types and versions."""
    return (_PATH_TYPES.sub("", path) or path) if path.startswith("[") else path


def _bounded(fields: Iterable[Field]) -> list[Field]:
    found: dict[Field, None] = {}
    for path, type_ in fields:
        leaf = path.rpartition(".")[2] or path
        for name in dict.fromkeys((path, leaf)):
            found.update(dict.fromkeys((name, spelling) for spelling in _spellings(type_)))
        if len(found) >= FIELDS_MAX:
            break
    return list(found)[:FIELDS_MAX]


def _spellings(type_: str) -> Iterator[str]:
    word = _TYPE_WORD.match(type_)
    yield word.group().strip() if word else ""
    if len(type_) <= TYPE_CHARACTERS_MAX:
        yield type_


def _columns(columns: Iterable[Any]) -> Iterator[Field]:
    for column in columns:
        path = column.get("fieldPath") if isinstance(column, Mapping) else None
        type_ = column.get("nativeDataType", "") if path else ""
        if isinstance(path, str) and isinstance(type_, str):
            name = column_path(path)
            yield name, type_.strip()
            yield from _inside_type(name, type_.strip(), 0)


def _inside_type(path: str, type_: str, depth: int) -> Iterator[Field]:
    """Nested fields of a type as Spark writes it: `struct<a:int,b:array<string>>`, `array<…>`, `map<…,…>`."""
    word, opening, body = type_.partition("<")
    if not opening or not body.endswith(">") or depth >= DEPTH_MAX:
        return
    for part in _split(body[:-1]):
        if word.strip().lower() != "struct":
            yield from _inside_type(path, part, depth + 1)
            continue
        name, _, inner = part.partition(":")
        name = f"{path}.{name.strip().strip('`')}"
        if len(name) > PATH_CHARACTERS_MAX:
            continue
        yield name, inner.strip()
        yield from _inside_type(name, inner.strip(), depth + 1)


def _split(body: str) -> Iterator[str]:
    """The parts between the commas of the outermost level."""
    depth = start = 0
    for match in _STRUCTURE.finditer(body):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1, ",": 0}[match.group()]
        if match.group() == "," and depth == 0:
            yield body[start : match.start()].strip()
            start = match.end()
    yield body[start:].strip()


def _avro(path: str, schema: object, depth: int) -> Iterator[Field]:
    """The fields below a place of an Avro schema; a type that is only named has none."""
    if depth >= DEPTH_MAX:
        return
    if isinstance(schema, list):
        for branch in schema:
            yield from _avro(path, branch, depth + 1)
    if not isinstance(schema, Mapping):
        return
    if isinstance(schema.get("fields"), list):
        for field in schema["fields"]:
            yield from _avro_field(path, field, depth)
        return
    for inner in ("items", "values", "type"):
        yield from _avro(path, schema.get(inner), depth + 1)


def _avro_field(path: str, field: object, depth: int) -> Iterator[Field]:
    name = field.get("name") if isinstance(field, Mapping) else None
    if not isinstance(field, Mapping) or not isinstance(name, str) or not name:
        return
    below = f"{path}.{name}" if path else name
    if len(below) > PATH_CHARACTERS_MAX:
        return
    type_ = field.get("type")
    for word in _avro_words(type_, depth):
        yield below, word
    yield from _avro(below, type_, depth + 1)


def _avro_words(type_: object, depth: int) -> list[str]:
    """Return the names of a type; of a union those of its branches other than null (spec SEARCH-8)."""
    if depth >= DEPTH_MAX:
        return [""]
    if isinstance(type_, list):
        return [word for branch in type_ for word in _avro_words(branch, depth + 1)[:1] if word != "null"] or [""]
    if isinstance(type_, Mapping):
        return _avro_words(type_.get("type"), depth + 1)[:1]
    return [type_ if isinstance(type_, str) else ""]
