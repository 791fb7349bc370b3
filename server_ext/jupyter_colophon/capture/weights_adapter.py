"""The weights of models that programs save to files and load with safetensors and keras. Each such file is a model."""

from types import ModuleType
from typing import Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.models_adapter import report_unknown_training
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset

#: The functions that save the first argument to the file that the second one names.
_WRITERS: Final = ("save_file", "save_model", "save_weights")
#: The functions that return what a file has.
_READERS: Final = {"safetensors": ("load_file",), "keras": ("load_model",)}
#: The functions that put what a file has into the first argument.
_FILLING_READERS: Final = {"safetensors": ("load_model",), "keras": ("load_weights",)}
#: The names of the argument for the file.
_PLACES: Final = ("filename", "filepath")
#: The names of the argument for what is saved.
_VALUES: Final = ("tensors", "tensor_dict", "model")


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions of a module that save and load weights."""
    format_ = module.__name__.partition(".")[0]
    for name in _WRITERS:
        adapter.observe_function(module, name, _create_save_report(format_))
    for name in _READERS[format_]:
        adapter.observe_function(module, name, _create_load_report(format_, position=0))
    for name in _FILLING_READERS[format_]:
        adapter.observe_function(module, name, _create_load_report(format_, position=1))


def _create_save_report(format_: str) -> Report:
    def report(call: LibraryCall) -> None:
        location = find_location(call.find_argument(1, _PLACES))
        if location is not None:
            call.record_write(_create_model(location, format_), (call.find_argument(0, _VALUES),))
            report_unknown_training(call)

    return report


def _create_load_report(format_: str, position: int) -> Report:
    def report(call: LibraryCall) -> None:
        location = find_location(call.find_argument(position, _PLACES))
        if location is not None:
            value = call.find_argument(0, _VALUES) if position else call.result
            call.record_reads((_create_model(location, format_),), value)

    return report


def _create_model(location: str, format_: str) -> Dataset:
    return Dataset(DatasetKind.MODEL, location=location, format=format_)
