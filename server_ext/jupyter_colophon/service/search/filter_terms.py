"""Resolve filters of search to the terms that entities have in the index."""

from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.model.certification import CERTIFIED, list_words_of_validity
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_index_terms import encode_filter_term, encode_index_word
from jupyter_colophon.service.entities.reference_names import ReferenceNameResolver
from jupyter_colophon.service.stewardship.teams import TeamReader
from jupyter_colophon.storage.spi import RequiredTerm, TableContext

#: The facets of the index with the owners that the filters select.
_FACETS_OF_OWNERS: Final = {"owned": "owner", "assigned": "assigned"}


@dataclass(frozen=True, slots=True)
class FilterTermResolver:
    """Resolves filters of one request; `now_ms` is the time at which certifications are valid or not."""

    tx: TableContext
    registry: Registry
    names: ReferenceNameResolver
    principal: Principal
    now_ms: int

    def encode_filter(self, name: str, value: str) -> RequiredTerm:
        """Return the term of a filter, or the terms of which one is required."""
        if name == CERTIFIED:
            return tuple(encode_index_word(word) for word in list_words_of_validity(value, self.now_ms))
        if (facet := _FACETS_OF_OWNERS.get(name)) is not None:
            owners = TeamReader(self.tx, self.registry, self.names.read_policy).list_owner_texts(
                self.principal, teams=value == "teams"
            )
            return tuple(encode_filter_term(facet, owner) for owner in sorted(owners))
        return encode_filter_term(name, self.names.resolve_name_to_filter_value(name, value))
