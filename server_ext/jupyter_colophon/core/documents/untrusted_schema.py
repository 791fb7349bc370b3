"""Whether a stranger's document can be a schema of a schemaspace (spec SEC-7).

Installed packages and administrators bring schemas. One is refused before it is used, for a reason that is told, where
it is of another dialect, refers to other documents, is too large, would hold a value against itself for ever or too
often, or has expressions that do not run in linear time.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.documents.json_schema import Dialect, Schema
from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.documents.subschemas import every, in_place, referred
from jupyter_colophon.core.errors import Problem

MAX_BYTES = 256 * 1024
MAX_SUBSCHEMAS = 2_000
#: One value is held against so many schemas at most: `anyOf` behind references doubles quickly.
MAX_EXPANSION = 2_000
MAX_REFERENCE_DEPTH = 100

#: Draft-07 by its own names, by our meta-schema's, and by Elyra's, which every schema that was written for it has.
_DRAFT_7 = re.compile(
    r"https?://json-schema\.org/draft-07/(schema|hyper-schema)#?"
    r"|urn:jupyter-colophon:meta-schema:v1"
    r"|https://raw\.githubusercontent\.com/elyra-ai/elyra/[\w.-]+/[\w/-]+/meta-schema\.json"
)
_DRAFT_2020_12 = re.compile(r"https://json-schema\.org/draft/2020-12/schema#?")
#: The values of `$schema` for each dialect, and the message for any other.
_DIALECTS = {
    Dialect.DRAFT_7: (_DRAFT_7, "schemas of schemaspaces are of JSON Schema draft-07"),
    Dialect.DRAFT_2020_12: (_DRAFT_2020_12, "schemas of aspects are of JSON Schema 2020-12"),
}


def refusals(document: Any, dialect: Dialect = Dialect.DRAFT_7) -> tuple[Problem, ...]:
    """Every reason against a document as a schema of this dialect, with pointers into it; none for one that can be used."""
    if not isinstance(document, Mapping):
        return (Problem("", "a schema is an object"),)
    found = _of_the_whole(document)
    if not found:
        found = _of_the_parts(document, dialect)
    if not found:
        found = _of_the_compiler(document, dialect)
    return tuple(found)


def _of_the_whole(document: Mapping[str, Any]) -> list[Problem]:
    try:
        size = len(json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError):
        return [Problem("", "a schema is a JSON document")]
    if size > MAX_BYTES:
        return [Problem("", f"the schema is larger than {MAX_BYTES} bytes")]
    for count, _ in enumerate(every(document), 1):
        if count > MAX_SUBSCHEMAS:
            return [Problem("", f"the schema has more than {MAX_SUBSCHEMAS} schemas in it")]
    return []


def _of_the_parts(document: Mapping[str, Any], dialect: Dialect) -> list[Problem]:
    found: list[Problem] = []
    for words, schema in every(document):
        if isinstance(schema, Mapping):
            found += [
                Problem(written((*words, keyword)), reason) for keyword, reason in _reasons(words, schema, dialect)
            ]
    if not found:
        expansion = _Expansion(document, dialect)
        for words, schema in every(document):
            try:
                if expansion.of(schema, 0) > MAX_EXPANSION:
                    found.append(
                        Problem(written(words), f"a value would be held against more than {MAX_EXPANSION} schemas")
                    )
            except _Endless as error:
                return [Problem(written(words), str(error))]
    return found


def _reasons(words: tuple[str, ...], schema: Mapping[str, Any], dialect: Dialect) -> list[tuple[str, str]]:
    found = []
    (names, refusal), uri = _DIALECTS[dialect], schema.get("$schema")
    if uri is not None and not (isinstance(uri, str) and names.fullmatch(uri)):
        found.append(("$schema", refusal))
    if words and "$id" in schema:
        found.append(("$id", "only the whole schema has an id"))
    if dialect is Dialect.DRAFT_2020_12:
        found += [(word, "only `$ref` refers to other schemas") for word in ("$dynamicRef",) if word in schema]
    reference = schema.get("$ref")
    if reference is not None and not (isinstance(reference, str) and re.match(r"#(/|\Z)", reference)):
        found.append(("$ref", "only references into the schema itself are followed"))
    return found


def _of_the_compiler(document: Mapping[str, Any], dialect: Dialect) -> list[Problem]:
    try:
        Schema(document, dialect=dialect).compiled()
    except ValueError as error:
        path = [str(step) for step in getattr(error, "instance_path", ())]
        message = str(getattr(error, "message", error)).partition("\n")[0]
        if message.endswith('is not a "regex"'):
            message = "the expression is none, or does not run in linear time (no look-around, no references back)"
        return [Problem(written(path), message[:300])]
    return []


class _Endless(Exception):
    """A reference leads to itself without going deeper into the value, or too many follow each other."""


class _Expansion:
    """Against how many schemas one value is held where it is held against one."""

    def __init__(self, root: Mapping[str, Any], dialect: Dialect) -> None:
        self._root = root
        # In draft-07 what stands beside a reference is not looked at.
        self._reference_alone = dialect is Dialect.DRAFT_7
        self._known: dict[int, int] = {}
        self._open: set[int] = set()

    def of(self, schema: Any, depth: int) -> int:
        if not isinstance(schema, Mapping):
            return 1
        key = id(schema)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            raise _Endless("a reference leads back to itself: no value could be checked")
        if depth > MAX_REFERENCE_DEPTH:
            raise _Endless(f"more than {MAX_REFERENCE_DEPTH} schemas follow each other")
        self._open.add(key)
        inner = [self.of(one, depth + 1) for one in self._next(schema)]
        self._open.discard(key)
        self._known[key] = 1 + sum(inner)
        return self._known[key]

    def _next(self, schema: Mapping[str, Any]) -> list[Any]:
        beside = list(in_place(schema))
        if "$ref" not in schema:
            return beside
        try:
            found = [referred(self._root, schema["$ref"])]
        except LookupError:
            found = []  # the compiler says so
        return found if self._reference_alone else found + beside
