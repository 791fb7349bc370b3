"""Evaluate filters of DataHub's clients, alternatives of criteria, on the aspects of an entity."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as derived
from typing import Any, Final

from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.errors import InvalidInstance, InvalidQuery, Problem
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.model.search_index_terms import fold_text_for_comparison
from jupyter_colophon.core.read_budget import require_request_time_left

#: Conditions that look values up in a set instead of comparing them one by one.
_EQUALITIES: Final = frozenset({"EQUAL", "IN", "IEQUAL"})
_CONDITIONS: Final[dict[str, Callable[[str, str], bool]]] = {
    "CONTAIN": lambda value, expected: expected in value,
    "START_WITH": lambda value, expected: value.startswith(expected),
    "END_WITH": lambda value, expected: value.endswith(expected),
}
_PRESENCE: Final = {"EXISTS": True, "IS_NULL": False}
_ALTERNATIVES_MAX, _CRITERIA_MAX = 50, 200
#: The most values of all criteria of a filter, and the most characters in these.
_VALUES_MAX, _CHARACTERS_MAX = 1_000, 200_000
_SUBJECT: Final = "the filter"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A condition on one field; the values are alternatives."""

    field: str
    condition: str
    values: tuple[str, ...]
    negated: bool
    folded: frozenset[str] = derived(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", frozenset(map(fold_text_for_comparison, self.values)))

    def matches_values(self, values: Sequence[str]) -> bool:
        """Return whether the values of the field satisfy the criterion."""
        if self.condition in _PRESENCE:
            return (bool(values) == _PRESENCE[self.condition]) != self.negated
        require_request_time_left()
        folded_values = {fold_text_for_comparison(text) for text in values}
        if self.condition in _EQUALITIES:
            return (not folded_values.isdisjoint(self.folded)) != self.negated
        like = _CONDITIONS[self.condition]
        return any(like(folded_value, value) for value in self.folded for folded_value in folded_values) != self.negated


#: Alternatives, each a list of criteria that must all be satisfied.
Filter = tuple[tuple[Criterion, ...], ...]


def parse_filter(document: Mapping[str, Any] | None, pointer: str) -> Filter:
    """Parse a filter as clients send it: `{"or": [{"and": […]}]}` or `{"and": [{"criteria": […]}]}`.

    Raises InvalidInstance, and InvalidQuery if it is too large.
    """
    alternatives = [
        (f"{pointer}/{name}/{number}", entry) for name, number, entry in _list_alternatives(document or {}, pointer)
    ]
    if len(alternatives) > _ALTERNATIVES_MAX:
        raise _build_filter_too_large_error(pointer, f"must have at most {_ALTERNATIVES_MAX} alternatives")
    criteria = values = characters = 0
    filter_: list[tuple[Criterion, ...]] = []
    for place, entry in alternatives:
        some = []
        for criterion in _parse_criteria(entry, place):
            criteria, values = criteria + 1, values + len(criterion.values)
            characters += len(criterion.field) + sum(map(len, criterion.values))
            if criteria > _CRITERIA_MAX:
                raise _build_filter_too_large_error(pointer, f"must have at most {_CRITERIA_MAX} criteria")
            if values > _VALUES_MAX or characters > _CHARACTERS_MAX:
                raise _build_filter_too_large_error(
                    pointer, f"must have at most {_VALUES_MAX} values of {_CHARACTERS_MAX} characters together"
                )
            some.append(criterion)
        filter_.append(tuple(some))
    return tuple(filter_)


def matches_entity(filter_: Filter, urn: Urn, aspects: Mapping[str, Aspect], identity: IdentityRules) -> bool:
    """Return whether an entity satisfies a filter; every entity satisfies an empty one."""
    return not filter_ or any(
        all(
            criterion.matches_values(list(_list_field_values(criterion.field, urn, aspects, identity)))
            for criterion in criteria
        )
        for criteria in filter_
    )


def matches_aspect_value(filter_: Filter, value: Mapping[str, Any]) -> bool:
    """Return whether one value of an aspect satisfies a filter."""
    return not filter_ or any(
        all(criterion.matches_values(list(_list_texts_of_member(value, criterion.field))) for criterion in criteria)
        for criteria in filter_
    )


def _list_alternatives(document: Mapping[str, Any], pointer: str) -> Iterator[tuple[str, int, Any]]:
    for name, alternatives in document.items():
        if alternatives is None:
            continue
        if name not in ("or", "and", "criteria") or not isinstance(alternatives, list):
            raise _build_invalid_filter_error(
                f"{pointer}/{name}", "is unknown: a filter must have the form {or: [{and: […]}]}"
            )
        if name == "criteria":
            yield name, 0, {"and": alternatives}
            continue
        for number, item in enumerate(alternatives):
            yield name, number, item


def _parse_criteria(document: Any, pointer: str) -> Iterator[Criterion]:
    listed = (document.get("and") or document.get("criteria") or []) if isinstance(document, Mapping) else None
    if not isinstance(listed, list):
        raise _build_invalid_filter_error(pointer, "must have the form {and: […]}")
    for number, item in enumerate(listed):
        yield _parse_criterion(item, f"{pointer}/and/{number}")


def _parse_criterion(document: Any, pointer: str) -> Criterion:
    if not isinstance(document, Mapping) or not isinstance(document.get("field"), str):
        raise _build_invalid_filter_error(pointer, "must name a field")
    condition = document.get("condition") or "EQUAL"
    if condition not in (*_EQUALITIES, *_CONDITIONS, *_PRESENCE):
        raise _build_invalid_filter_error(
            f"{pointer}/condition", f"must be one of {', '.join((*sorted(_EQUALITIES), *_CONDITIONS, *_PRESENCE))}"
        )
    values = document.get("values") or ([document["value"]] if document.get("value") else [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _build_invalid_filter_error(f"{pointer}/values", "must be a list of strings")
    if len(values) > _VALUES_MAX:
        raise _build_filter_too_large_error(f"{pointer}/values", f"must have at most {_VALUES_MAX} values")
    return Criterion(
        document["field"].removesuffix(".keyword"), condition, tuple(values), document.get("negated") is True
    )


def _list_field_values(field: str, urn: Urn, aspects: Mapping[str, Aspect], identity: IdentityRules) -> Iterator[str]:
    if field == "urn":
        yield str(urn)
    if field == "name":
        yield identity.get_short_name(urn)
    if field == "platform" and (platform := identity.get_platform(urn)) is not None:
        yield from (platform, f"urn:li:dataPlatform:{platform}")
    if field == "_entityType":
        yield urn.type
    for aspect in aspects.values():
        yield from _list_texts_of_member(aspect.value, field)


def _list_texts_of_member(value: Any, field: str) -> Iterator[str]:
    """Yield the texts of a member, also of a list whose items are objects (`tags`, `owners`, `terms`)."""
    member = value.get(field)
    for item in member if isinstance(member, list) else [member]:
        if isinstance(item, Mapping):
            yield from (text for text in item.values() if isinstance(text, str))
        elif isinstance(item, bool):
            yield "true" if item else "false"
        elif isinstance(item, str | int | float):
            yield str(item)


def _build_filter_too_large_error(pointer: str, reason: str) -> InvalidQuery:
    return InvalidQuery(f"{_SUBJECT} {reason}", pointer=pointer)


def _build_invalid_filter_error(pointer: str, reason: str) -> InvalidInstance:
    return InvalidInstance(_SUBJECT, (Problem(pointer, reason),))
