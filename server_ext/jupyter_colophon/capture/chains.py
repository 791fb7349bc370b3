"""Observations of flows: which cell read and wrote which data, with a chain of variables where cells share values.

A value that one cell computes and another one writes is a variable between them: the first cell writes it, the second reads
it. Variables are reported only when data flows through them into something that is written; from then on, whenever a cell sets
a variable of this name again, so that what depends on the earlier value is known to be stale.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Protocol, TypeAlias

from jupyter_colophon.capture.calls import Flow
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.observation import ColumnFlow, DataRef, MissingDetail, Observation, Transformation
from jupyter_colophon.capture.origins import Dataset, Origin, Source, expand_columns, expand_sources
from jupyter_colophon.capture.write_profile import WriteProfile

#: The function of an observation of a value that a cell computed.
ASSIGN = "assign"


class NameVariable(Protocol):
    """A function that returns the reference of a variable; None outside of a notebook."""

    def __call__(self, execution: object | None, name: str, number: int) -> DataRef | None:
        """Return the reference of the variable `name` as a cell left it; without a name, of the cell's value `number`."""


#: What a sink gets: an observation and the execution that it belongs to, None to find it by its time.
Sink = Callable[[Observation, object | None], None]


def _select_columns(profile: WriteProfile | None, names: Collection[str]) -> WriteProfile | None:
    """Return a profile with only the columns that were written."""
    if profile is None:
        return None
    return replace(profile, columns=tuple(each for each in profile.columns if each.path in names))


class ChainBuilder:
    """Builds the observations of flows; remembers in each origin which columns of its variable were reported."""

    def __init__(self, name_variable: NameVariable, sink: Sink) -> None:
        """Create a builder that passes observations to `sink`."""
        self._name_variable, self._sink = name_variable, sink
        #: The names of variables that were reported.
        self._reported_names: set[str] = set()

    def has_reported(self, name: str) -> bool:
        """Return whether a variable of this name was reported."""
        return name in self._reported_names

    def add_value(self, origin: Origin) -> None:
        """Report that a cell set a variable; its columns are reported once data flows from them into something written."""
        self._report_chains({origin: set()})

    def add_flow(self, flow: Flow) -> None:
        """Pass the observation of a flow to the sink, and before it those of the variables that it uses."""
        flow.complete()
        target = None if flow.target is None else flow.target.build_ref(flow.fields)
        names = flow.names if flow.fields is None else tuple(field.path for field in flow.fields)
        if target is not None and not flow.error:
            self._report_chains(_list_needed_columns(flow.sources, flow.columns, names))
        refs = self._build_refs(flow.sources)
        if not (refs or target or flow.missing or flow.dropped or flow.created or flow.stream):
            return
        written = () if target is None else (target,)
        is_complete = not refs or not written or (bool(names) and _is_known(flow.columns, names))
        self._sink(
            Observation(
                started_ms=flow.time_ms,
                finished_ms=flow.time_ms,
                function=flow.function,
                failed=bool(flow.error),
                error=flow.error or None,
                reads=tuple(refs.values()),
                writes=() if flow.error else written,
                columns=tuple(_list_column_flows(flow.columns, names, refs, target)) if not flow.error else (),
                missing=flow.missing if is_complete or flow.error else (*flow.missing, MissingDetail.VALUE_COLUMNS),
                intended=written if flow.error else (),
                inference=flow.inference,
                profile=_select_columns(flow.profile, names),
                dropped=flow.dropped,
                created=flow.created,
                stream=flow.stream,
            ),
            flow.execution,
        )

    def _report_chains(self, needed: "Needed") -> None:
        """Report how the variables came about whose columns are needed, and those that they were computed from, the earliest first."""
        for origin, columns in reversed(_list_unreported(needed)):
            ref = self._get_ref_of_origin(origin)
            if ref is None:
                continue
            refs = self._build_refs(origin.sources)
            names = sorted(columns)
            origin.reported = columns | (origin.reported or set())
            if origin.name:
                self._reported_names.add(origin.name)
            self._sink(
                Observation(
                    started_ms=origin.time_ms,
                    finished_ms=origin.time_ms,
                    function=ASSIGN,
                    reads=tuple(refs.values()),
                    writes=(ref,),
                    columns=tuple(_list_column_flows(origin.columns, names, refs, ref)),
                    missing=() if _is_known(origin.columns, names) else (MissingDetail.VALUE_COLUMNS,),
                    inference=origin.inference,
                ),
                origin.execution,
            )

    def _build_refs(self, sources: Iterable[Source]) -> dict[Source, DataRef]:
        refs: dict[Source, DataRef] = {}
        for source in expand_sources(sources):
            ref = source.build_ref() if isinstance(source, Dataset) else self._get_ref_of_origin(source)
            if ref is not None:
                refs[source] = ref
        return refs

    def _get_ref_of_origin(self, origin: Origin) -> DataRef | None:
        return self._name_variable(origin.execution, origin.name, origin.number)


_STRENGTHS = list(Transformation)

#: The columns of variables that data flowed from.
Needed: TypeAlias = dict[Origin, set[str]]


def _list_needed_columns(sources: Iterable[Source], columns: ColumnMap | None, names: Iterable[str]) -> Needed:
    """Return the values of other cells among the sources, with those of their columns that `names` were computed from."""
    needed: Needed = {source: set() for source in expand_sources(sources) if isinstance(source, Origin)}
    if columns is None:
        return needed
    for name in names:
        for each in expand_columns(columns.find_sources(name) | columns.controls):
            if isinstance(each.source, Origin) and each.source in needed:
                needed[each.source].add(each.column)
    return needed


def _list_unreported(needed: Needed) -> list[tuple[Origin, set[str]]]:
    """Return the values of a chain of which something was not reported, with its needed columns, the latest first."""
    waiting, found = dict(needed), []
    while waiting:
        # Values are computed from earlier ones only, so that all needs of the latest are known.
        origin = max(waiting, key=lambda each: (each.time_ms, each.number))
        columns = waiting.pop(origin)
        if origin.reported is not None and columns <= origin.reported:
            continue
        found.append((origin, columns))
        for source, more in _list_needed_columns(origin.sources, origin.columns, columns).items():
            waiting.setdefault(source, set()).update(more)
    return found


def _is_known(columns: ColumnMap | None, names: Iterable[str]) -> bool:
    """Return whether all sources of these columns are known."""
    if columns is None:
        return False
    every = (columns.controls, *(columns.find_sources(name) for name in names))
    return all(each.source is not None for sources in every for each in expand_columns(sources))


def _list_column_flows(
    columns: ColumnMap | None, names: Iterable[str], refs: dict[Source, DataRef], target: DataRef | None
) -> Iterator[ColumnFlow]:
    if columns is None or target is None:
        return
    controls = expand_columns(columns.controls)
    for name in names:
        strongest: dict[tuple[Source, str], Transformation] = {}
        for each in (*expand_columns(columns.find_sources(name)), *controls):
            if each.source is not None:
                key = (each.source, each.column)
                strongest[key] = max(each.transformation, strongest.get(key, each.transformation), key=_STRENGTHS.index)
        for (source, column), transformation in strongest.items():
            ref = refs.get(source)
            if ref is not None:
                yield ColumnFlow(ref.urn, column, target.urn, name, transformation)
