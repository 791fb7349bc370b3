"""Report where an imported instance differs from the stored one of the same name, without their values."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.pointer import JsonPointer, format_pointer
from jupyter_colophon.core.errors import InstanceExists, Problem
from jupyter_colophon.service.instances.masking import ValuePath, get_value_at_path, is_mask

#: How many differences are reported.
DIFFERENCES_MAX: Final = 20
_WORDS: Final = {
    "add": "not in the stored instance",
    "remove": "only in the stored instance",
    "replace": "differs from the stored instance",
}
#: A document as stored, and as shown with masked secrets.
Both = tuple[Mapping[str, Any], Mapping[str, Any]]


def create_import_conflict_error(space: str, name: str, stored: Both | None, new: Both) -> InstanceExists:
    """Return the conflict error with the first differences; `stored` is None if the stored instance cannot be read."""
    error = InstanceExists(space, name)
    if stored is None:
        error.problems = (Problem("", "the stored instance cannot be read"),)
    else:
        error.problems = tuple(islice(_list_first_differences(stored, new), DIFFERENCES_MAX))
    return error


def _list_first_differences(stored: Both, new: Both) -> Iterator[Problem]:
    reported: set[ValuePath] = set()
    for operation in diff_as_json_patch(stored[0], new[0]):
        pointer = JsonPointer.parse_or_none(str(operation["path"]))
        words = pointer.tokens if pointer is not None else ()
        place = _get_reported_location(words, (*stored, *new))
        if place not in reported:
            reported.add(place)
            yield Problem(format_pointer(place), _WORDS[str(operation["op"]) if place == words else "replace"])


def _get_reported_location(path: ValuePath, documents: tuple[Mapping[str, Any], ...]) -> ValuePath:
    """Return the location to report: that of the enclosing list or secret, if there is one, else the location itself."""
    for end in range(len(path)):
        values = [get_value_at_path(document, path[:end]) for document in documents]
        if any(isinstance(value, list | tuple) or is_mask(value) for value in values):
            return path[:end]
    return path
