"""Arrays that programs save to files and load with numpy."""

from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.origins import get_file

#: By function: the name of the place, the format, and the ending that is added to a name without it.
_READERS: Final = {
    "load": ("file", "npy"),
    "loadtxt": ("fname", "text"),
    "genfromtxt": ("fname", "text"),
}
_WRITERS: Final = {
    "save": ("file", "npy", ".npy"),
    "savez": ("file", "npz", ".npz"),
    "savez_compressed": ("file", "npz", ".npz"),
    "savetxt": ("fname", "text", ""),
}


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions that save and load arrays."""
    for name, (place, format_) in _READERS.items():
        adapter.observe_function(module, name, _create_read_report(place, format_))
    for name, (place, format_, ending) in _WRITERS.items():
        adapter.observe_function(module, name, _create_write_report(place, format_, ending))


def _create_read_report(place_name: str, format_: str) -> Report:
    def report(call: LibraryCall) -> None:
        location = find_location(call.get_argument(0, place_name))
        if location is not None:
            known = "npz" if location.endswith(".npz") else format_
            call.record_reads((get_file(location, known),), call.result)

    return report


def _create_write_report(place_name: str, format_: str, ending: str) -> Report:
    def report(call: LibraryCall) -> None:
        place = call.get_argument(0, place_name)
        location = find_location(place)
        if location is not None:
            # An open file keeps its name.
            is_named = isinstance(place, str) or hasattr(place, "__fspath__")
            full = location if not is_named or location.endswith(ending) else location + ending
            call.record_write(get_file(full, format_), _list_arrays(call, place_name))

    return report


def _list_arrays(call: LibraryCall, place_name: str) -> list[Any]:
    """Return the arrays that are written: `savez` takes any number of them."""
    if call.function.startswith("savez"):
        return [
            *call.args[1:],
            *(value for name, value in call.kwargs.items() if name not in (place_name, "allow_pickle")),
        ]
    value = call.get_argument(1, "arr", call.kwargs.get("X"))
    return [value]
