"""Read metadata for a run: from the server, cached until the run ends, or from a snapshot created before it."""

import json
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jupyter_colophon.client.absence import read_or_none_if_absent
from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.record_schema import RecordSchema
from jupyter_colophon.core.entities.metadata_scopes import Metadata
from jupyter_colophon.core.identity.urn import Urn

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

Scope = Literal["USER", "SYSTEM"]
SCOPES: tuple[Scope, ...] = ("USER", "SYSTEM")
#: The metadata of an entity by scope.
MetadataByScope = dict[Scope, Metadata]


class MetadataUnavailable(ClientError):
    """Metadata cannot be read: the server is unavailable, or the run has a snapshot without this entity."""

    def __init__(self, urn: str, reason: str) -> None:
        super().__init__(f"the metadata of {urn} is not available: {reason}")
        self.urn, self.reason = urn, reason


@dataclass(frozen=True, slots=True)
class MetadataSnapshot:
    """Metadata that was read before a run, for use without a server (spec CAPTURE-7)."""

    entities: Mapping[str, MetadataByScope] = field(default_factory=dict)
    #: The names of the fields by dataset, if they were requested.
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(
        cls, catalog: "Operations", entities: Iterable[MetadataEntity], *, fields: bool = False
    ) -> "MetadataSnapshot":
        """Read these entities now, with `fields` also the fields of each dataset. Raises MetadataUnavailable."""
        metadata_by_urn: dict[str, MetadataByScope] = {}
        names: dict[str, tuple[str, ...]] = {}
        for item in entities:
            metadata_by_urn[item.urn] = fetch_metadata(catalog, item)
            if fields:
                names[item.urn] = _read_field_names(catalog, item, metadata_by_urn[item.urn])
                below = (item.append("field", name) for name in names[item.urn])
                metadata_by_urn |= {each.urn: fetch_metadata(catalog, each) for each in below}
        return cls(metadata_by_urn, names)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "MetadataSnapshot":
        """Load a snapshot from a file. Raises OSError, ValueError."""
        document = json.loads(Path(path).read_text("utf-8"))
        entities = {urn: _parse_scopes(value) for urn, value in document["entities"].items()}
        return cls(entities, {urn: tuple(names) for urn, names in document.get("fields", {}).items()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the snapshot atomically to a file with mode 0600. Raises OSError."""
        place = Path(path)
        entities = {urn: _serialize_scopes(value) for urn, value in sorted(self.entities.items())}
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


class RunMetadataReader:
    """Reads metadata for one run and caches it until the run ends. Thread-safe."""

    def __init__(self, catalog: "Operations | None", snapshot: MetadataSnapshot | None = None) -> None:
        self._catalog, self._is_closed = catalog, snapshot is not None
        self._cache = dict(snapshot.entities) if snapshot is not None else {}
        self._fields = dict(snapshot.fields) if snapshot is not None else {}
        self._lock = threading.Lock()

    def get_metadata(self, entity: MetadataEntity) -> MetadataByScope:
        """Return the metadata of an entity; empty if the entity does not exist. Raises MetadataUnavailable, RequestFailed."""
        with self._lock:
            metadata = self._cache.get(entity.urn)
            if metadata is None:
                metadata = self._cache[entity.urn] = self._fetch_metadata(entity)
            return metadata

    def get_field_names(self, entity: MetadataEntity) -> tuple[str, ...]:
        """Return the names of a dataset's fields: those of its schema and those with metadata. Raises what `get` raises."""
        whole = self.get_metadata(entity)
        with self._lock:
            names = self._fields.get(entity.urn)
            if names is None:
                catalog = self._require_catalog(
                    entity, "its fields are not in the run's snapshot; use prefetch(…, fields=True)"
                )
                names = self._fields[entity.urn] = _read_field_names(catalog, entity, whole)
            return names

    def close(self) -> None:
        """Close the connection; cached metadata stays available."""
        if self._catalog is not None:
            self._catalog.close()

    def _fetch_metadata(self, entity: MetadataEntity) -> MetadataByScope:
        if self._is_closed and _get_parent_dataset_urn(entity) in self._fields:
            # The snapshot contains all fields with metadata of its datasets.
            return _parse_scopes({})
        return fetch_metadata(
            self._require_catalog(entity, "it is not in the run's snapshot; name it in prefetch"), entity
        )

    def _require_catalog(self, entity: MetadataEntity, reason: str) -> "Operations":
        """Return the catalog. Raises MetadataUnavailable: with a snapshot for this reason, or without a server."""
        if self._is_closed:
            raise MetadataUnavailable(entity.urn, reason)
        if self._catalog is None:
            raise MetadataUnavailable(entity.urn, "no server is configured: set COLOPHON_URL")
        return self._catalog


def _get_parent_dataset_urn(entity: MetadataEntity) -> str:
    """Return the dataset of a field; empty for other entities."""
    return Urn.parse(entity.urn).parts[0] if entity.type == "schemaField" else ""


def fetch_metadata(catalog: "Operations", entity: MetadataEntity) -> MetadataByScope:
    """Read the metadata of an entity from the server. Raises MetadataUnavailable if there is no response, RequestFailed."""
    with _convert_to_unavailable(entity):
        return _parse_scopes(read_or_none_if_absent(lambda: catalog.read_entity_metadata(entity.urn)) or {})


@contextmanager
def _convert_to_unavailable(entity: MetadataEntity) -> Iterator[None]:
    try:
        yield
    except ServerUnavailable as away:
        raise MetadataUnavailable(entity.urn, str(away)) from away
    except RequestFailed as refusal:
        if not refusal.is_temporary:
            raise
        raise MetadataUnavailable(entity.urn, str(refusal)) from refusal


def _read_field_names(
    catalog: "Operations", entity: MetadataEntity, metadata_by_scope: MetadataByScope
) -> tuple[str, ...]:
    """Return the names of a dataset's fields: those of its schema in order, then others with metadata."""
    named: tuple[str, ...] = ()
    with suppress(ValueError):
        named = RecordSchema.parse(metadata_by_scope["SYSTEM"].properties.get("schema", "[]")).names
    with _convert_to_unavailable(entity):
        return tuple(dict.fromkeys([*named, *catalog.list_fields(entity.urn)["fields"]]))


def _parse_scopes(value: Mapping[str, Any]) -> MetadataByScope:
    return {scope: _parse_metadata(value.get(scope, {})) for scope in SCOPES}


def _parse_metadata(value: Mapping[str, Any]) -> Metadata:
    return Metadata(value.get("properties", {}), tuple(value.get("tags", ())), value.get("version", -1))


def _serialize_scopes(value: MetadataByScope) -> dict[str, Any]:
    return {
        scope: {"properties": dict(item.properties), "tags": list(item.tags), "version": item.version}
        for scope, item in value.items()
    }
