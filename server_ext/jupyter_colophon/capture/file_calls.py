"""Calls that read one file, named by its path, into a value, or write a value into one.

What such a call costs beside the library's own work is mostly memory that is in no cache. So the thread of the cell only keeps what
may change later: the cell, the time, the working folder, the origin of a written value, and the columns that it has now. Everything
else is found when the call is reported, or when the origin of the value that was read is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeGuard

from jupyter_colophon.capture.calls import DeferredFlows, Describe, Flow, LibraryCall, Report, build_write
from jupyter_colophon.capture.column_map import ColumnMap, map_all_columns
from jupyter_colophon.capture.locations import ROOT
from jupyter_colophon.capture.named_files import find_file_in_folder
from jupyter_colophon.capture.observation import Inference
from jupyter_colophon.capture.origins import Dataset, Origin, Source, take_number
from jupyter_colophon.capture.working_folders import FOLDERS

#: Characters of what is no plain path: of patterns, URLs, home folders, and documents that are passed as text.
_NOT_PLAIN: Final = frozenset("*?[~:{<")
#: The option that names the file system of a path.
_FILE_SYSTEM: Final = "filesystem"
#: Gets a value and the options of the call that wrote it; returns a function that describes what the file has.
DescribeValue: TypeAlias = Callable[[Any, dict[str, Any]], Describe | None]


@dataclass(frozen=True, slots=True)
class PathReader:
    """A function that reads the file that its first argument names, by a path, into a value of a type in `values`.

    A call with one of the `special` options is examined at once by the adapter's report, as is one with other arguments, or with
    a result for which `is_plain` returns False.
    """

    format: str
    values: frozenset[type]
    special: frozenset[str] = frozenset()
    is_plain: Callable[[Any], bool] | None = None


@dataclass(frozen=True, slots=True)
class PathWriter:
    """A function that writes its first argument into the file that its second one names, by a path."""

    format: str
    describe: DescribeValue


class FileRead(Origin, DeferredFlows):
    """A read of a file, and the origin of the value that it was read into, which has the columns of the file."""

    __slots__ = ("_file", "_folder", "_format", "_path", "function")

    def __init__(self, execution: object | None, time_ms: int, function: str, path: str, format_: str) -> None:
        """Create the read by a call of this time."""
        self.execution, self.time_ms, self.function = execution, time_ms, function
        self.inference, self.name, self.reported, self.number = Inference.OBSERVED, "", None, take_number()
        self._path, self._folder, self._format = path, FOLDERS.current, format_
        self._file: Dataset | None = None

    def _get_file(self) -> Dataset | None:
        path = self._path
        if path:
            self._file = _find_file(path, self._folder, self._format)
            self._path = ""
        return self._file

    @property
    def sources(self) -> tuple[Source, ...]:  # type: ignore[override]
        """Return the file; nothing if its path cannot be resolved any more."""
        file = self._get_file()
        return () if file is None else (file,)

    @property
    def columns(self) -> ColumnMap | None:  # type: ignore[override]
        """Return the columns of the file."""
        file = self._get_file()
        return None if file is None else map_all_columns(file)

    def list_flows(self) -> Iterator[Flow]:
        """Yield the read."""
        sources = self.sources
        if sources:
            yield Flow(self.execution, self.time_ms, self.function, sources)


@dataclass(eq=False, slots=True)
class FileWrite(DeferredFlows):
    """A write of a value with this origin into a file."""

    execution: object | None
    time_ms: int
    function: str
    path: str
    format: str
    origin: Origin
    describe: Describe | None
    #: The number of the working folder.
    folder: int

    def list_flows(self) -> Iterator[Flow]:
        """Yield the write; nothing if the path of the file cannot be resolved any more."""
        file = _find_file(self.path, self.folder, self.format)
        if file is not None:
            yield build_write(self.execution, self.time_ms, self.function, self.origin, file, self.describe)


def _find_file(path: str, folder: int, format_: str) -> Dataset | None:
    """Return the file that a call named while the working folder was the one of this number; None if that is not known any more."""
    name = "" if path.startswith(ROOT) else FOLDERS.get_folder(folder)
    return None if name is None else find_file_in_folder(path, name, format_)


def create_read_report(report: Report, reader: PathReader) -> Report:
    """Return a report of a function that reads files; calls that `reader` does not describe are passed to `report`."""
    format_, values, special, is_plain = reader.format, reader.values, reader.special, reader.is_plain

    def report_read(call: LibraryCall) -> None:
        args, result, context = call.args, call.result, call.context
        if (
            len(args) == 1
            and type(result) in values
            and _is_plain_path(path := args[0])
            and _FILE_SYSTEM not in call.kwargs
            and special.isdisjoint(call.kwargs)
            and not context.stack.calls
            and (is_plain is None or is_plain(result))
        ):
            read = FileRead(call.execution, call.time_ms, call.function, path, format_)
            context.origins.set_origin(result, read)
            context.names.add_read(read)
            call.flows.append(read)
        else:
            report(call)

    return report_read


def create_write_report(report: Report, writer: PathWriter) -> Report:
    """Return a report of a function that writes files; calls that `writer` does not describe are passed to `report`."""
    format_, describe = writer.format, writer.describe

    def report_write(call: LibraryCall) -> None:
        args, context = call.args, call.context
        # A profile is that of the value as it is now.
        is_simple = call.error is None and not context.has_profiles and not context.stack.calls
        if is_simple and len(args) == 2 and _FILE_SYSTEM not in call.kwargs and _is_plain_path(path := args[1]):
            value, origin = args[0], context.origins.find_origin(args[0])
            description = None if origin is None else describe(value, call.kwargs)
            if origin is not None and description is not None:
                write = FileWrite(
                    call.execution, call.time_ms, call.function, path, format_, origin, description, FOLDERS.current
                )
                call.flows.append(write)
                return
        report(call)

    return report_write


def _is_plain_path(path: object) -> TypeGuard[str]:
    """Return whether a path names one file of this machine, and the working folder at most is needed to find which."""
    return type(path) is str and path != "" and FOLDERS.is_followed and _NOT_PLAIN.isdisjoint(path)
