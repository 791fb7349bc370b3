"""Models and other objects that programs save to files and load with joblib, pickle and torch.

The file of a model is an entity of its own, a model (decision 51); that of any other object is a dataset.
"""

from collections import OrderedDict
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.caller_frames import is_called_by_package
from jupyter_colophon.capture.calls import Flow, LibraryCall, Report
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.observation import DatasetKind, MissingDetail
from jupyter_colophon.capture.origins import Dataset

#: By library: the function that saves and the name of its first argument, and that of the place in both functions.
_LIBRARIES: Final = {
    "joblib": ("dump", "value", "filename"),
    "pickle": ("dump", "obj", "file"),
    "torch": ("save", "obj", "f"),
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
            dataset = _create_dataset(value, location, format_)
            call.record_write(dataset, (value,))
            if format_ == "torch" and dataset.kind is DatasetKind.MODEL:
                report_unknown_training(call)

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


def report_unknown_training(call: LibraryCall) -> None:
    """Report that the run misses the data of a model whose training is code of the program, if no name connects it."""
    for flow in call.flows:
        if isinstance(flow, Flow) and not flow.sources and not flow.error:
            flow.missing = (MissingDetail.MODEL,)


def is_model(value: Any) -> bool:
    """Return whether an object is a model: its class can predict, or it is a module of torch or has the weights of one."""
    # A property of the object itself could run code of the program.
    if callable(getattr(type(value), "predict", None)) or _is_torch_module(type(value)):
        return True
    # A checkpoint has the weights beside the state of the training.
    return _has_weights(value) or (isinstance(value, dict) and any(map(_has_weights, value.values())))


def _is_torch_module(class_: type) -> bool:
    return any(each.__name__ == "Module" and each.__module__ == "torch.nn.modules.module" for each in class_.__mro__)


def _has_weights(value: Any) -> bool:
    """Return whether a value is what `state_dict` of a module returns: tensors by their names."""
    if not isinstance(value, OrderedDict) or not value:
        return False
    return all(type(each).__module__.partition(".")[0] == "torch" for each in value.values())
