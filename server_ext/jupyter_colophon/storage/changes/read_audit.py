"""Reads and queries of metadata by programs, as audit messages: a JSON object per line, a file per UTC day.

    <folder>/reads-<UTC day>.jsonl

The line is written before the response is sent; a read that cannot be recorded is refused.
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
from jupyter_colophon.core.cdap.entities import build_metadata_entity
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.errors import StorageError, StoreFull
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.service_token import is_service_account
from jupyter_colophon.storage.fsync import create_private_folders

_FULL = {errno.ENOSPC, errno.EDQUOT}
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
#: The version of CDAP's audit messages.
_VERSION = 2
#: The number of entities of a response in a line, and the longest JSON of a query that is written completely.
URNS_MAX, _QUERY_CHARACTERS_MAX = 500, 16_000


class ProgramReadAudit:
    """Record which programs read the metadata of which entities, and what they search. Safe for threads and processes."""

    def __init__(self, folder: Path, identity: IdentityRules, now: Callable[[], int]) -> None:
        self._folder, self._identity, self._now = folder, identity, now
        self._lock = Lock()

    def record_read_by_program(self, principal: Principal, urn: Urn) -> None:
        """Record that a program reads the metadata of an entity; reads by people are not recorded.

        Raises StoreFull, StorageError.
        """
        if principal.via is None:
            return
        entity = build_metadata_entity(urn, self._identity.get_namespace(urn), self._identity)
        self._write_audit_line(principal, {"metadataEntity": entity, "urn": str(urn)})

    def record_query_by_program(
        self, principal: Principal, operation: str, query: Mapping[str, object], urns: Iterable[str]
    ) -> None:
        """Record what a program lists or searches, and the first entities of the response.

        Raises StoreFull, StorageError.
        """
        if principal.via is None:
            return
        distinct = list(dict.fromkeys(urns))
        text = json.dumps(query, default=_to_json_value, ensure_ascii=False, separators=(",", ":"))
        is_whole = len(text) <= _QUERY_CHARACTERS_MAX
        self._write_audit_line(
            principal,
            {
                "operation": operation,
                "query": json.loads(text) if is_whole else {"truncated": text[:_QUERY_CHARACTERS_MAX]},
                "urns": distinct[:URNS_MAX],
                "entities": len(distinct),
            },
        )

    def _write_audit_line(self, principal: Principal, read: Mapping[str, object]) -> None:
        now = self._now()
        message = {
            "version": _VERSION,
            "time": now,
            "user": principal.user,
            "type": "ACCESS",
            "payload": {"accessType": "READ", "accessor": _describe_accessor(principal)},
            **read,
        }
        day = datetime.fromtimestamp(now / 1_000, UTC).date().isoformat()
        try:
            self._append_line(self._folder / f"reads-{day}.jsonl", encode_canonical_json(message).encode() + b"\n")
        except OSError as error:
            kind = StoreFull if error.errno in _FULL else StorageError
            raise kind(f"the read cannot be recorded ({type(error).__name__})") from error

    def _append_line(self, path: Path, line: bytes) -> None:
        with self._lock:
            create_private_folders(self._folder)
            descriptor = os.open(path, _APPEND, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)


def _describe_accessor(principal: Principal) -> dict[str, object]:
    kind = "service" if is_service_account(principal) else "kernel"
    return {"details": {kind: principal.via}, "type": kind}


def _to_json_value(value: object) -> object:
    """Convert a part of a query to JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)
