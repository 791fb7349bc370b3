"""Models and other objects that programs save to files and load with joblib and pickle.

The file of a model is an entity of its own, a model (decision 51); that of any other object is a dataset.
"""

from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.caller_frames import is_called_by_package
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset

#: By library: the function that saves and the name of its first argument, and that of the place in both functions.
_LIBRARIES: Final = {
    "joblib": ("dump", "value", "filename"),
    "pickle": ("dump", "obj", "file"),
}


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions of a library that save and load an object."""
    format_ = module.__name__
    save, value, place = _LIBRARIES[format_]
    adapter.observe_function(module, save, _create_save_report(format_, value, place))
    adapter.observe_function(module, "load", _create_load_report(format_, place))


def _create_save_report(format_: str, value_name: str, place_name: str) -> Report:
    def report(call: LibraryCall) -> None:
        value, location = call.get_argument(0, value_name), find_location(call.get_argument(1, place_name))
        if location is not None and not is_called_by_package():
            call.record_write(_create_dataset(value, location, format_), (value,))

    return report


def _create_load_report(format_: str, place_name: str) -> Report:
    def report(call: LibraryCall) -> None:
        location = find_location(call.get_argument(0, place_name))
        if location is not None and not is_called_by_package():
            call.record_reads((_create_dataset(call.result, location, format_),), call.result)

    return report


def _create_dataset(value: Any, location: str, format_: str) -> Dataset:
    kind = DatasetKind.MODEL if is_model(value) else DatasetKind.FILE
    return Dataset(kind, location=location, format=format_)


def is_model(value: Any) -> bool:
    """Return whether an object is a model: its class can predict."""
    # A property of the object itself could run code of the program.
    return callable(getattr(type(value), "predict", None))
