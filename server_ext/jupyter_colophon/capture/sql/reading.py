"""What a parsed SQL statement reads and writes. Imports sqlglot."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.origins import Dataset, Origin, Source, get_columns_for, list_sources
from jupyter_colophon.capture.sql.columns import QueryColumns
from jupyter_colophon.capture.sql.statements import SqlFlow, parse_table_name
from jupyter_colophon.capture.sql.tables import Database, TableName


@dataclass(frozen=True, slots=True)
class _Table:
    """The data that a table expression stands for; `columns` is None if they are unknown."""

    sources: tuple[Source, ...]
    columns: ColumnMap | None


class StatementReader:
    """Reads the statements of one text, which a cell ran, one after the other."""

    def __init__(self, database: Database, execution: object | None, time_ms: int) -> None:
        """Create a reader that resolves names with `database`."""
        self._database, self._execution, self._time_ms = database, execution, time_ms

    def read_statement(self, tree: exp.Expr) -> Iterator[SqlFlow]:
        """Yield what a statement reads and writes; nothing for statements that move no data."""
        match tree:
            case exp.Query():
                yield self._read_query(tree)
            case exp.Create() if tree.kind in ("TABLE", "VIEW") and isinstance(tree.expression, exp.Query):
                yield from self._read_create(tree)
            case exp.Insert() | exp.Merge() | exp.Update() | exp.Delete():
                yield from self._read_change(tree)
            case exp.Copy():
                yield from self._read_copy(tree)
            case exp.Drop() if isinstance(tree.this, exp.Table):
                self._database.put_local_table(parse_table_name(tree.this), None)
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
        return _Table(sources, get_columns_for(only, self._execution) if isinstance(only, Origin) else ColumnMap(only))

    def _list_sources(self, source: Source) -> tuple[Source, ...]:
        return list_sources(source, self._execution) if isinstance(source, Origin) else (source,)

    def _put_local_table(self, name: TableName, sources: tuple[Source, ...], columns: ColumnMap | None) -> None:
        """Remember the data of a table that ends with the connection: it is a value of the cell."""
        origin = Origin(self._execution, self._time_ms, sources, columns, name=name.name)
        self._database.put_local_table(name, origin)

    def _read_create(self, tree: exp.Create) -> Iterator[SqlFlow]:
        """Yield the flow into a created table; what ends with the connection becomes a step of later statements."""
        table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        query, name = self._read_query(tree.expression), parse_table_name(table)
        is_temporary = any(isinstance(each, exp.TemporaryProperty) for each in tree.find_all(exp.Property))
        target = None if is_temporary else self._database.find_target(name)
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
            _move_parts(tree, tree.expression)
            query = self._read_query(tree.expression)
            columns = _rename_inserted(tree, query)
            sources = query.sources
        else:
            tables = self._find_tables(tree)
            tables.pop(id(owner), None)
            sources = _merge_sources(tables)
            columns = None if sources else ColumnMap()
        if target is None:
            self._put_local_table(name, tuple(dict.fromkeys((*self._find_table(name).sources, *sources))), None)
        yield SqlFlow(sources, target, columns, tuple(columns.columns) if columns is not None else ())

    def _read_copy(self, tree: exp.Copy) -> Iterator[SqlFlow]:
        """Yield the flow of `COPY … TO 'file'` or `COPY … FROM 'file'`."""
        paths = tuple(each.name for each in tree.args.get("files") or () if isinstance(each, exp.Literal | exp.Table))
        files = tuple(file for path in paths for file in self._database.find_sources(TableName(name=path)) or ())
        if not files:
            return
        if tree.args.get("kind"):
            table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            name = parse_table_name(table)
            target = self._database.find_target(name)
            if target is None:
                self._put_local_table(name, files, None)
            yield SqlFlow(files, target, None)
            return
        query = tree.this.this if isinstance(tree.this, exp.Subquery) else tree.this
        if isinstance(query, exp.Query):
            flow = self._read_query(query)
        else:
            table_data = self._find_table(parse_table_name(query))
            flow = SqlFlow(table_data.sources, None, table_data.columns)
        for file in files:
            if isinstance(file, Dataset):
                yield SqlFlow(flow.sources, file, flow.columns, flow.names)


def _is_part_of_statement(table: exp.Table) -> bool:
    """Return whether a name is that of a part (`WITH name AS …`), which hides a table; in the part itself, only if it is recursive."""
    if table.db:
        return False
    name, node = table.name.lower(), table.parent
    inside = None
    while node is not None:
        if isinstance(node, exp.CTE):
            inside = node
        parts = _get_with(node)
        if parts is not None:
            names = [each for each in parts.expressions if each.alias.lower() == name]
            if any(each is not inside or parts.recursive for each in names):
                return True
        node = node.parent
    return False


def _get_with(node: exp.Expr) -> exp.With | None:
    # sqlglot renamed the argument.
    found = node.args.get("with_") or node.args.get("with")
    return found if isinstance(found, exp.With) else None


def _move_parts(tree: exp.Insert, query: exp.Query) -> None:
    """Give the parts of `WITH … INSERT … SELECT` to the query, which is the one that uses them."""
    parts = _get_with(tree)
    if parts is not None and _get_with(query) is None:
        query.set("with_" if "with_" in tree.args else "with", parts.pop())


def _merge_sources(tables: Mapping[int, _Table]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source for table in tables.values() for source in table.sources))


def _rename_inserted(tree: exp.Insert, query: SqlFlow) -> ColumnMap | None:
    """Return the columns of an INSERT, which names the columns that it fills or fills those of the table in their order."""
    if not isinstance(tree.this, exp.Schema) or query.columns is None:
        # Without a list, names of the query need not be those of the table.
        return None
    names = [each.name for each in tree.this.expressions]
    if len(names) != len(query.names):
        return None
    return query.columns.select(dict(zip(names, query.names, strict=True)))
