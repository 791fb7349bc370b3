"""Search by system properties of entities: their times, in milliseconds, and the program that wrote them last."""

from contextlib import suppress
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.lineage_keys import parse_lineage_key
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.core.model.search_index_terms import (
    NAME_KEY,
    encode_filter_term,
    encode_index_word,
    fold_text_for_comparison,
)
from jupyter_colophon.core.search.query_language import SearchTerm
from jupyter_colophon.core.search.time_words import CREATED_KEY
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.search.term_lookup import ResolvedTerm
from jupyter_colophon.storage.lineage.writers import WRITING, find_last_writing_program
from jupyter_colophon.storage.spi import Match, TableContext, TermCondition, TextQuery, matches_term_conditions

#: How many programs a word may match, and how many of the datasets that they wrote are examined.
_PROGRAMS: Final = 20
_DATASETS: Final = 1_000


def find_matches_in_partial_hours(
    tx: TableContext, resolved: ResolvedTerm, terms: tuple[TermCondition, ...], limit: int
) -> list[Match]:
    """Return the matches within the interval of a term, from the hours that it covers only partly."""
    if resolved.interval is None or not resolved.edges:
        return []
    matches = tx.search.find_matches(TextQuery(exact=resolved.edges, terms=terms), limit)
    rows = tx.get_table("entities").read_many([(match.urn,) for match in matches])
    name = "created" if resolved.term.key == CREATED_KEY else "updated"
    matching = {row["urn"] for row in rows if resolved.interval.contains(row[name])}
    return [match for match in matches if match.urn in matching]


def find_datasets_written_by_program(
    tx: TableContext, term: SearchTerm, terms: tuple[TermCondition, ...], read_policy: ReadPolicy, principal: Principal
) -> tuple[list[Match], bool]:
    """Return the datasets whose last writer is a visible program with this key, URN or name.

    The second value is whether all programs and datasets were examined.
    """
    program_urns, are_all = _find_programs_of_term(tx, term, read_policy)
    programs = {str(urn) for urn in read_policy.filter_visible(tx, principal, program_urns, lambda urn: (urn, None))}
    if not programs:
        return [], are_all
    written = tx.edges.find_neighbours("program", sorted(programs), WRITING, ALL_TIME, _DATASETS)
    last = {
        data
        for data in dict.fromkeys(data for data, _, _ in written)
        if find_last_writing_program(tx, data) in programs
    }
    matches = (
        [match for match in tx.search.read_matches(sorted(last)) if matches_term_conditions(match.terms, terms)]
        if last
        else []
    )
    return matches, are_all and len(written) < _DATASETS


def _find_programs_of_term(tx: TableContext, term: SearchTerm, read_policy: ReadPolicy) -> tuple[list[Urn], bool]:
    """Return the programs that a term matches, and whether these are all."""
    program_urns: list[Urn] = []
    # Keys and URNs are exact, and a pattern is folded.
    written = term.raw.replace('"', "").partition(":")[2].strip()
    with suppress(InvalidName):
        program_urns.append(parse_lineage_key(written, read_policy.identity))
    name, jobs = encode_index_word(f"{NAME_KEY}:{term.pattern.text}"), (encode_filter_term("type", "dataJob"),)
    words = TextQuery((name,), (), jobs) if term.pattern.kind == "exact" else TextQuery((), (name,), jobs)
    matches = tx.search.find_matches(words, _PROGRAMS)
    urns = (Urn.parse(match.urn) for match in matches)
    program_urns += (
        urn
        for urn in urns
        if term.pattern.matches_folded_text(fold_text_for_comparison(read_policy.identity.get_short_name(urn)))
    )
    return program_urns, len(matches) < _PROGRAMS
