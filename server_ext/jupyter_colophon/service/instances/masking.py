"""Find secrets in documents, mask them, and fill masks with the old secrets (spec SEC-15)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.core.documents.json_values import copy_json_deeply
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.documents.secret_locations import find_secret_paths_in_value, is_secret_schema
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.core.instances.instance_texts import PLACEHOLDER
from jupyter_colophon.service.instances.schemas import SchemaLookup

#: The words of a pointer into a document.
ValuePath = tuple[str, ...]
#: The placeholder that replaces a secret.
MASK: Final = {PLACEHOLDER: True}
#: Members with these names count as secrets if the schema is unknown.
_SECRET_NAMES = re.compile(r"pass(word|wd|phrase)?$|secret|token|credential|api_?key|private_?key", re.IGNORECASE)
#: The members that identify a list element if others have changed.
_IDENTITIES = ("id", "name", "display_name")


class SecretMasker:
    """Finds the secrets of documents by their schemas; for an unknown schema, it errs on the safe side."""

    def __init__(self, schemas: SchemaLookup) -> None:
        self._schemas = schemas
        #: Whether a schema has any secret, by the identity of the schema, which is kept alive.
        self._has_secrets: dict[int, tuple[Mapping[str, Any], bool]] = {}

    def find_secret_paths(self, space: str, document: Mapping[str, Any]) -> tuple[ValuePath, ...]:
        """Return the paths of secrets in a document; none is inside another."""
        schemaspace = self._schemas.get_space(space)
        name = document.get("schema_name")
        schema = schemaspace.find_schema(name) if isinstance(name, str) else None
        if schema is not None:
            return find_secret_paths_in_value(document, schema, schema) if self.has_secret_members(schema) else ()
        schemas = [*schemaspace.schemas.values(), *schemaspace.deprecated_schemas.values()]
        guessed = {
            words
            for candidate in schemas
            if self.has_secret_members(candidate)
            for words in find_secret_paths_in_value(document, candidate, candidate)
        }
        guessed.update(_find_secret_named_members(document, ()))
        return tuple(words for words in sorted(guessed) if not any(words[:end] in guessed for end in range(len(words))))

    def mask_secrets_in_document(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the document with masked secrets; the same object if it has none."""
        pointers = self.find_secret_paths(space, document)
        return copy_with_values_at_paths(document, dict.fromkeys(pointers, MASK)) if pointers else document

    def has_secret_members(self, schema: Mapping[str, Any]) -> bool:
        """Return whether a schema has any secret."""
        cached = self._has_secrets.get(id(schema))
        if cached is None or cached[0] is not schema:
            if len(self._has_secrets) > 1_000:
                self._has_secrets.clear()
            cached = self._has_secrets[id(schema)] = (schema, _contains_secret_keyword(schema))
        return cached[1]


def get_value_at_path(document: Any, path: ValuePath) -> Any:
    """Return the value at a path; None if there is none."""
    for word in path:
        if isinstance(document, Mapping):
            document = document.get(word)
        elif isinstance(document, list | tuple) and word.isdigit() and int(word) < len(document):
            document = document[int(word)]
        else:
            return None
    return document


def copy_with_values_at_paths(document: Mapping[str, Any], values: Mapping[ValuePath, Any]) -> dict[str, Any]:
    """Return a copy with other values at these paths, which must exist."""
    new: dict[str, Any] = copy_json_deeply(document)  # type: ignore[assignment]  # a copy is of the same kind
    for words, value in values.items():
        holder = get_value_at_path(new, words[:-1])
        holder[int(words[-1]) if isinstance(holder, list) else words[-1]] = copy_json_deeply(value)
    return new


def copy_without_members(document: Mapping[str, Any], pointers: Sequence[ValuePath]) -> dict[str, Any]:
    """Return a copy without the members at these paths; a list element becomes null."""
    new: dict[str, Any] = copy_json_deeply(document)  # type: ignore[assignment]  # a copy is of the same kind
    for words in pointers:
        holder = get_value_at_path(new, words[:-1])
        if isinstance(holder, list):
            holder[int(words[-1])] = None
        else:
            del holder[words[-1]]
    return new


def is_mask(value: object) -> bool:
    """Return whether a value is a mask, which keeps the old secret."""
    return isinstance(value, Mapping) and len(value) == 1 and value.get(PLACEHOLDER) is True


def get_secret_reference(value: object) -> str | None:
    """Return the key `<store>:<key>` if a value is a reference to a secret; else None."""
    if isinstance(value, Mapping) and len(value) == 1 and isinstance(key := value.get(PLACEHOLDER), str):
        return key
    return None


def find_mask_paths(value: Any, path: ValuePath = ()) -> Iterator[ValuePath]:
    """Yield the paths of all masks in a value."""
    if is_mask(value):
        yield path
    else:
        for step, inner in _list_members_and_elements(value):
            if isinstance(inner, Mapping | list | tuple):
                yield from find_mask_paths(inner, (*path, step))


def find_reference_paths(value: Any, path: ValuePath = ()) -> Iterator[tuple[ValuePath, str]]:
    """Yield the paths of all references in a value, with their keys."""
    key = get_secret_reference(value)
    if key is not None:
        yield path, key
    else:
        for step, inner in _list_members_and_elements(value):
            yield from find_reference_paths(inner, (*path, step))


def replace_masks_by_old_secrets(
    new: Mapping[str, Any], old: Mapping[str, Any], hidden: Mapping[str, Any]
) -> tuple[dict[str, Any], list[ValuePath]]:
    """Return the new document with masks replaced by the old secrets, and the masks without one.

    `hidden` is the old document with masks. List elements are matched by their visible content, then by identity, and only
    then by position, so that a secret is not assigned to another element.
    """
    missing: list[ValuePath] = []
    done = _replace_masks_in_value(new, old, hidden, (), missing)
    return done, missing


def create_problem_for_each_path(pointers: Sequence[ValuePath], message: str) -> tuple[Problem, ...]:
    """Return the same problem for each of these paths."""
    return tuple(Problem(format_pointer(words), message) for words in pointers)


def _replace_masks_in_value(new: Any, old: Any, hidden: Any, path: ValuePath, missing: list[ValuePath]) -> Any:
    if is_mask(new):
        if old is None or is_mask(old):
            missing.append(path)
            return new
        return copy_json_deeply(old)
    if isinstance(new, Mapping):
        was, masked = (_to_mapping_or_empty(old), _to_mapping_or_empty(hidden))
        return {
            key: _replace_masks_in_value(inner, was.get(key), masked.get(key), (*path, key), missing)
            for key, inner in new.items()
        }
    if isinstance(new, list | tuple):
        pairs = _match_new_to_old_elements(new, hidden if isinstance(hidden, list | tuple) else ())
        return [
            _replace_masks_in_value(
                inner,
                old[pair] if pair is not None else None,
                hidden[pair] if pair is not None else None,
                (*path, str(index)),
                missing,
            )
            for index, (inner, pair) in enumerate(zip(new, pairs, strict=True))
        ]
    return new


def _match_new_to_old_elements(new: Sequence[Any], hidden: Sequence[Any]) -> list[int | None]:
    """Return the index of the old element for each new one."""
    indexes: list[int | None] = [None] * len(new)
    free = dict.fromkeys(range(len(hidden)))
    for fits in (_is_equal_or_masked_element, _has_same_name_or_id):
        # Unmoved elements first: of several equal ones, it is unknown which one moved.
        for index, element in enumerate(new):
            if indexes[index] is None and index in free and fits(element, hidden[index]):
                indexes[index] = index
                del free[index]
        for index, element in enumerate(new):
            was = next((was for was in free if fits(element, hidden[was])), None) if indexes[index] is None else None
            if was is not None:
                indexes[index] = was
                del free[was]
    if len(new) == len(hidden):
        for index in [index for index in free if indexes[index] is None]:
            indexes[index] = index
    return indexes


def _is_equal_or_masked_element(element: Any, was: Any) -> bool:
    return bool(element == was) and not is_mask(element)


def _has_same_name_or_id(element: Any, was: Any) -> bool:
    if not isinstance(element, Mapping) or not isinstance(was, Mapping):
        return False
    key = next((key for key in _IDENTITIES if isinstance(element.get(key), str | int)), None)
    return key is not None and element[key] == was.get(key)


def _to_mapping_or_empty(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list_members_and_elements(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list | tuple):
        yield from ((str(index), inner) for index, inner in enumerate(value))


def _find_secret_named_members(value: Any, path: ValuePath) -> Iterator[ValuePath]:
    for step, inner in _list_members_and_elements(value):
        if isinstance(value, Mapping) and _SECRET_NAMES.search(step):
            yield (*path, step)
        else:
            yield from _find_secret_named_members(inner, (*path, step))


def _contains_secret_keyword(schema: Any) -> bool:
    if isinstance(schema, Mapping) and is_secret_schema(schema):
        return True
    return any(_contains_secret_keyword(inner) for _, inner in _list_members_and_elements(schema))
