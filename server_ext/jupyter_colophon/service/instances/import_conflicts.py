"""Report where an imported instance differs from the stored one of the same name, without their values."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.documents.difference import diff
from jupyter_colophon.core.documents.pointer import Pointer, written
from jupyter_colophon.core.errors import InstanceExists, Problem
from jupyter_colophon.service.instances.masking import Words, at, is_mask

#: How many differences are reported.
PLACES_MAX: Final = 20
_WORDS: Final = {
    "add": "not in the stored instance",
    "remove": "only in the stored instance",
    "replace": "differs from the stored instance",
}
#: A document as stored, and as shown with masked secrets.
Both = tuple[Mapping[str, Any], Mapping[str, Any]]


def conflict(space: str, name: str, there: Both | None, new: Both) -> InstanceExists:
    """Return the conflict error with every difference; `there` is None if the stored instance cannot be read."""
    error = InstanceExists(space, name)
    if there is None:
        error.problems = (Problem("", "the stored instance cannot be read"),)
    else:
        error.problems = tuple(islice(_differing(there, new), PLACES_MAX))
    return error


def _differing(there: Both, new: Both) -> Iterator[Problem]:
    told: set[Words] = set()
    for operation in diff(there[0], new[0]):
        found = Pointer.parse(str(operation["path"]))
        words = found.words if found is not None else ()
        place = _shown(words, (*there, *new))
        if place not in told:
            told.add(place)
            yield Problem(written(place), _WORDS[str(operation["op"]) if place == words else "replace"])


def _shown(words: Words, documents: tuple[Mapping[str, Any], ...]) -> Words:
    """Return the location to report: that of the enclosing list or secret, if there is one, else the location itself."""
    for end in range(len(words)):
        found = [at(document, words[:end]) for document in documents]
        if any(isinstance(one, list | tuple) or is_mask(one) for one in found):
            return words[:end]
    return words
