"""Instances of a test schemaspace on each kind of store, with an available or unavailable catalog."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.identity.names import make_instance_urn
from jupyter_colophon.schemaspaces.instances import compose_instances
from jupyter_colophon.service.instances.instances import InstanceService
from jupyter_colophon.service.instances.stores.protocol import InstanceStore
from jupyter_colophon.service.instances.stores.records import InstanceRecords, InstanceRecordsSource
from jupyter_colophon.settings import Settings
from support.catalog import ADA
from support.third_party_packages import GivenSchemasProvider, build_thing_schema, load_things_schemaspace

SPACE = "things"
KERNEL = Principal("ada", "kernel-1", frozenset({"read", "annotate", "emit"}))
BOB = Principal("bob")


class PlainInstance:
    """An instance object without a base class that records its hooks."""

    #: (class, hook, options) in the order of the calls.
    calls: list[tuple[str, str, dict[str, Any]]] = []  # noqa: RUF012  all share it, as the test wants
    #: The action of a hook, by its name.
    acts: Mapping[str, Callable[[Any], None]] = {}

    def __init__(self, **members: Any) -> None:
        self.name, self.resource, self.reason = members.get("name"), members.get("resource"), members.get("reason")
        self.display_name, self.schema_name = members.get("display_name"), members.get("schema_name")
        self.metadata = members.get("metadata", {})

    def _record_hook(self, name: str, options: dict[str, Any]) -> None:
        self.calls.append((type(self).__name__, name, options))
        if name in self.acts:
            self.acts[name](self)

    def on_load(self, **options: Any) -> None:
        self._record_hook("on_load", options)

    def pre_save(self, **options: Any) -> None:
        self._record_hook("pre_save", options)

    def post_save(self, **options: Any) -> None:
        self._record_hook("post_save", options)

    def pre_delete(self, **options: Any) -> None:
        self._record_hook("pre_delete", options)

    def post_delete(self, **options: Any) -> None:
        self._record_hook("post_delete", options)

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        members = ("name", "display_name", "schema_name", "metadata")
        return {key: getattr(self, key) for key in members}

    def prepare_write(self) -> dict[str, Any]:
        return {key: value for key, value in self.to_dict(trim=True).items() if key != "name"}


@dataclass
class InstanceStoreFixture:
    """Instances, their catalog, and a switch that makes the catalog unavailable."""

    instances: InstanceService
    catalog: Catalog
    folder: Path
    is_away: bool = False

    @property
    def store(self) -> InstanceStore:
        """The store of the schemaspace."""
        return self.instances.get_store(SPACE)

    def get_instance_path(self, name: str) -> Path:
        """Return the file of an instance."""
        return self.folder / "metadata" / SPACE / f"{name}.json"

    def read_instance_history(self, name: str) -> list[tuple[int, Any, str]]:
        """Return (version, value, actor) of an instance's record, newest first."""
        versions, _ = self.catalog.reader.list_aspect_versions(make_instance_urn(SPACE, name), "instance", 100, "", ADA)
        return [(version.version, version.value, version.actor) for version in versions]

    def read_instance_changes(self) -> list[tuple[str, str, str]]:
        """Return (operation, name, actor) of all changes and removals of instances, in order."""
        log = self.catalog.feed.read_visible_changes(0, 1_000, {"type": "instance"}, ADA)
        return [(change.operation, change.name, change.actor) for change in log if change.aspect in ("instance", None)]


SECRETS = {
    "size": {"type": "integer", "default": 1},
    "password": {"type": "string", "format": "password"},
    "hosts": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "token": {"type": "string", "uihints": {"secure": True}}},
        },
    },
    "tags": {"type": "array", "items": {"type": "string"}},
}


def build_things_schemaspace(classes: Mapping[str, str] | None = None) -> Any:
    """Build the schemaspace: `thing` with secrets, `open` with the same fields and no secrets, `own` with its own
    class.
    """
    shown = {name: {"type": ["string", "array", "integer"]} for name in SECRETS}
    return load_things_schemaspace(
        GivenSchemasProvider(
            build_thing_schema("thing", SECRETS),
            build_thing_schema("open", shown),
            build_thing_schema("own", SECRETS, metadata_class_name="somewhere.Own"),
        )
    )


@contextmanager
def open_instance_store(
    catalog: Catalog, folder: Path, kind: str = "file", *, own: type | None = None, **settings: Any
) -> Iterator[InstanceStoreFixture]:
    """Open instances of `things`. JUPYTER_DATA_DIR is set to the folder; `own` is the class of the schema `own`."""
    registered = build_things_schemaspace()

    def records() -> InstanceRecords:
        if opened.is_away:
            raise StoreUnavailable("the catalog is away, as the test wants it")
        return InstanceRecords(catalog.provider, catalog.write_path)

    def shaper(space: str, document: Mapping[str, Any], /) -> Any:
        kind = (
            registered.get_instance_class_name(space, document["schema_name"]) if document.get("schema_name") else None
        )
        return (own or PlainInstance)(**document) if kind else PlainInstance(**document)

    class Impatient(InstanceRecordsSource):
        """Retry at once to save time."""

        def record_failure_and_pause(self, error: Any) -> None:
            return

    instances = compose_instances(
        Settings(metadata_store=kind, **settings), Impatient(records), records, schemas=registered, shaper=shaper
    )
    opened = InstanceStoreFixture(instances, catalog, folder)
    try:
        yield opened
    finally:
        instances.stop_watching_and_close_stores()


def build_thing(display_name: str = "One", schema_name: str = "thing", **metadata: Any) -> dict[str, Any]:
    """Build an instance as a client sends it."""
    return {"display_name": display_name, "schema_name": schema_name, "metadata": metadata}
