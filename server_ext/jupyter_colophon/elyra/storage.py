"""Elyra's classes of metadata stores, to use and to subclass."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from traitlets import log

from jupyter_colophon.core.errors import InstanceNotFound, InstanceUnreadable, RemovalNotPermitted
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.elyra.cache import FileMetadataCache
from jupyter_colophon.schemaspaces import instances
from jupyter_colophon.service.instances.stores.elyra_store_adapter import ElyraStoreAdapter
from jupyter_colophon.service.instances.stores.protocol import InstanceStore
from jupyter_colophon.storage.files.paths import list_data_folders

__all__ = ["CatalogMetadataStore", "FileMetadataCache", "FileMetadataStore", "MetadataStore"]


class MetadataStore(ABC):
    """The store of the instances of one schemaspace; subclass it for other kinds of storage. Documents are dictionaries.

    Returned documents have `name` and `resource` besides `display_name`, `schema_name` and `metadata`.
    """

    def __init__(self, schemaspace: str, parent: Any = None, **kwargs: Any) -> None:
        self.schemaspace = schemaspace
        self.log = parent.log if parent else log.get_logger()

    @abstractmethod
    def schemaspace_exists(self) -> bool:
        """Return whether anything was ever stored for the schemaspace."""

    @abstractmethod
    def fetch_instances(self, name: str | None = None, include_invalid: bool = False) -> list[dict[str, Any]]:
        """Return all instances, or the one with this name.

        Raises MetadataNotFoundError, and ValueError if that one cannot be read. With `include_invalid`, unreadable
        instances are included, with a `reason`.
        """

    @abstractmethod
    def store_instance(self, name: str, metadata: dict[str, Any], for_update: bool = False) -> dict[str, Any]:
        """Store an instance, and return it as stored. Raises MetadataExistsError unless `for_update`."""

    @abstractmethod
    def delete_instance(self, metadata: dict[str, Any]) -> None:
        """Remove the instance with this `name`. Raises PermissionError for one of a shared folder."""


class OwnMetadataStore(MetadataStore):
    """One of our own stores under Elyra's names. Changes are recorded in the catalog."""

    #: The kind of store, as in the setting `metadata_store`; "" means the configured one.
    KIND = ""

    @property
    def instances(self) -> InstanceStore:
        """The underlying store."""
        return instances.get_or_create_instances_of_process().stores.get_or_create_store(
            self.schemaspace.lower(), self.KIND
        )

    def schemaspace_exists(self) -> bool:
        """Return whether anything was ever stored for the schemaspace."""
        return self.instances.has_stored_instances()

    def fetch_instances(self, name: str | None = None, include_invalid: bool = False) -> list[dict[str, Any]]:
        """Return all instances by name, or one."""
        if name is None:
            stored_instances = self.instances.read_existing_instances(self.instances.list_instance_names())
            return [
                _to_document(stored) for stored in stored_instances if stored.document is not None or include_invalid
            ]
        stored = self.instances.find_instance(name)
        if stored is None:
            raise InstanceNotFound(self.schemaspace, name)
        if stored.document is None:
            raise ValueError(InstanceUnreadable(self.schemaspace, name, stored.problem).detail)
        return [_to_document(stored)]

    def store_instance(self, name: str, metadata: dict[str, Any], for_update: bool = False) -> dict[str, Any]:
        """Store an instance, durably and atomically."""
        condition = WriteCondition() if for_update else WriteCondition(version=ABSENT)
        result = self.instances.save_instance(
            name, deepcopy(metadata), condition, instances.get_or_create_instances_of_process().account
        )
        return _to_document(result.stored) if result.stored is not None else {"name": name, **metadata}

    def delete_instance(self, metadata: dict[str, Any]) -> None:
        """Remove an instance."""
        try:
            self.instances.remove_instance(
                str(metadata.get("name")), WriteCondition(), instances.get_or_create_instances_of_process().account
            )
        except RemovalNotPermitted as error:
            raise PermissionError(error.detail) from error


class FileMetadataStore(OwnMetadataStore):
    """Instances in files, one each; new ones are written to the first of `metadata_paths`."""

    KIND = "file"

    def __init__(self, schemaspace: str, **kwargs: Any) -> None:
        super().__init__(schemaspace, **kwargs)
        self.cache = FileMetadataCache.instance()
        self.metadata_paths = self.metadata_path(schemaspace.lower())
        self.preferred_metadata_dir = self.metadata_paths[0]

    @staticmethod
    def metadata_path(*subdirs: str) -> list[str]:
        """Return Jupyter's data folders, the writable one first, optionally with subfolders of `metadata`."""
        below = ("metadata", *subdirs) if subdirs else ()
        return [os.path.join(folder, *below) for folder in list_data_folders()]


class CatalogMetadataStore(OwnMetadataStore):
    """Instances in the catalog's database, shared by all its users."""

    KIND = "catalog"


def get_store_class() -> type[OwnMetadataStore]:
    """Return the store class for the setting `metadata_store`."""
    classes: dict[str, type[OwnMetadataStore]] = {"file": FileMetadataStore, "catalog": CatalogMetadataStore}
    return classes.get(instances.get_or_create_instances_of_process().stores.chosen, OwnMetadataStore)


def adapt_store(space: str, store: Any) -> InstanceStore:
    """Return an InstanceStore for a store: ours directly, unless a subclass overrides its methods."""
    kind = type(store)
    own = isinstance(store, OwnMetadataStore) and all(
        getattr(kind, name) is getattr(OwnMetadataStore, name)
        for name in ("fetch_instances", "store_instance", "delete_instance")
    )
    return store.instances if own else ElyraStoreAdapter(space.lower(), store)


def _to_document(stored: StoredInstance) -> dict[str, Any]:
    document: Mapping[str, Any] = stored.document if stored.document is not None else {"reason": "ValueError"}
    return deepcopy(dict(document)) | {"name": stored.name, "resource": stored.resource}
