"""A run of a program, as the program sees it: its arguments and schemas, its data, and metadata."""

import secrets
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from jupyter_colophon.client.programs.entity import MetadataEntity, entity
from jupyter_colophon.client.programs.outbox import Entry, Kind
from jupyter_colophon.client.programs.outbox_sender import Shipper
from jupyter_colophon.client.programs.reading import ByScope, MetadataSnapshot, Reader, Scope
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.client.programs.uses import MODES, UseAccess, checked, declared, joined
from jupyter_colophon.client.programs.writing import Writer
from jupyter_colophon.core.entities.metadata_scopes import Metadata
from jupyter_colophon.core.identity.names import Urn, run_urn
from jupyter_colophon.core.lineage.run import AccessMode
from jupyter_colophon.core.time_format import format_time

if TYPE_CHECKING:
    from types import TracebackType

    from jupyter_colophon.client.operations import Operations


#: How a run ends.
Ending = Literal["succeeded", "failed", "killed"]


class RunMetadata(Writer):
    """Metadata within a run: `get` reads it, everything else emits."""

    def __init__(self, run: str, reader: Reader, shipper: Shipper, namespace: str | None) -> None:
        self._urn, self._reader, self._shipper, self._namespace = run, reader, shipper, namespace
        super().__init__(run, self._ship, reader.get, reader.fields, self._entity)

    @overload
    def get(self, of: MetadataEntity | str) -> ByScope: ...

    @overload
    def get(self, of: MetadataEntity | str, scope: Scope) -> Metadata: ...

    def get(self, of: MetadataEntity | str, scope: Scope | None = None) -> ByScope | Metadata:
        """Return properties and tags by scope, or those of one scope. They are read once and do not change during the run.

        They are empty for an unknown entity. Raises MetadataUnavailable, and RequestFailed if it may not be read.
        """
        found = self._reader.get(self._entity(of))
        return found if scope is None else found[scope]

    def fields(self, of: MetadataEntity | str) -> tuple[str, ...]:
        """Return the paths of a dataset's fields: those of its schema, and those with metadata. Raises like `get`."""
        return self._reader.fields(self._entity(of))

    @property
    def pending(self) -> int:
        """The number of emitted items of this process that are not delivered yet."""
        return self._shipper.waiting

    @property
    def dropped(self) -> int:
        """The number of rejected items; the log has the details."""
        return self._shipper.dropped

    def emit(self, proposals: Iterable[Mapping[str, Any]]) -> None:
        """Emit proposals as in `proposal.json`, for changes that the other methods do not support."""
        for proposal in proposals:
            self._ship({**proposal, "run": self._urn})

    def flush(self, timeout_s: float = 10.0) -> int:
        """Wait until everything is delivered, for at most `timeout_s`, or until the server is unreachable; return the number of pending items."""
        return self._shipper.flush(timeout_s)

    def _entity(self, named: MetadataEntity | str) -> MetadataEntity:
        return entity(named, self._namespace)

    def _ship(self, proposal: dict[str, Any]) -> None:
        self._shipper.put(_entry("emit", self._urn, {"proposals": [proposal]}))


class RunContext:
    """A run. It begins when it is created, and ends with its `with` block, or by `end`."""

    def __init__(
        self,
        program: Urn,
        *,
        catalog: "Operations | None",
        shipper: Shipper,
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
        self.urn = str(run_urn(program, self.run_id))
        self.arguments: Mapping[str, str] = dict(arguments or {})
        self.input_schema = None if input_schema is None else RecordSchema.of(input_schema)
        self.output_schema = None if output_schema is None else RecordSchema.of(output_schema)
        #: Facts that are recorded when the run ends.
        self.facts: dict[str, str | int | float | bool] = {}
        self._namespace, self._shipper = namespace, shipper
        self._touched: dict[tuple[str, str], AccessMode] = {}
        self._has_ended = False
        self._reader = Reader(catalog, snapshot)
        self.metadata = RunMetadata(self.urn, self._reader, shipper, namespace)
        for one in prefetch:
            self.metadata.get(one)
        self._start_ms = _now_ms()
        start = {"program": self.program, "runId": self.run_id, "status": "running", "arguments": self.arguments}
        self._record("start", {**start, "start": format_time(self._start_ms), "parent": parent})
        self.declare(code)

    def entity_from(self, argument: str) -> MetadataEntity:
        """Return the dataset that an argument of the run names (by convention `source` and `sink`). Raises LookupError."""
        if argument not in self.arguments:
            msg = f"the run has no argument {argument!r}"
            raise LookupError(msg)
        return entity(self.arguments[argument], self._namespace)

    def open_dataset(
        self, name: MetadataEntity | str, access: UseAccess = "unknown", component: str = ""
    ) -> MetadataEntity:
        """Return a dataset, and record that the run accesses it unless this was declared. Raises ValueError."""
        found = entity(name, self._namespace)
        self._touch([(found, MODES[checked(access)], component)])
        return found

    def declare(self, code: Any) -> None:
        """Record the accesses that a function or a class declares by `@uses`."""
        uses = declared(code)
        self._touch([(self._declared(use.name), MODES[use.access], use.component) for use in uses])

    def record_accesses(self, accesses: Mapping[str, Any]) -> None:
        """Record observed accesses and column edges of the run, as in `accesses.json`."""
        self._record("accesses", dict(accesses))

    def record_facts(self, facts: Mapping[str, str | int | float | bool]) -> None:
        """Record facts during the run, so that readers see its progress."""
        self._record("facts", {"facts": dict(facts)})

    def end(self, status: Ending = "succeeded") -> None:
        """End the run and record its `facts`; further calls have no effect."""
        if not self._has_ended:
            self._has_ended = True
            # The clock may have been put back meanwhile, and nothing ends before it began.
            ending = {"status": status, "end": format_time(max(_now_ms(), self._start_ms))}
            self._record("end", ending | ({"facts": self.facts} if self.facts else {}))
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

    def _declared(self, name: str) -> MetadataEntity:
        """Return the dataset of this name; a name in braces is that of an argument."""
        if name.startswith("{") and name.endswith("}"):
            return self.entity_from(name[1:-1])
        return entity(name, self._namespace)

    def _touch(self, found: Iterable[tuple[MetadataEntity, AccessMode, str]]) -> None:
        """Record each access that is not recorded yet."""
        news: dict[tuple[str, str], AccessMode] = {}
        for one, mode, component in found:
            place = (one.urn, component)
            known = self._touched.get(place)
            whole = mode if known is None else joined(known, mode)
            if whole != known:
                self._touched[place] = news[place] = whole
        time_ = format_time(_now_ms())
        rows = [
            {"data": urn, "mode": mode, "component": component, "time": time_}
            for (urn, component), mode in news.items()
        ]
        if rows:
            self._record("accesses", {"accesses": rows})

    def _record(self, kind: Kind, body: dict[str, Any]) -> None:
        self._shipper.put(_entry(kind, self.urn, body))


def _entry(kind: Kind, run: str, body: dict[str, Any]) -> Entry:
    return Entry(secrets.token_hex(16), kind, run, body)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
