"""Which stores, secrets and classes the instances of this process have: the composition root of `service/instances`."""

import atexit
import getpass
import inspect
import os
import secrets as randomness
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidField, StorageError, StoreUnavailable
from jupyter_colophon.service.instances.catalog_store import CatalogInstances
from jupyter_colophon.service.instances.class_adapter import Shaped, Shaper
from jupyter_colophon.service.instances.edits import Drafts
from jupyter_colophon.service.instances.elyra_store_adapter import ForeignInstances
from jupyter_colophon.service.instances.external_edits import Outside
from jupyter_colophon.service.instances.file_store import FileInstances
from jupyter_colophon.service.instances.instances import Instances
from jupyter_colophon.service.instances.masking import Masks
from jupyter_colophon.service.instances.presentation import Shown
from jupyter_colophon.service.instances.records import Records, RecordsSource
from jupyter_colophon.service.instances.schemas import Schemas
from jupyter_colophon.service.instances.secrets.file_store import InFile
from jupyter_colophon.service.instances.secrets.service import Secrets
from jupyter_colophon.service.instances.store_protocol import InstanceStore
from jupyter_colophon.service.instances.stores import Stores
from jupyter_colophon.service.schemaspaces.space import Fault, Space
from jupyter_colophon.service.schemaspaces.spaces import Spaces
from jupyter_colophon.settings import Settings
from jupyter_colophon.storage.files.instances import InstanceFiles
from jupyter_colophon.storage.files.paths import space_folders
from jupyter_colophon.system.private_folders import create_private_folder

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog, Writing
    from jupyter_colophon.storage.changes.read_audit import ReadAudit

#: Where packages register stores of instances: a class that is given the schemaspace's name, of our seam or of Elyra's.
GROUP = "jupyter_colophon.metadata_stores"
#: The modules whose classes of these names mean a kind of store of ours. A class of such a name from anywhere else is its own.
_STORE_MODULES = (
    "elyra.metadata",
    "elyra.metadata.storage",
    "jupyter_colophon.elyra",
    "jupyter_colophon.elyra.storage",
)
_STORE_KINDS = {"FileMetadataStore": "file", "CatalogMetadataStore": "catalog"}
#: What decides where files are; where it changes, stores that were opened are no longer the right ones.
_PLACES = ("JUPYTER_DATA_DIR", "ELYRA_METADATA_PATH", "HOME", "JUPYTER_CONFIG_DIR")


class CurrentSchemas:
    """The schemaspaces of the SchemaManager that there is at the time: programs may replace it."""

    def names(self, *, deprecated: bool = False) -> list[str]:
        """The names of all schemaspaces, in small letters."""
        return _spaces().names(deprecated=deprecated)

    def space(self, name_or_id: str) -> Space:
        """A schemaspace."""
        return _spaces().space(name_or_id)

    def schema(self, space: str, name: str) -> Mapping[str, Any]:
        """A schema."""
        return _spaces().schema(space, name)

    def check(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid, SchemaNotFound, or do nothing."""
        _spaces().check(space, name, document)

    def find_fault(self, space: str, name: str, document: Mapping[str, Any]) -> Fault | None:
        """The same as a value."""
        return _spaces().find_fault(space, name, document)

    def class_name(self, space: str, schema: str) -> str | None:
        """The class that a schema names for its instances."""
        return _spaces().class_name(space, schema)


@dataclass(slots=True)
class _Writer:
    """The catalog of a process without a server: opened for the first save or version, and only where there is one."""

    settings: Settings
    _opened: "Writing | None" = None
    _lock: RLock = field(default_factory=RLock)

    def records(self) -> Records | None:
        """The records. Raises StorageError."""
        from jupyter_colophon.composition import open_for_writing

        with self._lock:
            if self._opened is None:
                store = self.settings.store()
                if store.provider == "sqlite" and not Path(str(store.options.get("path", ""))).exists():
                    return None
                try:
                    self._opened = open_for_writing(
                        store, self.settings.identity(), self.settings.overlay(), self.settings.authorizer()
                    )
                except InvalidField as error:
                    raise InvalidConfiguration(error.detail) from error
            opened = self._opened
            return None if opened is None else Records(opened.provider, opened.write_path)

    def close(self) -> None:
        """Let go of it."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None


_lock = RLock()
atexit.register(lambda: release())
_served: Instances | None = None
_own: tuple[tuple[str | None, ...], Instances] | None = None


def current(settings: Settings | None = None) -> Instances:
    """The instances of this process: those that its server opened, else those that the settings choose.

    Without settings they are the ones of Jupyter's config files. Nothing is opened before it is needed, and the
    catalog outside a server only for the first save, or for who asks for a version.
    """
    global _own
    with _lock:
        if _served is not None:
            return _served
        places = tuple(os.environ.get(name) for name in _PLACES)
        if _own is None or _own[0] != places or settings is not None:
            release()
            _own = (places, _outside_a_server(settings or _configured()))
        return _own[1]


def serve(settings: Settings, catalog: "Callable[[], Catalog]") -> Instances:
    """The instances of a server, which are those of its process until they are closed. `catalog` raises StorageError.

    What others do to their files is recorded from now on, in the background.
    """
    global _served

    def records() -> Records:
        found = catalog()
        return Records(found.provider, found.write_path)

    def end() -> None:
        global _served
        outside.close()
        with _lock:
            if _served is instances:
                _served = None

    instances = composed(settings, RecordsSource(records), records, on_close=end)
    outside = Outside(lambda: _file_stores(instances))
    with _lock:
        _served = instances
    if instances.stores.chosen == "file":
        outside.start()
    return instances


def is_served() -> bool:
    """Whether this process is a server that has instances."""
    return _served is not None


def release() -> None:
    """Let go of what was opened outside a server."""
    global _own
    with _lock:
        own, _own = _own, None
    if own is not None:
        own[1].close()


def composed(
    settings: Settings,
    source: RecordsSource,
    records: Callable[[], Records],
    *,
    schemas: Schemas | None = None,
    shaper: Shaper | None = None,
    on_close: Callable[[], None] = lambda: None,
) -> Instances:
    """Instances with the stores and secrets that the settings name. Raises InvalidConfiguration.

    Schemas and their classes are those of the SchemaManager and of Elyra's `Metadata`, unless others are given.
    """
    schemas, shaper = schemas or CurrentSchemas(), shaper or _shaped
    if settings.schemaspace_packages:
        # Before anything is loaded.
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        SchemaManager.allow(settings.schemaspace_packages)
    masks = Masks(schemas)
    folder = Path(jupyter_data_dir()) / "colophon"
    chosen = _chosen(settings)
    secrets = Secrets(masks, InFile(folder), settings.secret_store, variables=settings.secret_env_variables)
    key = _Key(folder / "instances.key")
    openers: dict[str, Callable[[str], InstanceStore]] = {
        "file": lambda space: FileInstances(InstanceFiles(space, space_folders(space)), masks, source, key),
        "catalog": lambda space: CatalogInstances(space, records),
    }
    if chosen not in openers:
        openers[chosen] = _foreign(chosen, settings)
    return Instances(
        schemas=schemas,
        stores=Stores(openers, chosen),
        secrets=secrets,
        shown=Shown(schemas, masks, secrets, shaper),
        drafts=Drafts(masks, secrets),
        records=source,
        authorizer=settings.authorizer(),
        cursors=Cursors(randomness.token_bytes(32)),
        account=Principal(_account()),
        audit=_open_audit(settings),
        on_close=on_close,
    )


def _open_audit(settings: Settings) -> "ReadAudit | None":
    folder = settings.audit()
    if folder is None:
        return None
    # Late: it loads the store.
    from jupyter_colophon.composition import open_audit

    return open_audit(folder, settings.identity())


def _outside_a_server(settings: Settings) -> Instances:
    writer = _Writer(settings)

    def records() -> Records:
        found = writer.records()
        if found is None:
            raise StoreUnavailable("there is no catalog yet: a server makes it")
        return found

    source = RecordsSource(writer.records)
    return composed(settings, source, records, on_close=writer.close)


def _file_stores(instances: Instances) -> list[FileInstances]:
    stores = (instances.stores.of(space, "file") for space in instances.schemas.names(deprecated=True))
    found = [store for store in stores if isinstance(store, FileInstances)]
    for store in found:
        with suppress(StorageError):
            store.files.sweep()
    return found


def _chosen(settings: Settings) -> str:
    """The kind of store; Elyra's own setting of its class counts where ours was left as it is."""
    named = settings.config.get("MetadataManager", {}).get("metadata_store_class")
    if settings.metadata_store != "file" or not named:
        return str(settings.metadata_store)
    path = named if isinstance(named, str) else f"{named.__module__}.{named.__qualname__}"
    module, _, name = path.rpartition(".")
    return _STORE_KINDS.get(name, path) if module in _STORE_MODULES else path


def _foreign(chosen: str, settings: Settings) -> Callable[[str], InstanceStore]:
    create_store = _class_of(chosen)
    options = _store_options(create_store, settings)

    def open_store(space: str) -> InstanceStore:
        store = create_store(space, **options)
        return ForeignInstances(space, store) if hasattr(store, "fetch_instances") else store

    return open_store


def _store_options(create_store: Any, settings: Settings) -> dict[str, Any]:
    """Return what a store's class is called with besides the schemaspace: `parent`, as Elyra calls it, if it takes one.

    It is the application, of which a store takes its log and its configuration.
    """
    parent = next((one for one in (settings, settings.parent) if hasattr(one, "log")), None)
    try:
        parameters = inspect.signature(create_store).parameters.values()
    except (TypeError, ValueError):
        return {}
    takes_parent = any(one.name == "parent" or one.kind is one.VAR_KEYWORD for one in parameters)
    return {"parent": parent} if takes_parent and parent is not None else {}


def _class_of(chosen: str) -> Any:
    """A store's class, by its entry point or its dotted name. Raises InvalidConfiguration."""
    from traitlets.utils.importstring import import_item

    found = next(iter(entry_points(group=GROUP, name=chosen)), None)
    if found is None and "." not in chosen:
        raise InvalidConfiguration(f"the setting c.Colophon.metadata_store names no store of instances: {chosen!r}")
    try:
        return found.load() if found is not None else import_item(chosen)
    except Exception as error:
        raise InvalidConfiguration(
            f"the store of instances {chosen!r} cannot be loaded ({type(error).__name__})"
        ) from error


class _Key:
    """The key of digests of secrets: a file of mode 0600 on this machine, so that who has the catalog alone learns nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: bytes | None = None

    def __call__(self) -> bytes:
        if self._known is None:
            self._known = self._read() or self._made()
        return self._known

    def _read(self) -> bytes | None:
        with suppress(OSError):
            found = self._path.read_bytes()
            return found if len(found) == 32 else None
        return None

    def _made(self) -> bytes:
        """Make it; the first to do so wins. Where no file can be made, it lives as long as the process."""
        key = randomness.token_bytes(32)
        with suppress(OSError):
            create_private_folder(self._path.parent)
            temporary = self._path.with_name(f".{self._path.name}.{randomness.token_hex(4)}")
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(key)
            try:
                os.link(temporary, self._path)
            finally:
                temporary.unlink()
        return self._read() or key


def _shaped(space: str, document: Mapping[str, Any], /) -> Shaped:
    # Loaded with the first instance.
    from jupyter_colophon.schemaspaces.metadata import Metadata

    made: Shaped = Metadata.from_dict(space, document)
    return made


def _spaces() -> Spaces:
    # Asked many times for each save: `instance` would walk over all classes above each time.
    manager: Any = _manager_class()._instance or _manager_class().instance()
    found: Spaces = manager.spaces
    return found


@cache
def _manager_class() -> Any:
    from jupyter_colophon.schemaspaces.schema import SchemaManager

    return SchemaManager


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _configured() -> Settings:
    """The settings of Jupyter's config files, as the command line reads them."""
    from jupyter_core.application import JupyterApp
    from traitlets.config import Config

    class Colophon(Settings):
        """The settings, under the name that they have in a server."""

        def is_anothers(self, name: str) -> bool:
            """What is for the server's extension is not ours."""
            return True

    config = Config()
    for name in ("jupyter_server_config", "jupyter_colophon_config"):
        app = JupyterApp(config_file_name=name)
        app.load_config_file()
        config.merge(app.config)
    return Colophon(config=config)
