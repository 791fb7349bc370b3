"""Names of the targets of tags, terms, owners and domains, resolved when they are shown or searched.

Search rows contain the key of a URN, which never changes; so renaming a term writes one entity, and the next response
has the new name (docs/decisions/0018-names-of-references-are-resolved-by-readers.md).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX, encode_urn_text
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_filters import KIND_OF_FILTER
from jupyter_colophon.core.model.search_index_terms import (
    NAME_KEY,
    encode_filter_term,
    encode_index_word,
    fold_text_for_comparison,
)
from jupyter_colophon.core.model.vocabulary import KEY_OF, REFERRED, Kind, format_reference_text
from jupyter_colophon.core.search.query_language import SearchPattern
from jupyter_colophon.service.entities.display_names import DisplayNameReader
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.search.index import NOT_REMOVED, REFERENCED
from jupyter_colophon.storage.spi import TableContext, TextQuery

#: How many entities are resolved for one name pattern.
RESOLVED_MAX: Final = 100
#: The kind of descriptor that refers to a type, by the type in lower case, since words are folded.
_KIND_OF_TYPE: Final[Mapping[str, Kind]] = {type_.lower(): kind for kind, types in REFERRED.items() for type_ in types}
#: The kind of descriptor for a search key.
KIND_OF_KEY: Final[Mapping[str, Kind]] = {KEY_OF[kind]: kind for kind in REFERRED}


@dataclass(frozen=True, slots=True)
class ReferenceNameResolver:
    """Resolves names that a principal may see, in one transaction."""

    tx: TableContext
    registry: Registry
    read_policy: ReadPolicy
    principal: Principal

    def find_references_by_name(self, pattern: SearchPattern, kinds: Collection[Kind]) -> list[tuple[Kind, str]]:
        """Return (kind, key of the URN) of entities whose name matches the pattern, or whose URN it is."""
        if pattern.kind == "any":
            return []
        if pattern.text.startswith(PREFIX):
            return [reference for reference in _parse_folded_urn(pattern.text) if reference[0] in kinds]
        word = encode_index_word(f"{NAME_KEY}:{pattern.text}")
        terms = (REFERENCED, NOT_REMOVED)
        words = TextQuery((word,), (), terms) if pattern.kind == "exact" else TextQuery((), (word,), terms)
        references = []
        for match in self.tx.search.find_matches(words, RESOLVED_MAX):
            kind = _KIND_OF_TYPE.get(match.type.lower())
            if (
                kind is not None
                and kind in kinds
                and self.read_policy.may_see_entity(self.tx, self.principal, Urn.parse(match.urn), match.namespace)
            ):
                references.append((kind, format_reference_text(match.urn)))
        return list(dict.fromkeys(references))

    def resolve_name_to_filter_value(self, name: str, value: str) -> str:
        """Return the indexed value of a filter: the value itself if it occurs, else the key of the entity with this name."""
        kind = KIND_OF_FILTER.get(name)
        if kind is None or kind not in REFERRED or value.startswith(PREFIX):
            return value
        if self.tx.search.find_matches(TextQuery(terms=(encode_filter_term(name, value),)), 1):
            return value
        resolved = self.find_references_by_name(SearchPattern(fold_text_for_comparison(value), "exact"), [kind])
        return next((key for _, key in resolved), value)

    def read_names_of_facet_values(self, facets: Mapping[str, Iterable[tuple[str, int]]]) -> dict[str, dict[str, str]]:
        """Return the names of facet values that differ from the value, by facet and value."""
        urns = {
            (facet, value, f"{PREFIX}{type_}:{encode_urn_text(value)}")
            for facet, counted in facets.items()
            for type_ in REFERRED.get(KIND_OF_FILTER.get(facet, "property"), ())
            for value, _ in counted
        }
        names = DisplayNameReader(self.tx, self.registry, self.read_policy, self.principal).read_given_names(
            urn for *_, urn in urns
        )
        names_by_facet: dict[str, dict[str, str]] = {}
        for facet, value, urn in sorted(urns):
            if names.get(urn, value) != value:
                names_by_facet.setdefault(facet, {})[value] = names[urn]
        return names_by_facet


def _parse_folded_urn(text: str) -> list[tuple[Kind, str]]:
    """Return the reference for a folded URN; empty if its type cannot be referred to."""
    kind = _KIND_OF_TYPE.get(text.removeprefix(PREFIX).partition(":")[0])
    return [] if kind is None else [(kind, format_reference_text(text))]
