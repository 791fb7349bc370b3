"""The notebooks of running kernels: a kernel knows only the path that its notebook had when the kernel started."""

from dataclasses import dataclass
from threading import Lock

from jupyter_colophon.core.notebook_paths import move_path


@dataclass(slots=True)
class _NotebookPath:
    #: The path that the kernel reports.
    reported: str
    present: str


class KernelNotebooks:
    """The present paths of the notebooks of this server's kernels. Thread-safe."""

    def __init__(self) -> None:
        self._paths: dict[str, _NotebookPath] = {}
        self._lock = Lock()

    def record_start(self, kernel: str, path: str) -> str:
        """Record the start of a kernel; return the path of its notebook, which a restarted kernel reports from now on.

        Jupyter restarts a kernel with the path of its first start.
        """
        with self._lock:
            known = self._paths.get(kernel)
            present = path if known is None else known.present
            self._paths[kernel] = _NotebookPath(present, present)
            return present

    def remove_kernel(self, kernel: str) -> None:
        """Forget a kernel that has ended."""
        with self._lock:
            self._paths.pop(kernel, None)

    def rename_path(self, old: str, new: str) -> None:
        """Record that a notebook, or a folder with notebooks, has a new path."""
        with self._lock:
            for path in self._paths.values():
                path.present = move_path(path.present, old, new)

    def find_present_path(self, kernel: str | None, path: str) -> str:
        """Return the present path of a kernel's notebook, given the path that the kernel reports."""
        with self._lock:
            known = None if kernel is None else self._paths.get(kernel)
            return path if known is None or known.reported != path else known.present
