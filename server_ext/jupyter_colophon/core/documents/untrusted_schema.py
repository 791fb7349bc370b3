"""Check whether an untrusted document can be a schema of a schemaspace (spec SEC-7).

Installed packages and administrators provide schemas. A schema is rejected before its first use if it has another
dialect, refers to other documents, is too large, applies to a value too often or endlessly, or has expressions that do
not run in linear time.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.documents.json_schema import Schema, SchemaDialect
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.documents.subschemas import (
    list_subschemas_of_same_value,
    resolve_local_reference,
    walk_schema_and_subschemas,
)
from jupyter_colophon.core.errors import Problem

MAX_BYTES = 256 * 1024
MAX_SUBSCHEMAS = 2_000
#: The most schemas that may apply to one value: `anyOf` with references doubles quickly.
MAX_EXPANSION = 2_000
MAX_REFERENCE_DEPTH = 100

#: Draft-07 by its own names, by our meta-schema's, and by Elyra's, which is in every schema written for Elyra.
_DRAFT_7 = re.compile(
    r"https?://json-schema\.org/draft-07/(schema|hyper-schema)#?"
    r"|urn:jupyter-colophon:meta-schema:v1"
    r"|https://raw\.githubusercontent\.com/elyra-ai/elyra/[\w.-]+/[\w/-]+/meta-schema\.json"
)
_DRAFT_2020_12 = re.compile(r"https://json-schema\.org/draft/2020-12/schema#?")
#: The values of `$schema` for each dialect, and the message for any other.
_DIALECTS = {
    SchemaDialect.DRAFT_7: (_DRAFT_7, "schemas of schemaspaces must be JSON Schema draft-07"),
    SchemaDialect.DRAFT_2020_12: (_DRAFT_2020_12, "schemas of aspects must be JSON Schema 2020-12"),
}


def find_untrusted_schema_problems(
    document: Any, dialect: SchemaDialect = SchemaDialect.DRAFT_7
) -> tuple[Problem, ...]:
    """Return every reason against a document as a schema of this dialect, with pointers; none if it can be used."""
    if not isinstance(document, Mapping):
        return (Problem("", "a schema must be an object"),)
    problems = _find_size_and_dialect_problems(document)
    if not problems:
        problems = _find_subschema_problems(document, dialect)
    if not problems:
        problems = _find_compilation_problems(document, dialect)
    return tuple(problems)


def _find_size_and_dialect_problems(document: Mapping[str, Any]) -> list[Problem]:
    try:
        size = len(json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError):
        return [Problem("", "a schema must be a JSON document")]
    if size > MAX_BYTES:
        return [Problem("", f"the schema is larger than {MAX_BYTES} bytes")]
    for count, _ in enumerate(walk_schema_and_subschemas(document), 1):
        if count > MAX_SUBSCHEMAS:
            return [Problem("", f"the schema has more than {MAX_SUBSCHEMAS} subschemas")]
    return []


def _find_subschema_problems(document: Mapping[str, Any], dialect: SchemaDialect) -> list[Problem]:
    problems: list[Problem] = []
    for words, schema in walk_schema_and_subschemas(document):
        if isinstance(schema, Mapping):
            problems += [
                Problem(format_pointer((*words, keyword)), reason)
                for keyword, reason in _list_reasons_against_subschema(words, schema, dialect)
            ]
    if not problems:
        expansion = _ExpansionCounter(document, dialect)
        for words, schema in walk_schema_and_subschemas(document):
            try:
                if expansion.count_applied_schemas(schema, 0) > MAX_EXPANSION:
                    problems.append(
                        Problem(
                            format_pointer(words),
                            f"a value would be validated against more than {MAX_EXPANSION} schemas",
                        )
                    )
            except _EndlessExpansion as error:
                return [Problem(format_pointer(words), str(error))]
    return problems


def _list_reasons_against_subschema(
    words: tuple[str, ...], schema: Mapping[str, Any], dialect: SchemaDialect
) -> list[tuple[str, str]]:
    reasons = []
    (names, refusal), uri = _DIALECTS[dialect], schema.get("$schema")
    if uri is not None and not (isinstance(uri, str) and names.fullmatch(uri)):
        reasons.append(("$schema", refusal))
    if words and "$id" in schema:
        reasons.append(("$id", "only the root schema may have an id"))
    if dialect is SchemaDialect.DRAFT_2020_12:
        reasons += [(word, "only `$ref` may refer to other schemas") for word in ("$dynamicRef",) if word in schema]
    reference = schema.get("$ref")
    if reference is not None and not (isinstance(reference, str) and re.match(r"#(/|\Z)", reference)):
        reasons.append(("$ref", "only references within the schema are supported"))
    return reasons


def _find_compilation_problems(document: Mapping[str, Any], dialect: SchemaDialect) -> list[Problem]:
    try:
        Schema(document, dialect=dialect).compile_now()
    except ValueError as error:
        path = [str(step) for step in getattr(error, "instance_path", ())]
        message = str(getattr(error, "message", error)).partition("\n")[0]
        if message.endswith('is not a "regex"'):
            message = "the expression is not valid, or does not run in linear time (look-around and backreferences are not supported)"
        return [Problem(format_pointer(path), message[:300])]
    return []


class _EndlessExpansion(Exception):
    """A reference leads to itself without descending into the value, or a chain of references is too long."""


class _ExpansionCounter:
    """Counts the schemas that apply to one value."""

    def __init__(self, root: Mapping[str, Any], dialect: SchemaDialect) -> None:
        self._root = root
        # In draft-07, keywords beside a reference are ignored.
        self._reference_alone = dialect is SchemaDialect.DRAFT_7
        self._known: dict[int, int] = {}
        self._open: set[int] = set()

    def count_applied_schemas(self, schema: Any, depth: int) -> int:
        if not isinstance(schema, Mapping):
            return 1
        key = id(schema)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            raise _EndlessExpansion("the reference leads to itself")
        if depth > MAX_REFERENCE_DEPTH:
            raise _EndlessExpansion(f"more than {MAX_REFERENCE_DEPTH} references follow each other")
        self._open.add(key)
        inner = [
            self.count_applied_schemas(subschema, depth + 1) for subschema in self._list_schemas_of_same_value(schema)
        ]
        self._open.discard(key)
        self._known[key] = 1 + sum(inner)
        return self._known[key]

    def _list_schemas_of_same_value(self, schema: Mapping[str, Any]) -> list[Any]:
        beside = list(list_subschemas_of_same_value(schema))
        if "$ref" not in schema:
            return beside
        try:
            referenced = [resolve_local_reference(self._root, schema["$ref"])]
        except LookupError:
            referenced = []  # the compiler reports it
        return referenced if self._reference_alone else referenced + beside
