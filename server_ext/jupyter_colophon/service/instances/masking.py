"""Find secrets in documents, mask them, and fill masks with the old secrets (spec SEC-15)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.core.documents.json_values import copied
from jupyter_colophon.core.documents.secret_locations import says_secret, secrets_in
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.core.instances.instance_texts import PLACEHOLDER
from jupyter_colophon.service.instances.schemas import Schemas

#: The words of a pointer into a document.
Words = tuple[str, ...]
#: The placeholder that replaces a secret.
MASK: Final = {PLACEHOLDER: True}
#: Members with these names count as secrets if the schema is unknown.
_TELLING = re.compile(r"pass(word|wd|phrase)?$|secret|token|credential|api_?key|private_?key", re.IGNORECASE)
#: The members that identify a list element if others have changed.
_IDENTITIES = ("id", "name", "display_name")


class Masks:
    """Finds the secrets of documents by their schemas; for an unknown schema, it errs on the safe side."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        #: Whether a schema has any secret, by the identity of the schema, which is kept alive.
        self._has_secrets: dict[int, tuple[Mapping[str, Any], bool]] = {}

    def pointers(self, space: str, document: Mapping[str, Any]) -> tuple[Words, ...]:
        """Return the paths of secrets in a document; none is inside another."""
        found = self._schemas.space(space)
        name = document.get("schema_name")
        schema = found.schema(name) if isinstance(name, str) else None
        if schema is not None:
            return secrets_in(document, schema, schema) if self.names_secrets(schema) else ()
        known = [*found.schemas.values(), *found.deprecated_schemas.values()]
        guessed = {words for one in known if self.names_secrets(one) for words in secrets_in(document, one, one)}
        guessed.update(_named_like_secrets(document, ()))
        return tuple(words for words in sorted(guessed) if not any(words[:end] in guessed for end in range(len(words))))

    def masked(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the document with masked secrets; the same object if it has none."""
        pointers = self.pointers(space, document)
        return replaced(document, dict.fromkeys(pointers, MASK)) if pointers else document

    def names_secrets(self, schema: Mapping[str, Any]) -> bool:
        """Return whether a schema has any secret."""
        known = self._has_secrets.get(id(schema))
        if known is None or known[0] is not schema:
            if len(self._has_secrets) > 1_000:
                self._has_secrets.clear()
            known = self._has_secrets[id(schema)] = (schema, _mentions_secrets(schema))
        return known[1]


def at(document: Any, words: Words) -> Any:
    """Return the value at a path; None if there is none."""
    for word in words:
        if isinstance(document, Mapping):
            document = document.get(word)
        elif isinstance(document, list | tuple) and word.isdigit() and int(word) < len(document):
            document = document[int(word)]
        else:
            return None
    return document


def replaced(document: Mapping[str, Any], values: Mapping[Words, Any]) -> dict[str, Any]:
    """Return a copy with other values at these paths, which must exist."""
    new: dict[str, Any] = copied(document)  # type: ignore[assignment]  # a copy is of the same kind
    for words, value in values.items():
        holder = at(new, words[:-1])
        holder[int(words[-1]) if isinstance(holder, list) else words[-1]] = copied(value)
    return new


def without(document: Mapping[str, Any], pointers: Sequence[Words]) -> dict[str, Any]:
    """Return a copy without the members at these paths; a list element becomes null."""
    new: dict[str, Any] = copied(document)  # type: ignore[assignment]  # a copy is of the same kind
    for words in pointers:
        holder = at(new, words[:-1])
        if isinstance(holder, list):
            holder[int(words[-1])] = None
        else:
            del holder[words[-1]]
    return new


def is_mask(value: object) -> bool:
    """Return whether a value is a mask, which keeps the old secret."""
    return isinstance(value, Mapping) and len(value) == 1 and value.get(PLACEHOLDER) is True


def reference(value: object) -> str | None:
    """Return the key `<store>:<key>` if a value is a reference to a secret; else None."""
    if isinstance(value, Mapping) and len(value) == 1 and isinstance(found := value.get(PLACEHOLDER), str):
        return found
    return None


def masks_in(value: Any, words: Words = ()) -> Iterator[Words]:
    """Yield the paths of all masks in a value."""
    if is_mask(value):
        yield words
    else:
        for step, inner in _members(value):
            if isinstance(inner, Mapping | list | tuple):
                yield from masks_in(inner, (*words, step))


def references_in(value: Any, words: Words = ()) -> Iterator[tuple[Words, str]]:
    """Yield the paths of all references in a value, with their keys."""
    key = reference(value)
    if key is not None:
        yield words, key
    else:
        for step, inner in _members(value):
            yield from references_in(inner, (*words, step))


def filled(
    new: Mapping[str, Any], old: Mapping[str, Any], hidden: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Words]]:
    """Return the new document with masks replaced by the old secrets, and the masks without one.

    `hidden` is the old document with masks. List elements are matched by their visible content, then by identity, and only
    then by position, so that a secret is not assigned to another element.
    """
    missing: list[Words] = []
    done = _filled(new, old, hidden, (), missing)
    return done, missing


def pointer(words: Words) -> str:
    """Return the path as a JSON Pointer."""
    return "".join("/" + word.replace("~", "~0").replace("/", "~1") for word in words)


def problems_at(pointers: Sequence[Words], message: str) -> tuple[Problem, ...]:
    """Return the same problem for each of these paths."""
    return tuple(Problem(pointer(words), message) for words in pointers)


def _filled(new: Any, old: Any, hidden: Any, words: Words, missing: list[Words]) -> Any:
    if is_mask(new):
        if old is None or is_mask(old):
            missing.append(words)
            return new
        return copied(old)
    if isinstance(new, Mapping):
        was, shown = (_mapping(old), _mapping(hidden))
        return {key: _filled(inner, was.get(key), shown.get(key), (*words, key), missing) for key, inner in new.items()}
    if isinstance(new, list | tuple):
        pairs = _matched(new, hidden if isinstance(hidden, list | tuple) else ())
        return [
            _filled(
                inner,
                old[pair] if pair is not None else None,
                hidden[pair] if pair is not None else None,
                (*words, str(index)),
                missing,
            )
            for index, (inner, pair) in enumerate(zip(new, pairs, strict=True))
        ]
    return new


def _matched(new: Sequence[Any], hidden: Sequence[Any]) -> list[int | None]:
    """Return the index of the old element for each new one."""
    found: list[int | None] = [None] * len(new)
    free = dict.fromkeys(range(len(hidden)))
    for fits in (_is_same, _same_identity):
        # Unmoved elements first: of several equal ones, it is unknown which one moved.
        for index, one in enumerate(new):
            if found[index] is None and index in free and fits(one, hidden[index]):
                found[index] = index
                del free[index]
        for index, one in enumerate(new):
            was = next((was for was in free if fits(one, hidden[was])), None) if found[index] is None else None
            if was is not None:
                found[index] = was
                del free[was]
    if len(new) == len(hidden):
        for index in [index for index in free if found[index] is None]:
            found[index] = index
    return found


def _is_same(one: Any, was: Any) -> bool:
    return bool(one == was) and not is_mask(one)


def _same_identity(one: Any, was: Any) -> bool:
    if not isinstance(one, Mapping) or not isinstance(was, Mapping):
        return False
    key = next((key for key in _IDENTITIES if isinstance(one.get(key), str | int)), None)
    return key is not None and one[key] == was.get(key)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list | tuple):
        yield from ((str(index), inner) for index, inner in enumerate(value))


def _named_like_secrets(value: Any, words: Words) -> Iterator[Words]:
    for step, inner in _members(value):
        if isinstance(value, Mapping) and _TELLING.search(step):
            yield (*words, step)
        else:
            yield from _named_like_secrets(inner, (*words, step))


def _mentions_secrets(part: Any) -> bool:
    if isinstance(part, Mapping) and says_secret(part):
        return True
    return any(_mentions_secrets(inner) for _, inner in _members(part))
