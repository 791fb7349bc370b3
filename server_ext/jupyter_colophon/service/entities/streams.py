"""Write events to streams; the source is recorded as lineage once per UTC day (spec LINEAGE-19)."""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.stream_event import Binary, Taken
from jupyter_colophon.core.errors import NotFound, TooLarge
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import NAME_BYTES_MAX, check_bytes, check_text
from jupyter_colophon.core.lineage.run import Source
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes.stream_files import EventFiles
from jupyter_colophon.storage.entities.aspects import summary
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The size limit of a stored event.
EVENT_BYTES = 1024 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Streams:
    """Stores events of streams. Without files events are dropped, but lineage is recorded."""

    provider: StorageProvider
    gate: Gate
    write_path: WritePath
    files: EventFiles | None
    now: Callable[[], int]

    def write(self, stream: Urn, events: Callable[[], Sequence[Any]], source: str, principal: Principal) -> Taken:
        """Append events to a stream, atomically; they are parsed after the access check.

        `source` names the external writer; "" records none. Raises NotFound, AccessDenied, TooLarge, StoreFull, and the
        errors of `events`.
        """
        self.write_path.require(principal, "emit", stream)
        now = self.now()
        external_source = None if source == "" else _source(self.gate.identity.namespace_of(stream), source, now)
        since, known = self.provider.tx_runner.run(
            lambda tx: _look_up_stream(tx, stream, external_source), read_only=True
        )
        lines = [_line(event, source, now) for event in events()]
        if external_source is not None and not known:
            self.write_path.record_source(stream, external_source, principal)
        if self.files is not None and lines:
            self.files.append(self._folder(self.files, stream, since), _day(now), lines)
        return Taken(len(lines), self.files is not None)

    def folder(self, stream: Urn, principal: Principal) -> Path | None:
        """Return the folder of a stream's events; None if events are not stored. Raises NotFound."""
        self.gate.require(principal, stream)
        since, _ = self.provider.tx_runner.run(lambda tx: _look_up_stream(tx, stream, None), read_only=True)
        return None if self.files is None else self._folder(self.files, stream, since)

    def close(self) -> None:
        """Flush written events, and close the files."""
        if self.files is not None:
            self.files.close()

    def _folder(self, files: EventFiles, stream: Urn, since: int) -> Path:
        identity = self.gate.identity
        return files.folder(identity.namespace_of(stream), identity.short_name(stream), since)


def _look_up_stream(tx: TableContext, stream: Urn, source: Source | None) -> tuple[int, bool]:
    """Return the creation time of the stream, and whether the source is already recorded. Raises NotFound."""
    found = summary(tx, str(stream))
    if found is None:
        raise NotFound("stream", str(stream))
    return found.created.time, source is not None and runs.wrote(tx, source, str(stream))


def _line(event: Any, source: str, now: int) -> bytes:
    body = {"body": event}
    if isinstance(event, Binary):
        body = {"body": base64.b64encode(event.content).decode(), "encoding": "base64"}
    line = json.dumps(
        {"timestamp": now, "source": source or None, **body}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    if len(line) > EVENT_BYTES:
        raise TooLarge(f"an event may have at most {EVENT_BYTES} bytes")
    return line


def _source(namespace: str, name: str, now: int) -> Source:
    check_text("source", name)
    check_bytes("source", name, NAME_BYTES_MAX)
    urn = names.custom("external", [("namespace", namespace), ("external", name)])
    start = now - now % _DAY_MS
    return Source(urn, _day(now), start, start + _DAY_MS - 1)


def _day(ms: int) -> str:
    return (_EPOCH + timedelta(milliseconds=ms)).date().isoformat()
