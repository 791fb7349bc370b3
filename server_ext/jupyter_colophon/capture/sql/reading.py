"""What a parsed SQL statement reads and writes. Imports sqlglot."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from jupyter_colophon.capture.column_map import ColumnMap, ColumnSource
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset, FileGroup, Origin, Query, Source, get_columns_for, list_sources
from jupyter_colophon.capture.sql.columns import QueryColumns
from jupyter_colophon.capture.sql.statements import SqlFlow, list_dropped_names, parse_table_name
from jupyter_colophon.capture.sql.tables import Database, TableName
from jupyter_colophon.capture.sql.trees import get_with


@dataclass(frozen=True, slots=True)
class _Table:
    """The data that a table expression stands for; `columns` is None if they are unknown."""

    sources: tuple[Source, ...]
    columns: ColumnMap | None


class StatementReader:
    """Reads the statements of one text, which a cell ran, one after the other."""

    def __init__(self, database: Database, execution: object | None, time_ms: int, *, has_failed: bool = False) -> None:
        """Create a reader that resolves names with `database`; statements that failed change nothing."""
        self._database, self._execution, self._time_ms = database, execution, time_ms
        self._has_failed = has_failed

    def read_statement(self, tree: exp.Expr) -> Iterator[SqlFlow]:
        """Yield what a statement reads and writes; nothing for statements that move no data."""
        match tree:
            case exp.Query():
                yield self._read_query(tree)
            case exp.Create() if tree.kind in ("TABLE", "VIEW") and isinstance(tree.expression, exp.Query):
                yield from self._read_create(tree)
            case exp.Create() if tree.kind == "TABLE" and isinstance(tree.this, exp.Schema):
                self._read_empty(tree)
            case exp.Insert() | exp.Merge() | exp.Update() | exp.Delete():
                yield from self._read_change(tree)
            case exp.Copy():
                yield from self._read_copy(tree)
            case _ if self._has_failed:
                return
            case exp.Drop():
                self._database.run_command(tree)
                self._forget_dropped(tree)
            case _:
                self._database.run_command(tree)

    def _read_query(self, query: exp.Query) -> SqlFlow:
        """Return what a query reads, with the columns of its result."""
        scopes, tables = list(traverse_scope(query)), self._find_tables(query)
        columns = QueryColumns({key: table.columns for key, table in tables.items()}).map_scope(scopes[-1])
        return SqlFlow(_merge_sources(tables), None, columns, tuple(columns.columns))

    def _find_tables(self, tree: exp.Expr) -> dict[int, _Table]:
        """Return the data of the table expressions of a statement, by identity, without those that name its own parts."""
        tables = [table for table in tree.find_all(exp.Table) if not _is_part_of_statement(table)]
        return {id(table): self._find_table(parse_table_name(table)) for table in tables}

    def _find_table(self, name: TableName) -> _Table:
        known = self._database.find_sources(name)
        if not known:
            return _Table((), None if known is None else ColumnMap())
        sources = tuple(dict.fromkeys(each for source in known for each in self._list_sources(source)))
        if len(known) > 1:
            return _Table(sources, None)
        (only,) = known
        if isinstance(only, Origin) and not only.sources:
            # A table that was created without rows.
            return _Table((), ColumnMap())
        return _Table(sources, self._map_columns(only))

    def _map_columns(self, source: Source) -> ColumnMap | None:
        """Return the columns of data, with their names where they are known."""
        if isinstance(source, FileGroup):
            return ColumnMap(source)
        if isinstance(source, Query):
            # With the columns of a view, unqualified names of the statement can be resolved.
            return source.get_columns()
        if not isinstance(source, Origin):
            return ColumnMap(source)
        own = _resolve_query(source.columns)
        if source.execution is self._execution:
            return own
        if own is None or own.whole is not None:
            return get_columns_for(source, self._execution)
        return ColumnMap(None, {name: frozenset((ColumnSource(source, name),)) for name in own.columns})

    def _list_sources(self, source: Source) -> tuple[Source, ...]:
        return list_sources(source, self._execution) if isinstance(source, Origin) else (source,)

    def _put_local_table(self, name: TableName, sources: tuple[Source, ...], columns: ColumnMap | None) -> None:
        """Remember the data of a table that ends with the connection: it is a value of the cell."""
        origin = Origin(self._execution, self._time_ms, sources, columns, name=name.name)
        if not self._has_failed:
            self._database.put_local_table(name, origin)

    def _read_empty(self, tree: exp.Create) -> None:
        """Remember a table that is created without rows: its data if it ends with the connection."""
        name = parse_table_name(tree.this.this)
        if self._find_created(tree, name) is None:
            self._put_local_table(name, (), ColumnMap())
        elif not self._has_failed:
            self._database.run_command(tree)

    def _forget_dropped(self, tree: exp.Drop) -> None:
        for name in list_dropped_names(tree):
            self._database.put_local_table(name, None)

    def _find_created(self, tree: exp.Create, name: TableName) -> Dataset | None:
        is_temporary = any(isinstance(each, exp.TemporaryProperty) for each in tree.find_all(exp.Property))
        return None if is_temporary else self._database.find_target(name)

    def _read_create(self, tree: exp.Create) -> Iterator[SqlFlow]:
        """Yield the flow into a created table; what ends with the connection becomes a step of later statements."""
        table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        query, name = self._read_query(tree.expression), parse_table_name(table)
        target = self._find_created(tree, name)
        if tree.kind == "VIEW" and target is not None and target.kind is DatasetKind.TABLE:
            target = replace(target, kind=DatasetKind.VIEW)
        if target is None:
            self._put_local_table(name, query.sources, query.columns)
        yield SqlFlow(query.sources, target, query.columns, query.names)

    def _read_change(self, tree: exp.Insert | exp.Merge | exp.Update | exp.Delete) -> Iterator[SqlFlow]:
        """Yield the flow into a table whose rows are inserted or changed."""
        owner = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        if not isinstance(owner, exp.Table):
            return
        name = parse_table_name(owner)
        target = self._database.find_target(name)
        if isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Query):
            query = self._read_query(tree.expression)
            columns = _rename_inserted(tree, query)
            sources = query.sources
        else:
            tables = self._find_tables(tree)
            tables.pop(id(owner), None)
            sources = _merge_sources(tables)
            columns = None if sources else ColumnMap()
            if isinstance(tree, exp.Update) and columns is None:
                columns = self._read_query(_build_query_of_update(tree)).columns
        if target is None:
            known = self._find_table(name)
            merged = tuple(dict.fromkeys((*known.sources, *sources)))
            self._put_local_table(name, merged, _merge_rows(known.columns, columns))
        yield SqlFlow(sources, target, columns, tuple(columns.columns) if columns is not None else ())

    def _read_copy(self, tree: exp.Copy) -> Iterator[SqlFlow]:
        """Yield the flow of `COPY … TO 'file'` or `COPY … FROM 'file'`."""
        paths = tuple(each.name for each in tree.args.get("files") or () if isinstance(each, exp.Literal | exp.Table))
        named = (TableName(function="copy", paths=(path,)) for path in paths)
        files = tuple(file for each in named for file in self._database.find_sources(each) or ())
        if not files:
            return
        if tree.args.get("kind"):
            table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            name = parse_table_name(table)
            target = self._database.find_target(name)
            if target is None:
                self._put_local_table(name, tuple(dict.fromkeys((*self._find_table(name).sources, *files))), None)
            yield SqlFlow(files, target, None)
            return
        query = tree.this.this if isinstance(tree.this, exp.Subquery | exp.Schema) else tree.this
        if isinstance(query, exp.Query):
            flow = self._read_query(query)
        else:
            table_data = self._find_table(parse_table_name(query))
            names = [each.name for each in tree.this.expressions] if isinstance(tree.this, exp.Schema) else None
            flow = SqlFlow(table_data.sources, None, *_choose_columns(table_data.columns, names))
        for file in files:
            if isinstance(file, Dataset):
                yield SqlFlow(flow.sources, file, flow.columns, flow.names)


def _build_query_of_update(tree: exp.Update) -> exp.Select:
    """Return the query whose columns are those that an UPDATE sets, with their values."""
    values = [each for each in tree.expressions if isinstance(each, exp.EQ)]
    query = exp.select(*(exp.alias_(each.expression.copy(), each.this.name) for each in values)).from_(tree.this.copy())
    # sqlglot renamed the argument.
    others = tree.args.get("from_") or tree.args.get("from")
    for other in [] if others is None else [others.this, *others.expressions]:
        query = query.join(other.copy())
    condition = tree.args.get("where")
    return query if condition is None else query.where(condition.this.copy())


def _resolve_query(columns: ColumnMap | None) -> ColumnMap | None:
    """Return the columns of a query's result by their names, instead of by the query."""
    while columns is not None and isinstance(columns.whole, Query) and not columns.columns:
        if isinstance(columns.whole, FileGroup):
            break
        found = columns.whole.get_columns()
        columns = None if found is None else found.add_controls(columns.controls)
    return columns


def _choose_columns(columns: ColumnMap | None, names: list[str] | None) -> tuple[ColumnMap | None, tuple[str, ...]]:
    """Return the columns of a table with the names that are written: by default all."""
    if columns is None:
        return None, ()
    return columns, tuple(columns.columns) if names is None else tuple(names)


def _merge_rows(known: ColumnMap | None, added: ColumnMap | None) -> ColumnMap | None:
    """Return the columns of a table with further rows; None if some are unknown."""
    if known is None or added is None or added.whole is not None:
        return None
    merged = {name: known.find_sources(name) | each for name, each in added.columns.items()}
    return known.assign(merged).add_controls(added.controls)


def _is_part_of_statement(table: exp.Table) -> bool:
    """Return whether a name is that of a part (`WITH name AS …`), which hides a table; in the part itself, only if it is recursive."""
    if table.db:
        return False
    name, node = table.name.lower(), table.parent
    inside = None
    while node is not None:
        if isinstance(node, exp.CTE):
            inside = node
        parts = get_with(node)
        if parts is not None:
            names = [each for each in parts.expressions if each.alias.lower() == name]
            if any(each is not inside or parts.recursive for each in names):
                return True
        node = node.parent
    return False


def _merge_sources(tables: Mapping[int, _Table]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source for table in tables.values() for source in table.sources))


def _rename_inserted(tree: exp.Insert, query: SqlFlow) -> ColumnMap | None:
    """Return the columns of an INSERT, which names the columns that it fills or fills those of the table in their order."""
    if query.columns is None:
        return None
    if not isinstance(tree.this, exp.Schema):
        # Without a list, names of the query need not be those of the table, except with `BY NAME`.
        return query.columns if tree.args.get("by_name") else None
    names = [each.name for each in tree.this.expressions]
    if len(names) != len(query.names):
        return None
    return query.columns.select(dict(zip(names, query.names, strict=True)))
