"""Secrets in documents: which they are, what stands for them, and how what stands for them is filled again (spec SEC-15)."""

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
#: What readers see in a secret's place.
MASK: Final = {PLACEHOLDER: True}
#: Members with such names are taken for secrets where no schema says which are.
_TELLING = re.compile(r"pass(word|wd|phrase)?$|secret|token|credential|api_?key|private_?key", re.IGNORECASE)
#: What identifies an element of a list whose other members may have changed.
_IDENTITIES = ("id", "name", "display_name")


class Masks:
    """Knows the secrets of documents by their schemas. Where a schema is unknown, rather too much is secret."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        #: Whether a schema names any secret at all: most do not. By the schema's identity, which is kept with it.
        self._has_secrets: dict[int, tuple[Mapping[str, Any], bool]] = {}

    def pointers(self, space: str, document: Mapping[str, Any]) -> tuple[Words, ...]:
        """Where secrets are in a document; none inside of another."""
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
        """The document with a mask in the place of each secret; itself where it has none."""
        pointers = self.pointers(space, document)
        return replaced(document, dict.fromkeys(pointers, MASK)) if pointers else document

    def names_secrets(self, schema: Mapping[str, Any]) -> bool:
        """Whether a schema says of any place that it is secret."""
        known = self._has_secrets.get(id(schema))
        if known is None or known[0] is not schema:
            if len(self._has_secrets) > 1_000:
                self._has_secrets.clear()
            known = self._has_secrets[id(schema)] = (schema, _mentions_secrets(schema))
        return known[1]


def at(document: Any, words: Words) -> Any:
    """What is at a pointer; None where nothing is."""
    for word in words:
        if isinstance(document, Mapping):
            document = document.get(word)
        elif isinstance(document, list | tuple) and word.isdigit() and int(word) < len(document):
            document = document[int(word)]
        else:
            return None
    return document


def replaced(document: Mapping[str, Any], values: Mapping[Words, Any]) -> dict[str, Any]:
    """A copy with other values at these pointers, which must be there."""
    new: dict[str, Any] = copied(document)  # type: ignore[assignment]  # a copy is of the same kind
    for words, value in values.items():
        holder = at(new, words[:-1])
        holder[int(words[-1]) if isinstance(holder, list) else words[-1]] = copied(value)
    return new


def without(document: Mapping[str, Any], pointers: Sequence[Words]) -> dict[str, Any]:
    """A copy without the members at these pointers; an element of a list becomes null."""
    new: dict[str, Any] = copied(document)  # type: ignore[assignment]  # a copy is of the same kind
    for words in pointers:
        holder = at(new, words[:-1])
        if isinstance(holder, list):
            holder[int(words[-1])] = None
        else:
            del holder[words[-1]]
    return new


def is_mask(value: object) -> bool:
    """Whether this stands for a secret that is to stay as it is."""
    return isinstance(value, Mapping) and len(value) == 1 and value.get(PLACEHOLDER) is True


def reference(value: object) -> str | None:
    """The name of the secret, `<store>:<key>`, where this is a reference to one; else None."""
    if isinstance(value, Mapping) and len(value) == 1 and isinstance(found := value.get(PLACEHOLDER), str):
        return found
    return None


def masks_in(value: Any, words: Words = ()) -> Iterator[Words]:
    """The pointers to all masks in a value."""
    if is_mask(value):
        yield words
    else:
        for step, inner in _members(value):
            if isinstance(inner, Mapping | list | tuple):
                yield from masks_in(inner, (*words, step))


def references_in(value: Any, words: Words = ()) -> Iterator[tuple[Words, str]]:
    """The pointers to all references in a value, each with its key."""
    key = reference(value)
    if key is not None:
        yield words, key
    else:
        for step, inner in _members(value):
            yield from references_in(inner, (*words, step))


def filled(
    new: Mapping[str, Any], old: Mapping[str, Any], hidden: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Words]]:
    """The new document with the secrets of the old one in the place of masks, and the masks for which there is none.

    `hidden` is the old one as readers see it. Elements of lists are found again where they went: by all that readers
    see of them, else by their identity, and only then by their number: a secret must not come to another's side.
    """
    missing: list[Words] = []
    done = _filled(new, old, hidden, (), missing)
    return done, missing


def pointer(words: Words) -> str:
    """The words as a JSON Pointer."""
    return "".join("/" + word.replace("~", "~0").replace("/", "~1") for word in words)


def problems_at(pointers: Sequence[Words], message: str) -> tuple[Problem, ...]:
    """The same problem at each of these places."""
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
    """For each new element, which old one it was."""
    found: list[int | None] = [None] * len(new)
    free = dict.fromkeys(range(len(hidden)))
    for fits in (_is_same, _same_identity):
        # What stayed in its place comes first: of several that look alike, nobody could say which one moved.
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
