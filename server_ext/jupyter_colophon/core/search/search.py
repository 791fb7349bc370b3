"""Requests and results of search."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Final, Literal, NamedTuple

from jupyter_colophon.core.documents.members import Member
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.model.certification import Certification
from jupyter_colophon.core.model.registry import Scope
from jupyter_colophon.core.model.search_filters import FACETS


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, and whether it is a match."""

    text: str
    found: Annotated[bool, Member("highlighted")]


#: The facets by which matches are grouped; for the others, a store has rows of values.
GROUPED: Final = ("namespace", "type")
#: The order of hits: best first, by name, or the last changed first.
SORTS: Final = ("relevance", "name", "updated")
#: Pairs of a facet and a value.
FacetValues = frozenset[tuple[str, str]]


#: The namespace and the type of an entity.
MatchGroup = tuple[str, str]


class MatchGroups:
    """The groups of thousands of matches, each as its position among the few distinct groups."""

    __slots__ = ("_by_group", "positions")

    def __init__(self, groups: Iterable[MatchGroup] = ()) -> None:
        self._by_group = _PositionsByGroup()
        self.positions = list(map(self._by_group.__getitem__, groups))

    @classmethod
    def from_positions(cls, distinct: Iterable[MatchGroup], positions: list[int]) -> "MatchGroups":
        """Return groups given as positions among these distinct ones."""
        groups = cls(distinct)
        groups.positions = positions
        return groups

    def list_distinct(self) -> list[MatchGroup]:
        """Return the distinct groups by position; after a selection, also those that none of its matches has."""
        return list(self._by_group)

    def append(self, group: MatchGroup) -> None:
        """Add the group of another match."""
        self.positions.append(self._by_group[group])

    def select_matches(self, matches: Iterable[int]) -> "MatchGroups":
        """Return the groups of these matches, which are numbered from 0."""
        return MatchGroups.from_positions(self._by_group, list(map(self.positions.__getitem__, matches)))

    def get_group(self, match: int) -> MatchGroup:
        """Return the group of a match."""
        return self.list_distinct()[self.positions[match]]

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[MatchGroup]:
        return map(self.list_distinct().__getitem__, self.positions)


class _PositionsByGroup(dict[MatchGroup, int]):
    """The position of each group; a new one gets the next."""

    def __missing__(self, group: MatchGroup) -> int:
        self[group] = position = len(self)
        return position


class CountedMatches(NamedTuple):
    """Matches that are counted, as parallel lists: their document numbers, 0 for a document that is not stored, and
    their groups.
    """

    numbers: Sequence[int] = ()
    groups: MatchGroups = MatchGroups()

    def select_positions(self, positions: Sequence[int]) -> "CountedMatches":
        """Return the matches at these positions, which are in order."""
        if len(positions) == len(self.numbers):
            return self
        return CountedMatches([self.numbers[at] for at in positions], self.groups.select_matches(positions))

    def join(self, other: "CountedMatches") -> "CountedMatches":
        """Return these matches and the other ones."""
        if not other.numbers:
            return self
        return CountedMatches([*self.numbers, *other.numbers], MatchGroups(chain(self.groups, other.groups)))


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an entity was found: a text of it that a term of the query matches.

    `where` is the name, the type, the key, or the value under the key; `parts` is that text.
    """

    key: str
    value: str
    scope: Scope
    aspect: str
    where: Annotated[Literal["name", "type", "key", "value"], Member("matchedOn")]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity that was found. Tags, terms, domains and the owner have the names of the referenced entities.

    `display_name` is the name by which people know the entity, if it differs from that in its URN; `system_tags` are the
    tags that only machines wrote.
    """

    summary: EntitySummary
    display_name: str | None
    description: str
    tags: tuple[str, ...]
    system_tags: tuple[str, ...]
    terms: tuple[str, ...]
    domains: tuple[str, ...]
    owner: str | None
    matches: tuple[Reason, ...]
    certification: Certification | None = None
    #: The status of the newest check of a dataset.
    quality: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page of hits, best first. `total` is exact unless `at_least`.

    `ranked` is the number of ranked matches, if that was limited. `facets` counts the matches by each requested facet,
    if `total` is exact; `names` has the names of facet values that refer to entities with other names, and
    `system_tags` the tags among the values that only machines wrote.
    """

    hits: tuple[Hit, ...]
    total: int
    at_least: bool
    ranked: int | None
    facets: Mapping[str, tuple[tuple[str, int], ...]]
    cursor: str | None
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    system_tags: frozenset[str] = frozenset()
    #: Queries for similar names that exist, if nothing was found.
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyCount:
    """A metadata key and the number of entities with it. A tag is a key of the kind `tag`."""

    key: str
    kind: str
    scope: Scope
    entities: int


@dataclass(frozen=True, slots=True)
class ValueTotal:
    """The number of different values of a key; a lower bound if counting stopped."""

    count: int
    at_least: Annotated[bool, Member("isLowerBound")]


@dataclass(frozen=True, slots=True)
class KeysRequest:
    """A query for keys with a prefix, in one namespace or all, of these scopes, on these kinds of entity.

    No scopes or carriers (kinds of entity) means all. With `as_of` (in ms), the keys of that time.
    """

    prefix: str = ""
    namespace: str = ""
    scopes: tuple[str, ...] = ()
    carriers: tuple[str, ...] = ()
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class ValuesRequest:
    """A query for values of a key with a prefix, ignoring case; the rest is as in KeysRequest."""

    key: str
    prefix: str = ""
    namespace: str = ""
    scopes: tuple[str, ...] = ()
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search; filters are exact and all must match. With `as_of` (in ms), it searches the catalog of that time.

    Softly deleted entities are only found with `removed`.
    """

    text: str
    filters: tuple[tuple[str, str], ...] = ()
    limit: int = 50
    cursor: str = ""
    as_of: int | None = None
    facets: tuple[str, ...] = FACETS
    removed: bool = False
    sort: str = "relevance"

    def get_filter(self, name: str) -> str:
        """Return the value of a filter, None if it is not set."""
        return dict(self.filters).get(name, "")
