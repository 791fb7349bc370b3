"""The filters and facets of search: every client, the generated code and the reference pages read this table.

To add one, see docs/api.md, "Add a search facet".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.model.vocabulary import Kind


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """A filter of search, and whether matches are counted by its values.

    Its values are those of a `column` of each entity, or the texts of its descriptors of a `kind`; with neither, search
    handles it itself. `label` is its title.
    """

    name: str
    label: str
    description: str
    column: str = ""
    kind: Kind | None = None
    choices: tuple[str, ...] = ()
    is_facet: bool = True


FILTERS: Final = (
    SearchFilter("type", "Type", "Return only results of this entity type.", column="type"),
    SearchFilter("namespace", "Namespace", "Return only results in this namespace.", column="namespace"),
    SearchFilter("tag", "Tag", "Return only entities with this tag: a key, a URN or a name.", kind="tag"),
    SearchFilter("term", "Term", "Return only entities with this glossary term: a key, a URN or a name.", kind="term"),
    SearchFilter("domain", "Domain", "Return only entities in this domain: a key, a URN or a name.", kind="domain"),
    SearchFilter("platform", "Platform", "Return only datasets of this platform.", column="platform"),
    SearchFilter("owner", "Owner", "Return only entities with this owner: a key, a URN or a name.", kind="owner"),
    SearchFilter(
        "owned",
        "Owned by",
        "Return only entities owned by the caller (`me`), or by the caller or a team of the caller (`teams`).",
        choices=("me", "teams"),
        is_facet=False,
    ),
    SearchFilter(
        "certified",
        "Certified",
        "Return only entities with a valid certification (`yes`), one that expires within 14 days (`expiring`), or an expired one (`expired`).",
        kind="certification",
        choices=("yes", "expiring", "expired"),
        is_facet=False,
    ),
    SearchFilter(
        "quality",
        "Quality",
        "Return only datasets whose expectations passed (`passing`), of which one of the severity error failed (`failing`), of which only some of the severity warning failed (`warning`), or without results (`unknown`).",
        kind="quality",
        choices=("passing", "warning", "failing", "unknown"),
        is_facet=False,
    ),
    SearchFilter(
        "assigned",
        "Assigned to",
        "Return only requests assigned to the caller (`me`), or to the caller or a team of the caller (`teams`).",
        kind="assignee",
        choices=("me", "teams"),
        is_facet=False,
    ),
    SearchFilter(
        "state",
        "State",
        "Return only requests in this state.",
        kind="state",
        choices=("open", "answered", "declined"),
        is_facet=False,
    ),
    SearchFilter("scope", "Scope", "Return only metadata of this scope.", choices=("USER", "SYSTEM"), is_facet=False),
)
"""In the order in which facets are shown."""

FACETS: Final = tuple(search_filter.name for search_filter in FILTERS if search_filter.is_facet)
COLUMNS: Final[Mapping[str, str]] = {
    search_filter.name: search_filter.column for search_filter in FILTERS if search_filter.column
}
FILTER_OF_KIND: Final[Mapping[Kind, str]] = {
    search_filter.kind: search_filter.name for search_filter in FILTERS if search_filter.kind is not None
}
KIND_OF_FILTER: Final[Mapping[str, Kind]] = {name: kind for kind, name in FILTER_OF_KIND.items()}
