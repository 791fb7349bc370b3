"""The log of an application: its records, and those of the platform about it, in the store.

A record has no message of an exception, which may contain what a request contained: only its class, and the place in
the code of the application. The server's own log has the whole traceback.
"""

import logging
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from traceback import extract_tb
from typing import Final

from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.core.system_app_log import AppLogRecord
from jupyter_colophon.storage.spi import StorageProvider
from jupyter_colophon.storage.system_app_logs import append_log_records
from jupyter_colophon.system.worker import Worker

#: How many characters of a message are stored, and how many records may wait to be stored.
_MESSAGE_MAX: Final = 2_000
_WAITING_MAX: Final = 200
#: How long records are collected before they are stored, in seconds.
_SETTLE_S: Final = 0.5
_PACKAGE: Final = Path(__file__).parents[1]
_logger = logging.getLogger("jupyter_colophon.apps")


def get_app_logger(app: str) -> logging.Logger:
    """Return the logger of an application."""
    return logging.getLogger(f"{_logger.name}.{app}")


@dataclass(slots=True)
class AppLog:
    """Stores the records of one application on a thread that starts with the first record."""

    app: str
    provider: StorageProvider
    _waiting: "deque[AppLogRecord]" = field(default_factory=lambda: deque(maxlen=_WAITING_MAX))
    _dropped: int = 0
    _handler: "_RecordHandler" = field(init=False)
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Receive the records of the logger from now on."""
        self._worker = Worker(
            f"colophon-app-{self.app}-log",
            self._store_waiting_records,
            _logger,
            f"the log of the system application {self.app}",
            settle_s=_SETTLE_S,
            unavailable=(StorageError,),
        )
        self._handler = _RecordHandler(self)
        logger = get_app_logger(self.app)
        logger.setLevel(logging.INFO)
        logger.addHandler(self._handler)

    def add_record(self, record: AppLogRecord) -> None:
        """Store a record soon. If too many wait, the oldest is dropped."""
        self._dropped += len(self._waiting) == _WAITING_MAX
        self._waiting.append(record)
        self._worker.wake()
        self._worker.start()

    def close(self) -> None:
        """Receive no further records, and store those that wait, if the store is available."""
        get_app_logger(self.app).removeHandler(self._handler)
        self._worker.close()
        try:
            self._store_waiting_records()
        except StorageError as error:
            _logger.warning("%s: %d log records are lost: %s", self.app, len(self._waiting), error.detail)

    def _store_waiting_records(self) -> None:
        dropped, self._dropped = self._dropped, 0
        records = []
        while self._waiting:
            records.append(self._waiting.popleft())
        if not records:
            return
        if dropped:
            lost = AppLogRecord(0, records[0].time, "WARNING", f"{dropped} earlier records were dropped")
            records.insert(0, lost)
        try:
            self.provider.tx_runner.run(lambda tx: append_log_records(tx, self.app, records))
        except StorageError:
            # They are stored by the next step, as far as there is space.
            self._waiting.extendleft(reversed(records[-(_WAITING_MAX - len(self._waiting)) :]))
            raise


class _RecordHandler(logging.Handler):
    def __init__(self, log: AppLog) -> None:
        super().__init__(logging.INFO)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            message = record.getMessage() + _describe_exception(record)
        except Exception:  # noqa: BLE001  its arguments are of the application
            message = "a record that cannot be formatted"
        self._log.add_record(AppLogRecord(0, int(record.created * 1_000), record.levelname, message[:_MESSAGE_MAX]))


def _describe_exception(record: logging.LogRecord) -> str:
    """Return the class of the exception, and the last place outside this package, if there is one: not its message."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return ""
    frames = extract_tb(error.__traceback__)
    of_app = [frame for frame in frames if not Path(frame.filename).is_relative_to(_PACKAGE)]
    last = (of_app or frames)[-1:]
    place = "".join(f" at {frame.filename}:{frame.lineno}, in {frame.name}" for frame in last)
    return f" ({type(error).__name__}{place})"
