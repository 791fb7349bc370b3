"""The calls of the native API that kernels and Spark drivers make, as methods.

Documents go in and come out as plain JSON objects; their shapes are schemas/api/*.json, named in each docstring.
Every method raises `ServerUnavailable` and `Refused` as `Transport.request` does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import Refused
from jupyter_colophon.client.transport import Server, Transport

Document = dict[str, Any]

#: How often an edit is tried again when others write the same aspect at the same time.
EDIT_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Stored:
    """An aspect's value and its version; version -1 and an empty value mean that there is none."""

    value: Document
    version: int


class Catalog:
    """The catalog behind a server, over one connection."""

    def __init__(self, server: Server, transport: Transport | None = None) -> None:
        self.server = server
        self._transport = transport or Transport(server)

    def close(self) -> None:
        """Closes the connection; the next call opens another."""
        self._transport.close()

    def me(self) -> Document:
        """Who we are to the server: `Me`."""
        return self._get("/me")

    def health(self) -> Document:
        """Whether reads and writes can be made: `Health`, also where the status is 503."""
        try:
            return self._get("/health")
        except Refused as refusal:
            if refusal.status == 503 and "store" in refusal.problem:
                return refusal.problem
            raise

    def entity(self, urn: str, aspects: Iterable[str] = (), timeout_s: float | None = None) -> Document | None:
        """One entity with its aspects, all of them unless named: `Entity`; None if it is absent."""
        try:
            return self._get(_at(urn), {"aspects": ",".join(aspects) or None}, timeout_s)
        except Refused as refusal:
            if refusal.is_absence:
                return None
            raise

    def metadata(self, urn: str) -> Document | None:
        """Properties and tags in both scopes: `EntityMetadata`; None if the entity is absent."""
        try:
            return self._get(f"{_at(urn)}/metadata")
        except Refused as refusal:
            if refusal.is_absence:
                return None
            raise

    def fields(self, urn: str) -> list[str]:
        """The names of a dataset's fields of which something was said: `Fields`."""
        return list(self._get(f"{_at(urn)}/fields").get("fields", ()))

    def fields_metadata(self, urn: str, *, limit: int = 50, cursor: str | None = None) -> Document:
        """These fields with their properties and tags in both scopes, by URN: `FieldsMetadata`."""
        return self._get(f"{_at(urn)}/fields/metadata", {"limit": limit, "cursor": cursor})

    def entities(self, *, limit: int = 50, timeout_s: float | None = None, **filters: str | None) -> Document:
        """A page of entities; filters are namespace, type, prefix and cursor: `Entities`."""
        return self._get("/entities", {"limit": limit, **filters}, timeout_s)

    def aspect(self, urn: str, name: str, timeout_s: float | None = None) -> Stored:
        """One aspect with its version."""
        entity = self.entity(urn, (name,), timeout_s)
        found = (entity or {}).get("aspects", {}).get(name)
        return Stored(found["value"], found["version"]) if found else Stored({}, -1)

    def versions(self, urn: str, aspect: str, *, limit: int = 50, cursor: str | None = None) -> Document:
        """The history of an aspect, newest first: `Versions`."""
        return self._get(f"{_aspect(urn, aspect)}/versions", {"limit": limit, "cursor": cursor})

    def values(self, urn: str, aspect: str, *, limit: int = 50) -> Document:
        """What an aspect that is told by time says, newest first: `TimeseriesValues`."""
        return self._get(f"{_aspect(urn, aspect)}/values", {"limit": limit})

    def put_aspect(self, urn: str, name: str, value: Mapping[str, Any], if_version: int | None = None) -> Document:
        """Writes an aspect as a whole; `if_version` -1 means: only if there is none yet. Answers `WriteResult`."""
        headers = {}
        if if_version is not None:
            headers = {"If-None-Match": "*"} if if_version == -1 else {"If-Match": f'"{if_version}"'}
        return self._send("PUT", _aspect(urn, name), value, headers)

    def edit_aspect(self, urn: str, name: str, edit: Callable[[Document], Document]) -> Document:
        """Reads an aspect, writes what `edit` makes of it, and does both again if someone was faster. Answers `WriteResult`.

        `edit` gets the present value (empty if there is none), must not change it, and may be called several times.
        """
        attempts = 0
        while True:
            attempts += 1
            stored = self.aspect(urn, name)
            try:
                return self.put_aspect(urn, name, edit(stored.value), stored.version)
            except Refused as refusal:
                if refusal.status != 412 or attempts == EDIT_ATTEMPTS:
                    raise

    def rename_entity(self, urn: str, to: str, run: str | None = None) -> Document:
        """Gives a dataset another name; a kernel names the run of its own that did so. Answers `WriteResult`."""
        return self._send("POST", f"{_at(urn)}/rename", {"to": to, "run": run})

    def propose(self, proposals: Sequence[Mapping[str, Any]]) -> Document:
        """Writes a batch of `Proposal`s, at most 1,000, wholly or not at all. Answers `WriteResults`."""
        return self._send("POST", "/proposals", {"proposals": list(proposals)})

    def propose_later(self, proposals: Sequence[Mapping[str, Any]], key: str = "") -> Document:
        """Puts a batch into the inbox: it is kept, and applied in its turn. Answers `InboxEntry`.

        `key` is the idempotency key, here and below, for who may have to send the same again; else each has a new one.
        """
        return self._send("POST", "/proposals?async=true", {"proposals": list(proposals)}, _keyed(key))

    def open_load(self, load: str) -> Document:
        """Opens a load, or goes on with an open one: `Load`."""
        return self._send("PUT", _load(load))

    def load_batch(self, load: str, partition: int, number: int, rows: Sequence[bytes]) -> Document:
        """Sends a batch of `Proposal`s, each as JSON: sent again in the same place, it is done once. `LoadBatchResult`."""
        head = b'{"partition":%d,"number":%d,"rows":[' % (partition, number)
        body = b"".join((head, b",".join(rows), b"]}"))
        found = self._transport.request(
            "POST", f"{_load(load)}/batches", body=body, headers={"Content-Type": "application/json"}
        )
        return _object(found.body)

    def end_load(self, load: str, state: str) -> Document:
        """Ends a load, `committed` or `aborted`: no batch of it is taken from then on. `Load`."""
        return self._send("PATCH", _load(load), {"state": state})

    def load(self, load: str) -> Document:
        """How far a load came: `Load`."""
        return self._get(_load(load))

    def load_refusals(self, load: str, *, limit: int = 50, cursor: str | None = None) -> Document:
        """The rows that a load refused: `LoadRejections`."""
        return self._get(f"{_load(load)}/rejections", {"limit": limit, "cursor": cursor})

    def changes(self, *, limit: int = 100, **filters: str | int | None) -> Document:
        """A slice of the change log; filters are after, wait, namespace, urn and type: `Changes`."""
        return self._get("/changes", {"limit": limit, **filters})

    def exported(self, namespace: str, types: Sequence[str] = (), aspects: Sequence[str] = ()) -> Iterator[bytes]:
        """The lines of a namespace, of some entity types and aspects or of all; the first says what it is."""
        some = {"types": list(types)} if types else {}
        some |= {"aspects": list(aspects)} if aspects else {}
        return Operations(self._transport).export_selection({"namespace": namespace, **some})

    def inbox_entry(self, entry_id: str, timeout_s: float | None = None) -> Document:
        """What became of a batch in the inbox: `InboxEntry`."""
        return self._get(f"/inbox/{quote(entry_id, safe='')}", timeout_s=timeout_s)

    def dead_letters(self, *, limit: int = 50, **filters: str | None) -> Document:
        """What could not be applied; filters are kind and cursor: `DeadLetters`."""
        return self._get("/dead-letters", {"limit": limit, **filters})

    def replay_dead_letter(self, letter_id: str) -> Document:
        """Applies a dead letter again; it is gone when that succeeds. Answers `WriteResults`."""
        return self._send("POST", f"{_letter(letter_id)}/replay")

    def delete_dead_letter(self, letter_id: str) -> Document:
        """Throws a dead letter away. Answers `DeadLetterDeleteResult`."""
        return self._send("DELETE", _letter(letter_id))

    def search(self, query: str, *, limit: int = 20, **filters: str | None) -> Document:
        """Entities that match; filters are those of search (core/model/search_filters.py), `removed`, `facets` and `cursor`: `SearchResults`."""
        return self._get("/search", {"q": query, "limit": limit, **filters})

    def facet(self, name: str, timeout_s: float | None = None) -> list[str]:
        """The most frequent values of a facet, over all entities."""
        found = self._get("/search", {"q": "*", "limit": 0, "facets": name}, timeout_s)
        return [one["value"] for one in found["facets"][name]]

    def keys(self, prefix: str = "", *, limit: int = 50, timeout_s: float | None = None) -> Document:
        """Metadata keys that begin with `prefix`: `Keys`."""
        return self._get("/keys", {"prefix": prefix or None, "limit": limit}, timeout_s)

    def key_values(self, key: str, prefix: str = "", *, limit: int = 50, timeout_s: float | None = None) -> Document:
        """Values of a key that begin with `prefix`: `KeyValues`."""
        path = f"/keys/{quote(key, safe='')}/values"
        return self._get(path, {"prefix": prefix or None, "limit": limit}, timeout_s)

    def types(self, *, timeout_s: float | None = None) -> list[str]:
        """The types of entities that the catalog knows."""
        return [one["type"] for one in self._get("/registry", timeout_s=timeout_s).get("types", ())]

    def instances(self, space: str, *, limit: int = 500, timeout_s: float | None = None) -> list[Document]:
        """The first instances of a schemaspace, by name, valid or not: rows of `Instances`."""
        found = self._get(f"{_space(space)}/instances", {"limit": limit, "sort": "name"}, timeout_s)
        return list(found.get("instances", ()))

    def instance(self, space: str, name: str) -> Document:
        """One instance, whatever is wrong with it: `Instance`."""
        return self._get(f"{_space(space)}/instances/{quote(name, safe='')}")

    def pipeline_schedules(self) -> Document:
        """When pipelines run by themselves, and what became of it: `PipelineSchedules`."""
        return self._get("/pipelines/schedules")

    def lineage(self, urn: str, **window: str | int | bool | None) -> Document:
        """The graph around an entity; the window is direction, levels, start, end, limit and columns: `Lineage`."""
        return self._get("/lineage", {"urn": urn, **window})

    def lineage_diff(self, urn: str, **window: str | int | None) -> Document:
        """The edges that came and went; the window is from, to, span, direction, levels and limit: `LineageDiff`."""
        return self._get("/lineage/diff", {"urn": urn, **window})

    def export(self, namespace: str) -> Iterator[bytes]:
        """All that is said in a namespace, as lines of JSON, each as it comes."""
        return Operations(self._transport).export_namespace(namespace)

    def runs(self, *, limit: int = 50, **filters: str | None) -> Document:
        """Runs; filters are program, data, start, end, status and cursor: `Runs`."""
        return self._get("/runs", {"limit": limit, **filters})

    def run(self, urn: str) -> Document:
        """One run with its accesses: `Run`."""
        return self._get(_run(urn))

    def touched(self, urn: str) -> Document:
        """What a run had to do with, and what was said of it then: `RunAccesses`."""
        return self._get(f"{_run(urn)}/accesses")

    def start_run(self, run: Mapping[str, Any], key: str = "") -> Document:
        """Records a run from a `RunStart`; the same program and run id again are the same run. Answers `Run`."""
        return self._send("POST", "/runs", run, _keyed(key))

    def change_run(self, urn: str, change: Mapping[str, Any], key: str = "") -> Document:
        """Changes a run by a `RunChange`. Answers `Run`."""
        return self._send("PATCH", _run(urn), change, _keyed(key))

    def add_accesses(self, urn: str, accesses: Mapping[str, Any], key: str = "") -> Document:
        """Records what a run touched, from an `Accesses` document. Answers `Run`."""
        return self._send("POST", f"{_run(urn)}/accesses", accesses, _keyed(key))

    def _get(self, path: str, query: Mapping[str, object] | None = None, timeout_s: float | None = None) -> Document:
        return _object(self._transport.request("GET", path, query=query, timeout_s=timeout_s).body)

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Document:
        return _object(self._transport.request(method, path, body=body, headers=headers).body)


def _at(urn: str) -> str:
    return f"/entities/{quote(urn, safe='')}"


def _aspect(urn: str, name: str) -> str:
    return f"{_at(urn)}/aspects/{quote(name, safe='')}"


def _space(name: str) -> str:
    return f"/schemaspaces/{quote(name, safe='')}"


def _load(load: str) -> str:
    return f"/loads/{quote(load, safe='')}"


def _keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key} if key else {}


def _letter(letter_id: str) -> str:
    return f"/dead-letters/{quote(letter_id, safe='')}"


def _run(urn: str) -> str:
    return f"/runs/{quote(urn, safe='')}"


def _object(body: object) -> Document:
    return body if isinstance(body, dict) else {}
