"""What search is asked, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, NamedTuple

from jupyter_colophon.core.documents.members import Member
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.model.registry import Scope
from jupyter_colophon.core.model.search_filters import FACETS


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, and whether it is what was found."""

    text: str
    found: Annotated[bool, Member("highlighted")]


#: The facets by which matches are grouped; a store has rows for the values of the others.
GROUPED: Final = ("namespace", "type")
#: Pairs of a facet and a value.
FacetValues = frozenset[tuple[str, str]]


class Group(NamedTuple):
    """Matches with the same namespace and type: the numbers of their documents, 0 for one that is not stored."""

    namespace: str
    type: str
    numbers: Sequence[int]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an entity was found: something of it that a term of the query fits.

    `where` says what that is: its name, its type, the key, or the value under the key; `parts` is that text.
    """

    key: str
    value: str
    scope: Scope
    aspect: str
    where: Annotated[Literal["name", "type", "key", "value"], Member("matchedOn")]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A found entity. Tags, terms, domains and the owner are shown by the names of what they refer to."""

    summary: EntitySummary
    description: str
    tags: tuple[str, ...]
    terms: tuple[str, ...]
    domains: tuple[str, ...]
    owner: str | None
    matches: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """A page of hits, best first.

    `total` is exact unless `at_least`. `ranked` is how many matches were ranked, where that was capped.
    `facets` counts the matches by each of the FACETS that were asked for, as far as `total` is exact; `names` has the
    names of values of a facet that refer to something with another name.
    """

    hits: tuple[Hit, ...]
    total: int
    at_least: bool
    ranked: int | None
    facets: Mapping[str, tuple[tuple[str, int], ...]]
    cursor: str | None
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeyCount:
    """A metadata key and how many entities carry it. A tag is a key of the kind `tag`."""

    key: str
    kind: str
    scope: Scope
    entities: int


@dataclass(frozen=True, slots=True)
class KeysQuestion:
    """Which keys are wanted: those that begin so, of one namespace or of all, of these scopes, on these kinds of entity.

    No scopes or carriers means all. With `as_of` (in ms), those of that time.
    """

    prefix: str = ""
    namespace: str = ""
    scopes: tuple[str, ...] = ()
    carriers: tuple[str, ...] = ()
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class ValuesQuestion:
    """Which values of a key are wanted: those that begin so in any case; the rest is as in KeysQuestion."""

    key: str
    prefix: str = ""
    namespace: str = ""
    scopes: tuple[str, ...] = ()
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """What is looked for; filters are exact and all must hold. With `as_of` (in ms), what fitted then.

    Entities that were softly deleted are only found with `removed`.
    """

    text: str
    filters: tuple[tuple[str, str], ...] = ()
    limit: int = 50
    cursor: str = ""
    as_of: int | None = None
    facets: tuple[str, ...] = FACETS
    removed: bool = False

    def filter(self, name: str) -> str:
        """The value of a filter, or nothing."""
        return dict(self.filters).get(name, "")
