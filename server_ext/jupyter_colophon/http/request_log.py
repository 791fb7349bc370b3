"""The log of requests: a file with one line of JSON for each, for tools that collect logs.

A line names the operation, not the path: a path contains names of data.
"""

import json
import logging
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

#: The file is renamed to `….1` at this size, and as many earlier files are kept.
_FILE_BYTES: Final = 50_000_000
_FILES_KEPT: Final = 5


class RequestLog:
    """The log of one server. Lines are written on a thread of its own."""

    def __init__(self, path: Path) -> None:
        """Open the file, which only its owner may read. Raises OSError."""
        handler = RotatingFileHandler(path, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8")
        os.chmod(path, 0o600)
        queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
        self._logger = logging.Logger("jupyter_colophon.requests", logging.INFO)
        self._logger.addHandler(QueueHandler(queue))
        self._listener = QueueListener(queue, handler)
        self._listener.start()

    def write_request(self, request: Mapping[str, Any]) -> None:
        """Write the line of a request."""
        line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **request}
        self._logger.info("%s", json.dumps(line))

    def close(self) -> None:
        """Write what is waiting, and close the file."""
        self._listener.stop()
        for handler in self._listener.handlers:
            handler.close()
