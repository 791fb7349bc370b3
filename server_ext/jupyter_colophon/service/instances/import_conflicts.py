"""Where an instance that is to be taken in differs from the one of its name that is there; no value of either is told."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.documents.difference import diff
from jupyter_colophon.core.documents.pointer import Pointer, written
from jupyter_colophon.core.errors import InstanceExists, Problem
from jupyter_colophon.service.instances.masking import Words, at, is_mask

#: How many places are told.
PLACES_MAX: Final = 20
_WORDS: Final = {
    "add": "the one that is there has none",
    "remove": "only the one that is there has it",
    "replace": "it is another one than there",
}
#: A document, and the same as readers see it.
Both = tuple[Mapping[str, Any], Mapping[str, Any]]


def conflict(space: str, name: str, there: Both | None, new: Both) -> InstanceExists:
    """The refusal of an instance, with every place that differs; `there` is None where it cannot be read."""
    error = InstanceExists(space, name)
    if there is None:
        error.problems = (Problem("", "the one that is there cannot be read"),)
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
    """The place, or the list or the secret that it is inside of: a list is one value, and of a secret nothing is told."""
    for end in range(len(words)):
        found = [at(document, words[:end]) for document in documents]
        if any(isinstance(one, list | tuple) or is_mask(one) for one in found):
            return words[:end]
    return words
