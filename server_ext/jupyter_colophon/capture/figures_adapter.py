"""Figures that programs save to files with matplotlib and plotly.

A figure of matplotlib holds all that was drawn into its axes since it was cleared; pandas draws into axes too.
"""

import sys
from collections.abc import Iterable
from pathlib import PurePath
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.origins import get_file

#: The format of each function of plotly, None if it is that of the file's name.
_PLOTLY_WRITERS: Final = {"write_html": "html", "write_json": "json", "write_image": None}
#: The methods that draw data into axes.
_DRAWING: Final = (
    *("bar", "barbs", "barh", "boxplot", "broken_barh", "contour", "contourf", "ecdf", "errorbar", "eventplot", "fill"),
    *("fill_between", "fill_betweenx", "grouped_bar", "hexbin", "hist", "hist2d", "hlines", "imshow", "loglog"),
    *("matshow", "pcolor", "pcolorfast", "pcolormesh", "pie", "plot", "quiver", "scatter", "semilogx", "semilogy"),
    *("specgram", "spy", "stackplot", "stairs", "stem", "step", "streamplot", "tricontour", "tricontourf"),
    *("tripcolor", "triplot", "violinplot", "vlines"),
)


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe what draws and saves figures in a module of matplotlib or plotly."""
    if module.__name__ == "matplotlib.figure":
        _observe_matplotlib(module, adapter)
        return
    for name, format_ in _PLOTLY_WRITERS.items():
        report = _create_save_report(format_, "file")
        if module.__name__ == "plotly.basedatatypes":
            adapter.observe_method(module.BaseFigure, name, report)
        else:
            adapter.observe_function(module, name, report)


def _observe_matplotlib(module: ModuleType, adapter: Adapter) -> None:
    adapter.observe_method(module.Figure, "savefig", _create_save_report(None, "fname"))
    for owner in module.Axes.__mro__[:-1]:
        for name in _DRAWING:
            adapter.observe_method(owner, name, _report_drawn, skips_inner=True)
        adapter.observe_method(owner, "clear", _report_cleared_axes, skips_inner=True)
    for owner in module.Figure.__mro__[:-1]:
        adapter.observe_method(owner, "clear", _report_cleared_figure, skips_inner=True)
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and hasattr(pandas, "DataFrame"):
        # Of a class, `plot` is the class of what `frame.plot` is.
        adapter.observe_method(pandas.DataFrame.plot, "__call__", _report_plotted_frame)


def _create_save_report(format_: str | None, place_name: str) -> Report:
    def report(call: LibraryCall) -> None:
        location = find_location(call.get_argument(1, place_name))
        if location is not None:
            dataset = get_file(location, format_ or _find_format(call.kwargs.get("format"), location))
            call.record_write(dataset, (call.get_argument(0, "fig"),))

    return report


def _find_format(given: Any, location: str) -> str:
    suffix = PurePath(location).suffix.removeprefix(".")
    # Both libraries save a PNG unless the name or an argument names another format.
    return (given if isinstance(given, str) else suffix or "png").lower()


def _report_drawn(call: LibraryCall) -> None:
    _add_to_figure(call, call.receiver, (*call.args[1:], *call.kwargs.values()))


def _report_plotted_frame(call: LibraryCall) -> None:
    frame = getattr(call.receiver, "_parent", None)
    axes = getattr(call.result, "flat", (call.result,))
    if frame is not None:
        for each in axes:
            _add_to_figure(call, each, (frame,))


def _add_to_figure(call: LibraryCall, axes: Any, values: Iterable[Any]) -> None:
    figure = getattr(axes, "figure", None)
    if figure is not None and call.error is None:
        call.record_derived(figure, (figure, *values))


def _report_cleared_axes(call: LibraryCall) -> None:
    figure = call.receiver.figure
    if figure is not None and figure.axes == [call.receiver]:
        call.context.origins.forget(figure)


def _report_cleared_figure(call: LibraryCall) -> None:
    call.context.origins.forget(call.receiver)
