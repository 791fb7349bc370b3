"""Search as of a time (spec SEARCH-18).

Candidates are found by key and value, or by name, among current and past values, and checked against the history. So
exact values, their prefixes and names are supported; words without a key are not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.entities.entity_kinds import get_entity_kind_of_row
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_index_terms import (
    SCHEMA_KEY,
    ValueRow,
    encode_index_word,
    fold_text_for_comparison,
    list_names_of_entity_type,
)
from jupyter_colophon.core.search.query_language import SearchPattern, SearchQuery, SearchTerm
from jupyter_colophon.service.entities.point_in_time import PointInTimeView
from jupyter_colophon.service.search.search_results import MatchCollector, get_match_key
from jupyter_colophon.service.search.term_lookup import STAMP_KEYS
from jupyter_colophon.storage.search import past_values, values
from jupyter_colophon.storage.search.index import EVERYTHING
from jupyter_colophon.storage.spi import Match, Row, TermCondition, TextQuery, matches_term_conditions

#: How many values, and how many names, are scanned for each term.
SCANNED_MAX = 5_000
_SCORE = 2.0
#: The key that matches names of properties.
_PROPERTIES = "properties"
_ANYTHING = SearchPattern("", "any")


@dataclass(frozen=True, slots=True)
class PointInTimeSearch:
    """Searches these namespaces as of one time."""

    moment: PointInTimeView
    spaces: Sequence[str]

    def add_matches_at_time(self, query: SearchQuery, terms: Sequence[TermCondition], results: MatchCollector) -> None:
        """Add the matches that have all these filter terms to `found`. Raises InvalidQuery."""
        for at, term in enumerate(query.terms):
            if term.key in STAMP_KEYS:
                raise InvalidQuery(f"{term.key} cannot be searched as of a past time: leave out asOf", "asOf")
            if term.key is None and term.pattern.kind != "any":
                raise InvalidQuery(
                    "words without a key cannot be searched as of a past time: use a key, such as owner:ops or name:ord*",
                    "asOf",
                )
            matches = [
                match
                for match in self._iterate_matches_of_term(term, results)
                if matches_term_conditions(match.terms, terms)
            ]
            results.add_matches_of_term(matches, at, _SCORE)
            if term.pattern.kind != "any":
                exact_term = replace(term, pattern=replace(term.pattern, kind="exact"))
                results.named.update(
                    get_match_key(match)
                    for match in matches
                    if _matches_entity_name(exact_term, self.moment.get_loaded_row(match.urn))
                )
        results.capped = results.capped or self.moment.is_truncated

    def _iterate_matches_of_term(self, term: SearchTerm, results: MatchCollector) -> Iterator[Match]:
        tx, moment = self.moment.tx, self.moment
        current = [row["urn"] for row in self._iterate_candidate_value_rows(values.TABLE, term, results)]
        named = [match.urn for match in tx.search.find_matches(_create_name_query(term), SCANNED_MAX)]
        before = [
            row["urn"]
            for row in self._iterate_candidate_value_rows(past_values.TABLE, term, results)
            if row["until"] > moment.time
        ]
        results.capped = results.capped or len(named) >= SCANNED_MAX
        moment.load_and_cache_rows([*current, *named, *before])
        unchanged = {
            *current,
            *(urn for urn in named if (row := moment.get_loaded_row(urn)) and _matches_entity_name(term, row)),
        }
        yield from (
            match._replace(score=0.0) for match in tx.search.read_matches(moment.filter_unchanged_since(unchanged))
        )
        for urn, then in moment.rebuild_entities_as_of_time(
            moment.filter_changed_since([*current, *named, *before])
        ).items():
            if _matches_entity_name(term, moment.get_loaded_row(urn)) or any(
                _matches_value_row(term, row) for row in then.values
            ):
                document = then.document
                yield Match(
                    document.urn, document.namespace, document.type, 0, 0.0, document.terms, document.facet_values
                )

    def _iterate_candidate_value_rows(self, table: str, term: SearchTerm, results: MatchCollector) -> Iterator[Row]:
        """Yield current or past value rows that may match a term."""
        remaining = SCANNED_MAX
        for space in self.spaces:
            for key, value in _list_key_and_value_patterns(term, deleted=table == past_values.TABLE):
                for row in values.iterate_value_rows(self.moment.tx, table, space, key, value, remaining):
                    remaining -= 1
                    yield row
        results.capped = results.capped or remaining <= 0


def _list_key_and_value_patterns(term: SearchTerm, *, deleted: bool) -> list[tuple[SearchPattern, SearchPattern]]:
    """Return the key and value patterns of a term; names of deleted entities (`deleted`) are stored as values."""
    if term.key is None:
        return [(SearchPattern(past_values.NAME_KEY, "exact"), _ANYTHING)] if deleted else []
    if term.key == _PROPERTIES:
        return [(term.pattern, _ANYTHING)]
    places = [(SearchPattern(term.key, "exact"), term.pattern)]
    if deleted and term.key != past_values.NAME_KEY:
        places.append((SearchPattern(past_values.NAME_KEY, "exact"), term.pattern))
    if term.plain.kind != "any":
        places.append((SearchPattern(SCHEMA_KEY, "exact"), term.plain))
    return places


def _create_name_query(term: SearchTerm) -> TextQuery:
    """Return the full-text query for current names."""
    if term.key is None:
        return TextQuery(terms=(EVERYTHING,))
    word = encode_index_word(f"{term.key}:{term.pattern.text}")
    return TextQuery(exact=(word,)) if term.pattern.kind == "exact" else TextQuery(prefixes=(word,))


def _matches_entity_name(term: SearchTerm, entity: Row) -> bool:
    """Return whether the name of an entity matches a term with the key `name` or a word for its kind."""
    if term.key is None:
        return True
    if term.key not in (
        past_values.NAME_KEY,
        *list_names_of_entity_type(entity["type"], get_entity_kind_of_row(entity["type"], entity["urn"])),
    ):
        return False
    name = fold_text_for_comparison(entity["name"]).strip()
    return any(
        term.pattern.matches_folded_text(spelling)
        for spelling in (name, fold_text_for_comparison(f"{entity['namespace']}.{name}"))
    )


def _matches_value_row(term: SearchTerm, row: ValueRow) -> bool:
    """Return whether a value row matches a term exactly."""
    if term.key == _PROPERTIES:
        return row.kind == "property" and term.pattern.matches_folded_text(fold_text_for_comparison(row.key))
    if term.key == fold_text_for_comparison(row.key) and term.pattern.matches_folded_text(row.value.strip()):
        return True
    return row.kind == "field" and term.plain.kind != "any" and term.plain.matches_folded_text(row.value)
