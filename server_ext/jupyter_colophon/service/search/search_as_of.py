"""Search as of a time (spec SEARCH-18).

Candidates are found by key and value, or by name, among current and past values, and checked against the history. So
exact values, their prefixes and names are supported; words without a key are not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.entities.entity_kinds import kind_of_row
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_index_terms import SCHEMA_KEY, ValueRow, fold, fts_word, type_words
from jupyter_colophon.core.search.query_language import Pattern, Query, Term
from jupyter_colophon.service.entities.point_in_time import PointInTimeView
from jupyter_colophon.service.search.search_results import SearchResults
from jupyter_colophon.service.search.term_lookup import STAMP_KEYS
from jupyter_colophon.storage.search import past_values, values
from jupyter_colophon.storage.search.index import EVERYTHING
from jupyter_colophon.storage.spi import Match, Row, Words

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

    def gather(self, query: Query, terms: Sequence[str], found: SearchResults) -> None:
        """Add the matches that have all these filter terms to `found`. Raises InvalidQuery."""
        for at, term in enumerate(query.terms):
            if term.key in STAMP_KEYS:
                raise InvalidQuery(f"{term.key} cannot be searched as of a past time", "asOf")
            if term.key is None and term.pattern.kind != "any":
                raise InvalidQuery(
                    "words without a key cannot be searched as of a past time: use a key, such as owner:ops or name:ord*",
                    "asOf",
                )
            matches = [one for one in self._matches(term, found) if one.terms.issuperset(terms)]
            found.add(matches, at, _SCORE)
            if term.pattern.kind != "any":
                whole = replace(term, pattern=replace(term.pattern, kind="exact"))
                found.named.update(one.urn for one in matches if _is_named(whole, self.moment.row(one.urn)))
        found.capped = found.capped or self.moment.cut

    def _matches(self, term: Term, found: SearchResults) -> Iterator[Match]:
        tx, moment = self.moment.tx, self.moment
        current = [row["urn"] for row in self._value_rows(values.TABLE, term, found)]
        named = [one.urn for one in tx.search.match(_name_words(term), SCANNED_MAX)]
        before = [row["urn"] for row in self._value_rows(past_values.TABLE, term, found) if row["until"] > moment.time]
        found.capped = found.capped or len(named) >= SCANNED_MAX
        moment.preload([*current, *named, *before])
        unchanged = {*current, *(urn for urn in named if (row := moment.row(urn)) and _is_named(term, row))}
        yield from (one._replace(score=0.0) for one in tx.search.documents(moment.unchanged(unchanged)))
        for urn, then in moment.states_at(moment.changed([*current, *named, *before])).items():
            if _is_named(term, moment.row(urn)) or any(_fits(term, row) for row in then.values):
                one = then.document
                yield Match(one.urn, one.namespace, one.type, 0, 0.0, one.terms, one.facet_values)

    def _value_rows(self, table: str, term: Term, found: SearchResults) -> Iterator[Row]:
        """Yield current or past value rows that may match a term."""
        remaining = SCANNED_MAX
        for space in self.spaces:
            for key, value in _term_patterns(term, gone=table == past_values.TABLE):
                for row in values.find_values(self.moment.tx, table, space, key, value, remaining):
                    remaining -= 1
                    yield row
        found.capped = found.capped or remaining <= 0


def _term_patterns(term: Term, *, gone: bool) -> list[tuple[Pattern, Pattern]]:
    """Return the key and value patterns of a term; names of deleted entities (`gone`) are stored as values."""
    if term.key is None:
        return [(Pattern(past_values.NAME_KEY, "exact"), _ANYTHING)] if gone else []
    if term.key == _PROPERTIES:
        return [(term.pattern, _ANYTHING)]
    places = [(Pattern(term.key, "exact"), term.pattern)]
    if gone and term.key != past_values.NAME_KEY:
        places.append((Pattern(past_values.NAME_KEY, "exact"), term.pattern))
    if term.plain.kind != "any":
        places.append((Pattern(SCHEMA_KEY, "exact"), term.plain))
    return places


def _name_words(term: Term) -> Words:
    """Return the full-text query for current names."""
    if term.key is None:
        return Words(terms=(EVERYTHING,))
    word = fts_word(f"{term.key}:{term.pattern.text}")
    return Words(exact=(word,)) if term.pattern.kind == "exact" else Words(prefixes=(word,))


def _is_named(term: Term, entity: Row) -> bool:
    """Return whether the name of an entity matches a term with the key `name` or a word for its kind."""
    if term.key is None:
        return True
    if term.key not in (past_values.NAME_KEY, *type_words(entity["type"], kind_of_row(entity["type"], entity["urn"]))):
        return False
    name = fold(entity["name"]).strip()
    return any(term.pattern.matches(one) for one in (name, fold(f"{entity['namespace']}.{name}")))


def _fits(term: Term, row: ValueRow) -> bool:
    """Return whether a value row matches a term exactly."""
    if term.key == _PROPERTIES:
        return row.kind == "property" and term.pattern.matches(fold(row.key))
    if term.key == fold(row.key) and term.pattern.matches(row.value.strip()):
        return True
    return row.kind == "field" and term.plain.kind != "any" and term.plain.matches(row.value)
