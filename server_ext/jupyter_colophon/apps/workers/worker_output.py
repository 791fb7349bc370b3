"""The output of a worker process, in the server's log: as much as a person can read, whatever its code prints."""

import logging
import threading
import time
from typing import IO, Final

#: How many bytes a second are logged.
_BYTES_PER_SECOND: Final = 16 * 1024
_LINE_BYTES_MAX: Final = 4 * 1024
#: The pause after as many bytes beyond the limit: code that floods its output waits, and not the server.
_CHUNK: Final = 64 * 1024
_PAUSE_S: Final = 0.05
_logger = logging.getLogger("jupyter_colophon.apps")


def log_output_in_background(stream: IO[bytes], name: str) -> None:
    """Log what a process writes, until it closes the stream."""
    threading.Thread(target=_log_output, args=(stream, name), name=f"{name}-output", daemon=True).start()


def _log_output(stream: IO[bytes], name: str) -> None:
    begun, used, skipped = time.monotonic(), 0, 0
    with stream:
        while line := stream.readline(_LINE_BYTES_MAX):
            if time.monotonic() - begun >= 1:
                begun, used = time.monotonic(), 0
            used += len(line)
            if used <= _BYTES_PER_SECOND:
                _logger.warning("%s: %s", name, line.decode("utf-8", "replace").rstrip())
                continue
            if used - len(line) <= _BYTES_PER_SECOND:
                _logger.warning("%s: further output of this second is omitted", name)
            skipped += len(line)
            if skipped >= _CHUNK:
                skipped = 0
                time.sleep(_PAUSE_S)
