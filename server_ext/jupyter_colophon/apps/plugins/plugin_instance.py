"""A plugin of a namespace with its properties."""

from dataclasses import dataclass
from typing import Any

from jupyter_colophon.apps.plugins.shared_process import SharedProcess


@dataclass(frozen=True, slots=True)
class PluginInstance:
    """A plugin with its properties. Its process starts with the first call, and again after a call that ended it."""

    name: str
    _process: SharedProcess
    _number: int

    def call(self, method: str, argument: Any = None, *, timeout_s: float | None = None) -> Any:
        """Call a public method of the plugin with a JSON value, and return the JSON value that it returns.

        The call ends after `timeout_s`, at the latest with the call of the handler. Raises PluginFailed if the plugin
        raises an error, takes too long, breaks a limit, or returns anything else; that concerns only this call.
        """
        return self._process.call(self._number, method, argument, timeout_s)
