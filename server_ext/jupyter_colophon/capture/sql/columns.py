"""The columns that the columns of a query were computed from.

Names are resolved by the query alone. Where a query selects `*` from several tables, or a column could belong to several, the
sources of the column are unknown.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from jupyter_colophon.capture.column_map import (
    NO_SOURCES,
    UNKNOWN_SOURCES,
    ColumnMap,
    Sources,
    combine_steps,
    compute_from,
)
from jupyter_colophon.capture.observation import Transformation

#: The columns of the data that each table expression of a statement stands for, by its identity; None if they are unknown.
TableColumns: TypeAlias = Mapping[int, ColumnMap | None]


@dataclass(frozen=True, slots=True)
class _Merged:
    """A column that `USING` makes one of the columns of two tables, with the sources of both and of its values."""

    keys: tuple[Sources, ...]
    values: Sources


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
        inputs = {
            name: self._map_source(source)
            for name, (_, source) in scope.selected_sources.items()
            if not _is_unnested(source)
        }
        inner = {id(each.expression): self.map_scope(each) for each in scope.subquery_scopes}
        named = {name: self._map_source(source) for name, source in scope.sources.items()}
        resolver = _Resolver(inputs, inner, named, _map_merged(scope.expression, inputs))
        for name, (_, source) in scope.selected_sources.items():
            if _is_unnested(source):
                inputs[name] = resolver.map_elements(source.expression)
        selects = scope.expression.selects if isinstance(scope.expression, exp.Query) else []
        controls = resolver.find_controls(scope.expression, selects)
        controls = controls.union(*(each.controls for each in inputs.values()))
        found = ColumnMap(None, {}, controls)
        for number, select in enumerate(selects, 1):
            if select.is_star:
                star = _map_star(select, inputs, resolver)
                is_clear = found.whole is None or star.whole is None
                found = ColumnMap(
                    (found.whole or star.whole) if is_clear else None,
                    {**star.columns, **found.columns},
                    found.controls | star.controls | (NO_SOURCES if is_clear else UNKNOWN_SOURCES),
                )
            else:
                found = found.assign({select.alias_or_name or f"column {number}": resolver.find_sources(select)})
        return found

    def _map_source(self, source: exp.Expr | Scope) -> ColumnMap:
        """Return the columns of a table or of an inner query."""
        if isinstance(source, Scope):
            return self.map_scope(source)
        return self._tables.get(id(source)) or ColumnMap(None, {}, UNKNOWN_SOURCES)


class _Resolver:
    """Resolves the columns in the expressions of one query."""

    def __init__(
        self,
        inputs: Mapping[str, ColumnMap],
        inner: Mapping[int, ColumnMap],
        named: Mapping[str, ColumnMap],
        merged: Mapping[str, _Merged],
    ) -> None:
        """Create a resolver of the tables in FROM (`inputs`), the queries in expressions, all names, those of outer queries too, and
        the columns that `USING` makes one of two.
        """
        self._inputs, self._inner, self._named = inputs, inner, named
        self.merged = merged

    def find_sources(self, select: exp.Expr) -> Sources:
        """Return the sources of a selected expression, and how it depends on them."""
        waiting, found = [(select.unalias(), Transformation.IDENTITY)], NO_SOURCES
        while waiting:
            node, how = waiting.pop()
            if isinstance(node, exp.Column):
                found |= compute_from((self._resolve_column(node),), how)
            elif isinstance(node, exp.Query):
                found |= compute_from(self._list_inner(node), combine_steps(how, Transformation.TRANSFORMATION))
            else:
                waiting += [(each, combine_steps(how, step)) for each, step in _list_uses(node)]
        return found

    def map_elements(self, unnest: exp.Expr) -> ColumnMap:
        """Return the columns of `unnest(…)` in FROM, which has the elements of lists of the tables before it."""
        names = unnest.alias_column_names or ["unnest", unnest.alias]
        return ColumnMap(None, dict.fromkeys(names, compute_from(self._iterate_sources(unnest))))

    def find_controls(self, query: exp.Expr, selects: Sequence[exp.Expr]) -> Sources:
        """Return the columns that the clauses of a query use; its clauses may also name the expressions that it selects."""
        found: Sources = NO_SOURCES
        aliases = _map_aliases(selects)
        for clause, transformation in _CONTROLS:
            parts: Any = query.args.get(clause) or []
            for part in parts if isinstance(parts, list) else (parts,):
                if isinstance(part, exp.Join) and isinstance(part.this, exp.Unnest):
                    continue
                named = () if clause in ("where", "joins") else _list_named(part, aliases, selects)
                used = compute_from((*self._iterate_sources(part, aliases), *map(self.find_sources, named)))
                found |= frozenset(replace(each, transformation=transformation) for each in used)
        keys = (each for merged in self.merged.values() for each in merged.keys)
        return found | compute_from(keys, Transformation.JOIN)

    def _iterate_sources(self, expression: exp.Expr, aliases: Collection[str] = ()) -> Iterator[Sources]:
        """Yield the sources of each column of an expression, and those of the queries inside it."""
        for node in expression.walk(prune=lambda each: isinstance(each, exp.Query)):
            if isinstance(node, exp.Column) and not (node.name in aliases and not node.table):
                yield self._resolve_column(node)
            elif isinstance(node, exp.Query):
                yield from self._list_inner(node)

    def _list_inner(self, query: exp.Expr) -> tuple[Sources, ...]:
        known = self._inner.get(id(query.unnest()))
        return (UNKNOWN_SOURCES,) if known is None else (*known.columns.values(), known.controls)

    def _resolve_column(self, column: exp.Column) -> Sources:
        inputs = self._inputs
        if column.table:
            owner = inputs.get(column.table) or self._named.get(column.table)
            return UNKNOWN_SOURCES if owner is None else owner.find_sources(column.name)
        if len(inputs) == 1:
            return next(iter(inputs.values())).find_sources(column.name)
        if column.name in self.merged:
            return self.merged[column.name].values
        owners = [each for each in inputs.values() if column.name in each.columns]
        is_certain = len(owners) == 1 and all(each.whole is None for each in inputs.values())
        return owners[0].find_sources(column.name) if is_certain else UNKNOWN_SOURCES


def _is_unnested(source: exp.Expr | Scope) -> bool:
    return isinstance(source, Scope) and isinstance(source.expression, exp.Unnest)


def _map_merged(query: exp.Expr, inputs: Mapping[str, ColumnMap]) -> dict[str, _Merged]:
    """Return the columns that a query's joins name in `USING`, each with the keys and with what the merged column has."""
    merged: dict[str, _Merged] = {}
    for at, join in enumerate(query.args.get("joins") or (), 1):
        right = inputs.get(join.this.alias_or_name)
        left = next(iter(inputs.values())) if at == 1 and inputs else None
        for name in (each.name for each in join.args.get("using") or ()):
            keys = [UNKNOWN_SOURCES if each is None else each.find_sources(name) for each in (left, right)]
            values = {"RIGHT": keys[1:], "FULL": keys}.get(str(join.side).upper(), keys[:1])
            merged.setdefault(name, _Merged(tuple(keys), NO_SOURCES.union(*values)))
    return merged


def _list_uses(node: exp.Expr) -> list[tuple[exp.Expr, Transformation]]:
    """Return the parts of an expression, and how the expression depends on each."""
    how, step, controls = Transformation.TRANSFORMATION, Transformation.CONDITIONAL, frozenset[str]()
    match node:
        case exp.Window():
            how, step, controls = Transformation.IDENTITY, Transformation.WINDOW, frozenset(node.args) - {"this"}
        case exp.Filter():
            how, step, controls = Transformation.IDENTITY, Transformation.FILTER, frozenset({"expression"})
        case exp.Case() | exp.If():
            controls = frozenset({"this"})
        case exp.AggFunc():
            how = Transformation.AGGREGATION
    return [(each, step if each.arg_key in controls else how) for each in node.iter_expressions()]


def _map_star(star: exp.Expr, inputs: Mapping[str, ColumnMap], resolver: _Resolver) -> ColumnMap:
    """Return the columns of `*` or `t.*`; a column that several tables may have is that of the first one."""
    table = star.table if isinstance(star, exp.Column) else ""
    found = ColumnMap()
    for name, each in inputs.items():
        if table and name != table:
            continue
        is_clear = found.whole is None or each.whole is None
        added = each.columns if found.whole is None else dict.fromkeys(each.columns, UNKNOWN_SOURCES)
        found = ColumnMap(
            (found.whole or each.whole) if is_clear else None,
            {**added, **found.columns},
            found.controls | (NO_SOURCES if is_clear else UNKNOWN_SOURCES),
        )
    merged = {} if table else {name: each.values for name, each in resolver.merged.items()}
    found = found.assign({**merged, **_list_changed(star, resolver)})
    left_out = _list_left_out(star)
    return replace(found, columns={name: each for name, each in found.columns.items() if name not in left_out})


def _list_left_out(star: exp.Expr) -> set[str]:
    """Return the columns of `* EXCLUDE (…)`."""
    options = star.this.args if isinstance(star, exp.Column) else star.args
    # sqlglot renamed the argument.
    return {each.name for each in options.get("except_") or options.get("except") or ()}


def _list_changed(star: exp.Expr, resolver: _Resolver) -> dict[str, Sources]:
    """Return the columns of `* REPLACE (… AS name)` and `* RENAME (column AS name)`."""
    options = star.this.args if isinstance(star, exp.Column) else star.args
    changed = [*(options.get("replace") or ()), *(options.get("rename") or ())]
    return {each.alias: resolver.find_sources(each) for each in changed}


def _create_unknown_map(scope: Scope) -> ColumnMap:
    names = scope.expression.named_selects if isinstance(scope.expression, exp.Query) else []
    return ColumnMap(None, dict.fromkeys(names, UNKNOWN_SOURCES), UNKNOWN_SOURCES)


def _map_aliases(selects: Iterable[exp.Expr]) -> dict[str, exp.Expr]:
    """Return the expressions to which a query gives names: its clauses may use these."""
    aliases = (each for each in selects if isinstance(each, exp.Alias))
    return {each.alias: each for each in aliases if not isinstance(each.this, exp.Column)}


def _list_named(part: exp.Expr, aliases: Mapping[str, exp.Expr], selects: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the selected expressions that a clause refers to, by a name, by their number, or by `ALL`."""
    for node in part.walk(prune=lambda each: isinstance(each, exp.Query)):
        if isinstance(node, exp.Column) and not node.table and node.name in aliases:
            is_own = any(each.name == node.name for each in aliases[node.name].find_all(exp.Column))
            # Outside of ORDER BY, a column of a table comes before an expression of the same name.
            yield node if is_own and not isinstance(part, exp.Order) else aliases[node.name]
    if isinstance(part, exp.Group | exp.Order):
        keys = [each.this if isinstance(each, exp.Ordered) else each for each in part.expressions]
        numbers = [int(each.name) for each in keys if isinstance(each, exp.Literal) and each.name.isdigit()]
        yield from (selects[number - 1] for number in numbers if 0 < number <= len(selects))
        if part.args.get("all") or any(isinstance(each, exp.Var) and each.name.upper() == "ALL" for each in keys):
            yield from (each for each in selects if isinstance(part, exp.Order) or not each.find(exp.AggFunc))
