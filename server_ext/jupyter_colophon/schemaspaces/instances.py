"""Compose the services for instances from the settings: stores, secrets and classes."""

import atexit
import getpass
import inspect
import os
import secrets as randomness
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidField, StorageError, StoreUnavailable
from jupyter_colophon.service.instances.class_adapter import InstanceObject, ObjectFactory
from jupyter_colophon.service.instances.edits import EditedDocumentReader
from jupyter_colophon.service.instances.external_edits import ExternalEditRecorder
from jupyter_colophon.service.instances.instances import InstanceService
from jupyter_colophon.service.instances.masking import SecretMasker
from jupyter_colophon.service.instances.presentation import InstancePresenter
from jupyter_colophon.service.instances.schemas import SchemaLookup
from jupyter_colophon.service.instances.secrets.file_store import FileSecretStore
from jupyter_colophon.service.instances.secrets.service import SecretService
from jupyter_colophon.service.instances.secrets.stores import SecretStores
from jupyter_colophon.service.instances.stores.catalog_store import CatalogInstanceStore
from jupyter_colophon.service.instances.stores.elyra_store_adapter import ElyraStoreAdapter
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from jupyter_colophon.service.instances.stores.instance_stores import InstanceStores
from jupyter_colophon.service.instances.stores.protocol import InstanceStore
from jupyter_colophon.service.instances.stores.records import InstanceRecords, InstanceRecordsSource
from jupyter_colophon.service.schemaspaces.space import LoadedSchemaspace, ValidationFailure
from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry
from jupyter_colophon.settings import Settings, create_settings
from jupyter_colophon.storage.files.instances import InstanceFiles
from jupyter_colophon.storage.files.paths import list_space_folders
from jupyter_colophon.system.entry_points import find_entry_points
from jupyter_colophon.system.private_folders import create_private_folder

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog, WritableCatalog

#: The entry point group of instance stores: a class that takes the name of a schemaspace, with our protocol or Elyra's.
GROUP = "jupyter_colophon.metadata_stores"
#: The modules whose classes of these names mean one of our own kinds of store. A class with such a name in another
#: module is a third-party store.
_STORE_MODULES = (
    "elyra.metadata",
    "elyra.metadata.storage",
    "jupyter_colophon.elyra",
    "jupyter_colophon.elyra.storage",
)
_STORE_KINDS = {"FileMetadataStore": "file", "CatalogMetadataStore": "catalog"}
#: Environment variables that decide where files are; after a change, open stores are replaced.
_LOCATION_VARIABLES = ("JUPYTER_DATA_DIR", "ELYRA_METADATA_PATH", "HOME", "JUPYTER_CONFIG_DIR")


class CurrentSchemas:
    """The schemaspaces of the current SchemaManager, which programs may replace."""

    def list_names(self, *, deprecated: bool = False) -> list[str]:
        """Return the names of all schemaspaces in lower case."""
        return _load_schemaspaces().list_names(deprecated=deprecated)

    def get_space(self, name_or_id: str) -> LoadedSchemaspace:
        """Return a schemaspace."""
        return _load_schemaspaces().get_space(name_or_id)

    def get_schema(self, space: str, name: str) -> Mapping[str, Any]:
        """Return a schema."""
        return _load_schemaspaces().get_schema(space, name)

    def require_valid_document(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid or SchemaNotFound if the document is not valid."""
        _load_schemaspaces().require_valid_document(space, name, document)

    def find_validation_failure(self, space: str, name: str, document: Mapping[str, Any]) -> ValidationFailure | None:
        """Return the failure that `check` would raise, None if the document is valid."""
        return _load_schemaspaces().find_validation_failure(space, name, document)

    def get_instance_class_name(self, space: str, schema: str) -> str | None:
        """Return the class that a schema names for its instances."""
        return _load_schemaspaces().get_instance_class_name(space, schema)


@dataclass(slots=True)
class _LazyCatalogWriter:
    """The catalog of a process without a server: opened for the first save or version, and only if it exists."""

    settings: Settings
    _opened: "WritableCatalog | None" = None
    _lock: RLock = field(default_factory=RLock)

    def open_catalog_and_get_records(self) -> InstanceRecords | None:
        """Return the records. Raises StorageError."""
        from jupyter_colophon.composition import open_existing_catalog_for_writing

        with self._lock:
            if self._opened is None:
                store = self.settings.choose_store()
                if store.provider == "sqlite" and not Path(str(store.options.get("path", ""))).exists():
                    return None
                try:
                    self._opened = open_existing_catalog_for_writing(
                        store,
                        self.settings.build_identity(),
                        self.settings.get_registry_extension(),
                        self.settings.load_authorizer(),
                    )
                except InvalidField as error:
                    raise InvalidConfiguration(error.detail) from error
            opened = self._opened
            return None if opened is None else InstanceRecords(opened.provider, opened.write_path)

    def close_catalog(self) -> None:
        """Close the catalog."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None


_lock = RLock()
atexit.register(lambda: close_instances_outside_server())
_server_instances: InstanceService | None = None
_own_instances: tuple[tuple[str | None, ...], InstanceService] | None = None


def build_secret_stores(settings: Settings) -> SecretStores:
    """Return the stores of secrets of the settings. Raises InvalidConfiguration."""
    in_file = FileSecretStore(Path(jupyter_data_dir()) / "colophon")
    return SecretStores(in_file, settings.secret_store, variables=settings.secret_env_variables)


def get_or_create_instances_of_process(settings: Settings | None = None) -> InstanceService:
    """Return the instances of this process: those of its server, else those of the settings.

    Without settings, Jupyter's config files are read. Nothing is opened before it is needed, and outside a server the
    catalog is only opened for the first save or request of a version.
    """
    global _own_instances
    with _lock:
        if _server_instances is not None:
            return _server_instances
        places = tuple(os.environ.get(name) for name in _LOCATION_VARIABLES)
        if _own_instances is None or _own_instances[0] != places or settings is not None:
            close_instances_outside_server()
            _own_instances = (places, _compose_instances_outside_server(settings or _read_settings_of_config_files()))
        return _own_instances[1]


def set_instances_of_server(settings: Settings, catalog: "Callable[[], Catalog]") -> InstanceService:
    """Provide the instances of a server, which are those of its process until they are closed.

    `catalog` raises StorageError. External edits of the files are recorded from now on, in the background.
    """
    global _server_instances

    def get_records() -> InstanceRecords:
        records = catalog()
        return InstanceRecords(records.provider, records.write_path)

    def end() -> None:
        global _server_instances
        outside.stop_thread()
        with _lock:
            if _server_instances is instances:
                _server_instances = None

    instances = compose_instances(settings, InstanceRecordsSource(get_records), get_records, on_close=end)
    outside = ExternalEditRecorder(lambda: _list_stores_of_files(instances))
    with _lock:
        _server_instances = instances
    if instances.stores.chosen == "file":
        outside.start_thread()
    return instances


def is_server_process() -> bool:
    """Return whether this process is a server with instances."""
    return _server_instances is not None


def close_instances_outside_server() -> None:
    """Close what was opened outside a server."""
    global _own_instances
    with _lock:
        own, _own_instances = _own_instances, None
    if own is not None:
        own[1].stop_watching_and_close_stores()


def compose_instances(
    settings: Settings,
    source: InstanceRecordsSource,
    records: Callable[[], InstanceRecords],
    *,
    schemas: SchemaLookup | None = None,
    shaper: ObjectFactory | None = None,
    on_close: Callable[[], None] = lambda: None,
) -> InstanceService:
    """Compose instances with the stores and secrets of the settings. Raises InvalidConfiguration.

    Schemas and their classes are those of the SchemaManager and of Elyra's `Metadata`, unless others are given.
    """
    schemas, shaper = schemas or CurrentSchemas(), shaper or _create_object_of_document
    if settings.schemaspace_packages:
        # Before anything is loaded.
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        SchemaManager.allow(settings.schemaspace_packages)
    masks = SecretMasker(schemas)
    folder = Path(jupyter_data_dir()) / "colophon"
    chosen = _get_configured_store_kind(settings)
    secrets = SecretService(masks, build_secret_stores(settings))
    key = _DigestKey(folder / "instances.key")
    openers: dict[str, Callable[[str], InstanceStore]] = {
        "file": lambda space: FileInstanceStore(InstanceFiles(space, list_space_folders(space)), masks, source, key),
        "catalog": lambda space: CatalogInstanceStore(space, records),
    }
    if chosen not in openers:
        openers[chosen] = _load_store_factory(chosen, settings)
    return InstanceService(
        schemas=schemas,
        stores=InstanceStores(openers, chosen),
        secrets=secrets,
        presenter=InstancePresenter(schemas, masks, secrets, shaper),
        edits=EditedDocumentReader(masks, secrets),
        records=source,
        authorizer=settings.load_authorizer(),
        cursors=CursorCodec(randomness.token_bytes(32)),
        account=Principal(_get_account_name()),
        on_close=on_close,
    )


def _compose_instances_outside_server(settings: Settings) -> InstanceService:
    writer = _LazyCatalogWriter(settings)

    def get_records() -> InstanceRecords:
        records = writer.open_catalog_and_get_records()
        if records is None:
            raise StoreUnavailable("no catalog exists yet: start a server to create it")
        return records

    source = InstanceRecordsSource(writer.open_catalog_and_get_records)
    return compose_instances(settings, source, get_records, on_close=writer.close_catalog)


def _list_stores_of_files(instances: InstanceService) -> list[FileInstanceStore]:
    stores = (
        instances.stores.get_or_create_store(space, "file") for space in instances.schemas.list_names(deprecated=True)
    )
    file_stores = [store for store in stores if isinstance(store, FileInstanceStore)]
    for store in file_stores:
        with suppress(StorageError):
            store.files.remove_temporary_files_and_list_backups()
    return file_stores


def _get_configured_store_kind(settings: Settings) -> str:
    """Return the kind of store; Elyra's setting of the class is used if ours has its default."""
    named = settings.config.get("MetadataManager", {}).get("metadata_store_class")
    if settings.metadata_store != "file" or not named:
        return str(settings.metadata_store)
    path = named if isinstance(named, str) else f"{named.__module__}.{named.__qualname__}"
    module, _, name = path.rpartition(".")
    return _STORE_KINDS.get(name, path) if module in _STORE_MODULES else path


def _load_store_factory(chosen: str, settings: Settings) -> Callable[[str], InstanceStore]:
    create_store = _load_store_class(chosen)
    options = _build_store_options(create_store, settings)

    def open_store(space: str) -> InstanceStore:
        store = create_store(space, **options)
        return ElyraStoreAdapter(space, store) if hasattr(store, "fetch_instances") else store

    return open_store


def _build_store_options(create_store: Any, settings: Settings) -> dict[str, Any]:
    """Return the keyword arguments of a store's class: `parent`, as in Elyra, if it accepts one.

    It is the application, from which a store takes its log and its configuration.
    """
    parent = next((candidate for candidate in (settings, settings.parent) if hasattr(candidate, "log")), None)
    try:
        parameters = inspect.signature(create_store).parameters.values()
    except (TypeError, ValueError):
        return {}
    takes_parent = any(
        parameter.name == "parent" or parameter.kind is parameter.VAR_KEYWORD for parameter in parameters
    )
    return {"parent": parent} if takes_parent and parent is not None else {}


def _load_store_class(chosen: str) -> Any:
    """Return the class of a store by its entry point or its dotted name. Raises InvalidConfiguration."""
    from traitlets.utils.importstring import import_item

    store_class = next(iter(find_entry_points(GROUP, chosen)), None)
    if store_class is None and "." not in chosen:
        raise InvalidConfiguration(
            f"the setting c.Colophon.metadata_store names an unknown store of instances: {chosen!r}"
        )
    try:
        return store_class.load() if store_class is not None else import_item(chosen)
    except Exception as error:
        raise InvalidConfiguration(
            f"the store of instances {chosen!r} cannot be loaded ({type(error).__name__})"
        ) from error


class _DigestKey:
    """The key for digests of secrets: a file of mode 0600 on this machine, so that the catalog alone reveals nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: bytes | None = None

    def __call__(self) -> bytes:
        if self._known is None:
            self._known = self._read_key_file() or self._create_key_file_or_temporary_key()
        return self._known

    def _read_key_file(self) -> bytes | None:
        with suppress(OSError):
            key = self._path.read_bytes()
            return key if len(key) == 32 else None
        return None

    def _create_key_file_or_temporary_key(self) -> bytes:
        """Create the key unless another process does so first. If no file can be created, it lasts as long as the
        process.
        """
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
        return self._read_key_file() or key


def _create_object_of_document(space: str, document: Mapping[str, Any], /) -> InstanceObject:
    # Loaded with the first instance.
    from jupyter_colophon.schemaspaces.metadata import InstanceMetadata

    shaped: InstanceObject = InstanceMetadata.from_dict(space, document)
    return shaped


def _load_schemaspaces() -> SchemaspaceRegistry:
    # Called many times for each save: `instance` would walk all superclasses each time.
    manager: Any = _load_manager_class()._instance or _load_manager_class().instance()
    spaces: SchemaspaceRegistry = manager.spaces
    return spaces


@cache
def _load_manager_class() -> Any:
    from jupyter_colophon.schemaspaces.schema import SchemaManager

    return SchemaManager


def _get_account_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _read_settings_of_config_files() -> Settings:
    """Read the settings from Jupyter's config files, as the command line does."""
    from jupyter_core.application import JupyterApp
    from traitlets.config import Config

    class InstanceSettings(Settings):
        """The settings of a process without a server."""

        def is_setting_of_other_part(self, name: str) -> bool:
            """Return True: settings of the server extension are not checked."""
            return True

    config = Config()
    for name in ("jupyter_server_config", "jupyter_colophon_config"):
        app = JupyterApp(config_file_name=name)
        app.load_config_file()
        config.merge(app.config)
    return create_settings(InstanceSettings, config)
