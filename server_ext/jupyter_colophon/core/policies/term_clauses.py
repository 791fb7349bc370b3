"""The rules of a principal as clauses of terms of the search index, so that a store finds little that is hidden."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.core.model.search_index_terms import encode_filter_term
from jupyter_colophon.core.policies.policy import Rule, Terms

#: The most terms in the clauses of grants, and in those of denials: a store looks each of them up.
_TERMS_MAX: Final = 200
#: An entity must have one term of each of these tuples.
_Clause = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TermClauses:
    """What the terms of an entity show of a decision, except for types that are decided by other entities.

    What may be seen has all of a clause of `granted` (None: not known), and of none of `denied`. Terms are folded, so
    they do not distinguish names of namespaces and types that differ in case alone.
    """

    granted: tuple[_Clause, ...] | None = None
    denied: tuple[_Clause, ...] = ()
    #: Whether grants, and denials, depend on nothing but the clauses where namespace and type do not decide.
    decides_grants: bool = False
    decides_denials: bool = False
    #: The namespaces in `denied`.
    denied_namespaces: frozenset[str] = frozenset()
    #: The namespaces and types of all rules, by their terms.
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_ambiguous(self, namespace: str, type_: str) -> bool:
        """Return whether rules name another namespace or type that has the same term."""
        return any(
            self.names.get(encode_filter_term(kind, name), {name}) != {name}
            for kind, name in (("namespace", namespace), ("type", type_))
        )


def compile_clauses(grants: Iterable[tuple[Rule, Terms]], denials: Iterable[tuple[Rule, Terms]]) -> TermClauses:
    """Compile the rules that concern a principal, given with their conditions on metadata."""
    # Only instances have a schemaspace, and these are decided by their documents.
    granting = [(rule, terms) for rule, terms in grants if not rule.schemaspaces]
    denying = [(rule, terms) for rule, terms in denials if not rule.schemaspaces]
    names = _collect_names(rule for rule, _ in (*granting, *denying))
    granted = _build_clauses(granting)
    # What has a clause of a denial must be denied for certain.
    certain = [(rule, terms) for rule, terms in denying if _has_exact_clause(rule, names)]
    if any(not rule.namespaces and not terms for rule, terms in certain):
        return TermClauses(granted=())
    denied = _build_clauses(certain)
    return TermClauses(
        granted=granted,
        denied=denied or (),
        decides_grants=granted is not None and not any(rule.prefixes for rule, _ in granting),
        decides_denials=denied is not None
        and all(_has_exact_clause(rule, names) or not (terms or rule.prefixes) for rule, terms in denying),
        denied_namespaces=frozenset(name for rule, _ in certain if denied for name in rule.namespaces),
        names=names,
    )


def _has_exact_clause(rule: Rule, names: Mapping[str, frozenset[str]]) -> bool:
    """Return whether everything with the clause of a rule matches the rule, if no two namespaces differ in case alone."""
    are_distinct = all(len(names[encode_filter_term("namespace", name)]) == 1 for name in rule.namespaces)
    return are_distinct and not rule.types and not rule.prefixes


def _build_clauses(rules: Iterable[tuple[Rule, Terms]]) -> tuple[_Clause, ...] | None:
    """Return the distinct clauses of rules; None if one has no conditions, or if there are too many terms."""
    clauses = {_build_clause(rule, terms) for rule, terms in rules}
    count = sum(len(alternatives) for clause in clauses for alternatives in clause)
    return None if () in clauses or count > _TERMS_MAX else tuple(sorted(clauses))


def _build_clause(rule: Rule, terms: Terms) -> _Clause:
    names = (("namespace", rule.namespaces), ("type", rule.types))
    conditions = [{encode_filter_term(kind, name) for name in some} for kind, some in names if some]
    return tuple(tuple(sorted(alternatives)) for alternatives in (*conditions, *terms))


def _collect_names(rules: Iterable[Rule]) -> dict[str, frozenset[str]]:
    names: defaultdict[str, set[str]] = defaultdict(set)
    for rule in rules:
        for kind, some in (("namespace", rule.namespaces), ("type", rule.types)):
            for name in some:
                names[encode_filter_term(kind, name)].add(name)
    return {term: frozenset(some) for term, some in names.items()}
