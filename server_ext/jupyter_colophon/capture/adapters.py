"""The adapters of libraries: which exist, and how they are installed when a program imports its library.

An adapter is a function `install(module, adapter)` that names the functions to observe. Packages add theirs as entry points of
the group `jupyter_colophon.capture_adapters`, whose name is the module after whose import the adapter is installed.
"""

import importlib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from types import ModuleType
from typing import Final, TypeAlias, TypedDict, Unpack

from jupyter_colophon.capture.caller_frames import call_from_program
from jupyter_colophon.capture.calls import CallContext, DeferredFlows, Flow, LibraryCall, Observer, Report
from jupyter_colophon.capture.computations import ComputationOptions, Function
from jupyter_colophon.capture.hidden_frames import STACK, count_without_wrappers
from jupyter_colophon.capture.import_hook import call_after_import
from jupyter_colophon.capture.patches import Patches

GROUP: Final = "jupyter_colophon.capture_adapters"

#: The adapters of this package by the module after whose import they are installed.
SHIPPED: Final[Mapping[str, str]] = {
    "concurrent.futures.thread": "jupyter_colophon.capture.executions",
    "threading": "jupyter_colophon.capture.executions",
    **dict.fromkeys(("joblib", "pickle", "torch"), "jupyter_colophon.capture.models_adapter"),
    **dict.fromkeys(
        ("safetensors.numpy", "safetensors.torch", "keras.src.saving.saving_api"),
        "jupyter_colophon.capture.weights_adapter",
    ),
    **dict.fromkeys(
        ("matplotlib.figure", "plotly.io", "plotly.basedatatypes"), "jupyter_colophon.capture.figures_adapter"
    ),
    **dict.fromkeys(("nbclient.client", "nbclient.cli"), "jupyter_colophon.capture.nbclient_adapter"),
    "datasets": "jupyter_colophon.capture.huggingface",
    "deltalake": "jupyter_colophon.capture.deltalake_adapter",
    "papermill.execute": "jupyter_colophon.capture.papermill_adapter",
    "duckdb": "jupyter_colophon.capture.duckdb.adapter",
    "polars": "jupyter_colophon.capture.polars",
    **dict.fromkeys(("pyiceberg.table", "pyiceberg.catalog.sql"), "jupyter_colophon.capture.iceberg_adapter"),
    "psycopg": "jupyter_colophon.capture.psycopg_adapter",
    **dict.fromkeys(
        (
            *("pyarrow.parquet", "pyarrow.csv", "pyarrow.json", "pyarrow.feather", "pyarrow.orc", "pyarrow.dataset"),
            "pyarrow.ipc",
        ),
        "jupyter_colophon.capture.pyarrow_adapter",
    ),
    "pyspark.sql.classic.dataframe": "jupyter_colophon.spark.capture.values_from_spark",
    "pyspark.sql.connect.client.core": "jupyter_colophon.spark.connect.adapter",
    "numpy": "jupyter_colophon.capture.numpy_adapter",
    "sqlalchemy": "jupyter_colophon.capture.sqlalchemy_adapter",
    "sqlite3": "jupyter_colophon.capture.sqlite3_adapter",
    "pandas": "jupyter_colophon.capture.pandas",
}


#: The names by which users disable libraries, where they differ.
_SHORT_NAMES: Final = {"pyspark": "spark"}


class CallOptions(TypedDict, total=False):
    """How a function that accesses data is observed."""

    #: Whether calls inside another observed call are not reported: for frequent functions that compute values.
    skips_inner: bool
    #: Whether observed calls inside this one are not reported: its report names all the data that they access.
    hides_inner: bool
    #: Whether the function looks at the variables of its caller (`caller_frames.py`).
    sees_caller: bool
    #: Gets the arguments before the call; what it returns is the call's `state`, None if it fails.
    prepare: Function


class Adapter:
    """What an adapter's `install` uses: it observes functions of a library and can be undone."""

    def __init__(
        self,
        name: str,
        context: CallContext,
        commit: Callable[[Sequence[Flow | DeferredFlows]], None],
        on_error: Callable[[str, Exception], None],
    ) -> None:
        """Create an adapter that has observed nothing; `on_error` gets the adapter's name and an error of a report."""
        self.name, self.context = name, context
        self._on_error, self._is_restored = on_error, False
        self._patches = Patches()
        #: Takes flows that no call has, such as those of a thread of the adapter.
        self.commit = commit
        self._observer = Observer(context, commit, lambda error: on_error(name, error))

    def observe_function(self, module: ModuleType, name: str, report: Report, **options: Unpack[CallOptions]) -> bool:
        """Observe a module's function; return whether the module has it in this version of the library."""
        wrap = self._create_wrapper(name, report, options)
        return self._patches.replace_function(module, name, wrap)

    def observe_method(self, owner: type, name: str, report: Report, **options: Unpack[CallOptions]) -> bool:
        """Observe a method that a class defines; return whether it defines it in this version of the library."""
        wrap = self._create_wrapper(name, report, options)
        return self._patches.replace_method(owner, name, wrap)

    def observe_inherited_method(self, owner: type, name: str, report: Report) -> None:
        """Observe a method that a class inherits from a class of an extension module."""
        self._patches.extend_class(owner, name, self._create_wrapper(name, report, {}))

    def _create_wrapper(self, name: str, report: Report, options: CallOptions) -> Callable[[Function], Function]:
        def wrap(original: Function) -> Function:
            called = call_from_program(original) if options.get("sees_caller") else original
            return self._observer.wrap(
                called,
                name,
                report,
                prepare=options.get("prepare"),
                skips_inner=options.get("skips_inner", False),
                hides_inner=options.get("hides_inner", False),
            )

        return wrap

    def observe_computation(
        self, owner: ModuleType | type, name: str, report: Report, **options: Unpack[ComputationOptions]
    ) -> bool:
        """Observe a function, method or property that computes a value, as `Observer.wrap_computation` describes it."""

        def wrap(original: Function) -> Function:
            return self._observer.wrap_computation(original, name, report, **options)

        if isinstance(owner, ModuleType):
            # A call by the library is a part of one by the program.
            return self._patches.replace_function(owner, name, wrap, is_internal=False)
        return self._patches.replace_method(owner, name, wrap)

    def hide_wrappers_from(self, module: ModuleType | None) -> None:
        """Let a module of the library, which looks at the frames of its callers by `sys._getframe`, not see those of wrappers."""
        if module is not None:
            self._patches.replace_global(module, "sys", STACK)

    def count_without_wrappers(self, module: ModuleType | None, name: str) -> bool:
        """Let a function, which counts the frames of the library above it for `warnings`, not count wrappers; return whether it exists."""
        return module is not None and self._patches.replace_function(module, name, count_without_wrappers)

    def record_event(self, function: str, report: Report) -> None:
        """Record what a library reports by an event of its own instead of a function."""
        self._observer.record_event(function, report)

    def record_call(self, call: LibraryCall, report: Report) -> None:
        """Report a call that an adapter's own wrapper made, such as that of a coroutine function, once it ended."""
        self._observer.record_call(call, report)

    def call_before_values(self, function: Callable[[], object]) -> None:
        """Call a function before the first value of the program is followed; now, if one is.

        Programs that only import the library do not pay for the observation of what computes values.
        """

        def call_safely() -> None:
            try:
                if not self._is_restored:
                    function()
            except Exception as error:  # noqa: BLE001  values that are not followed must not break the user's call
                self._on_error(self.name, error)

        self.context.origins.call_before_values(call_safely)

    def call_when_restored(self, function: Callable[[], object]) -> None:
        """Call a function when the library is restored, to stop listening to its events."""
        self._patches.call_when_restored(function)

    def replace_function(self, module: ModuleType, name: str, wrap: Callable[[Function], Function]) -> bool:
        """Replace a module's function by what `wrap` returns for it; return whether the module has it."""
        return self._patches.replace_function(module, name, wrap)

    def replace_method(self, owner: type, name: str, wrap: Callable[[Function], Function]) -> bool:
        """Replace a method by what `wrap` returns for it; return whether the class defines it."""
        return self._patches.replace_method(owner, name, wrap)

    def restore_library(self) -> None:
        """Restore the observed functions."""
        self._is_restored = True
        self._patches.restore()


Install: TypeAlias = Callable[[ModuleType, Adapter], None]


def _load_install(module_name: str) -> Install:
    install: Install = importlib.import_module(module_name).install
    return install


class Adapters:
    """The adapters of a session, each installed once its library is imported."""

    def __init__(self, create_adapter: Callable[[str], Adapter], disabled: Collection[str] = ()) -> None:
        """Create the adapters except those in `disabled`, by name of their library."""
        self._create_adapter, self._disabled = create_adapter, frozenset(disabled)
        self._ends: list[Callable[[], None]] = []
        self._installed: list[Adapter] = []

    def install_shipped(self) -> None:
        """Install the adapters of this package, now for imported libraries and later for others."""
        for library, module_name in SHIPPED.items():
            self._call_after_library(library, partial(_load_install, module_name))

    def install_entry_points(self) -> None:
        """Install the adapters of other packages. Reads the metadata of all installed packages, which takes some milliseconds."""
        for entry_point in entry_points(group=GROUP):
            self._call_after_library(entry_point.name, entry_point.load)

    @property
    def installed_names(self) -> list[str]:
        """Return the names of the libraries that are captured."""
        return sorted({adapter.name for adapter in self._installed})

    def restore_libraries(self) -> None:
        """Restore all libraries."""
        for end in self._ends:
            end()
        for adapter in self._installed:
            adapter.restore_library()
        self._ends, self._installed = [], []

    def _call_after_library(self, library: str, load: Callable[[], Install]) -> None:
        name = library.partition(".")[0]
        if not {name, _SHORT_NAMES.get(name, name)} & self._disabled:
            self._ends.append(call_after_import(library, lambda module: self._install(library, load, module)))

    def _install(self, library: str, load: Callable[[], Install], module: ModuleType) -> None:
        adapter = self._create_adapter(library)
        try:
            load()(module, adapter)
        except Exception:
            adapter.restore_library()
            raise
        self._installed.append(adapter)
