"""Instances of a schemaspace made for tests, on each kind of store, with a catalog beside or away."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.identity.names import instance
from jupyter_colophon.schemaspaces.instances import composed
from jupyter_colophon.service.instances.instances import Instances
from jupyter_colophon.service.instances.records import Records, RecordsSource
from jupyter_colophon.service.instances.store_protocol import InstanceStore
from jupyter_colophon.settings import Settings
from support.catalog import ADA
from support.strangers import Provider, schema, spaces

SPACE = "things"
KERNEL = Principal("ada", "kernel-1", frozenset({"read", "annotate", "emit"}))
BOB = Principal("bob")


class Plain:
    """An instance's object that inherits nobody's class; what each hook saw is noted."""

    #: (class, hook, options) in the order of the calls.
    calls: list[tuple[str, str, dict[str, Any]]] = []  # noqa: RUF012  all share it, as the test wants
    #: What a hook does, by its name.
    acts: Mapping[str, Callable[[Any], None]] = {}

    def __init__(self, **given: Any) -> None:
        self.name, self.resource, self.reason = given.get("name"), given.get("resource"), given.get("reason")
        self.display_name, self.schema_name = given.get("display_name"), given.get("schema_name")
        self.metadata = given.get("metadata", {})

    def _hook(self, name: str, options: dict[str, Any]) -> None:
        self.calls.append((type(self).__name__, name, options))
        if name in self.acts:
            self.acts[name](self)

    def on_load(self, **options: Any) -> None:
        self._hook("on_load", options)

    def pre_save(self, **options: Any) -> None:
        self._hook("pre_save", options)

    def post_save(self, **options: Any) -> None:
        self._hook("post_save", options)

    def pre_delete(self, **options: Any) -> None:
        self._hook("pre_delete", options)

    def post_delete(self, **options: Any) -> None:
        self._hook("post_delete", options)

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        members = ("name", "display_name", "schema_name", "metadata")
        return {key: getattr(self, key) for key in members}

    def prepare_write(self) -> dict[str, Any]:
        return {key: value for key, value in self.to_dict(trim=True).items() if key != "name"}


@dataclass
class Shelf:
    """Instances, the catalog beside them, and a switch: is the catalog away?"""

    instances: Instances
    catalog: Catalog
    folder: Path
    is_away: bool = False

    @property
    def store(self) -> InstanceStore:
        """The store of the space."""
        return self.instances.store(SPACE)

    def file(self, name: str) -> Path:
        """An instance's own file."""
        return self.folder / "metadata" / SPACE / f"{name}.json"

    def history(self, name: str) -> list[tuple[int, Any, str]]:
        """(version, value, actor) of its record, newest first."""
        found, _ = self.catalog.reader.versions(instance(SPACE, name), "instance", 100, "", ADA)
        return [(one.version, one.value, one.actor) for one in found]

    def changes(self) -> list[tuple[str, str, str]]:
        """(operation, name, actor) of all changes of instances' own aspects and of their removals, in order."""
        log = self.catalog.feed.changes(0, 1_000, {"type": "instance"}, ADA)
        return [(one.operation, one.name, one.actor) for one in log if one.aspect in ("instance", None)]


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


def schemas(classes: Mapping[str, str] | None = None) -> Any:
    """The schemaspace: `thing` with secrets, `open` without any at the same places, `own` with a class of its own."""
    shown = {name: {"type": ["string", "array", "integer"]} for name in SECRETS}
    return spaces(
        Provider(
            schema("thing", SECRETS),
            schema("open", shown),
            schema("own", SECRETS, metadata_class_name="somewhere.Own"),
        )
    )


@contextmanager
def shelf(
    catalog: Catalog, folder: Path, kind: str = "file", *, own: type | None = None, **settings: Any
) -> Iterator[Shelf]:
    """Instances of `things`. The environment's JUPYTER_DATA_DIR is the folder; `own` is the class of schema `own`."""
    known = schemas()

    def records() -> Records:
        if made.is_away:
            raise StoreUnavailable("the catalog is away, as the test wants it")
        return Records(catalog.provider, catalog.write_path)

    def shaper(space: str, document: Mapping[str, Any], /) -> Any:
        kind = known.class_name(space, document["schema_name"]) if document.get("schema_name") else None
        return (own or Plain)(**document) if kind else Plain(**document)

    class Impatient(RecordsSource):
        """Asks again at once: a test has no time."""

        def away(self, error: Any) -> None:
            return

    instances = composed(
        Settings(metadata_store=kind, **settings), Impatient(records), records, schemas=known, shaper=shaper
    )
    made = Shelf(instances, catalog, folder)
    try:
        yield made
    finally:
        instances.close()


def thing(display_name: str = "One", schema_name: str = "thing", **metadata: Any) -> dict[str, Any]:
    """An instance as somebody sends it."""
    return {"display_name": display_name, "schema_name": schema_name, "metadata": metadata}
