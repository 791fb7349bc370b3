"""Search as of a time (spec SEARCH-18).

Candidates are found by key and value, or by name, among current and past values, and checked against the history. So
exact values, their prefixes and names are supported; words without a key are not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.entities.entity_kinds import get_row_kind
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_index_terms import SCHEMA_KEY, ValueRow, encode_token, fold, list_type_words
from jupyter_colophon.core.search.query_language import Pattern, Query, Term
from jupyter_colophon.service.entities.point_in_time import PointInTimeView
from jupyter_colophon.service.search.search_results import SearchResults
from jupyter_colophon.service.search.term_lookup import STAMP_KEYS
from jupyter_colophon.storage.search import past_values, values
from jupyter_colophon.storage.search.index import EVERYTHING
from jupyter_colophon.storage.spi import Match, Row, TextQuery

#: How many values, and how many names, are scanned for each term.
SCANNED_MAX = 5_000
_SCORE = 2.0
#: The key that matches names of properties.
_PROPERTIES = "properties"
_ANYTHING = Pattern("", "any")


@dataclass(frozen=True, slots=True)
class PastSearch:
    """Searches these namespaces as of one time."""

    moment: PointInTimeView
    spaces: Sequence[str]

    def gather(self, query: Query, terms: Sequence[str], results: SearchResults) -> None:
        """Add the matches that have all these filter terms to `found`. Raises InvalidQuery."""
        for at, term in enumerate(query.terms):
            if term.key in STAMP_KEYS:
                raise InvalidQuery(f"{term.key} cannot be searched as of a past time", "asOf")
            if term.key is None and term.pattern.kind != "any":
                raise InvalidQuery(
                    "words without a key cannot be searched as of a past time: use a key, such as owner:ops or name:ord*",
                    "asOf",
                )
            matches = [match for match in self._find_matches(term, results) if match.terms.issuperset(terms)]
            results.add(matches, at, _SCORE)
            if term.pattern.kind != "any":
                exact_term = replace(term, pattern=replace(term.pattern, kind="exact"))
                results.named.update(
                    match.urn for match in matches if _is_named(exact_term, self.moment.get_row(match.urn))
                )
        results.capped = results.capped or self.moment.cut

    def _find_matches(self, term: Term, results: SearchResults) -> Iterator[Match]:
        tx, moment = self.moment.tx, self.moment
        current = [row["urn"] for row in self._read_value_rows(values.TABLE, term, results)]
        named = [match.urn for match in tx.search.match(_create_name_words(term), SCANNED_MAX)]
        before = [
            row["urn"] for row in self._read_value_rows(past_values.TABLE, term, results) if row["until"] > moment.time
        ]
        results.capped = results.capped or len(named) >= SCANNED_MAX
        moment.load_rows([*current, *named, *before])
        unchanged = {*current, *(urn for urn in named if (row := moment.get_row(urn)) and _is_named(term, row))}
        yield from (match._replace(score=0.0) for match in tx.search.read_matches(moment.filter_unchanged(unchanged)))
        for urn, then in moment.read_states(moment.filter_changed([*current, *named, *before])).items():
            if _is_named(term, moment.get_row(urn)) or any(_fits(term, row) for row in then.values):
                document = then.document
                yield Match(
                    document.urn, document.namespace, document.type, 0, 0.0, document.terms, document.facet_values
                )

    def _read_value_rows(self, table: str, term: Term, results: SearchResults) -> Iterator[Row]:
        """Yield current or past value rows that may match a term."""
        remaining = SCANNED_MAX
        for space in self.spaces:
            for key, value in _list_patterns(term, deleted=table == past_values.TABLE):
                for row in values.find_values(self.moment.tx, table, space, key, value, remaining):
                    remaining -= 1
                    yield row
        results.capped = results.capped or remaining <= 0


def _list_patterns(term: Term, *, deleted: bool) -> list[tuple[Pattern, Pattern]]:
    """Return the key and value patterns of a term; names of deleted entities (`deleted`) are stored as values."""
    if term.key is None:
        return [(Pattern(past_values.NAME_KEY, "exact"), _ANYTHING)] if deleted else []
    if term.key == _PROPERTIES:
        return [(term.pattern, _ANYTHING)]
    places = [(Pattern(term.key, "exact"), term.pattern)]
    if deleted and term.key != past_values.NAME_KEY:
        places.append((Pattern(past_values.NAME_KEY, "exact"), term.pattern))
    if term.plain.kind != "any":
        places.append((Pattern(SCHEMA_KEY, "exact"), term.plain))
    return places


def _create_name_words(term: Term) -> TextQuery:
    """Return the full-text query for current names."""
    if term.key is None:
        return TextQuery(terms=(EVERYTHING,))
    word = encode_token(f"{term.key}:{term.pattern.text}")
    return TextQuery(exact=(word,)) if term.pattern.kind == "exact" else TextQuery(prefixes=(word,))


def _is_named(term: Term, entity: Row) -> bool:
    """Return whether the name of an entity matches a term with the key `name` or a word for its kind."""
    if term.key is None:
        return True
    if term.key not in (
        past_values.NAME_KEY,
        *list_type_words(entity["type"], get_row_kind(entity["type"], entity["urn"])),
    ):
        return False
    name = fold(entity["name"]).strip()
    return any(term.pattern.matches(spelling) for spelling in (name, fold(f"{entity['namespace']}.{name}")))


def _fits(term: Term, row: ValueRow) -> bool:
    """Return whether a value row matches a term exactly."""
    if term.key == _PROPERTIES:
        return row.kind == "property" and term.pattern.matches(fold(row.key))
    if term.key == fold(row.key) and term.pattern.matches(row.value.strip()):
        return True
    return row.kind == "field" and term.plain.kind != "any" and term.plain.matches(row.value)
