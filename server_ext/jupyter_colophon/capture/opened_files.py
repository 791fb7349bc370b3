"""Files of data that a program opens itself, or that a library opens which no adapter observes: the last resort.

An event of the interpreter announces every file that is opened in Python. Recorded are those with the ending of a data format that
code of a cell opened, by itself or through a library, and that no adapter reported in the same cell. The files of a cell
are reported at its end, since an adapter may report the same file later (`pd.read_csv(file)`). Only the accesses are known: what was
read is never lineage of what was written.
"""

import os
import sys
from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any, Final

from jupyter_colophon.capture.audit_events import listen_to_event
from jupyter_colophon.capture.caller_frames import PACKAGES
from jupyter_colophon.capture.calls import CallContext, DeferredFlows, Flow
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.observation import OPEN
from jupyter_colophon.capture.origins import Dataset, get_file

#: Formats by the ending of a file's name. Text (`.txt`, `.log`) is rarely data.
_FORMATS: Final = {
    **dict.fromkeys(("csv", "tsv"), "csv"),
    **dict.fromkeys(("json", "jsonl", "ndjson", "geojson"), "json"),
    **dict.fromkeys(("parquet", "pq"), "parquet"),
    **dict.fromkeys(("xlsx", "xls", "xlsm"), "excel"),
    **dict.fromkeys(("feather", "arrow"), "arrow"),
    **dict.fromkeys(("h5", "hdf5"), "hdf5"),
    **dict.fromkeys(("pkl", "pickle"), "pickle"),
    **{name: name for name in ("avro", "orc", "npy", "npz", "joblib")},
}
_COMPRESSED: Final = frozenset({"gz", "bz2", "xz", "zst"})
#: Number of files of one cell; of a cell that opens more, or whose adapters report more, none are reported.
MAX_FILES: Final = 1_000
#: Number of cells that may be running or waiting for their report.
_MAX_CELLS: Final = 50
#: Number of frames between a program and the call that opens a file.
_MAX_DEPTH: Final = 100
_OWN_MODULES: Final = "jupyter_colophon."

_observer: "OpenedFiles | None" = None


class OpenedFiles:
    """The files that the code of cells opened, by cell, until they are reported."""

    def __init__(self, context: CallContext, disabled: Collection[str] = ()) -> None:
        """Create an observer that sees nothing yet; of the libraries in `disabled` it never sees anything."""
        self._context, self._disabled = context, frozenset(disabled)
        #: By cell: by file and whether it was written, when it was opened first.
        self._opened: dict[object, dict[tuple[str, bool], int]] = {}
        #: By cell, of the last ones: what adapters reported. Used by the reporting thread.
        self._reported: dict[object, set[tuple[str, bool]]] = {}

    def start(self) -> None:
        """Observe the files that this process opens."""
        global _observer
        _observer = self
        listen_to_event(OPEN, _receive_event)

    def stop(self) -> None:
        """Observe no files any more."""
        global _observer
        _observer = None if _observer is self else _observer

    def take_flows(self, execution: object) -> "OpenedFileFlows | None":
        """Return the flows of the files that a cell opened, to be reported after all others of the cell; None if there are none."""
        opened = self._opened.pop(execution, None)
        return None if opened is None else OpenedFileFlows(self, execution, opened)

    def add_reported(self, flow: Flow) -> None:
        """Remember which files an adapter reported."""
        execution = flow.execution
        if execution not in self._reported:
            self._reported[execution] = set()
            for earlier in list(self._reported)[:-_MAX_CELLS]:
                del self._reported[earlier]
        files = [(source.location, False) for source in flow.sources if isinstance(source, Dataset)]
        if flow.target is not None:
            files.append((flow.target.location, True))
        reported = self._reported[execution]
        if len(reported) <= MAX_FILES:
            reported.update(files)

    def get_reported(self, execution: object) -> set[tuple[str, bool]]:
        """Return the files that adapters reported of a cell, with whether they were written."""
        return self._reported.get(execution, set())

    def add_opened(self, path: str, *, is_write: bool, opener: FrameType) -> None:
        """Record that a file is opened, if code of a cell does it and no adapter sees the call."""
        if self._context.stack.calls or not _is_opened_by_program(path, opener, self._disabled):
            return
        execution, location = self._context.get_execution(), find_location(path)
        if execution is None or location is None:
            return
        files, key = self._opened.setdefault(execution, {}), (location, is_write)
        if key in files or len(files) > MAX_FILES:
            return
        if os.access(path, os.W_OK if is_write else os.R_OK) or (is_write and not os.path.exists(path)):
            files[key] = self._context.get_time_ms()


class OpenedFileFlows(DeferredFlows):
    """The flows of the files that a cell opened."""

    function = OPEN

    def __init__(self, files: OpenedFiles, execution: object, opened: dict[tuple[str, bool], int]) -> None:
        """Create the flows of one cell."""
        self._files, self._execution, self._opened = files, execution, opened

    def list_flows(self) -> Iterator[Flow]:
        """Yield the flows of files that no adapter reported. A file that was written must be there still."""
        reported = self._files.get_reported(self._execution)
        if len(self._opened) > MAX_FILES or len(reported) > MAX_FILES:
            return
        for (location, is_write), time_ms in self._opened.items():
            if (location, is_write) in reported:
                continue
            dataset = get_file(location, find_data_format(location))
            if not is_write:
                yield Flow(self._execution, time_ms, OPEN, (dataset,))
            elif os.path.isfile(location.removeprefix("file:")):
                yield Flow(self._execution, time_ms, OPEN, (), dataset)


def find_data_format(path: str) -> str | None:
    """Return the format of a file of data by its ending; None for other files."""
    stem, _, ending = path.rpartition(".")
    ending = ending.lower()
    return _FORMATS.get(stem.rpartition(".")[2].lower() if ending in _COMPRESSED else ending)


def _receive_event(args: tuple[Any, ...]) -> None:
    """Get the event of a file that is opened."""
    path = args[0]
    if _observer is not None and type(path) is str and find_data_format(path) is not None:
        _add_opened(_observer, path, args[2])


def _add_opened(observer: OpenedFiles, path: str, flags: int) -> None:
    if flags & os.O_EXCL and os.path.exists(path):
        return
    access, opener = flags & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR), sys._getframe(3)
    if access != os.O_WRONLY and not flags & os.O_TRUNC:
        observer.add_opened(path, is_write=False, opener=opener)
    if access != os.O_RDONLY:
        observer.add_opened(path, is_write=True, opener=opener)


def _is_opened_by_program(path: str, opener: FrameType, disabled: Collection[str]) -> bool:
    """Return whether code of the program opens a file that is neither hidden nor a part of an installed package."""
    full = os.path.abspath(path)
    if f"{os.sep}." in full or full.startswith(PACKAGES):
        return False
    frame: FrameType | None = opener
    for _ in range(_MAX_DEPTH):
        if frame is None:
            return False
        code, module = frame.f_code, str(frame.f_globals.get("__name__", ""))
        if module.startswith(_OWN_MODULES) or module.partition(".")[0] in disabled:
            return False
        # A module reads its own files when it is imported.
        if code.co_filename.startswith("<frozen importlib"):
            return False
        if not code.co_filename.startswith((*PACKAGES, "<frozen ")):
            return True
        frame = frame.f_back
    return False
