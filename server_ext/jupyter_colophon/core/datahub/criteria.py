"""Filters of DataHub's clients: alternatives of criteria, held against what is said of an entity."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as derived
from typing import Any, Final

from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.errors import InvalidInstance, InvalidQuery, Problem
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.model.search_index_terms import fold
from jupyter_colophon.core.read_budget import require_time

#: These are looked up, not compared one by one.
_EQUALITIES: Final = frozenset({"EQUAL", "IN", "IEQUAL"})
_CONDITIONS: Final[dict[str, Callable[[str, str], bool]]] = {
    "CONTAIN": lambda found, wanted: wanted in found,
    "START_WITH": lambda found, wanted: found.startswith(wanted),
    "END_WITH": lambda found, wanted: found.endswith(wanted),
}
_PRESENCE: Final = {"EXISTS": True, "IS_NULL": False}
_ALTERNATIVES_MAX, _CRITERIA_MAX = 50, 200
#: Of a whole filter: how many values its criteria have, and how many characters these.
_VALUES_MAX, _CHARACTERS_MAX = 1_000, 200_000
_SUBJECT: Final = "the filter"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One field, and what it must be; the values are alternatives."""

    field: str
    condition: str
    values: tuple[str, ...]
    negated: bool
    folded: frozenset[str] = derived(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", frozenset(map(fold, self.values)))

    def fits(self, found: Sequence[str]) -> bool:
        """Whether the values of the field fit."""
        if self.condition in _PRESENCE:
            return (bool(found) == _PRESENCE[self.condition]) != self.negated
        require_time()
        there = {fold(one) for one in found}
        if self.condition in _EQUALITIES:
            return (not there.isdisjoint(self.folded)) != self.negated
        like = _CONDITIONS[self.condition]
        return any(like(one, value) for value in self.folded for one in there) != self.negated


#: Alternatives; of each, all must fit.
Filter = tuple[tuple[Criterion, ...], ...]


def read(told: Mapping[str, Any] | None, at: str) -> Filter:
    """Read a filter as clients send it: `{"or": [{"and": […]}]}`, `{"and": [{"criteria": […]}]}`.

    Raises InvalidInstance, and InvalidQuery for one that is too large.
    """
    alternatives = [(f"{at}/{name}/{number}", one) for name, number, one in _alternatives(told or {}, at)]
    if len(alternatives) > _ALTERNATIVES_MAX:
        raise _too_large(at, f"has at most {_ALTERNATIVES_MAX} alternatives")
    criteria = values = characters = 0
    filter_: list[tuple[Criterion, ...]] = []
    for place, one in alternatives:
        some = []
        for criterion in _criteria(one, place):
            criteria, values = criteria + 1, values + len(criterion.values)
            characters += len(criterion.field) + sum(map(len, criterion.values))
            if criteria > _CRITERIA_MAX:
                raise _too_large(at, f"has at most {_CRITERIA_MAX} criteria")
            if values > _VALUES_MAX or characters > _CHARACTERS_MAX:
                raise _too_large(at, f"has at most {_VALUES_MAX} values of {_CHARACTERS_MAX} characters together")
            some.append(criterion)
        filter_.append(tuple(some))
    return tuple(filter_)


def fits(filter_: Filter, urn: Urn, said: Mapping[str, Aspect], identity: Identity) -> bool:
    """Whether an entity fits a filter; every one fits an empty one."""
    return not filter_ or any(
        all(one.fits(list(_values(one.field, urn, said, identity))) for one in criteria) for criteria in filter_
    )


def fits_value(filter_: Filter, value: Mapping[str, Any]) -> bool:
    """Whether one value of an aspect fits a filter."""
    return not filter_ or any(all(one.fits(list(_texts(value, one.field))) for one in criteria) for criteria in filter_)


def _alternatives(told: Mapping[str, Any], at: str) -> Iterator[tuple[str, int, Any]]:
    for name, found in told.items():
        if found is None:
            continue
        if name not in ("or", "and", "criteria") or not isinstance(found, list):
            raise _wrong(f"{at}/{name}", "is not understood: a filter is {or: [{and: […]}]}")
        if name == "criteria":
            yield name, 0, {"and": found}
            continue
        for number, one in enumerate(found):
            yield name, number, one


def _criteria(told: Any, at: str) -> Iterator[Criterion]:
    listed = (told.get("and") or told.get("criteria") or []) if isinstance(told, Mapping) else None
    if not isinstance(listed, list):
        raise _wrong(at, "is {and: […]}")
    for number, one in enumerate(listed):
        yield _criterion(one, f"{at}/and/{number}")


def _criterion(told: Any, at: str) -> Criterion:
    if not isinstance(told, Mapping) or not isinstance(told.get("field"), str):
        raise _wrong(at, "names a field")
    condition = told.get("condition") or "EQUAL"
    if condition not in (*_EQUALITIES, *_CONDITIONS, *_PRESENCE):
        raise _wrong(f"{at}/condition", f"is one of {', '.join((*sorted(_EQUALITIES), *_CONDITIONS, *_PRESENCE))}")
    values = told.get("values") or ([told["value"]] if told.get("value") else [])
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise _wrong(f"{at}/values", "is a list of texts")
    if len(values) > _VALUES_MAX:
        raise _too_large(f"{at}/values", f"has at most {_VALUES_MAX} values")
    return Criterion(told["field"].removesuffix(".keyword"), condition, tuple(values), told.get("negated") is True)


def _values(field: str, urn: Urn, said: Mapping[str, Aspect], identity: Identity) -> Iterator[str]:
    if field == "urn":
        yield str(urn)
    if field == "name":
        yield identity.short_name(urn)
    if field == "platform" and (platform := identity.platform_of(urn)) is not None:
        yield from (platform, f"urn:li:dataPlatform:{platform}")
    if field == "_entityType":
        yield urn.type
    for aspect in said.values():
        yield from _texts(aspect.value, field)


def _texts(value: Any, field: str) -> Iterator[str]:
    """What a member of this name says, and a list of this name whose items name something (`tags`, `owners`, `terms`)."""
    found = value.get(field)
    for one in found if isinstance(found, list) else [found]:
        if isinstance(one, Mapping):
            yield from (text for text in one.values() if isinstance(text, str))
        elif isinstance(one, bool):
            yield "true" if one else "false"
        elif isinstance(one, str | int | float):
            yield str(one)


def _too_large(pointer: str, why: str) -> InvalidQuery:
    return InvalidQuery(f"{_SUBJECT} {why}", pointer=pointer)


def _wrong(pointer: str, why: str) -> InvalidInstance:
    return InvalidInstance(_SUBJECT, (Problem(pointer, why),))
