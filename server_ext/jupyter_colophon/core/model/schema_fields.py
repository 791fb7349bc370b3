"""Extract the fields of schemas with their types, including nested fields, for search.

A field is (path, type) and, if it is nested, also (name, type). A type is its plain name (`decimal`, `struct`,
`record`), and also the full type if it has parameters.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

#: Limits for one schema; the rest is not indexed.
DEPTH_MAX: Final = 16
FIELDS_MAX: Final = 20_000
TYPE_CHARACTERS_MAX: Final = 200
#: A nested field repeats the names above it: without a limit, each field inside a long name would repeat it.
PATH_CHARACTERS_MAX: Final = 2_000

Field = tuple[str, str]

_TYPE_WORD = re.compile(r"[^<(]*")
# DataHub's paths of the second version have types in brackets between the names.
_PATH_TYPES = re.compile(r"\[[^\]]*\]\.?")
_STRUCTURE = re.compile(r"[<>(),]")


def list_fields_of_columns(columns: object) -> list[Field]:
    """Return the fields of a list of `{"fieldPath", "nativeDataType"}`, including those inside `struct<…>` and similar
    types.
    """
    if not isinstance(columns, list):
        return []
    return _limit_number_of_fields(_list_fields_and_nested_fields(columns))


def list_fields_of_avro(schema: object) -> list[Field]:
    """Return the fields of an Avro schema, given as JSON or as text; an empty list for anything else."""
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except (ValueError, RecursionError):
            return []
    return _limit_number_of_fields(_list_avro_fields("", schema, 0))


def list_columns_of_avro(schema: str) -> list[Field]:
    """Return the columns of an Avro schema's text, each path once with its plain type; an empty list for any other
    text.
    """
    try:
        fields = _list_avro_fields("", json.loads(schema), 0)
        return list({path: (path, type_) for path, type_ in fields}.values())[:FIELDS_MAX]
    except (ValueError, RecursionError):
        return []


def simplify_column_path(path: str) -> str:
    """Return the plain path of a column: DataHub's paths of the second version without types and versions."""
    return (_PATH_TYPES.sub("", path) or path) if path.startswith("[") else path


def _limit_number_of_fields(fields: Iterable[Field]) -> list[Field]:
    limited: dict[Field, None] = {}
    for path, type_ in fields:
        leaf = path.rpartition(".")[2] or path
        for name in dict.fromkeys((path, leaf)):
            limited.update(dict.fromkeys((name, spelling) for spelling in _list_type_spellings(type_)))
        if len(limited) >= FIELDS_MAX:
            break
    return list(limited)[:FIELDS_MAX]


def _list_type_spellings(type_: str) -> Iterator[str]:
    word = _TYPE_WORD.match(type_)
    yield word.group().strip() if word else ""
    if len(type_) <= TYPE_CHARACTERS_MAX:
        yield type_


def _list_fields_and_nested_fields(columns: Iterable[Any]) -> Iterator[Field]:
    for column in columns:
        path = column.get("fieldPath") if isinstance(column, Mapping) else None
        type_ = column.get("nativeDataType", "") if path else ""
        if isinstance(path, str) and isinstance(type_, str):
            name = simplify_column_path(path)
            yield name, type_.strip()
            yield from _list_nested_fields(name, type_.strip(), 0)


def _list_nested_fields(path: str, type_: str, depth: int) -> Iterator[Field]:
    """Yield the nested fields of a type in Spark's notation: `struct<a:int,b:array<string>>`, `array<…>`, `map<…,…>`."""
    word, opening, body = type_.partition("<")
    if not opening or not body.endswith(">") or depth >= DEPTH_MAX:
        return
    for part in _split_at_outer_commas(body[:-1]):
        if word.strip().lower() != "struct":
            yield from _list_nested_fields(path, part, depth + 1)
            continue
        name, _, inner = part.partition(":")
        name = f"{path}.{name.strip().strip('`')}"
        if len(name) > PATH_CHARACTERS_MAX:
            continue
        yield name, inner.strip()
        yield from _list_nested_fields(name, inner.strip(), depth + 1)


def _split_at_outer_commas(body: str) -> Iterator[str]:
    """Yield the parts between the commas of the outermost level."""
    depth = start = 0
    for match in _STRUCTURE.finditer(body):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1, ",": 0}[match.group()]
        if match.group() == "," and depth == 0:
            yield body[start : match.start()].strip()
            start = match.end()
    yield body[start:].strip()


def _list_avro_fields(path: str, schema: object, depth: int) -> Iterator[Field]:
    """Yield the fields below a path of an Avro schema; a reference to a named type has none."""
    if depth >= DEPTH_MAX:
        return
    if isinstance(schema, list):
        for branch in schema:
            yield from _list_avro_fields(path, branch, depth + 1)
    if not isinstance(schema, Mapping):
        return
    if isinstance(schema.get("fields"), list):
        for field in schema["fields"]:
            yield from _list_fields_of_avro_field(path, field, depth)
        return
    for inner in ("items", "values", "type"):
        yield from _list_avro_fields(path, schema.get(inner), depth + 1)


def _list_fields_of_avro_field(path: str, field: object, depth: int) -> Iterator[Field]:
    name = field.get("name") if isinstance(field, Mapping) else None
    if not isinstance(field, Mapping) or not isinstance(name, str) or not name:
        return
    below = f"{path}.{name}" if path else name
    if len(below) > PATH_CHARACTERS_MAX:
        return
    type_ = field.get("type")
    for word in _list_avro_type_names(type_, depth):
        yield below, word
    yield from _list_avro_fields(below, type_, depth + 1)


def _list_avro_type_names(type_: object, depth: int) -> list[str]:
    """Return the names of a type; of a union those of its branches other than null (spec SEARCH-8)."""
    if depth >= DEPTH_MAX:
        return [""]
    if isinstance(type_, list):
        return [
            word for branch in type_ for word in _list_avro_type_names(branch, depth + 1)[:1] if word != "null"
        ] or [""]
    if isinstance(type_, Mapping):
        return _list_avro_type_names(type_.get("type"), depth + 1)[:1]
    return [type_ if isinstance(type_, str) else ""]
