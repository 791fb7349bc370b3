"""Search as of a time: what fitted a query then (spec SEARCH-18).

What may have fitted is found by key and value, or by name, among what is now and what was before; the history then
tells whether it did. So whole values, prefixes of them and names are served, words without a key are not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.entities.entity_kinds import kind_of_row
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_index_terms import SCHEMA_KEY, ValueRow, fold, fts_word, type_words
from jupyter_colophon.core.search.query_language import Pattern, Query, Term
from jupyter_colophon.service.entities.point_in_time import Moment
from jupyter_colophon.service.search.search_results import Found
from jupyter_colophon.service.search.term_lookup import STAMP_KEYS
from jupyter_colophon.storage.search import past_values, values
from jupyter_colophon.storage.search.index import EVERYTHING
from jupyter_colophon.storage.spi import Match, Row, Words

#: So many values, and as many names, are looked through for each term.
SCANNED_MAX = 5_000
_SCORE = 2.0
#: The key under which the names of properties are asked for.
_PROPERTIES = "properties"
_ANYTHING = Pattern("", "any")


@dataclass(frozen=True, slots=True)
class PastSearch:
    """Answers queries about one time, in these namespaces."""

    moment: Moment
    spaces: Sequence[str]

    def gather(self, query: Query, terms: Sequence[str], found: Found) -> None:
        """Add what fitted, and had all these terms of full text, to what was found. Raises InvalidQuery."""
        for at, term in enumerate(query.terms):
            if term.key in STAMP_KEYS:
                raise InvalidQuery(f"{term.key} is searched as of now", "asOf")
            if term.key is None and term.pattern.kind != "any":
                raise InvalidQuery("words are searched as of now: as of a time, say owner:ops or name:ord*", "asOf")
            matches = [one for one in self._matches(term, found) if one.terms.issuperset(terms)]
            found.add(matches, at, _SCORE)
            if term.pattern.kind != "any":
                whole = replace(term, pattern=replace(term.pattern, kind="exact"))
                found.named.update(one.urn for one in matches if _is_named(whole, self.moment.row(one.urn)))
        found.capped = found.capped or self.moment.cut

    def _matches(self, term: Term, found: Found) -> Iterator[Match]:
        tx, moment = self.moment.tx, self.moment
        said = [row["urn"] for row in self._said(values.TABLE, term, found)]
        named = [one.urn for one in tx.search.match(_name_words(term), SCANNED_MAX)]
        before = [row["urn"] for row in self._said(past_values.TABLE, term, found) if row["until"] > moment.time]
        found.capped = found.capped or len(named) >= SCANNED_MAX
        moment.expect([*said, *named, *before])
        same = {*said, *(urn for urn in named if (row := moment.row(urn)) and _is_named(term, row))}
        yield from (one._replace(score=0.0) for one in tx.search.documents(moment.unchanged(same)))
        for urn, then in moment.then(moment.changed([*said, *named, *before])).items():
            if _is_named(term, moment.row(urn)) or any(_fits(term, row) for row in then.said):
                one = then.document
                yield Match(one.urn, one.namespace, one.type, 0, 0.0, one.terms, one.facet_values)

    def _said(self, table: str, term: Term, found: Found) -> Iterator[Row]:
        """Rows of what is said now, or was before, that a term may mean."""
        room = SCANNED_MAX
        for space in self.spaces:
            for key, value in _places(term, gone=table == past_values.TABLE):
                for row in values.said(self.moment.tx, table, space, key, value, room):
                    room -= 1
                    yield row
        found.capped = found.capped or room <= 0


def _places(term: Term, *, gone: bool) -> list[tuple[Pattern, Pattern]]:
    """Keys and values under which a term is looked up; names of what is `gone` are values too."""
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
    """What full text is asked for names that are there now."""
    if term.key is None:
        return Words(terms=(EVERYTHING,))
    word = fts_word(f"{term.key}:{term.pattern.text}")
    return Words(exact=(word,)) if term.pattern.kind == "exact" else Words(prefixes=(word,))


def _is_named(term: Term, entity: Row) -> bool:
    """Whether the name of an entity fits: behind `name:`, or a word for its kind."""
    if term.key is None:
        return True
    if term.key not in (past_values.NAME_KEY, *type_words(entity["type"], kind_of_row(entity["type"], entity["urn"]))):
        return False
    name = fold(entity["name"]).strip()
    return any(term.pattern.matches(one) for one in (name, fold(f"{entity['namespace']}.{name}")))


def _fits(term: Term, row: ValueRow) -> bool:
    """Whether what was said fits, whole."""
    if term.key == _PROPERTIES:
        return row.kind == "property" and term.pattern.matches(fold(row.key))
    if term.key == fold(row.key) and term.pattern.matches(row.value.strip()):
        return True
    return row.kind == "field" and term.plain.kind != "any" and term.plain.matches(row.value)
