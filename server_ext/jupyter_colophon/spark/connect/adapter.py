"""What programs read and write through a Spark Connect client.

Every query and command of a session goes through a method of the client, which gets its unresolved plan. Plans are examined
later, on the thread that reports lineage.
"""

import weakref
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.computations import Function
from jupyter_colophon.capture.origins import Origin
from jupyter_colophon.spark.connect.schemas import PlanSchemas, request_schemas
from jupyter_colophon.spark.connect.statements import CommandFlows, QueryFlows, get_started_stream
from jupyter_colophon.spark.connect.streams import StreamStates, build_started_progress
from jupyter_colophon.spark.connect.tables import SessionTables

#: Methods of the client that run a query, with the name of an action: those that return its rows as one object first.
_QUERIES: Final = {"to_pandas": "toPandas", "to_table": "collect", "to_table_as_iterator": "toLocalIterator"}

#: The data that the names of each session stand for, by its client.
_tables: weakref.WeakKeyDictionary[Any, SessionTables] = weakref.WeakKeyDictionary()
#: The running streams of each session, by its client.
_streams: weakref.WeakKeyDictionary[Any, StreamStates] = weakref.WeakKeyDictionary()


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods of the client that run queries and commands."""
    client = module.SparkConnectClient
    requested: dict[int, PlanSchemas] = {}
    for name in (*_QUERIES, "execute_command"):
        # The inner wrapper asks for schemas while the query runs: afterwards, the names may stand for other data.
        adapter.replace_method(client, name, lambda original: _request_before(original, requested))
        adapter.observe_method(client, name, lambda call: _report_call(call, requested, adapter))


def _follow_streams(call: LibraryCall, command: Any, adapter: Adapter) -> None:
    """Follow a stream that a command started, and ask for its state when the program waited for it."""
    kind, client = command.WhichOneof("command_type"), call.receiver
    if kind == "write_stream_operation_start" and call.error is None:
        started = get_started_stream(call)
        if client not in _streams:
            _streams[client] = StreamStates(client, adapter.commit)
        _streams[client].add_stream(started.query_id, build_started_progress(started, call.time_ms))
    elif kind in ("streaming_query_command", "streaming_query_manager_command") and client in _streams:
        _streams[client].request_states()


def _request_before(original: Function, requested: dict[int, PlanSchemas]) -> Function:
    def call(client: Any, *args: Any, **kwargs: Any) -> Any:
        plan = _get_plan(args, kwargs)
        schemas = request_schemas(client, plan)
        if schemas is not None:
            requested[id(plan)] = schemas
        return original(client, *args, **kwargs)

    return call


def _get_plan(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the plan or command of a call without its receiver: it is the first argument."""
    return args[0] if args else kwargs.get("plan", kwargs.get("command"))


def _report_call(call: LibraryCall, requested: dict[int, PlanSchemas], adapter: Adapter) -> None:
    plan = _get_plan(call.args[1:], call.kwargs)
    schemas = requested.pop(id(plan), None) or PlanSchemas()
    tables = _tables.get(call.receiver)
    if tables is None:
        tables = _tables[call.receiver] = SessionTables(call.receiver)
    if call.function == "execute_command":
        call.record_statement(CommandFlows(call, plan, tables, schemas))
        _follow_streams(call, plan, adapter)
        return
    action = _QUERIES[call.function]
    statement = QueryFlows(call, action, plan, tables, schemas)
    call.record_statement(statement)
    if call.error is None and action != "toLocalIterator":
        origin = Origin(call.execution, call.time_ms, (statement.query,), ColumnMap(statement.query))
        call.context.origins.set_origin(call.result[0], origin)
