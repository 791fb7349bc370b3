"""Elyra's classes of metadata stores, to use and to subclass."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from traitlets import log

from jupyter_colophon.core.errors import InstanceNotFound, InstanceUnreadable, RemovalNotPermitted
from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.elyra.cache import FileMetadataCache
from jupyter_colophon.schemaspaces import instances
from jupyter_colophon.service.instances.elyra_store_adapter import ForeignInstances
from jupyter_colophon.service.instances.store_protocol import InstanceStore
from jupyter_colophon.storage.files.paths import data_folders

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


class KeptMetadataStore(MetadataStore):
    """One of our own stores under Elyra's names. Changes are recorded in the catalog."""

    #: The kind of store, as in the setting `metadata_store`; "" means the configured one.
    KIND = ""

    @property
    def instances(self) -> InstanceStore:
        """The underlying store."""
        return instances.current().stores.of(self.schemaspace.lower(), self.KIND)

    def schemaspace_exists(self) -> bool:
        """Return whether anything was ever stored for the schemaspace."""
        return self.instances.exists()

    def fetch_instances(self, name: str | None = None, include_invalid: bool = False) -> list[dict[str, Any]]:
        """Return all instances by name, or one."""
        if name is None:
            found = self.instances.read_many(self.instances.names())
            return [_to_document(held) for held in found if held.document is not None or include_invalid]
        held = self.instances.read(name)
        if held is None:
            raise InstanceNotFound(self.schemaspace, name)
        if held.document is None:
            raise ValueError(InstanceUnreadable(self.schemaspace, name, held.problem).detail)
        return [_to_document(held)]

    def store_instance(self, name: str, metadata: dict[str, Any], for_update: bool = False) -> dict[str, Any]:
        """Store an instance, durably and atomically."""
        condition = Condition() if for_update else Condition(version=ABSENT)
        result = self.instances.save(name, deepcopy(metadata), condition, instances.current().account)
        return _to_document(result.held) if result.held is not None else {"name": name, **metadata}

    def delete_instance(self, metadata: dict[str, Any]) -> None:
        """Remove an instance."""
        try:
            self.instances.remove(str(metadata.get("name")), Condition(), instances.current().account)
        except RemovalNotPermitted as error:
            raise PermissionError(error.detail) from error


class FileMetadataStore(KeptMetadataStore):
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
        return [os.path.join(folder, *below) for folder in data_folders()]


class CatalogMetadataStore(KeptMetadataStore):
    """Instances in the catalog's database, shared by all its users."""

    KIND = "catalog"


def store_class() -> type[KeptMetadataStore]:
    """Return the store class for the setting `metadata_store`."""
    known: dict[str, type[KeptMetadataStore]] = {"file": FileMetadataStore, "catalog": CatalogMetadataStore}
    return known.get(instances.current().stores.chosen, KeptMetadataStore)


def stored_by(space: str, store: Any) -> InstanceStore:
    """Return an InstanceStore for a store: ours directly, unless a subclass overrides its methods."""
    kind = type(store)
    own = isinstance(store, KeptMetadataStore) and all(
        getattr(kind, name) is getattr(KeptMetadataStore, name)
        for name in ("fetch_instances", "store_instance", "delete_instance")
    )
    return store.instances if own else ForeignInstances(space.lower(), store)


def _to_document(held: Held) -> dict[str, Any]:
    document: Mapping[str, Any] = held.document if held.document is not None else {"reason": "ValueError"}
    return deepcopy(dict(document)) | {"name": held.name, "resource": held.resource}
