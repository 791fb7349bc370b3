"""Where values of a program came from: the data that was read for them, step by step and across cells.

An origin belongs to a version of a value: a value that changes in place gets a new one. Within a cell the steps are
combined, so that an origin names the data itself; the values of earlier cells stay steps of their own, since other cells
computed them.
"""

import itertools
import threading
import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias

from jupyter_colophon.capture.column_map import UNKNOWN_SOURCES, ColumnMap, ColumnSource, Sources
from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import DataRef, DatasetKind, Inference, SchemaField

#: Number of values whose origins are kept; above it, those that were not used for the longest time are forgotten.
MAX_VALUES = 20_000
#: Number of sources of one value; a value computed from more data has no known origin.
MAX_SOURCES = 1_000
_STRENGTHS = tuple(Inference)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Data that was read or written, before it has a URN, which is computed later on another thread.

    A file has a `location` as in Hadoop (`file:/data/x`, `s3://bucket/x`); anything else has its `urn`. Of a part, such as a
    sheet of a workbook, the fields are not the schema of the data. `version` is that of a table that was read or written, "" if unknown.
    """

    kind: DatasetKind = DatasetKind.FILE
    location: str = ""
    urn: str = ""
    format: str | None = None
    is_part: bool = False
    version: str = ""

    def __hash__(self) -> int:
        """Return a number that depends on the name alone: data are hashed with every call."""
        return hash(self.location or self.urn)

    def build_ref(self, fields: tuple[SchemaField, ...] | None = None) -> DataRef | None:
        """Return the reference of an observation; None if the data has no valid name.

        Files in the folders of partitions belong to the dataset above these.
        """
        ref = _build_ref(self)
        return ref if ref is None or fields is None or self.is_part else ref.with_fields(fields)


@lru_cache(maxsize=1024)
def _build_ref(dataset: Dataset) -> DataRef | None:
    """Return the reference of a dataset without a schema, as `Dataset.build_ref` describes it."""
    location = dataset.location
    place, folders = dataset_names.split_partition_folders(location) if location else ("", "")
    build_urn = dataset_names.build_model_urn if dataset.kind is DatasetKind.MODEL else dataset_names.build_file_urn
    urn = dataset.urn or build_urn(place)
    if urn is None:
        return None
    parts, versions = (folders,) if folders else (), (dataset.version,) if dataset.version else ()
    return DataRef(urn, dataset.kind, None, dataset.format, place or None, parts, versions)


@lru_cache(maxsize=1024)
def get_file(location: str, format_: str | None, *, is_part: bool = False) -> Dataset:
    """Return the dataset of a file; the same one for the same file, which programs often access again and again."""
    return Dataset(location=location, format=format_, is_part=is_part)


#: Returns the number of a new origin.
take_number: Final[Callable[[], int]] = itertools.count().__next__


@dataclass(eq=False, slots=True, weakref_slot=True)
class Origin:
    """The origin of one version of a value.

    `execution` is the cell that computed it, None outside of cells; `sources` are the data that this cell read for it and the
    values of earlier cells that it used; `columns` is None if the columns are unknown. `name` is the variable that holds the
    value after the cell, "" if none does.
    """

    execution: object | None
    time_ms: int
    sources: "tuple[Source, ...]"
    columns: ColumnMap | None = None
    inference: Inference = Inference.OBSERVED
    name: str = ""
    #: The columns whose flow into this value was reported; None if nothing was.
    reported: set[str] | None = None
    #: Orders the values of a cell.
    number: int = field(default_factory=take_number)


class Query(ABC):
    """A source that names other sources once it is examined, on the thread that reports lineage, such as the text of a query."""

    @abstractmethod
    def list_sources(self) -> "tuple[Source, ...]":
        """Return the data that the result came from."""

    @abstractmethod
    def get_columns(self) -> ColumnMap | None:
        """Return the sources of the result's columns; None if they are unknown."""

    def find_column_sources(self, column: str) -> Sources:
        """Return the sources of one column of the result."""
        columns = self.get_columns()
        return UNKNOWN_SOURCES if columns is None else columns.find_sources(column) | columns.controls


@dataclass(frozen=True, slots=True)
class FileGroup(Query):
    """Files that were read as one, each of which has every column that is read of them."""

    files: tuple[Dataset, ...]

    def list_sources(self) -> "tuple[Source, ...]":
        """Return the files."""
        return self.files

    def get_columns(self) -> ColumnMap | None:
        """Return None: the names of the columns are not known."""
        return None

    def find_column_sources(self, column: str) -> Sources:
        """Return the column of this name of each file."""
        return frozenset(ColumnSource(file, column) for file in self.files)


Source: TypeAlias = Dataset | Origin | Query


def expand_sources(sources: Iterable[Source]) -> "tuple[Dataset | Origin, ...]":
    """Return the sources with those that queries name in their places."""
    found: dict[Dataset | Origin, None] = {}
    waiting = list(sources)[::-1]
    while waiting:
        source = waiting.pop()
        if isinstance(source, Query):
            waiting.extend(reversed(source.list_sources()))
        else:
            found[source] = None
    return tuple(found)


def expand_columns(sources: Sources) -> Sources:
    """Return the columns that these columns came from, where they are those of queries."""
    if not any(isinstance(each.source, Query) for each in sources):
        return sources
    found: set[ColumnSource] = set()
    for each in sources:
        if not isinstance(each.source, Query):
            found.add(each)
            continue
        inner = each.source.find_column_sources(each.column)
        found |= expand_columns(frozenset(one.add_step(each.transformation) for one in inner))
    return frozenset(found)


def derive_origin(
    inputs: Iterable[Origin],
    execution: object | None,
    time_ms: int,
    columns: ColumnMap | None = None,
    inference: Inference = Inference.OBJECT,
) -> Origin | None:
    """Return the origin of a value that `execution` computed from values with these origins; None if there are too many sources.

    The caller computes `columns` from those of `get_columns_for`.
    """
    inputs = tuple(inputs)
    first, *others = inputs
    if not others and first.execution is execution and first.inference in (inference, Inference.OBSERVED):
        # Most values are computed from one other value of the cell.
        return Origin(execution, time_ms, first.sources, columns, inference)
    sources = tuple(dict.fromkeys(source for each in inputs for source in list_sources(each, execution)))
    weakest = find_weakest((inference, *(each.inference for each in inputs if each.execution is execution)))
    return None if len(sources) > MAX_SOURCES else Origin(execution, time_ms, sources, columns, weakest)


def find_weakest(inferences: Iterable[Inference]) -> Inference:
    """Return the weakest inference of a chain; `observed` for an empty one."""
    return max(inferences, key=_STRENGTHS.index, default=Inference.OBSERVED)


def list_sources(origin: Origin, execution: object | None) -> "tuple[Source, ...]":
    """Return what a value contributes to a computation of `execution`: its sources if the same cell computed it, else itself."""
    return origin.sources if origin.execution is execution else (origin,)


def get_columns_for(origin: Origin, execution: object | None) -> ColumnMap | None:
    """Return the columns of a value, seen from a computation of `execution`: of another cell's value, the value's own columns."""
    return origin.columns if origin.execution is execution else ColumnMap(origin)


#: Returns the number of a living object. It does not raise an event of the interpreter, as `id` does, for which hooks are called.
_get_key: Final = object.__hash__


class OriginRegistry:
    """The origins of living values, found by identity. A value that cannot be referenced weakly has none.

    Used by threads at the same time: every step is one operation of a dictionary.
    """

    def __init__(self) -> None:
        """Create a registry without values."""
        #: By the key of the value. Wrappers test it for emptiness, which costs less than a call of `__len__`.
        self.entries: OrderedDict[int, tuple[_Reference, Origin]] = OrderedDict()
        entries = self.entries

        def forget_dead(reference: _Reference) -> None:
            entry = entries.get(reference.key)
            # The number may belong to a new value already.
            if entry is not None and entry[0] is reference:
                del entries[reference.key]

        self._forget_dead = forget_dead
        self._waiting: list[_SingleCall] = []

    def call_before_values(self, function: Callable[[], object]) -> None:
        """Call a function before the first value gets an origin; now, if one has.

        The values of all threads wait until it has returned: what is computed from them is observed.
        """
        if self.entries:
            function()
        else:
            self._waiting.append(_SingleCall(function))

    def find_origin(self, value: object) -> Origin | None:
        """Return the origin of a value; None if it is unknown."""
        entries, key = self.entries, _get_key(value)
        entry = entries.get(key)
        if entry is None or entry[0]() is not value:
            return None
        if len(entries) > MAX_VALUES // 2:
            # Another thread may have removed it.
            with suppress(KeyError):
                entries.move_to_end(key)
        return entry[1]

    def set_origin(self, value: object, origin: Origin) -> None:
        """Set the origin of the present version of a value."""
        if self._waiting:
            self._call_waiting()
        entries, key = self.entries, _get_key(value)
        known = entries.get(key)
        if known is not None and known[0]() is value:
            entries[key] = (known[0], origin)
            return
        try:
            reference = _Reference(value, self._forget_dead)
        except TypeError:
            return
        reference.key = key
        entries[key] = (reference, origin)
        while len(entries) > MAX_VALUES:
            # Another thread may have removed the last one.
            with suppress(KeyError):
                entries.popitem(last=False)

    def forget(self, value: object) -> None:
        """Forget the origin of a value that changed in a way that cannot be followed."""
        self.entries.pop(_get_key(value), None)

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.entries)

    def _call_waiting(self) -> None:
        for call in tuple(self._waiting):
            call.call_or_wait()
            # Another thread may have removed it.
            with suppress(ValueError):
                self._waiting.remove(call)


class _SingleCall:
    """A function that is called once; other threads wait until it has returned."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._function: Callable[[], object] | None = function
        self._lock = threading.RLock()

    def call_or_wait(self) -> None:
        with self._lock:
            function, self._function = self._function, None
            if function is not None:
                function()


class _Reference(weakref.ref[Any]):
    """A weak reference to a value; `key` is its number."""

    __slots__ = ("key",)
    key: int
