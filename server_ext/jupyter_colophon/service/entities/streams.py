"""Write events to streams; the source is recorded as lineage once per UTC day (spec LINEAGE-19)."""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.stream_event import BinaryBody, StreamWriteResult
from jupyter_colophon.core.errors import NotFound, TooLarge
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import NAME_BYTES_MAX, require_bytes_at_most, require_valid_text
from jupyter_colophon.core.lineage.run import StreamWriter
from jupyter_colophon.core.time_format import DAY_MS
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes.stream_files import EventFiles
from jupyter_colophon.storage.entities.aspects import find_entity_summary
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The size limit of a stored event.
EVENT_BYTES = 1024 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class EventStreams:
    """Stores events of streams. Without files events are dropped, but lineage is recorded."""

    provider: StorageProvider
    read_policy: ReadPolicy
    write_path: WritePath
    files: EventFiles | None
    now: Callable[[], int]

    def append_events_and_record_run(
        self, stream: Urn, parse_events: Callable[[], Sequence[Any]], source_name: str, principal: Principal
    ) -> StreamWriteResult:
        """Append events to a stream, atomically; they are parsed after the access check.

        `source` names the external writer; "" records none. Raises NotFound, AccessDenied, TooLarge, StoreFull, and the
        errors of `events`.
        """
        self.write_path.require_may_act_on_entity(principal, "emit", stream)
        now = self.now()
        external_source = (
            None
            if source_name == ""
            else _create_stream_writer(self.read_policy.identity.get_namespace(stream), source_name, now)
        )
        since, is_recorded = self.provider.tx_runner.run(
            lambda tx: _read_creation_time_and_is_recorded(tx, stream, external_source), read_only=True
        )
        lines = [_encode_event_line(event, source_name, now) for event in parse_events()]
        if external_source is not None and not is_recorded:
            self.write_path.record_stream_writer(stream, external_source, principal)
        if self.files is not None and lines:
            self.files.append_events(self._build_stream_folder(self.files, stream, since), _format_utc_day(now), lines)
        return StreamWriteResult(len(lines), self.files is not None)

    def get_event_folder_or_none(self, stream: Urn, principal: Principal) -> Path | None:
        """Return the folder of a stream's events; None if events are not stored. Raises NotFound."""
        self.read_policy.require_readable_entity(principal, stream)
        since, _ = self.provider.tx_runner.run(
            lambda tx: _read_creation_time_and_is_recorded(tx, stream, None), read_only=True
        )
        return None if self.files is None else self._build_stream_folder(self.files, stream, since)

    def publish_events_and_close_files(self) -> None:
        """Flush written events, and close the files."""
        if self.files is not None:
            self.files.publish_all_and_close()

    def _build_stream_folder(self, files: EventFiles, stream: Urn, since: int) -> Path:
        identity = self.read_policy.identity
        return files.get_stream_folder(identity.get_namespace(stream), identity.get_short_name(stream), since)


def _read_creation_time_and_is_recorded(tx: TableContext, stream: Urn, source: StreamWriter | None) -> tuple[int, bool]:
    """Return the creation time of the stream, and whether the source is already recorded. Raises NotFound."""
    summary = find_entity_summary(tx, str(stream))
    if summary is None:
        raise NotFound("stream", str(stream))
    return summary.created.time, source is not None and runs.has_recorded_stream_write(tx, source, str(stream))


def _encode_event_line(event: Any, source: str, now: int) -> bytes:
    body = {"body": event}
    if isinstance(event, BinaryBody):
        body = {"body": base64.b64encode(event.content).decode(), "encoding": "base64"}
    line = json.dumps(
        {"timestamp": now, "source": source or None, **body}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    if len(line) > EVENT_BYTES:
        raise TooLarge(f"an event may have at most {EVENT_BYTES} bytes")
    return line


def _create_stream_writer(namespace: str, name: str, now: int) -> StreamWriter:
    require_valid_text("source", name)
    require_bytes_at_most("source", name, NAME_BYTES_MAX)
    urn = names.make_custom_urn("external", [("namespace", namespace), ("external", name)])
    start = now - now % DAY_MS
    return StreamWriter(urn, _format_utc_day(now), start, start + DAY_MS - 1)


def _format_utc_day(ms: int) -> str:
    return (_EPOCH + timedelta(milliseconds=ms)).date().isoformat()
