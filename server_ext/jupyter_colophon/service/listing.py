"""Everything that a query finds, in an order of its own: by name, by age, or the best first (catalog.md 4.1, 4.2)."""

from dataclasses import dataclass
from itertools import product

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import IllegalQuery
from jupyter_colophon.core.holding import UNDECLARED
from jupyter_colophon.core.listing import Listed, ListQuestion
from jupyter_colophon.core.names import Identity, Urn
from jupyter_colophon.core.query import Query, parse_query
from jupyter_colophon.core.search import SearchQuestion
from jupyter_colophon.core.terms import fold, value_rows
from jupyter_colophon.core.urn import encoded
from jupyter_colophon.service.search import Found, Searcher, fits
from jupyter_colophon.storage import aspects
from jupyter_colophon.storage.spi import Match, Range, TableContext

#: No answer lists more (native.md, rules).
LISTED_MAX = 10_000
#: The entity types of the kinds of entity that people look for; every other kind is a custom one.
_TYPES = {"dataset": "dataset", "stream": "dataset", "dataFlow": "dataFlow", "dataJob": "dataJob"}
_TYPES |= {"schemaField": "schemaField", "namespace": "namespace"}
#: Custom kinds that everybody knows, also where there is none yet (catalog.md 4.1).
_KNOWN = frozenset({"artifact", "plugin", "schedule", "view"})
#: What is found where no kind is asked for.
_OF_ALL = frozenset({"dataset", "dataFlow", "dataJob"})


@dataclass(frozen=True, slots=True)
class Lister:
    """Answers lists."""

    searcher: Searcher
    identity: Identity

    def find(self, question: ListQuestion, principal: Principal) -> Listed:
        """A part of what fits, in order. Raises IllegalQuery."""
        query = parse_query(question.text)
        return self.searcher.provider.tx_runner.run(
            lambda tx: self._listed(tx, question, query, principal), read_only=True
        )

    def _listed(self, tx: TableContext, question: ListQuestion, query: Query, principal: Principal) -> Listed:
        for kind in question.kinds:
            _require_kind(tx, kind)
        found = Found()
        truncated = False
        for asked in _questions(question):
            self.searcher.gather(tx, asked, query, principal, found)
            truncated = truncated or found.capped
        matches = [
            one
            for one in self.searcher.visible(tx, list(found.matches.values()), SearchQuestion(""), principal)
            if self._wanted(one, question)
        ]
        if question.scope:
            matches = [one for one in matches if self._says(tx, one, query, question.scope)]
        ordered = self._ordered(tx, found, matches, question)
        end = min(LISTED_MAX, question.offset + (LISTED_MAX if question.limit is None else question.limit))
        page = ordered[question.offset : end]
        there = aspects.summaries(tx, list(page))
        return Listed(
            tuple(there[urn] for urn in page if urn in there), len(matches), truncated or len(ordered) > LISTED_MAX
        )

    def _wanted(self, match: Match, question: ListQuestion) -> bool:
        urn = Urn.parse(match.urn)
        if question.namespaces and match.namespace not in question.namespaces:
            return False
        if not question.hidden and self.identity.short_name(urn).startswith("_"):
            return False
        kind = self._kind(urn)
        if question.kinds:
            return kind in question.kinds
        return urn.type in _OF_ALL or (question.custom and urn.type in UNDECLARED)

    def _kind(self, urn: Urn) -> str:
        if urn.type == "custom":
            return urn.parts[0]
        return "stream" if urn.type == "dataset" and self.identity.is_stream(urn) else urn.type

    def _says(self, tx: TableContext, match: Match, query: Query, scope: str) -> bool:
        """Whether it is this scope's metadata that fits. A name is the platform's."""
        present = aspects.present(tx, self.searcher.registry, match.type, match.urn)
        rows = [row for one in present.values() for row in value_rows(one.name, one.scope, one.value)]
        if any(row.scope == scope and fits(query, row) for row in rows):
            return True
        return scope == "SYSTEM" and not any(fits(query, row) for row in rows)

    def _ordered(self, tx: TableContext, found: Found, matches: list[Match], question: ListQuestion) -> list[str]:
        if not question.sort:
            return [one.urn for one in found.best(matches, len(matches), by_type=False)]
        if question.sort == "entity-name":
            named = [(fold(self.identity.short_name(Urn.parse(one.urn))), one.urn) for one in matches]
            return [urn for _, urn in sorted(named, reverse=question.descending)]
        there = aspects.summaries(tx, [one.urn for one in matches])
        aged = [(one.created.time, urn) for urn, one in there.items()]
        return [urn for _, urn in sorted(aged, reverse=question.descending)]


def _require_kind(tx: TableContext, kind: str) -> None:
    """Raise IllegalQuery for a kind that is none of ours, and that no custom entity ever had."""
    if kind not in _TYPES and kind not in _KNOWN:
        prefix = f"urn:li:custom:({encoded(kind)},"
        within = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
        if not list(tx.table("entities").scan(within, 1)):
            raise IllegalQuery(f"there is no kind of entity {kind!r}", "target")


def _questions(question: ListQuestion) -> list[SearchQuestion]:
    """One question for each namespace and type, so that none is crowded out where only the newest are ranked."""
    types = dict.fromkeys(_TYPES.get(kind, "custom") for kind in question.kinds)
    spaces = [[("namespace", space)] for space in question.namespaces] or [[]]
    kinds = [[("type", type_)] for type_ in types] or [[]]
    return [SearchQuestion(question.text, (*space, *kind)) for space, kind in product(spaces, kinds)]
