"""The data and columns of the relations of a Spark Connect plan.

A relation of an unknown kind has the data of those below it, and columns that are not followed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, TypeAlias

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import NO_SOURCES, UNKNOWN_SOURCES, Sources, compute_from
from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import DatasetKind, MissingDetail, Transformation
from jupyter_colophon.capture.origins import Dataset, Source
from jupyter_colophon.capture.sql.statements import SqlStatement
from jupyter_colophon.spark.connect.columns import SparkColumns, create_columns
from jupyter_colophon.spark.connect.expressions import Expressions, RelationData, replace_kind, split_identifier
from jupyter_colophon.spark.connect.locations import FILE_FORMATS
from jupyter_colophon.spark.connect.plan_messages import MAX_RELATIONS, get_kind, list_children, list_relations
from jupyter_colophon.spark.connect.schemas import PlanSchemas
from jupyter_colophon.spark.connect.tables import SessionTables, StatementTables, ViewData

#: Kinds of relations with the rows of their input, or some of them.
_SAME_COLUMNS: Final = (
    *("limit", "offset", "tail", "sample", "sample_by", "repartition", "repartition_by_expression", "hint"),
    *("with_watermark", "collect_metrics", "show_string", "html_string"),
)
#: Kinds of relations with data of the program.
_IN_MEMORY: Final = (
    "local_relation",
    "cached_local_relation",
    "chunked_cached_local_relation",
    "cached_remote_relation",
)
#: Options of Delta and Iceberg for the version that is read.
_VERSIONS: Final = ("versionasof", "snapshot-id")
_SEMI_JOINS: Final = ("JOIN_TYPE_LEFT_SEMI", "JOIN_TYPE_LEFT_ANTI")

Reader: TypeAlias = Callable[["RelationReader", Any, list[RelationData]], RelationData]


class RelationReader:
    """Reads the relations of one plan, which a cell ran."""

    def __init__(self, call: LibraryCall, tables: SessionTables, schemas: PlanSchemas) -> None:
        """Create a reader of what a call ran, that resolves names with the session's tables."""
        self._call, self._tables, self._schemas = call, tables, schemas
        self._subqueries: dict[int, RelationData] = {}
        self._references: dict[str, Source] = {}

    def read_plan(self, root: Any) -> RelationData:
        """Return the data of a relation and the columns that it has."""
        relations = list_relations(root)
        frames: dict[int, RelationData] = {}
        references = {id(each) for one in relations if get_kind(one) == "with_relations" for each in list_children(one)}
        is_large = len(relations) > MAX_RELATIONS
        for relation in relations:
            inputs = [frames[id(each)] for each in list_children(relation)]
            frame = self._read_relation(relation, inputs, is_large=is_large)
            frames[id(relation)] = frame
            if id(relation) in references:
                self._add_reference(relation, frame)
        whole = frames[id(root)]
        return replace(whole, missing=whole.missing | {MissingDetail.COLUMNS}) if is_large else whole

    def _add_reference(self, relation: Any, frame: RelationData) -> None:
        """Remember a relation that the plan names: by a number in expressions, by an alias in SQL."""
        self._subqueries[relation.common.plan_id] = frame
        if get_kind(relation) == "subquery_alias":
            self._references[relation.subquery_alias.alias] = ViewData(frame.sources, frame.columns)

    def _read_relation(self, relation: Any, inputs: list[RelationData], *, is_large: bool) -> RelationData:
        kind = get_kind(relation)
        reader = self._READERS.get(kind, RelationReader._read_unknown)
        if is_large and inputs:
            reader = RelationReader._read_unknown
        frame = reader(self, getattr(relation, kind) if kind else None, inputs)
        if not relation.HasField("common") or is_large:
            return frame
        return replace(frame, by_plan={**frame.by_plan, relation.common.plan_id: frame.columns})

    def _read_unknown(self, message: Any, inputs: list[RelationData]) -> RelationData:
        return _combine(inputs, SparkColumns())

    def _read_empty(self, message: Any, inputs: list[RelationData]) -> RelationData:
        """Read a relation without data of the catalog, such as `range`."""
        return RelationData(columns=SparkColumns(others=NO_SOURCES))

    def _read_catalog(self, message: Any, inputs: list[RelationData]) -> RelationData:
        """Follow a call of `spark.catalog` that changes what names stand for."""
        match message.WhichOneof("cat_type"):
            case "set_current_database":
                self._tables.set_current(database=message.set_current_database.db_name)
            case "set_current_catalog":
                self._tables.set_current(catalog=message.set_current_catalog.catalog_name)
            case "drop_temp_view":
                self._tables.drop_view(message.drop_temp_view.view_name, is_global=False)
            case "drop_global_temp_view":
                self._tables.drop_view(message.drop_global_temp_view.view_name, is_global=True)
        return self._read_empty(message, inputs)

    def _read_memory(self, message: Any, inputs: list[RelationData]) -> RelationData:
        return RelationData(columns=SparkColumns(others=NO_SOURCES), missing=frozenset({MissingDetail.MEMORY}))

    def _read_same_columns(self, message: Any, inputs: list[RelationData]) -> RelationData:
        return inputs[0]

    def _read_read(self, message: Any, inputs: list[RelationData]) -> RelationData:
        if message.WhichOneof("read_type") == "named_table":
            parts = split_identifier(message.named_table.unparsed_identifier)
            sources = self._tables.find_named(tuple(parts))
            return self._create_leaf(message, _add_version(sources, message.named_table.options), parts[-1])
        sources = list_datasets(self._tables, message.data_source)
        return self._create_leaf(message, _add_version(sources, message.data_source.options), "")

    def _create_leaf(self, message: Any, sources: tuple[Source, ...], name: str) -> RelationData:
        if len(sources) != 1:
            missing = frozenset() if sources else frozenset({MissingDetail.SOURCE})
            return RelationData(sources, SparkColumns(), missing=missing)
        columns = SparkColumns(sources[0], names=self._schemas.find_leaf_names(message))
        return RelationData(sources, columns, aliases={name.casefold(): columns} if name else {})

    def _read_sql(self, message: Any, inputs: list[RelationData]) -> RelationData:
        names = StatementTables(self._tables, self._references)
        statement = SqlStatement(self._call, message.query, "spark", names)
        flow = statement.flows[-1] if statement.flows else None
        if flow is None or flow.target is not None:
            return RelationData(missing=frozenset({MissingDetail.SOURCE}))
        is_whole = flow.columns is None or flow.columns.whole is not None
        return RelationData(flow.sources, SparkColumns.from_map(flow.columns, None if is_whole else flow.names))

    def _read_with_relations(self, message: Any, inputs: list[RelationData]) -> RelationData:
        root, *others = inputs
        return replace(_combine([root, *others], root.columns), by_plan=root.by_plan, aliases=root.aliases)

    def _read_project(self, message: Any, inputs: list[RelationData]) -> RelationData:
        if not inputs:
            return self._read_empty(message, inputs)
        (frame,) = inputs
        star = message.expressions[0] if len(message.expressions) == 1 else None
        if (
            star is not None
            and star.WhichOneof("expr_type") == "unresolved_star"
            and not star.unresolved_star.unparsed_target
        ):
            return frame
        outputs = list(self._create_expressions(frame).list_outputs(message.expressions))
        return replace(frame, columns=_collect(outputs, frame.columns.controls))

    def _read_with_columns(self, message: Any, inputs: list[RelationData]) -> RelationData:
        (frame,) = inputs
        expressions = self._create_expressions(frame)
        added = {each.name[0]: expressions.find_sources(each.expr) for each in message.aliases if each.name}
        return replace(frame, columns=frame.columns.add(added))

    def _read_renamed(self, message: Any, inputs: list[RelationData]) -> RelationData:
        (frame,) = inputs
        renames = {each.col_name: each.new_col_name for each in message.renames} or dict(message.rename_columns_map)
        known = {old: new for old, new in renames.items() if frame.columns.has(old) is not False}
        return replace(frame, columns=frame.columns.rename(known))

    def _read_drop(self, message: Any, inputs: list[RelationData]) -> RelationData:
        (frame,) = inputs
        attributes = [each.unresolved_attribute for each in message.columns if each.HasField("unresolved_attribute")]
        names = [split_identifier(each.unparsed_identifier)[-1] for each in attributes]
        return replace(frame, columns=frame.columns.drop([*message.column_names, *names]))

    def _read_to_df(self, message: Any, inputs: list[RelationData]) -> RelationData:
        (frame,) = inputs
        old = frame.columns.names
        if old is None or len(old) != len(message.column_names):
            return replace(frame, columns=SparkColumns(None, {}, frame.columns.controls, tuple(message.column_names)))
        found = {new: frame.columns.find_sources(name) for new, name in zip(message.column_names, old, strict=True)}
        return replace(frame, columns=create_columns(found, [frame.columns.controls], is_complete=True))

    def _read_alias(self, message: Any, inputs: list[RelationData]) -> RelationData:
        (frame,) = inputs
        return replace(frame, aliases={**frame.aliases, message.alias.casefold(): frame.columns})

    def _read_filter(self, message: Any, inputs: list[RelationData]) -> RelationData:
        return self._add_controls(inputs[0], [message.condition], Transformation.FILTER)

    def _read_sort(self, message: Any, inputs: list[RelationData]) -> RelationData:
        return self._add_controls(inputs[0], [each.child for each in message.order], Transformation.SORT)

    def _read_distinct(self, message: Any, inputs: list[RelationData]) -> RelationData:
        return _compare_rows(inputs[0], message.column_names, Transformation.GROUP_BY)

    def _read_complete_rows(self, message: Any, inputs: list[RelationData]) -> RelationData:
        return _compare_rows(inputs[0], message.cols, Transformation.FILTER)

    def _read_changed_values(self, message: Any, inputs: list[RelationData]) -> RelationData:
        """Read a relation that replaces some values, such as missing ones."""
        (frame,) = inputs
        names = list(message.cols)
        if names:
            changed = {each: compute_from([frame.columns.find_sources(each)]) for each in names}
            return replace(frame, columns=frame.columns.add(changed))
        columns = SparkColumns(
            controls=frame.columns.controls,
            names=frame.columns.names,
            parts=(frame.columns,),
            step=Transformation.TRANSFORMATION,
        )
        return replace(frame, columns=columns)

    def _read_join(self, message: Any, inputs: list[RelationData]) -> RelationData:
        left, right = inputs
        both = _combine(inputs, _join_columns(left.columns, right.columns, message.using_columns))
        by_plan = {**left.by_plan, **right.by_plan, **dict.fromkeys(left.by_plan.keys() & right.by_plan.keys())}
        both = replace(both, by_plan=by_plan, aliases={**right.aliases, **left.aliases})
        using = [
            replace_kind(each.columns.find_sources(name), Transformation.JOIN)
            for each in inputs
            for name in message.using_columns
        ]
        conditions = [message.join_condition] if message.HasField("join_condition") else []
        controls = self._create_expressions(both).find_controls(conditions, Transformation.JOIN)
        if _get_enum_name(message, "join_type") in _SEMI_JOINS:
            both = replace(both, columns=_add_controls(left.columns, [right.columns.controls]))
        return replace(both, columns=_add_controls(both.columns, [controls, *using]))

    def _read_union(self, message: Any, inputs: list[RelationData]) -> RelationData:
        first, other = (each.columns for each in inputs)
        controls = first.controls | other.controls
        if _get_enum_name(message, "set_op_type") != "SET_OP_TYPE_UNION":
            compared = _compare_rows(_combine(inputs, other), (), Transformation.FILTER)
            return replace(compared, columns=_add_controls(first, [compared.columns.controls]))
        if message.by_name:
            names = None
            if first.names is not None and other.names is not None:
                names = (*first.names, *(each for each in other.names if not first.has(each)))
            return _combine(inputs, SparkColumns(controls=controls, names=names, parts=(first, other)))
        if first.names is None or other.names is None or len(first.names) != len(other.names):
            return _combine(inputs, SparkColumns(controls=controls, names=first.names))
        found = {
            name: first.find_sources(name) | other.find_sources(same)
            for name, same in zip(first.names, other.names, strict=True)
        }
        return _combine(inputs, create_columns(found, [controls], is_complete=True))

    def _read_aggregate(self, message: Any, inputs: list[RelationData]) -> RelationData:
        (frame,) = inputs
        groups = self._create_expressions(frame)
        outputs = list(groups.list_outputs(message.grouping_expressions))
        results = list(
            Expressions(frame, self._subqueries, is_aggregate=True).list_outputs(message.aggregate_expressions)
        )
        controls = frame.columns.controls | groups.find_controls(message.grouping_expressions, Transformation.GROUP_BY)
        if message.HasField("pivot"):
            by = groups.find_controls([message.pivot.col], Transformation.CONDITIONAL)
            columns = replace(
                _collect([*outputs, (None, by)], controls), others=by.union(*(each for _, each in results))
            )
        else:
            columns = _collect([*outputs, *results], controls)
        return replace(frame, columns=columns, by_plan={}, aliases={})

    def _read_unpivot(self, message: Any, inputs: list[RelationData]) -> RelationData:
        """Read rows of which each has a name and a value of one of several columns: by default of all but the ids."""
        (frame,) = inputs
        expressions = self._create_expressions(frame)
        outputs = list(expressions.list_outputs(message.ids))
        if message.HasField("values"):
            values = [sources for _, sources in expressions.list_outputs(message.values.values)]
        elif frame.columns.names is not None:
            ids = {name.casefold() for name, _ in outputs if name is not None}
            names = (name for name in frame.columns.names if name.casefold() not in ids)
            values = [frame.columns.find_sources(name) for name in names]
        else:
            values = [UNKNOWN_SOURCES]
        outputs += [(message.variable_column_name, NO_SOURCES), (message.value_column_name, compute_from(values))]
        return replace(frame, columns=_collect(outputs, frame.columns.controls), by_plan={}, aliases={})

    def _read_function(self, message: Any, inputs: list[RelationData]) -> RelationData:
        """Read the result of a Python function of rows: each of its columns may be made from all of the input."""
        frame = _combine(inputs, SparkColumns())
        names = [(each.columns, each.columns.names) for each in inputs]
        if any(every is None for _, every in names):
            return frame
        sources = compute_from(columns.find_sources(name) for columns, every in names for name in every or ())
        return replace(frame, columns=SparkColumns(controls=frame.columns.controls, others=sources))

    def _add_controls(self, frame: RelationData, expressions: Iterable[Any], kind: Transformation) -> RelationData:
        controls = self._create_expressions(frame).find_controls(expressions, kind)
        return replace(frame, columns=_add_controls(frame.columns, [controls]))

    def _create_expressions(self, frame: RelationData) -> Expressions:
        return Expressions(frame, self._subqueries)

    _READERS: ClassVar[Mapping[str, Reader]] = {
        "read": _read_read,
        "sql": _read_sql,
        "with_relations": _read_with_relations,
        "project": _read_project,
        "with_columns": _read_with_columns,
        "with_columns_renamed": _read_renamed,
        "drop": _read_drop,
        "to_df": _read_to_df,
        "subquery_alias": _read_alias,
        "filter": _read_filter,
        "drop_na": _read_complete_rows,
        "sort": _read_sort,
        "deduplicate": _read_distinct,
        "fill_na": _read_changed_values,
        "join": _read_join,
        "set_op": _read_union,
        "aggregate": _read_aggregate,
        "unpivot": _read_unpivot,
        "range": _read_empty,
        "catalog": _read_catalog,
        **dict.fromkeys(_IN_MEMORY, _read_memory),
        **dict.fromkeys(_SAME_COLUMNS, _read_same_columns),
        **dict.fromkeys(("map_partitions", "group_map", "co_group_map"), _read_function),
    }


def list_datasets(tables: SessionTables, message: Any) -> tuple[Source, ...]:
    """Return the data that a reader or writer names by format, paths and options; empty if they do not name it."""
    format_, options = message.format.lower(), {key.lower(): value for key, value in message.options.items()}
    return find_datasets(tables, format_, tuple(message.paths) or tuple(filter(None, (options.get("path"),))), options)


def find_datasets(
    tables: SessionTables, format_: str, paths: tuple[str, ...], options: Mapping[str, str]
) -> tuple[Source, ...]:
    """Return the data of a format by its paths and options, whose names are in lower case."""
    if format_ == "jdbc":
        urn = dataset_names.build_jdbc_urn(options.get("url", ""), options.get("dbtable", "").strip())
        return (Dataset(DatasetKind.JDBC, urn=urn, format="jdbc"),) if urn and options.get("dbtable") else ()
    if format_ == "kafka":
        names = (options.get("subscribe") or options.get("topic") or "").split(",")
        urns = (dataset_names.build_dataset_urn("kafka", name.strip()) for name in names if name.strip())
        return tuple(Dataset(DatasetKind.TOPIC, urn=urn, format="kafka") for urn in urns if urn)
    if format_ == "iceberg" and len(paths) == 1 and "/" not in paths[0]:
        return tables.find_named(tuple(split_identifier(paths[0])))
    if format_ in FILE_FORMATS or format_ in ("", "iceberg"):
        return tables.files.list_datasets(paths, format_ or None) or ()
    return ()


def _add_version(sources: tuple[Source, ...], options: Mapping[str, str]) -> tuple[Source, ...]:
    """Return a table with the version that options ask for by its number."""
    version = next((value for key, value in options.items() if key.lower() in _VERSIONS), "")
    if not version.isdecimal():
        return sources
    return tuple(replace(each, version=version) if isinstance(each, Dataset) else each for each in sources)


def _combine(inputs: Iterable[RelationData], columns: SparkColumns) -> RelationData:
    """Return a frame with the data of several others."""
    inputs = tuple(inputs)
    return RelationData(
        tuple(dict.fromkeys(source for each in inputs for source in each.sources)),
        columns,
        missing=frozenset().union(*(each.missing for each in inputs)),
    )


def _collect(outputs: Iterable[tuple[str | None, Sources]], controls: Sources) -> SparkColumns:
    """Return selected columns; those without a known name are not followed."""
    outputs = tuple(outputs)
    found = {name: sources for name, sources in outputs if name is not None}
    return create_columns(found, [controls], is_complete=len(found) == len(outputs))


def _add_controls(columns: SparkColumns, controls: Iterable[Sources]) -> SparkColumns:
    return replace(columns, controls=columns.controls.union(*controls))


def _compare_rows(frame: RelationData, names: Iterable[str], kind: Transformation) -> RelationData:
    """Return a frame whose rows depend on the values of some columns, by default of all."""
    every = tuple(names) or frame.columns.names
    sources = [UNKNOWN_SOURCES] if every is None else [frame.columns.find_sources(each) for each in every]
    return replace(frame, columns=_add_controls(frame.columns, [replace_kind(each, kind) for each in sources]))


def _join_columns(left: SparkColumns, right: SparkColumns, using: Iterable[str]) -> SparkColumns:
    """Return the columns of both sides. If the names of only one are known, all others belong to the other one: Spark accepts no ambiguous name."""
    controls = left.controls | right.controls
    folded = {name.casefold() for name in using}
    if left.names is not None and right.names is not None:
        rest = [name for name in right.names if name.casefold() not in folded]
        found = {name: right.find_sources(name) for name in rest} | {n: left.find_sources(n) for n in left.names}
        ordered = {name: found[name] for name in (*left.names, *rest)}
        return create_columns(ordered, [controls], is_complete=len(ordered) == len(left.names) + len(rest))
    known, other = (left, right) if left.names is not None else (right, left)
    if known.names is None or folded:
        return SparkColumns(controls=controls)
    added = {name: known.find_sources(name) for name in known.names}
    return replace(other.add(added), controls=controls, names=None)


def _get_enum_name(message: Any, field: str) -> str:
    """Return the name of an enumeration's value; "" for a value of a later version."""
    value = message.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number.get(getattr(message, field))
    return value.name if value is not None else ""
