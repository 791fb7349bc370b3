"""Parse column names and types of a Spark SQL schema, without Spark."""

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


def parse_names(schema: str) -> tuple[str, ...]:
    """Return the names: `id` and `who` for `id BIGINT, who STRUCT<a: INT, b: INT>`."""
    return tuple(_parse_column(part)[0] for part in _split_at_outer_commas(schema))


def find_problems(pointer: str, schema: str) -> Iterator[Problem]:
    """Yield a problem for each column without a type or with an unknown one. Spark checks the rest of the grammar."""
    for wrong in _check_columns(schema):
        yield Problem(pointer, wrong)


def _check_columns(schema: str) -> Iterator[str]:
    for name, rest in map(_parse_column, _split_at_outer_commas(schema)):
        if _TYPE.match(rest) is None:
            yield f"column {name} has no type"
        else:
            yield from (f"column {name}: {wrong}" for wrong in _check_types(rest))


def _check_types(text: str) -> Iterator[str]:
    """Yield problems of a type and its nested types."""
    match = _TYPE.match(text)
    word = match[1] if match else text.strip()
    if match is None or word.lower() not in _TYPES:
        yield f"{word[:100]} is not a Spark SQL type"
    elif word.lower() == "struct":
        yield from _check_columns(_extract_type_arguments(text[match.end() :]))
    else:
        for inner in _split_at_outer_commas(_extract_type_arguments(text[match.end() :])):
            yield from _check_types(inner)


def _extract_type_arguments(text: str) -> str:
    """Return the text within the brackets at the start of a text."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if depth == 0:
            return text[1:at]
    return ""


def _split_at_outer_commas(schema: str) -> list[str]:
    """Split at commas outside of brackets and quotes."""
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


def _parse_column(definition: str) -> tuple[str, str]:
    """Return the name of a column, and its definition."""
    text = definition.strip()
    if text.startswith("`"):
        name, _, rest = text[1:].partition("`")
        return name, rest
    name = re.split(r"[\s:]", text, maxsplit=1)[0]
    return name, text[len(name) :]
