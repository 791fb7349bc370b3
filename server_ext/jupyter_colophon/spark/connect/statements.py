"""The queries and commands of a Spark Connect client, as flows of data."""

import copy
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final

from jupyter_colophon.capture.calls import DeferredFlows, Flow, LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.observation import DatasetKind, MissingDetail, SchemaField, StreamProgress
from jupyter_colophon.capture.origins import Dataset, Query, Source
from jupyter_colophon.capture.sql.statements import SqlStatement
from jupyter_colophon.spark.connect.expressions import RelationData, split_identifier
from jupyter_colophon.spark.connect.plan_messages import get_kind, get_root
from jupyter_colophon.spark.connect.relations import RelationReader, find_datasets
from jupyter_colophon.spark.connect.schemas import PlanSchemas
from jupyter_colophon.spark.connect.streams import build_started_progress
from jupyter_colophon.spark.connect.tables import SessionTables, StatementTables, ViewData

#: Relations that a statement of SQL returns if it is a query, which did not run yet.
_QUERIES: Final = ("sql", "with_relations")
#: Errors of statements that Spark refused because of what they would have written.
_TAKEN: Final = "ALREADY_EXISTS"


class PlanQuery(Query):
    """The rows of a query: what its plan reads."""

    def __init__(self, plan: Any, reader: RelationReader) -> None:
        """Create the query of a plan."""
        self._plan, self._reader = plan, reader

    @cached_property
    def frame(self) -> RelationData:
        """Return what the plan reads; nothing is known of a compressed plan."""
        root = get_root(self._plan)
        return (
            RelationData(missing=frozenset({MissingDetail.EXECUTION})) if root is None else self._reader.read_plan(root)
        )

    def list_sources(self) -> tuple[Source, ...]:
        """Return the data that the rows came from."""
        return self.frame.sources

    def get_columns(self) -> ColumnMap | None:
        """Return the sources of the columns."""
        return self.frame.columns


class _ClientFlows(DeferredFlows):
    """The flows of one call of the client."""

    def __init__(self, call: LibraryCall, function: str, tables: SessionTables, schemas: PlanSchemas) -> None:
        self.function = function
        self._tables, self._schemas = tables, schemas
        self._execution, self._time_ms = call.execution, call.time_ms
        self._error = "" if call.error is None else get_error_condition_or_class(call.error)
        self._is_refused = is_refused(call.error, self._error)
        self._call = _copy_without_values(call)
        self._reader = RelationReader(self._call, tables, schemas)

    def _create_flow(
        self,
        frame: RelationData,
        target: Dataset | None,
        *,
        fields: tuple[SchemaField, ...] | None = None,
        missing: Iterable[str] = (),
        stream: StreamProgress | None = None,
    ) -> Flow:
        return Flow(
            self._execution,
            self._time_ms,
            self.function,
            frame.sources,
            target,
            fields,
            frame.columns,
            error=self._error,
            names=frame.columns.names or (),
            missing=tuple(dict.fromkeys((*sorted(frame.missing), *missing))),
            stream=stream,
        )


class QueryFlows(_ClientFlows):
    """What a query reads whose rows the program gets."""

    def __init__(
        self, call: LibraryCall, function: str, plan: Any, tables: SessionTables, schemas: PlanSchemas
    ) -> None:
        """Create the flows of a query."""
        super().__init__(call, function, tables, schemas)
        self.query = self._plan = PlanQuery(plan, self._reader)

    def list_flows(self) -> Iterator[Flow]:
        """Yield what the query reads; nothing if Spark refused it, or if it has only data of the program."""
        if self._is_refused:
            return
        frame = self._plan.frame
        missing = frame.missing - {MissingDetail.MEMORY}
        if frame.sources or missing:
            yield Flow(
                self._execution,
                self._time_ms,
                self.function,
                frame.sources,
                error=self._error,
                missing=tuple(sorted(missing)),
            )


class CommandFlows(_ClientFlows):
    """What a command reads and writes."""

    def __init__(self, call: LibraryCall, command: Any, tables: SessionTables, schemas: PlanSchemas) -> None:
        """Create the flows of a command."""
        kind = command.WhichOneof("command_type") or ""
        super().__init__(call, _FUNCTIONS.get(kind, kind), tables, schemas)
        self.query = ViewData((), None)
        self._command: Any = getattr(command, kind) if kind else None
        self._kind = kind
        self._is_query = _is_query(call)
        started = get_started_stream(call)
        self._stream = None if started is None else build_started_progress(started, call.time_ms)

    def list_flows(self) -> Iterable[Flow]:
        """Yield what the command moved; nothing for commands that move no data."""
        if self._is_refused:
            return ()
        command = self._command
        match self._kind:
            case "write_operation" | "write_operation_v2":
                return self._list_write_flows(command)
            case "write_stream_operation_start":
                return self._list_stream_flows(command)
            case "merge_into_table_command":
                return self._list_merge_flows(command)
            case "sql_command":
                return self._list_sql_flows(command)
            case "create_dataframe_view" if not self._error:
                frame = self._reader.read_plan(command.input)
                self._tables.put_view(command.name, ViewData(frame.sources, frame.columns), is_global=command.is_global)
            case "ml_command":
                return self._list_model_flows(command)
        return ()

    def _list_write_flows(self, command: Any) -> Iterator[Flow]:
        frame = self._reader.read_plan(command.input)
        target = self._find_target(command)
        if target is not None:
            self._tables.forget_columns(target)
        fields = self._schemas.find_written_fields()
        yield self._create_flow(frame, target, fields=fields, missing=() if target else (MissingDetail.SINK,))

    def _find_target(self, command: Any) -> Dataset | None:
        """Return the table or files that a writer names."""
        if self._kind == "write_operation_v2":
            return self._tables.find_table(tuple(split_identifier(command.table_name)))
        if command.WhichOneof("save_type") == "table":
            return self._tables.find_table(tuple(split_identifier(command.table.table_name)))
        return self._find_sink(command.source.lower(), command.path, command.options)

    def _list_stream_flows(self, command: Any) -> Iterator[Flow]:
        frame = self._reader.read_plan(command.input)
        if command.table_name:
            target = self._tables.find_table(tuple(split_identifier(command.table_name)))
        else:
            target = self._find_sink(command.format.lower(), command.path, command.options)
        is_function = command.HasField("foreach_batch") or command.HasField("foreach_writer")
        missing = MissingDetail.STREAM_FUNCTION if is_function else MissingDetail.SINK
        fields = self._schemas.find_written_fields()
        yield self._create_flow(frame, target, fields=fields, missing=() if target else (missing,), stream=self._stream)

    def _find_sink(self, format_: str, path: str, options: Any) -> Dataset | None:
        folded = {key.lower(): value for key, value in options.items()}
        path = path or folded.get("path", "")
        found = find_datasets(self._tables, format_, (path,) if path else (), folded)
        return found[0] if len(found) == 1 and isinstance(found[0], Dataset) else None

    def _list_merge_flows(self, command: Any) -> Iterator[Flow]:
        frame = self._reader.read_plan(command.source_table_plan)
        target = self._tables.find_table(tuple(split_identifier(command.target_table_name)))
        # Which columns are merged depends on the columns of the table, and of conditions.
        yield self._create_flow(RelationData(frame.sources, missing=frame.missing), target)

    def _list_model_flows(self, command: Any) -> Iterator[Flow]:
        kind = command.WhichOneof("command")
        if kind not in ("write", "read"):
            return
        path = command.write.path if kind == "write" else command.read.path
        found = self._tables.files.list_datasets((path,), "mllib")
        model = found[0] if found else None
        if not isinstance(model, Dataset):
            yield self._create_flow(
                RelationData(), None, missing=(MissingDetail.SINK if kind == "write" else MissingDetail.SOURCE,)
            )
            return
        model = Dataset(DatasetKind.MODEL, model.location, format="mllib")
        if kind == "write":
            yield self._create_flow(RelationData(), model, missing=(MissingDetail.MODEL,))
        else:
            yield self._create_flow(RelationData((model,)), None)

    def _list_sql_flows(self, command: Any) -> Iterator[Flow]:
        """Yield what a statement moved. A query is only checked by Spark, and runs with an action."""
        if self._is_query:
            return
        text, references = self._read_sql_input(command)
        self._tables.has_unseen = False
        tables = StatementTables(self._tables, references)
        statement = SqlStatement(self._call, text, "spark", tables)
        for flow in statement.flows:
            if flow.target is not None:
                self._tables.forget_columns(flow.target)
                yield Flow(
                    self._execution,
                    self._time_ms,
                    self.function,
                    flow.sources,
                    flow.target,
                    columns=flow.columns,
                    error=self._error,
                    names=flow.names,
                )
        if tables.dropped or tables.created:
            yield Flow(
                self._execution, self._time_ms, self.function, (), dropped=tables.dropped, created=tables.created
            )
        if self._tables.has_unseen or not statement.is_parsed:
            yield Flow(self._execution, self._time_ms, self.function, (), missing=(MissingDetail.STATEMENT,))

    def _read_sql_input(self, command: Any) -> tuple[str, dict[str, Source]]:
        """Return the text of a statement, and the DataFrames that it names."""
        if not command.HasField("input"):
            return command.sql, {}
        relation = command.input
        references: dict[str, Source] = {}
        if get_kind(relation) == "with_relations":
            for each in relation.with_relations.references:
                frame = self._reader.read_plan(each)
                references[each.subquery_alias.alias] = ViewData(frame.sources, frame.columns)
            relation = relation.with_relations.root
        return relation.sql.query, references


#: The names of commands in runs, as those of classic sessions.
_FUNCTIONS: Final = {
    "write_operation": "save",
    "write_operation_v2": "save",
    "write_stream_operation_start": "stream",
    "merge_into_table_command": "merge",
    "sql_command": "sql",
    "ml_command": "model",
}


def _copy_without_values(call: LibraryCall) -> LibraryCall:
    """Return a call without the rows that it returned, which may be remembered as long as something is computed from them."""
    copied = copy.copy(call)
    copied.args, copied.kwargs, copied.result, copied.flows, copied.inner = (), {}, None, [], []
    return copied


def _is_query(call: LibraryCall) -> bool:
    """Return whether a statement of SQL is a query, for which the server returns it again, unexecuted."""
    relation = _get_answer(call, "sql_command_result")
    return relation is not None and get_kind(relation) in _QUERIES


def get_started_stream(call: LibraryCall) -> Any:
    """Return the server's answer to a command that started a stream; None of another command, or if it failed."""
    return _get_answer(call, "write_stream_operation_start_result")


def _get_answer(call: LibraryCall, name: str) -> Any:
    properties = call.result[1] if isinstance(call.result, tuple) and len(call.result) > 1 else None
    return properties.get(name) if isinstance(properties, dict) else None


def get_error_condition_or_class(error: BaseException) -> str:
    """Return Spark's error condition (`PATH_ALREADY_EXISTS`), or the exception's class."""
    get_condition = getattr(error, "getCondition", None)
    return (get_condition() if get_condition is not None else None) or type(error).__name__


def is_refused(error: BaseException | None, condition: str) -> bool:
    """Return whether Spark refused a plan before it ran, for example because of an unknown name."""
    from pyspark.errors import AnalysisException, ParseException

    return isinstance(error, AnalysisException | ParseException) and not condition.endswith(_TAKEN)
