"""The working folder of the process at the time of a call, found when the path that the call names is resolved.

To ask the operating system in each call would cost more than all else that is recorded of it. The interpreter announces that
Python code is about to change the folder; only then the one until then is asked for. A change by a library in C that calls the operating
system itself is not announced: a path that was named within the second before it may be resolved in the new folder.
"""

import os
from typing import Any, Final

from jupyter_colophon.capture.audit_events import listen_to_event

_CHANGE: Final = "os.chdir"
#: Number of earlier folders that are remembered: a path is resolved within seconds.
_MAX_EARLIER: Final = 1_000


class WorkingFolders:
    """The working folders of this process, by number; `current` is the number of the present one."""

    def __init__(self) -> None:
        """Create a list that knows no changes; they are not followed before `start`."""
        self.current = 0
        self.is_followed = False
        self._earlier: dict[int, str | None] = {}

    def start(self) -> None:
        """Follow changes, if the interpreter announces them."""
        self.is_followed = listen_to_event(_CHANGE, self._keep_before_change)

    def get_folder(self, number: int) -> str | None:
        """Return the folder with a number; None if it was deleted, or if too many came after it."""
        folder = _read_folder()
        return folder if number == self.current else self._earlier.get(number)

    def _keep_before_change(self, _: tuple[Any, ...]) -> None:
        self._earlier[self.current] = _read_folder()
        self._earlier.pop(self.current - _MAX_EARLIER, None)
        self.current += 1


def _read_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


#: Those of this process.
FOLDERS: Final = WorkingFolders()
