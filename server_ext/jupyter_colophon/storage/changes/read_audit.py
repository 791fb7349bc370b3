"""Reads and queries of metadata by programs, as audit messages in files: a JSON object a line, a file a UTC day.

    <folder>/reads-<UTC day>.jsonl

A line is in the file before the read is answered; a read that cannot be recorded is refused.
"""

import errno
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.entities import metadata_entity
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.errors import StorageError, StoreFull
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.storage.fsync import make_folder

_FULL = {errno.ENOSPC, errno.EDQUOT}
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
#: The version of CDAP's audit messages.
_VERSION = 2
#: How many entities of an answer a line names, and how long the JSON of a query may be that is in it whole.
URNS_MAX, _QUERY_CHARACTERS_MAX = 500, 16_000


class ReadAudit:
    """Records which programs read the metadata of which entities, and what they search. Safe from any thread and process."""

    def __init__(self, folder: Path, identity: Identity, now: Callable[[], int]) -> None:
        self._folder, self._identity, self._now = folder, identity, now
        self._lock = Lock()

    def record(self, principal: Principal, urn: Urn) -> None:
        """Record that a program reads the metadata of an entity; what people read themselves is not recorded.

        Raises StoreFull, StorageError.
        """
        if principal.via is None:
            return
        entity = metadata_entity(urn, self._identity.namespace_of(urn), self._identity)
        self._write(principal, {"metadataEntity": entity, "urn": str(urn)})

    def record_query(
        self, principal: Principal, operation: str, query: Mapping[str, object], urns: Iterable[str]
    ) -> None:
        """Record what a program lists or searches, and the first entities of the answer.

        Raises StoreFull, StorageError.
        """
        if principal.via is None:
            return
        found = list(dict.fromkeys(urns))
        text = json.dumps(query, default=_plain, ensure_ascii=False, separators=(",", ":"))
        is_whole = len(text) <= _QUERY_CHARACTERS_MAX
        self._write(
            principal,
            {
                "operation": operation,
                "query": json.loads(text) if is_whole else {"truncated": text[:_QUERY_CHARACTERS_MAX]},
                "urns": found[:URNS_MAX],
                "entities": len(found),
            },
        )

    def _write(self, principal: Principal, read: Mapping[str, object]) -> None:
        now = self._now()
        message = {
            "version": _VERSION,
            "time": now,
            "user": principal.user,
            "type": "ACCESS",
            "payload": {"accessType": "READ", "accessor": {"details": {"kernel": principal.via}, "type": "kernel"}},
            **read,
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


def _plain(value: object) -> object:
    """Return a part of a query as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)
