"""The run of a program, as the program sees it: its arguments and schemas, its data, and metadata."""

import secrets
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from jupyter_colophon.client.programs.entity import MetadataEntity, resolve_entity
from jupyter_colophon.client.programs.outbox import Kind, OutboxEntry
from jupyter_colophon.client.programs.outbox_sender import OutboxSender
from jupyter_colophon.client.programs.reading import MetadataByScope, MetadataSnapshot, RunMetadataReader, Scope
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.client.programs.uses import (
    MODES,
    UseAccess,
    combine_access_modes,
    get_declared_uses,
    validate_access_mode,
)
from jupyter_colophon.client.programs.writing import Writer
from jupyter_colophon.core.entities.metadata_scopes import Metadata
from jupyter_colophon.core.identity.names import Urn, make_run_urn
from jupyter_colophon.core.lineage.run import AccessMode
from jupyter_colophon.core.time_format import format_ms_as_iso_time

if TYPE_CHECKING:
    from types import TracebackType

    from jupyter_colophon.client.operations import Operations


#: How a run ends.
Ending = Literal["succeeded", "failed", "killed"]


class RunMetadata(Writer):
    """Metadata within a run: `get` reads, everything else emits."""

    def __init__(self, run: str, reader: RunMetadataReader, sender: OutboxSender, namespace: str | None) -> None:
        self._urn, self._reader, self._sender, self._namespace = run, reader, sender, namespace
        super().__init__(run, self._send, reader.get_metadata, reader.get_field_names, self._resolve_entity)

    @overload
    def get(self, of: MetadataEntity | str) -> MetadataByScope: ...

    @overload
    def get(self, of: MetadataEntity | str, scope: Scope) -> Metadata: ...

    def get(self, of: MetadataEntity | str, scope: Scope | None = None) -> MetadataByScope | Metadata:
        """Return properties and tags by scope, or those of one scope; cached until the run ends.

        An entity that does not exist has none. Raises MetadataUnavailable, and RequestFailed without read access.
        """
        metadata = self._reader.get_metadata(self._resolve_entity(of))
        return metadata if scope is None else metadata[scope]

    def fields(self, of: MetadataEntity | str) -> tuple[str, ...]:
        """Return the paths of a dataset's fields: those of its schema, and those with metadata. Raises what `get` raises."""
        return self._reader.get_field_names(self._resolve_entity(of))

    @property
    def pending(self) -> int:
        """Return the number of emitted entries of this process that the server has not received."""
        return self._sender.pending_count

    @property
    def dropped(self) -> int:
        """Return the number of entries that were refused; the log has the details."""
        return self._sender.dropped_count

    def emit(self, proposals: Iterable[Mapping[str, Any]]) -> None:
        """Emit any proposals (schemas/api/proposal.json)."""
        for proposal in proposals:
            self._send({**proposal, "run": self._urn})

    def flush(self, timeout_s: float = 10.0) -> int:
        """Wait until everything is sent, at most `timeout_s` or until an attempt fails; return the number of pending entries."""
        return self._sender.flush(timeout_s)

    def _resolve_entity(self, named: MetadataEntity | str) -> MetadataEntity:
        return resolve_entity(named, self._namespace)

    def _send(self, proposal: dict[str, Any]) -> None:
        self._sender.store_and_send_later(_create_outbox_entry("emit", self._urn, {"proposals": [proposal]}))


class RunContext:
    """One run. It starts with its creation, and ends with its `with` block or by `end`."""

    def __init__(
        self,
        program: Urn,
        *,
        catalog: "Operations | None",
        sender: OutboxSender,
        namespace: str | None = None,
        run_id: str | None = None,
        parent: str | None = None,
        arguments: Mapping[str, str] | None = None,
        input_schema: Any = None,
        output_schema: Any = None,
        prefetch: Iterable[MetadataEntity | str] = (),
        snapshot: MetadataSnapshot | None = None,
        code: Any = None,
    ) -> None:
        self.program, self.run_id = str(program), run_id or str(uuid.uuid4())
        self.urn = str(make_run_urn(program, self.run_id))
        self.arguments: Mapping[str, str] = dict(arguments or {})
        self.input_schema = None if input_schema is None else RecordSchema.parse(input_schema)
        self.output_schema = None if output_schema is None else RecordSchema.parse(output_schema)
        #: Facts that are reported when the run ends.
        self.facts: dict[str, str | int | float | bool] = {}
        self._namespace, self._sender = namespace, sender
        self._recorded: dict[tuple[str, str], AccessMode] = {}
        self._has_ended = False
        #: The server; None if nothing is read from one.
        self.catalog = catalog if snapshot is None else None
        self._reader = RunMetadataReader(catalog, snapshot)
        self.metadata = RunMetadata(self.urn, self._reader, sender, namespace)
        for item in prefetch:
            self.metadata.get(item)
        self._start_ms = _read_time_ms()
        start = {"program": self.program, "runId": self.run_id, "status": "running", "arguments": self.arguments}
        self._enqueue("start", {**start, "start": format_ms_as_iso_time(self._start_ms), "parent": parent})
        self.declare(code)

    def entity_from(self, argument: str) -> MetadataEntity:
        """Return the dataset named by an argument of the run (by convention `source` and `sink`). Raises LookupError."""
        if argument not in self.arguments:
            msg = f"the run was started without the argument {argument!r}"
            raise LookupError(msg)
        return resolve_entity(self.arguments[argument], self._namespace)

    def open_dataset(
        self, name: MetadataEntity | str, access: UseAccess = "unknown", component: str = ""
    ) -> MetadataEntity:
        """Record that the run uses a dataset, and return the dataset. Raises ValueError."""
        entity = resolve_entity(name, self._namespace)
        self._record_new_uses([(entity, MODES[validate_access_mode(access)], component)])
        return entity

    def declare(self, code: Any) -> None:
        """Record the uses that a function or a class declares by `@uses`."""
        uses = get_declared_uses(code)
        self._record_new_uses([(self._resolve_declared(use.name), MODES[use.access], use.component) for use in uses])

    def record_accesses(self, accesses: Mapping[str, Any]) -> None:
        """Record captured accesses of data and columns (schemas/api/accesses.json)."""
        self._enqueue("accesses", dict(accesses))

    def record_facts(self, facts: Mapping[str, str | int | float | bool]) -> None:
        """Report facts of the running run, to show its progress."""
        self._enqueue("facts", {"facts": dict(facts)})

    def end(self, status: Ending = "succeeded") -> None:
        """End the run and report `facts`; further calls have no effect."""
        if not self._has_ended:
            self._has_ended = True
            # The clock may have been set back: a run never ends before its start.
            ending = {"status": status, "end": format_ms_as_iso_time(max(_read_time_ms(), self._start_ms))}
            self._enqueue("end", ending | ({"facts": self.facts} if self.facts else {}))
            self._reader.close()

    def __enter__(self) -> "RunContext":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        if kind is None:
            self.end()
        else:
            self.end("failed" if issubclass(kind, Exception) else "killed")

    def _resolve_declared(self, name: str) -> MetadataEntity:
        """Return the dataset of this name; a name in braces refers to an argument."""
        if name.startswith("{") and name.endswith("}"):
            return self.entity_from(name[1:-1])
        return resolve_entity(name, self._namespace)

    def _record_new_uses(self, accesses: Iterable[tuple[MetadataEntity, AccessMode, str]]) -> None:
        """Record the accesses that add to what the run has recorded before."""
        news: dict[tuple[str, str], AccessMode] = {}
        for item, mode, component in accesses:
            place = (item.urn, component)
            recorded = self._recorded.get(place)
            whole = mode if recorded is None else combine_access_modes(recorded, mode)
            if whole != recorded:
                self._recorded[place] = news[place] = whole
        time_ = format_ms_as_iso_time(_read_time_ms())
        rows = [
            {"data": urn, "mode": mode, "component": component, "time": time_}
            for (urn, component), mode in news.items()
        ]
        if rows:
            self._enqueue("accesses", {"accesses": rows})

    def _enqueue(self, kind: Kind, body: dict[str, Any]) -> None:
        self._sender.store_and_send_later(_create_outbox_entry(kind, self.urn, body))


def _create_outbox_entry(kind: Kind, run: str, body: dict[str, Any]) -> OutboxEntry:
    return OutboxEntry(secrets.token_hex(16), kind, run, body)


def _read_time_ms() -> int:
    return time.time_ns() // 1_000_000
