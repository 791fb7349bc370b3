"""Reads of metadata by programs, as audit messages in files: a JSON object a line, a file a UTC day.

    <folder>/reads-<UTC day>.jsonl

A line is in the file before the read is answered; a read that cannot be recorded is refused.
"""

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StorageError, StoreFull
from jupyter_colophon.core.jsontext import compact
from jupyter_colophon.core.names import Identity, Urn
from jupyter_colophon.core.v3_entities import metadata_entity
from jupyter_colophon.storage.folders import make_folder

_FULL = {errno.ENOSPC, errno.EDQUOT}
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
#: The version of CDAP's audit messages.
_VERSION = 2


class ReadAudit:
    """Records which programs read the metadata of which entities. Safe from any thread and process."""

    def __init__(self, folder: Path, identity: Identity, now: Callable[[], int]) -> None:
        self._folder, self._identity, self._now = folder, identity, now
        self._lock = Lock()

    def record(self, principal: Principal, urn: Urn) -> None:
        """Record that a program reads the metadata of an entity; what people read themselves is not recorded.

        Raises StoreFull, StorageError.
        """
        if principal.via is None:
            return
        now, namespace = self._now(), self._identity.namespace_of(urn)
        accessor = {"details": {"kernel": principal.via}, "type": "kernel"}
        message = {
            "version": _VERSION,
            "time": now,
            "metadataEntity": metadata_entity(urn, namespace, self._identity),
            "user": principal.user,
            "type": "ACCESS",
            "payload": {"accessType": "READ", "accessor": accessor},
            "urn": str(urn),
        }
        day = datetime.fromtimestamp(now / 1_000, UTC).date().isoformat()
        try:
            self._append(self._folder / f"reads-{day}.jsonl", compact(message).encode() + b"\n")
        except OSError as error:
            kind = StoreFull if error.errno in _FULL else StorageError
            raise kind(f"the read cannot be recorded ({type(error).__name__})") from error

    def _append(self, path: Path, line: bytes) -> None:
        with self._lock:
            make_folder(self._folder)
            descriptor = os.open(path, _APPEND, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
