"""The calls of library functions that read, compute or write data, as adapters see them.

An adapter names functions of its library and gives for each a *report*: a function that gets the `LibraryCall` after the library's
function returned or raised, and records what it did. A report never affects the call: its errors are counted, and its
records of a failed call are what the call would have written.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, Unpack

from jupyter_colophon.capture.column_map import ColumnMap, map_all_columns
from jupyter_colophon.capture.computations import (
    Computation,
    ComputationOptions,
    Function,
    prepare_safely,
    take_receiver,
)
from jupyter_colophon.capture.executions import current_execution
from jupyter_colophon.capture.hidden_frames import hide_wrappers
from jupyter_colophon.capture.name_inference import NameInference
from jupyter_colophon.capture.observation import Inference, SchemaField, StreamProgress
from jupyter_colophon.capture.origins import (
    Dataset,
    FileGroup,
    Origin,
    OriginRegistry,
    Query,
    Source,
    derive_origin,
    find_weakest,
    get_columns_for,
    list_sources,
)
from jupyter_colophon.capture.write_profile import WriteProfile, compute_write_profile

Report: TypeAlias = Callable[["LibraryCall"], None]


#: Returns the fields of what a call wrote, None if unknown, and their sources, for the sources of the columns of its value.
#: Called on the thread that reports flows, so it reads nothing that the program may have changed since.
Describe: TypeAlias = Callable[[ColumnMap | None], tuple[tuple[SchemaField, ...] | None, ColumnMap | None]]


# Not frozen, which takes three times as long to create.
@dataclass(eq=False, slots=True)
class Flow:
    """Data that flowed in one statement: from all `sources` into `target`, or into the program if that is None.

    `fields` is the schema of the target; `columns` are its columns' sources, None if unknown. `error` is the class of the
    exception of a failed call.
    """

    execution: object | None
    time_ms: int
    function: str
    sources: tuple[Source, ...]
    target: Dataset | None = None
    fields: tuple[SchemaField, ...] | None = None
    columns: ColumnMap | None = None
    inference: Inference = Inference.OBSERVED
    error: str = ""
    #: The columns of the target, if only their names are known.
    names: tuple[str, ...] = ()
    #: Lineage that is missing, as text for users.
    missing: tuple[str, ...] = ()
    #: The profile of the value that was written, if it is all that the target has.
    profile: WriteProfile | None = None
    #: Computes `fields` and `columns` when the flow is reported, if given.
    describe: Describe | None = None
    #: The URNs of tables that were dropped, and of those that were created without rows (`Observation`).
    dropped: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    #: The state of a streaming query, to whose run the flow belongs.
    stream: StreamProgress | None = None

    def complete(self) -> None:
        """Compute what was left for the thread that reports flows."""
        if self.describe is not None:
            describe, self.describe = self.describe, None
            self.fields, self.columns = describe(self.columns)


def build_write(
    execution: object | None, time_ms: int, function: str, origin: Origin, target: Dataset, describe: Describe | None
) -> Flow:
    """Return the flow of a value of this origin into a dataset."""
    is_own = origin.execution is execution
    inference = origin.inference if is_own else Inference.OBJECT
    columns = get_columns_for(origin, execution)
    flow = Flow(execution, time_ms, function, list_sources(origin, execution), target, None, columns, inference)
    flow.describe = describe
    return flow


class DeferredFlows(ABC):
    """Flows that are found when they are reported, such as those of a SQL statement. `query` is what the call returned."""

    __slots__ = ()

    query: Query
    function: str

    @abstractmethod
    def list_flows(self) -> Iterable[Flow]:
        """Return the flows, in their order."""


class CallContext:
    """What calls need of the session that they belong to."""

    def __init__(
        self,
        get_execution: Callable[[], object | None],
        get_time_ms: Callable[[], int],
        *,
        has_profiles: bool = False,
    ) -> None:
        """Create a context; `get_execution` returns the cell of a call that no cell is known to have started (`executions.py`).

        With `has_profiles` what is written is profiled.
        """
        self.get_running_execution, self.get_time_ms, self.has_profiles = get_execution, get_time_ms, has_profiles
        self.origins = OriginRegistry()
        self.names = NameInference(self.origins)
        self.stack = _CallStack()
        self.declared = DeclaredReads()

    def get_execution(self) -> object | None:
        """Return the cell that the calling thread works for."""
        return current_execution.get() or self.get_running_execution()


class DeclaredReads:
    """The data that the running cell declared to read, without a value."""

    def __init__(self) -> None:
        """Create a list without data."""
        self._execution: object | None = None
        self._datasets: list[Dataset] = []

    def add_reads(self, execution: object | None, datasets: Iterable[Dataset]) -> None:
        """Add data that a cell declares to read; what an earlier cell declared is forgotten."""
        self._datasets = [*self.list_reads(execution), *datasets]
        self._execution = execution

    def list_reads(self, execution: object | None) -> list[Dataset]:
        """Return the data that this cell declared to read."""
        return self._datasets if self._execution is execution else []


class _CallStack(threading.local):
    """The observed calls that a thread is in, outermost first; `is_busy` if computations inside them are not reported."""

    def __init__(self) -> None:
        self.calls: list[LibraryCall] = []
        self.is_busy = False


class LibraryCall:
    """One call of an observed function. `result` is None if it raised `error`; `state` is what was kept before the call.

    A library often uses another one: pandas reads Parquet with pyarrow and SQL with SQLAlchemy. The records of such inner
    calls count only if the report of the outer call records nothing of its own; `inner` has them.
    """

    __slots__ = (
        "args",
        "context",
        "error",
        "execution",
        "flows",
        "function",
        "hides_inner",
        "inner",
        "kwargs",
        "result",
        "state",
        "time_ms",
    )

    def __init__(self, context: CallContext, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Create a call that begins now."""
        self.context, self.function, self.args, self.kwargs = context, function, args, kwargs
        self.execution, self.time_ms = context.get_execution(), context.get_time_ms()
        self.result: Any = None
        self.state: Any = None
        self.error: BaseException | None = None
        self.flows: list[Flow | DeferredFlows] = []
        self.inner: list[Flow | DeferredFlows] = []
        self.hides_inner = False

    @property
    def receiver(self) -> Any:
        """Return the object whose method is called."""
        return self.args[0]

    def get_argument(self, position: int, name: str, default: Any = None) -> Any:
        """Return an argument by its position (of a method: 1 is the first after the receiver) or its name."""
        return self.args[position] if position < len(self.args) else self.kwargs.get(name, default)

    def find_argument(self, position: int, names: Iterable[str]) -> Any:
        """Return an argument by its position or the first of several names: versions and functions of a library differ; None if absent."""
        if position < len(self.args):
            return self.args[position]
        return next((self.kwargs[name] for name in names if name in self.kwargs), None)

    def find_origin(self, value: object) -> Origin | None:
        """Return the origin of a value, None if it is unknown."""
        return self.context.origins.find_origin(value)

    def find_columns(self, value: object) -> ColumnMap | None:
        """Return the sources of a value's columns as this call sees them; None if they are unknown."""
        origin = self.find_origin(value)
        return None if origin is None else get_columns_for(origin, self.execution)

    def map_columns(self, value: object) -> ColumnMap | None:
        """Return the columns of a value; without sources if the program made it, None if they are unknown."""
        return ColumnMap() if self.find_origin(value) is None else self.find_columns(value)

    def record_files(self, files: tuple[Dataset, ...], value: object, *, is_strict: bool = False) -> None:
        """Record that the call read files into a value, which has the columns of the file if it is only one.

        With `is_strict` the library refuses files that lack a column of the others, so that each column comes from all files.
        """
        if len(files) == 1:
            columns: ColumnMap | None = map_all_columns(files[0])
        else:
            columns = ColumnMap(FileGroup(files)) if is_strict else None
        self.record_reads(files, value, columns)

    def record_read(self, dataset: Dataset, value: object = None, columns: ColumnMap | None = None) -> None:
        """Record that the call read a dataset, into `value` if given, whose columns are those of the dataset unless given."""
        self.record_reads((dataset,), value, columns or map_all_columns(dataset))

    def record_reads(self, datasets: Iterable[Dataset], value: object = None, columns: ColumnMap | None = None) -> None:
        """Record that the call read several datasets into one value; `columns` is None if they are unknown."""
        sources: tuple[Dataset, ...] = tuple(datasets)
        if not sources or self.error is not None:
            return
        self.flows.append(Flow(self.execution, self.time_ms, self.function, sources))
        if value is not None:
            self._set_read(value, Origin(self.execution, self.time_ms, sources, columns))

    def _set_read(self, value: object, origin: Origin) -> None:
        """Set the origin of a value that was read, and note that the running statement read it."""
        context = self.context
        context.origins.set_origin(value, origin)
        if not context.stack.calls:
            context.names.add_read(origin)

    def adopt_inner_reads(self, value: object, columns: ColumnMap | None = None) -> None:
        """Record that `value` holds what the inner calls read: the library used another one for it.

        `columns` are by default those of a single dataset, or of the last statement: those before it look at the database.
        """
        sources: dict[Source, None] = {}
        # To test for `Flow` costs less than for the abstract class.
        for flow in self.inner:
            if not isinstance(flow, Flow):
                sources[flow.query] = None
            elif flow.target is None:
                sources |= dict.fromkeys(flow.sources)
        if not sources or self.error is not None:
            return
        self.flows += self.inner
        last = next(reversed(sources))
        columns = columns or (ColumnMap(last) if len(sources) == 1 or isinstance(last, Query) else None)
        self._set_read(value, Origin(self.execution, self.time_ms, tuple(sources), columns))

    def list_inner_targets(self) -> list[Dataset]:
        """Return the datasets that inner calls wrote."""
        flows = (each for flow in self.inner for each in ((flow,) if isinstance(flow, Flow) else flow.list_flows()))
        return list(dict.fromkeys(each.target for each in flows if each.target is not None))

    def record_statement(self, statement: DeferredFlows, value: object = None) -> None:
        """Record a statement that is examined later, and that `value` is its result."""
        self.flows.append(statement)
        if value is not None and self.error is None:
            query = statement.query
            self._set_read(value, Origin(self.execution, self.time_ms, (query,), ColumnMap(query)))

    def record_derived(
        self,
        value: object,
        inputs: Iterable[object],
        columns: ColumnMap | None = None,
        inference: Inference = Inference.OBJECT,
        assigned: object = None,
    ) -> None:
        """Record that `value` was computed from other values. If none of them has a known origin, it has none either.

        `columns` is computed from those of `find_columns`; None if the function is not followed by column. The origin of
        `assigned`, a value that is put into another one, is inferred by name if it is an array or a list of unknown origin.
        """
        inputs, find_origin = tuple(inputs), self.context.origins.find_origin
        origins = [origin for each in inputs if (origin := find_origin(each)) is not None]
        if assigned is not None and origins:
            inferred = [each for each in self._find_inferred_origins(assigned) if each not in origins]
            if inferred:
                origins, inference = origins + inferred, Inference.NAME
        derived = derive_origin(origins, self.execution, self.time_ms, columns, inference) if origins else None
        if derived is not None:
            self.context.origins.set_origin(value, derived)
        elif find_origin(value) is not None and all(value is not each for each in inputs):
            self.context.origins.forget(value)

    def _find_inferred_origins(self, assigned: object) -> list[Origin]:
        """Return the origins of what the program computed an array or a list from, by the names in its running statement."""
        is_computed = type(assigned) is list or hasattr(assigned, "__array_interface__")
        if not is_computed or self.context.stack.calls or self.find_origin(assigned) is not None:
            return []
        return self.context.names.find_assigned_origins()

    def record_same_columns(self, value: object, source: object) -> None:
        """Record that `value` was computed from another value, and has the same columns."""
        self.record_derived(value, (source,), self.find_columns(source))

    def record_write(
        self,
        dataset: Dataset,
        values: Iterable[object] = (),
        fields: Sequence[SchemaField] | None = None,
        columns: ColumnMap | None = None,
        describe: Describe | None = None,
    ) -> None:
        """Record that the call wrote values into a dataset; of a failed call, that it would have.

        `fields` is the schema of the data if it is complete; `columns` of a single value are found by its origin. With `describe`
        they are computed later.
        """
        values, execution, inferences = tuple(values), self.execution, [Inference.OBSERVED]
        find_origin = self.context.origins.find_origin
        origins = [origin for each in values if (origin := find_origin(each)) is not None]
        if origins:
            inferences = [each.inference if each.execution is execution else Inference.OBJECT for each in origins]
            if columns is None and len(values) == 1:
                columns = get_columns_for(origins[0], execution)
        # What another library writes for the program's call has no name in the program.
        elif values and not self.context.stack.calls:
            origins = self.context.names.find_current_origins(self.function, is_first=self._has_as_first(values))
            if origins:
                inferences, columns = [Inference.NAME], None
        if len(origins) == 1:
            sources, inference = list_sources(origins[0], execution), inferences[0]
        else:
            sources = tuple(dict.fromkeys(source for origin in origins for source in list_sources(origin, execution)))
            inference = find_weakest(inferences)
        self.record_flow(sources, dataset, fields, columns, inference, describe)

    def profile_written(self, value: object) -> None:
        """Add the profile of a frame to the write that was recorded last, if profiles are wanted: the target has nothing else."""
        if self.context.has_profiles and self.error is None and self.flows:
            flow = self.flows[-1]
            if isinstance(flow, Flow) and flow.target is not None and not flow.target.is_part:
                flow.profile = compute_write_profile(value)

    def _has_as_first(self, values: Iterable[object]) -> bool:
        """Return whether the first argument, of a method its receiver, is one of these values."""
        return bool(self.args) and any(self.args[0] is each for each in values)

    def record_flow(
        self,
        sources: Iterable[Source],
        target: Dataset | None,
        fields: Sequence[SchemaField] | None = None,
        columns: ColumnMap | None = None,
        inference: Inference = Inference.OBSERVED,
        describe: Describe | None = None,
    ) -> None:
        """Record a statement that moved data without a value of the program, such as `INSERT … SELECT`."""
        flow = Flow(self.execution, self.time_ms, self.function, tuple(sources), target, None, columns, inference)
        flow.describe = describe
        if fields is not None:
            flow.fields = tuple(fields)
        if self.error is not None:
            flow.error = type(self.error).__name__
        self.flows.append(flow)


class Observer:
    """Wraps functions of a library so that reports get their calls; the flows of outermost calls are committed."""

    def __init__(
        self,
        context: CallContext,
        commit: Callable[[Sequence[Flow | DeferredFlows]], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        """Create an observer that passes flows to `commit`, and errors of reports to `on_error`."""
        self._context, self._commit, self._on_error = context, commit, on_error

    def wrap(
        self,
        original: Function,
        name: str,
        report: Report,
        *,
        prepare: Function | None = None,
        skips_inner: bool = False,
        hides_inner: bool = False,
    ) -> Function:
        """Return a function that calls `original` and reports the call.

        `prepare` gets the arguments before the call; what it returns is the call's `state`. With `skips_inner` calls inside
        another observed call are not reported: for frequent functions that compute values.
        With `hides_inner` calls inside this one are not: its report names all the data that they access.
        """
        context, stack, finish = self._context, self._context.stack, self._finish
        prepare = prepare_safely(prepare)

        def call_observed(*args: Any, **kwargs: Any) -> Any:
            calls, was_busy = stack.calls, stack.is_busy
            if (skips_inner and was_busy) or (calls and calls[-1].hides_inner):
                return original(*args, **kwargs)
            call = LibraryCall(context, name, args or take_receiver(kwargs), kwargs)
            call.hides_inner = hides_inner
            calls.append(call)
            stack.is_busy = True
            try:
                if prepare is not None:
                    call.state = prepare(*call.args, **kwargs)
                call.result = original(*call.args, **kwargs)
            except BaseException as error:
                call.error = error
                hide_wrappers(error)
                raise
            finally:
                calls.pop()
                finish(call, report, was_busy=was_busy)
            return call.result

        return call_observed

    def wrap_computation(
        self, original: Function, name: str, report: Report, **options: Unpack[ComputationOptions]
    ) -> Function:
        """Return a function that calls `original` and reports a call that computed a value: one that only records derived values."""
        context, stack, on_error = self._context, self._context.stack, self._on_error

        def report_call(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, state: Any) -> None:
            call = LibraryCall(context, name, args, kwargs)
            call.result, call.state = result, state
            # What a report computes with the library does not concern the program.
            stack.is_busy = True
            try:
                report(call)
            except Exception as error:  # noqa: BLE001  an error here must not break the user's call
                on_error(error)
            finally:
                stack.is_busy = False

        return Computation(context, original, report_call, options).wrap()

    def record_event(self, name: str, report: Report) -> None:
        """Report what a library does now, as a part of the observed call that the thread is in, if any."""
        self.record_call(LibraryCall(self._context, name, (), {}), report)

    def record_call(self, call: LibraryCall, report: Report) -> None:
        """Report a call that ended, as a part of the observed call that the thread is in, if any."""
        stack = self._context.stack
        if not (stack.calls and stack.calls[-1].hides_inner):
            self._finish(call, report, was_busy=stack.is_busy)

    def _finish(self, call: LibraryCall, report: Report, *, was_busy: bool) -> None:
        """Report a call, and commit its flows unless it is inside another observed one."""
        stack = self._context.stack
        # What a report computes with the library does not concern the program.
        stack.is_busy = True
        try:
            # A call with wrong arguments did nothing.
            if call.error is None or call.args or not isinstance(call.error, TypeError):
                report(call)
        except Exception as error:  # noqa: BLE001  an error here must not break the user's call
            self._on_error(error)
        finally:
            stack.is_busy = was_busy
        # The traceback of the error has the frames of the library's call, whose values may have to be freed now.
        call.error = None
        flows = call.flows or call.inner
        if flows:
            if stack.calls:
                stack.calls[-1].inner.extend(flows)
            else:
                self._commit(flows)
