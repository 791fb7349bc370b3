"""The names and types of the columns in a schema as Spark SQL writes it, without Spark."""

import re
from collections.abc import Iterator

from jupyter_colophon.core.errors import Problem

_TYPES = frozenset(
    [
        "array",
        "bigint",
        "binary",
        "boolean",
        "byte",
        "char",
        "character",
        "date",
        "dec",
        "decimal",
        "double",
        "float",
        "geography",
        "geometry",
        "int",
        "integer",
        "interval",
        "long",
        "map",
        "numeric",
        "real",
        "short",
        "smallint",
        "string",
        "struct",
        "time",
        "timestamp",
        "timestamp_ltz",
        "timestamp_ntz",
        "tinyint",
        "varchar",
        "variant",
        "void",
    ]
)
_TYPE = re.compile(r"[\s:]*([A-Za-z_]\w*)\s*")


def names(schema: str) -> tuple[str, ...]:
    """`id BIGINT, who STRUCT<a: INT, b: INT>` are `id` and `who`."""
    return tuple(_column(part)[0] for part in _parts(schema))


def faults(pointer: str, schema: str) -> Iterator[Problem]:
    """Columns without a type, or of one that Spark SQL does not have. The rest of the grammar is Spark's to judge."""
    for wrong in _wrong_columns(schema):
        yield Problem(pointer, wrong)


def _wrong_columns(schema: str) -> Iterator[str]:
    for name, rest in map(_column, _parts(schema)):
        if _TYPE.match(rest) is None:
            yield f"column {name} has no type"
        else:
            yield from (f"column {name}: {wrong}" for wrong in _wrong_types(rest))


def _wrong_types(text: str) -> Iterator[str]:
    """What is wrong with a type, and with those in it."""
    found = _TYPE.match(text)
    word = found[1] if found else text.strip()
    if found is None or word.lower() not in _TYPES:
        yield f"{word[:100]} is not a Spark SQL type"
    elif word.lower() == "struct":
        yield from _wrong_columns(_inner(text[found.end() :]))
    else:
        for inner in _parts(_inner(text[found.end() :])):
            yield from _wrong_types(inner)


def _inner(text: str) -> str:
    """What is within the brackets that a text begins with."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if depth == 0:
            return text[1:at]
    return ""


def _parts(schema: str) -> list[str]:
    """The parts between commas that are in no brackets and no quotes."""
    parts, depth, quote = [""], 0, ""
    for character in schema:
        if character in "`'\"" and quote in ("", character):
            quote = "" if quote else character
        depth += 0 if quote else (character in "<(") - (character in ">)")
        if character == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _column(part: str) -> tuple[str, str]:
    """The name of a column, and its definition."""
    text = part.strip()
    if text.startswith("`"):
        name, _, rest = text[1:].partition("`")
        return name, rest
    name = re.split(r"[\s:]", text, maxsplit=1)[0]
    return name, text[len(name) :]
