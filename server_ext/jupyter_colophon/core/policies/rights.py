"""The rights of one principal: the rules that concern it, compiled so that a decision does not read them one by one."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import product
from typing import Final, Literal

from jupyter_colophon.core.access import Permission, Resource
from jupyter_colophon.core.model.search_index_terms import encode_filter_term
from jupyter_colophon.core.policies.policy import ANY, EVERYONE, OWNER, PERMISSIONS, Cell, Rule, Terms
from jupyter_colophon.core.policies.term_clauses import TermClauses, compile_clauses

#: `perhaps` depends on metadata that was not read, or on which entity it is.
_Fit = Literal["yes", "perhaps", "no"]
#: A permission, a namespace, a type and a schemaspace, "" for none.
_Kind = tuple[Permission, str, str, str]
#: The most cached decisions on namespaces and types.
_CACHED_MAX: Final = 10_000


@dataclass(slots=True)
class _Prefixes:
    """Prefixes of URNs by their length; the empty one is of everything."""

    by_length: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, prefixes: Iterable[str]) -> None:
        for prefix in prefixes:
            self.by_length[len(prefix)].add(prefix)

    def matches(self, urn: str) -> bool:
        return any(urn[:length] in prefixes for length, prefixes in self.by_length.items())


def _create_prefixes_by_terms() -> defaultdict[Terms, _Prefixes]:
    return defaultdict(_Prefixes)


@dataclass(slots=True)
class _CellRules:
    """The rules of one combination of namespace, type and schemaspace."""

    always: bool = False
    prefixes: _Prefixes = field(default_factory=_Prefixes)
    #: The prefixes of rules with conditions on metadata, by each term of the first condition and the other conditions.
    by_term: defaultdict[str, defaultdict[Terms, _Prefixes]] = field(
        default_factory=lambda: defaultdict(_create_prefixes_by_terms)
    )

    def add(self, prefixes: tuple[str, ...], terms: Terms) -> None:
        if terms:
            for term in terms[0]:
                self.by_term[term][terms[1:]].add(prefixes or ("",))
        elif prefixes:
            self.prefixes.add(prefixes)
        else:
            self.always = True

    def find_fit(self, urn: str, terms: frozenset[str] | None) -> _Fit:
        if self.always or self.prefixes.matches(urn):
            return "yes"
        if not self.by_term:
            return "no"
        if terms is None:
            return "perhaps"
        return "yes" if any(self._matches_term(term, urn, terms) for term in self.by_term.keys() & terms) else "no"

    def _matches_term(self, term: str, urn: str, terms: frozenset[str]) -> bool:
        return any(
            prefixes.matches(urn) and all(terms & required for required in others)
            for others, prefixes in self.by_term[term].items()
        )


_Candidates = tuple[_CellRules, ...]


class _RuleIndex:
    """Rules of one kind (grants or denials) and one permission."""

    def __init__(self) -> None:
        self._cells: defaultdict[Cell, _CellRules] = defaultdict(_CellRules)
        #: (namespace, type) of rules with a condition on schemaspaces.
        self._pairs_with_schemaspace: set[tuple[str | None, str | None]] = set()
        #: The namespaces of which rules match everything, and those of which they match anything; None is any.
        self._whole: set[str | None] = set()
        self._touched: set[str | None] = set()

    def add(self, rule: Rule, terms: Terms) -> None:
        for cell in rule.list_cells():
            namespace, type_, schemaspace = cell
            self._cells[cell].add(rule.prefixes, terms)
            self._touched.add(namespace)
            if schemaspace is not ANY:
                self._pairs_with_schemaspace.add((namespace, type_))
            elif type_ is ANY and not rule.prefixes and not terms:
                self._whole.add(namespace)

    @property
    def is_empty(self) -> bool:
        """Whether the rules match nothing."""
        return not self._cells

    @property
    def is_of_everything(self) -> bool:
        """Whether a rule has no conditions."""
        return ANY in self._whole

    def list_candidates(self, namespace: str, type_: str, schemaspace: str) -> _Candidates:
        """Return the rules that may match entities of a kind, those that match all of them first."""
        schemaspaces = (schemaspace, ANY) if schemaspace else (ANY,)
        cells = product((namespace, ANY), (type_, ANY), schemaspaces)
        return tuple(
            sorted((self._cells[cell] for cell in cells if cell in self._cells), key=lambda rules: not rules.always)
        )

    def find_fit_of_all(self, namespace: str, type_: str | None) -> _Fit:
        """Return whether rules match all entities of a type (None: of every type) in a namespace, or some of them."""
        if type_ is None:
            spaces = {namespace, ANY}
            return "yes" if spaces & self._whole else "perhaps" if spaces & self._touched else "no"
        best: _Fit = "no"
        for pair in product((namespace, ANY), (type_, ANY)):
            rules = self._cells.get((*pair, ANY))
            if rules is not None and rules.always:
                return "yes"
            if rules is not None or pair in self._pairs_with_schemaspace:
                best = "perhaps"
        return best


def _find_fit(candidates: _Candidates, urn: str, terms: frozenset[str] | None) -> _Fit:
    best: _Fit = "no"
    for rules in candidates:
        fit = rules.find_fit(urn, terms)
        if fit == "yes":
            return "yes"
        best = "perhaps" if fit == "perhaps" else best
    return best


class AccessRights:
    """What one principal may do by the rules of all policies. Deny rules win; what no rule grants is denied."""

    def __init__(self, rules: Iterable[Rule], user: str, groups: Collection[str]) -> None:
        self._grants: Mapping[Permission, _RuleIndex] = {permission: _RuleIndex() for permission in PERMISSIONS}
        self._denials: Mapping[Permission, _RuleIndex] = {permission: _RuleIndex() for permission in PERMISSIONS}
        self._owner_terms = list_owner_terms(user, groups)
        actors = {EVERYONE, f"user:{user}", *(f"group:{group}" for group in groups)}
        self._rules: list[tuple[Rule, Terms]] = []
        for rule in rules:
            terms = choose_terms(rule, actors, self._owner_terms)
            if terms is None:
                continue
            self._rules.append((rule, terms))
            indexes = self._denials if rule.denies else self._grants
            for permission in rule.permissions:
                indexes[permission].add(rule, terms)
        self._of_all: dict[tuple[Permission, str, str | None], bool | None] = {}
        #: The grants and the denials that may match entities of a namespace, type and schemaspace.
        self._of_kinds: dict[_Kind, tuple[_Candidates, _Candidates]] = {}
        self._clauses: dict[Permission, TermClauses] = {}

    def decide(self, permission: Permission, resource: Resource, terms: frozenset[str] | None = None) -> bool | None:
        """Return the decision; None if it depends on the entity's terms in the search index, and they are not given."""
        grants, denials = self._find_candidates(permission, resource)
        denial = _find_fit(denials, resource.urn, terms)
        if denial == "yes":
            return False
        grant = _find_fit(grants, resource.urn, terms)
        if grant == "no":
            return False
        return True if grant == "yes" and denial == "no" else None

    def may_depend_on_terms(self, permission: Permission, resource: Resource) -> bool:
        """Return whether a rule with conditions on metadata may match the resource."""
        grants, denials = self._find_candidates(permission, resource)
        return any(rules.by_term for rules in (*grants, *denials))

    def _find_candidates(self, permission: Permission, resource: Resource) -> tuple[_Candidates, _Candidates]:
        """Return the grants and the denials that may match the resource, by its namespace, type and schemaspace."""
        key = (permission, resource.namespace, resource.type, resource.schemaspace)
        candidates = self._of_kinds.get(key)
        if candidates is None:
            if len(self._of_kinds) >= _CACHED_MAX:
                self._of_kinds.clear()
            grants, denials = self._grants[permission], self._denials[permission]
            candidates = self._of_kinds[key] = grants.list_candidates(*key[1:]), denials.list_candidates(*key[1:])
        return candidates

    def may_do_everything(self, permission: Permission) -> bool:
        """Return whether the principal may do this with everything."""
        return self._grants[permission].is_of_everything and self._denials[permission].is_empty

    def may_do_anything(self, permission: Permission) -> bool:
        """Return whether a rule grants this on anything, and no rule denies it on everything."""
        return not self._grants[permission].is_empty and not self._denials[permission].is_of_everything

    def decide_all(self, permission: Permission, namespace: str, type_: str | None = None) -> bool | None:
        """Return the decision for all entities of a type, or of all types, in a namespace; None if it differs."""
        key = (permission, namespace, type_)
        # A search asks this for each namespace of the catalog, so nothing slower than a look-up.
        try:
            return self._of_all[key]
        except KeyError:
            decision = self._compute_decision_for_all(permission, namespace, type_, TermClauses())
        if len(self._of_all) >= _CACHED_MAX:
            self._of_all.clear()
        self._of_all[key] = decision
        return decision

    def decide_all_with_clauses(
        self, permission: Permission, namespace: str, type_: str, clauses: TermClauses
    ) -> bool | None:
        """Return the decision for all entities of a type in a namespace that have a granted clause, and no denied one."""
        return self._compute_decision_for_all(
            permission, namespace, type_, TermClauses() if clauses.is_ambiguous(namespace, type_) else clauses
        )

    def _compute_decision_for_all(
        self, permission: Permission, namespace: str, type_: str | None, clauses: TermClauses
    ) -> bool | None:
        denial = self._denials[permission].find_fit_of_all(namespace, type_)
        grant = self._grants[permission].find_fit_of_all(namespace, type_)
        if denial == "perhaps" and clauses.decides_denials:
            denial = "no"
        if grant == "perhaps" and clauses.decides_grants:
            grant = "yes"
        if denial == "yes" or grant == "no":
            return False
        return True if grant == "yes" and denial == "no" else None

    def get_clauses(self, permission: Permission) -> TermClauses:
        """Return what the terms of the search index show of decisions."""
        if permission not in self._clauses:
            concerned = [(rule, terms) for rule, terms in self._rules if permission in rule.permissions]
            self._clauses[permission] = compile_clauses(
                [pair for pair in concerned if not pair[0].denies], [pair for pair in concerned if pair[0].denies]
            )
        return self._clauses[permission]

    def find_deciding_rule(self, permission: Permission, resource: Resource, terms: frozenset[str]) -> Rule | None:
        """Return the rule that decides: the first denial that matches, else the first grant; None if none does."""
        matching = [
            rule
            for rule, required in self._rules
            if permission in rule.permissions
            and rule.matches_resource(resource)
            and all(terms & alternatives for alternatives in required)
        ]
        return next((rule for rule in matching if rule.denies), next(iter(matching), None))


def choose_terms(rule: Rule, actors: AbstractSet[str], owner_terms: frozenset[str]) -> Terms | None:
    """Return the conditions on metadata of a rule for a principal; None if it does not concern the principal."""
    if not actors.isdisjoint(rule.to):
        return rule.terms
    return (*rule.terms, owner_terms) if OWNER in rule.to else None


def list_owner_terms(user: str, groups: Collection[str]) -> frozenset[str]:
    """Return the terms of the search index that entities of this owner have."""
    owners = [user, f"urn:li:corpuser:{user}", *(f"urn:li:corpGroup:{group}" for group in groups)]
    return frozenset(encode_filter_term("owner", owner) for owner in owners)
