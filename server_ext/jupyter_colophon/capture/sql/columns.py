"""The columns that the columns of a query were computed from.

Names are resolved by the query alone. Where a query selects `*` from several tables, or a column could belong to several, the
sources of the column are unknown.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from jupyter_colophon.capture.column_map import (
    NO_SOURCES,
    UNKNOWN_SOURCES,
    ColumnMap,
    Sources,
    compute_from,
)
from jupyter_colophon.capture.observation import Transformation

#: The columns of the data that each table expression of a statement stands for, by its identity; None if they are unknown.
TableColumns: TypeAlias = Mapping[int, ColumnMap | None]
#: The clauses of a query whose columns decide about all rows, with the way they do.
_CONTROLS = (
    ("where", Transformation.FILTER),
    ("having", Transformation.FILTER),
    ("qualify", Transformation.FILTER),
    ("group", Transformation.GROUP_BY),
    ("order", Transformation.SORT),
    ("joins", Transformation.JOIN),
)


class QueryColumns:
    """The columns of the queries of one statement."""

    def __init__(self, tables: TableColumns) -> None:
        """Create the columns of a statement whose tables are resolved."""
        self._tables = tables
        self._known: dict[int, ColumnMap] = {}

    def map_scope(self, scope: Scope) -> ColumnMap:
        """Return the sources of the columns that a query selects."""
        key = id(scope)
        if key not in self._known:
            # A recursive query reads itself: what it selects from itself adds nothing.
            self._known[key] = ColumnMap()
            self._known[key] = self._map_union(scope) if scope.set_operation_scopes else self._map_select(scope)
        return self._known[key]

    def _map_union(self, scope: Scope) -> ColumnMap:
        first, *others = (self.map_scope(each) for each in scope.set_operation_scopes)
        if scope.expression.args.get("by_name"):
            return _create_unknown_map(scope)
        names = [list(each.columns) for each in (first, *others)]
        if any(each.whole is not None for each in (first, *others)) or len({len(each) for each in names}) != 1:
            return _create_unknown_map(scope)
        columns = {
            name: frozenset().union(
                first.columns[name], *(other.columns[own[at]] for other, own in zip(others, names[1:], strict=True))
            )
            for at, name in enumerate(names[0])
        }
        return ColumnMap(None, columns, first.controls.union(*(other.controls for other in others)))

    def _map_select(self, scope: Scope) -> ColumnMap:
        inputs = {name: self._map_source(source) for name, (_, source) in scope.selected_sources.items()}
        inner = {id(each.expression): self.map_scope(each) for each in scope.subquery_scopes}
        resolver = _Resolver(inputs, inner, {name: self._map_source(source) for name, source in scope.sources.items()})
        selects = scope.expression.selects if isinstance(scope.expression, exp.Query) else []
        controls = resolver.find_controls(scope.expression, _list_aliases(selects))
        controls = controls.union(*(each.controls for each in inputs.values()))
        if len(selects) == 1 and selects[0].is_star and len(inputs) == 1:
            (only,) = inputs.values()
            return ColumnMap(only.whole, {**only.columns, **_list_changed(selects[0], resolver)}, controls)
        columns: dict[str, Sources] = {}
        for number, select in enumerate(selects, 1):
            if select.is_star:
                columns |= {**_list_star(select, inputs), **_list_changed(select, resolver)}
            else:
                columns[select.alias_or_name or f"column {number}"] = resolver.find_sources(select)
        return ColumnMap(None, columns, controls)

    def _map_source(self, source: exp.Expr | Scope) -> ColumnMap:
        """Return the columns of a table or of an inner query."""
        if isinstance(source, Scope):
            return self.map_scope(source)
        return self._tables.get(id(source)) or ColumnMap(None, {}, UNKNOWN_SOURCES)


class _Resolver:
    """Resolves the columns in the expressions of one query."""

    def __init__(
        self, inputs: Mapping[str, ColumnMap], inner: Mapping[int, ColumnMap], named: Mapping[str, ColumnMap]
    ) -> None:
        """Create a resolver of the tables in FROM (`inputs`), the queries in expressions, and all names, those of outer queries too."""
        self._inputs, self._inner, self._named = inputs, inner, named

    def find_sources(self, select: exp.Expr) -> Sources:
        """Return the sources of a selected expression, and how it depends on them."""
        expression = select.unalias()
        if isinstance(expression, exp.Column):
            return self._resolve_column(expression)
        how = Transformation.TRANSFORMATION
        if expression.find(exp.Window):
            how = Transformation.WINDOW
        elif expression.find(exp.AggFunc):
            how = Transformation.AGGREGATION
        return compute_from(self._iterate_sources(expression), how)

    def find_controls(self, query: exp.Expr, aliases: set[str]) -> Sources:
        """Return the columns that the clauses of a query use; its clauses may also name the expressions that it selects."""
        found: Sources = NO_SOURCES
        for clause, transformation in _CONTROLS:
            parts: Any = query.args.get(clause) or []
            for part in parts if isinstance(parts, list) else (parts,):
                used = compute_from(self._iterate_sources(part, aliases))
                found |= frozenset(replace(each, transformation=transformation) for each in used)
        return found

    def _iterate_sources(self, expression: exp.Expr, aliases: Collection[str] = ()) -> Iterator[Sources]:
        """Yield the sources of each column of an expression, and those of the queries inside it."""
        for node in expression.walk(prune=lambda each: isinstance(each, exp.Query)):
            if isinstance(node, exp.Column) and not (node.name in aliases and not node.table):
                yield self._resolve_column(node)
            elif isinstance(node, exp.Query):
                known = self._inner.get(id(node.unnest()))
                yield from (UNKNOWN_SOURCES,) if known is None else (*known.columns.values(), known.controls)

    def _resolve_column(self, column: exp.Column) -> Sources:
        inputs = self._inputs
        if column.table:
            owner = inputs.get(column.table) or self._named.get(column.table)
            return UNKNOWN_SOURCES if owner is None else owner.find_sources(column.name)
        if len(inputs) == 1:
            return next(iter(inputs.values())).find_sources(column.name)
        owners = [each for each in inputs.values() if column.name in each.columns]
        is_certain = len(owners) == 1 and all(each.whole is None for each in inputs.values())
        return owners[0].find_sources(column.name) if is_certain else UNKNOWN_SOURCES


def _list_star(star: exp.Expr, inputs: Mapping[str, ColumnMap]) -> dict[str, Sources]:
    """Return the columns of `*` or `t.*` whose names are known."""
    table = star.table if isinstance(star, exp.Column) else ""
    chosen = [each for name, each in inputs.items() if not table or name == table]
    return {name: sources for each in chosen for name, sources in each.columns.items()}


def _list_changed(star: exp.Expr, resolver: _Resolver) -> dict[str, Sources]:
    """Return the columns of `* REPLACE (… AS name)` and `* RENAME (column AS name)`."""
    options = star.this.args if isinstance(star, exp.Column) else star.args
    changed = [*(options.get("replace") or ()), *(options.get("rename") or ())]
    return {each.alias: resolver.find_sources(each) for each in changed}


def _create_unknown_map(scope: Scope) -> ColumnMap:
    names = scope.expression.named_selects if isinstance(scope.expression, exp.Query) else []
    return ColumnMap(None, dict.fromkeys(names, UNKNOWN_SOURCES), UNKNOWN_SOURCES)


def _list_aliases(selects: Iterable[exp.Expr]) -> set[str]:
    """Return the names that a query gives to expressions: its clauses may use them."""
    return {each.alias for each in selects if isinstance(each, exp.Alias) and not isinstance(each.this, exp.Column)}
