"""Search by system properties of entities: their times, in milliseconds, and the program that wrote them last."""

from contextlib import suppress
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.lineage_keys import from_lineage_key
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import EVER
from jupyter_colophon.core.model.search_index_terms import NAME_KEY, filter_term, fold, fts_word
from jupyter_colophon.core.search.query_language import Term
from jupyter_colophon.core.search.time_words import CREATED_KEY
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.service.search.term_lookup import ResolvedTerm
from jupyter_colophon.storage.lineage.writers import WRITING, last_writer
from jupyter_colophon.storage.spi import Match, TableContext, Words

#: How many programs a word may match, and how many of the datasets that they wrote are examined.
_PROGRAMS: Final = 20
_DATASETS: Final = 1_000


def match_edges(tx: TableContext, resolved: ResolvedTerm, terms: tuple[str, ...], limit: int) -> list[Match]:
    """Return the matches within the interval of a term, from the hours that it covers only partly."""
    if resolved.interval is None or not resolved.edges:
        return []
    matches = tx.search.match(Words(exact=resolved.edges, terms=terms), limit)
    rows = tx.table("entities").multi_read([(one.urn,) for one in matches])
    name = "created" if resolved.term.key == CREATED_KEY else "updated"
    matching = {row["urn"] for row in rows if resolved.interval.holds(row[name])}
    return [one for one in matches if one.urn in matching]


def match_program(
    tx: TableContext, term: Term, terms: tuple[str, ...], gate: Gate, principal: Principal
) -> tuple[list[Match], bool]:
    """Return the datasets whose last writer is a visible program with this key, URN or name.

    The second value is whether all programs and datasets were examined.
    """
    found, are_all = _programs(tx, term, gate)
    programs = {str(urn) for urn in found if gate.may_read(principal, gate.identity.namespace_of(urn))}
    if not programs:
        return [], are_all
    written = tx.edges.around("program", sorted(programs), WRITING, EVER, _DATASETS)
    last = {data for data in dict.fromkeys(data for data, _, _ in written) if last_writer(tx, data) in programs}
    matches = [one for one in tx.search.documents(sorted(last)) if one.terms.issuperset(terms)] if last else []
    return matches, are_all and len(written) < _DATASETS


def _programs(tx: TableContext, term: Term, gate: Gate) -> tuple[list[Urn], bool]:
    """Return the programs that a term matches, and whether these are all."""
    found: list[Urn] = []
    # Keys and URNs are exact, and a pattern is folded.
    written = term.raw.replace('"', "").partition(":")[2].strip()
    with suppress(InvalidName):
        found.append(from_lineage_key(written, gate.identity))
    name, jobs = fts_word(f"{NAME_KEY}:{term.pattern.text}"), (filter_term("type", "dataJob"),)
    words = Words((name,), (), jobs) if term.pattern.kind == "exact" else Words((), (name,), jobs)
    matches = tx.search.match(words, _PROGRAMS)
    urns = (Urn.parse(one.urn) for one in matches)
    found += (urn for urn in urns if term.pattern.matches(fold(gate.identity.short_name(urn))))
    return found, len(matches) < _PROGRAMS
