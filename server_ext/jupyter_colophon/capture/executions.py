"""Which cell a call belongs to: the one that started its task or its thread, although others may run by then.

Tasks of asyncio inherit the variable from the cell that created them. Threads do not, so an adapter passes it on when a cell starts
a thread or submits work to an executor. A pool whose threads outlive the cell gets no cell: its work belongs to the cell
that runs at that time.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_colophon.capture.adapters import Adapter

#: The cell that runs, None outside of cells.
current_execution: ContextVar[object | None] = ContextVar("colophon_execution", default=None)


def install(module: ModuleType, adapter: "Adapter") -> None:
    """Pass the cell on to threads (of `threading`), or to the work of an executor (of `concurrent.futures.thread`)."""
    if module.__name__ == "threading":
        adapter.replace_method(module.Thread, "start", _wrap_start)
    else:
        adapter.replace_method(module.ThreadPoolExecutor, "submit", _wrap_submit)


def _wrap_start(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: Any, *args: Any, **kwargs: Any) -> Any:
        execution = current_execution.get()
        if execution is not None and not _is_worker_of_pool(self):
            self.run = partial(_run_for_execution, execution, self.run)
        return original(self, *args, **kwargs)

    return start


def _wrap_submit(original: Callable[..., Any]) -> Callable[..., Any]:
    def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        execution = current_execution.get()
        if execution is not None:
            fn = partial(_run_for_execution, execution, fn)
        return original(self, fn, *args, **kwargs)

    return submit


def _run_for_execution(execution: object, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    token = current_execution.set(execution)
    try:
        return function(*args, **kwargs)
    finally:
        current_execution.reset(token)


def _is_worker_of_pool(thread: Any) -> bool:
    """Return whether a thread belongs to a pool: `ThreadPool` starts its workers as processes that are threads."""
    kinds = {kind.__module__ for kind in type(thread).__mro__}
    target = getattr(getattr(thread, "_target", None), "__module__", "")
    return "multiprocessing.dummy" in kinds or target in ("concurrent.futures.thread", "multiprocessing.pool")
