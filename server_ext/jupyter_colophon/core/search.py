"""What search answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from jupyter_colophon.core.entity import EntitySummary
from jupyter_colophon.core.registry import Scope


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an entity was found: a value of it that a term of the query fits."""

    key: str
    value: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Hit:
    """A found entity."""

    summary: EntitySummary
    description: str
    tags: tuple[str, ...]
    owner: str | None
    matches: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """A page of hits, best first.

    `total` is exact unless `at_least`. `ranked` is how many matches were ranked, where that was capped.
    `facets` counts values of `type`, `namespace` and `tag` among the ranked matches.
    """

    hits: tuple[Hit, ...]
    total: int
    at_least: bool
    ranked: int | None
    facets: Mapping[str, tuple[tuple[str, int], ...]]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class KeyCount:
    """A metadata key and how many entities carry it. A tag is a key of the kind `tag`."""

    key: str
    kind: str
    scope: Scope
    entities: int


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """What is looked for; filters are exact and all must hold."""

    text: str
    filters: tuple[tuple[str, str], ...] = ()
    limit: int = 50
    cursor: str = ""

    def filter(self, name: str) -> str:
        """The value of a filter, or nothing."""
        return dict(self.filters).get(name, "")
