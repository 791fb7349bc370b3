"""What a program reads of metadata: asked once and kept for the run, or taken from a snapshot that was made before it."""

import json
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jupyter_colophon.client.absence import none_if_absent
from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.core.entities.metadata_scopes import Metadata
from jupyter_colophon.core.identity.urn import Urn

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

Scope = Literal["USER", "SYSTEM"]
SCOPES: tuple[Scope, ...] = ("USER", "SYSTEM")
#: What was said of an entity, by scope.
ByScope = dict[Scope, Metadata]


class MetadataUnavailable(ClientError):
    """Metadata cannot be read here: no server answers, or the run has a snapshot, and the entity is not in it."""

    def __init__(self, urn: str, reason: str) -> None:
        super().__init__(f"the metadata of {urn} is not available: {reason}")
        self.urn, self.reason = urn, reason


@dataclass(frozen=True, slots=True)
class MetadataSnapshot:
    """Metadata that was read before a run, for where no server can be asked (spec CAPTURE-7)."""

    entities: Mapping[str, ByScope] = field(default_factory=dict)
    #: The names of the fields, by dataset, where they were asked for.
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(
        cls, catalog: "Operations", entities: Iterable[MetadataEntity], *, fields: bool = False
    ) -> "MetadataSnapshot":
        """Reads these entities now, with `fields` also the fields of each dataset. Raises MetadataUnavailable."""
        found: dict[str, ByScope] = {}
        names: dict[str, tuple[str, ...]] = {}
        for one in entities:
            found[one.urn] = asked(catalog, one)
            if fields:
                names[one.urn] = _field_names(catalog, one, found[one.urn])
                below = (one.append("field", name) for name in names[one.urn])
                found |= {each.urn: asked(catalog, each) for each in below}
        return cls(found, names)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "MetadataSnapshot":
        """The snapshot in a file. Raises OSError, ValueError."""
        document = json.loads(Path(path).read_text("utf-8"))
        entities = {urn: _by_scope(told) for urn, told in document["entities"].items()}
        return cls(entities, {urn: tuple(names) for urn, names in document.get("fields", {}).items()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file that is yours alone (0600), all at once or not at all. Raises OSError."""
        place = Path(path)
        entities = {urn: _document(told) for urn, told in sorted(self.entities.items())}
        document = {"entities": entities, "fields": dict(self.fields)}
        descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(document, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, place)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise


class Reader:
    """Reads for one run. What was read once is the same until the run ends. Thread-safe."""

    def __init__(self, catalog: "Operations | None", snapshot: MetadataSnapshot | None = None) -> None:
        self._catalog, self._is_closed = catalog, snapshot is not None
        self._known = dict(snapshot.entities) if snapshot is not None else {}
        self._fields = dict(snapshot.fields) if snapshot is not None else {}
        self._lock = threading.Lock()

    def get(self, entity: MetadataEntity) -> ByScope:
        """What is said of an entity; of one that is not there, nothing. Raises MetadataUnavailable, RequestFailed."""
        with self._lock:
            found = self._known.get(entity.urn)
            if found is None:
                found = self._known[entity.urn] = self._asked(entity)
            return found

    def fields(self, entity: MetadataEntity) -> tuple[str, ...]:
        """The names of a dataset's fields: those of its schema, and those of which something was said. Raises as `get`."""
        whole = self.get(entity)
        with self._lock:
            found = self._fields.get(entity.urn)
            if found is None:
                catalog = self._server(entity, "its fields are not in the run's snapshot; say fields=True in prefetch")
                found = self._fields[entity.urn] = _field_names(catalog, entity, whole)
            return found

    def close(self) -> None:
        """Lets go of the server; what was read is still known."""
        if self._catalog is not None:
            self._catalog.close()

    def _asked(self, entity: MetadataEntity) -> ByScope:
        if self._is_closed and _dataset_of(entity) in self._fields:
            # All fields of which something was said went into the snapshot with their dataset.
            return _by_scope({})
        return asked(self._server(entity, "it is not in the run's snapshot; name it in prefetch"), entity)

    def _server(self, entity: MetadataEntity, reason: str) -> "Operations":
        """Where to ask; with a snapshot nowhere, for this reason."""
        if self._is_closed:
            raise MetadataUnavailable(entity.urn, reason)
        if self._catalog is None:
            raise MetadataUnavailable(entity.urn, "no server is known (COLOPHON_URL)")
        return self._catalog


def _dataset_of(entity: MetadataEntity) -> str:
    """The dataset whose field it is; empty for what is no field."""
    return Urn.parse(entity.urn).parts[0] if entity.type == "schemaField" else ""


def asked(catalog: "Operations", entity: MetadataEntity) -> ByScope:
    """What the server says of an entity. Raises MetadataUnavailable where it says nothing at all, RequestFailed."""
    with _answering(entity):
        return _by_scope(none_if_absent(lambda: catalog.read_entity_metadata(entity.urn)) or {})


@contextmanager
def _answering(entity: MetadataEntity) -> Iterator[None]:
    try:
        yield
    except ServerUnavailable as away:
        raise MetadataUnavailable(entity.urn, str(away)) from away
    except RequestFailed as refusal:
        if not refusal.is_temporary:
            raise
        raise MetadataUnavailable(entity.urn, str(refusal)) from refusal


def _field_names(catalog: "Operations", entity: MetadataEntity, whole: ByScope) -> tuple[str, ...]:
    """The names of a dataset's fields: those of its schema in their order, then others of which something was said."""
    named: tuple[str, ...] = ()
    with suppress(ValueError):
        named = RecordSchema.of(whole["SYSTEM"].properties.get("schema", "[]")).names
    with _answering(entity):
        return tuple(dict.fromkeys([*named, *catalog.list_fields(entity.urn)["fields"]]))


def _by_scope(told: Mapping[str, Any]) -> ByScope:
    return {scope: _metadata(told.get(scope, {})) for scope in SCOPES}


def _metadata(told: Mapping[str, Any]) -> Metadata:
    return Metadata(told.get("properties", {}), tuple(told.get("tags", ())), told.get("version", -1))


def _document(told: ByScope) -> dict[str, Any]:
    return {
        scope: {"properties": dict(one.properties), "tags": list(one.tags), "version": one.version}
        for scope, one in told.items()
    }
