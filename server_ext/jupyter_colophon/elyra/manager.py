"""Elyra's `MetadataManager`: instances of one schemaspace for Python code."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from traitlets import Type, default
from traitlets.config import LoggingConfigurable

from jupyter_colophon.core.errors import (
    InstanceInvalid,
    InstanceUnreadable,
    InvalidInstanceName,
    RemovalNotPermitted,
    StorageError,
)
from jupyter_colophon.core.identity.instance_names import generate_instance_name, require_instance_name
from jupyter_colophon.elyra.storage import CatalogMetadataStore, adapt_store, get_store_class
from jupyter_colophon.schemaspaces import instances
from jupyter_colophon.schemaspaces.schema import SchemaManager
from jupyter_colophon.service.instances.object_api import InstanceObjects

if TYPE_CHECKING:
    from jupyter_colophon.client.transport import ServerAddress
    from jupyter_colophon.elyra.remote import RemoteObjects

#: The methods that an instance must have to be saved.
_REQUIRED_METHODS = ("pre_save", "post_save", "to_dict", "prepare_write")


class MetadataManager(LoggingConfigurable):
    """Loads, validates and saves instances, with the hooks of their schemas' classes, secrets in place.

    `store` is an instance of Elyra's or our store class, or any object with the same methods; by default one of
    `metadata_store_class` is created. Raises ValueError for an unknown schemaspace.

    If the setting `metadata_store` is `catalog` and the environment names a server (COLOPHON_URL), as in kernels, the
    instances of that server are used over HTTP: without secrets, and with the hooks of the server.
    """

    metadata_store_class = Type(
        # Subclasses of Elyra's MetadataStore are supported as well as subclasses of ours.
        klass=object,
        config=True,
        help="The class of the store, with the methods of jupyter_colophon.elyra.storage.MetadataStore. "
        "The default is given by the setting `metadata_store`.",
    )

    @default("metadata_store_class")
    def _default_store_class(self) -> type:
        return get_store_class()

    def __init__(self, schemaspace: str, store: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.schema_mgr = SchemaManager.instance()
        self.schemaspace = self.schema_mgr.get_schemaspace_name(schemaspace)
        store_type: Any = self.metadata_store_class
        self.metadata_store: Any = store_type(self.schemaspace, **kwargs) if store is None else store
        self._server = (
            _find_remote_server() if isinstance(self.metadata_store, CatalogMetadataStore) and store is None else None
        )

    def schemaspace_exists(self) -> bool:
        """Return whether anything was ever stored for the schemaspace."""
        return bool((self._remote or self.metadata_store).schemaspace_exists())

    def get_all(self, include_invalid: bool = False, of_schema: str | None = None) -> list[Any]:
        """Return all valid instances; with `include_invalid` invalid ones too, with a `reason`."""
        with _convert_errors():
            return list(
                (self._remote or self._objects).load_all_instances(include_invalid=include_invalid, of_schema=of_schema)
            )

    def get(self, name: str) -> Any:
        """Return one instance, loaded and validated.

        Raises MetadataNotFoundError, ValueError if it cannot be read, jsonschema's ValidationError,
        SchemaNotFoundError, and whatever its class raises.
        """
        if name is None:
            raise ValueError("The 'name' parameter requires a value.")
        with _convert_errors():
            return (self._remote or self._objects).load_instance(name)

    def create(self, name: str | None, metadata: Any) -> Any:
        """Save a new instance and return it, reloaded; the default name is derived from `display_name`.

        Raises MetadataExistsError, ValueError for a name, ValidationError, and whatever its class raises.
        """
        _require_metadata_interface(metadata)
        if not name and not metadata.display_name:
            raise ValueError("Name of metadata was not provided.")
        with _convert_errors():
            return (self._remote or self._objects).save_new_instance(name or None, metadata)

    def update(self, name: str, metadata: Any, for_migration: bool = False) -> Any:
        """Replace an instance and return it, reloaded.

        With `for_migration` neither the old nor the new one is loaded, so that `on_load` may call this.
        """
        _require_metadata_interface(metadata)
        if not name:
            raise ValueError("Name of metadata was not provided.")
        with _convert_errors():
            require_instance_name(name)
            return (self._remote or self._objects).replace_existing_instance(
                name, metadata, for_migration=for_migration
            )

    def remove(self, name: str) -> None:
        """Remove an instance, valid or not.

        Raises MetadataNotFoundError, PermissionError for one of a shared folder, and whatever its class raises.
        """
        with _convert_errors():
            (self._remote or self._objects).remove_instance(name)

    def validate(self, name: str, metadata: Any) -> None:
        """Raise jsonschema's ValidationError unless an instance satisfies its schema, and ValueError if it names no schema."""
        if not metadata.schema_name:
            raise ValueError(
                f"Instance '{name}' in the {self.schemaspace} schemaspace is missing a 'schema_name' field!"
            )
        with _convert_errors():
            self._objects.require_valid_object(name, metadata)

    @staticmethod
    def get_normalized_name(name: str) -> str:
        """Return the name derived from a display name."""
        return generate_instance_name(name)

    @cached_property
    def _remote(self) -> "RemoteObjects | None":
        """The instances over HTTP; None unless they are stored by a server."""
        if self._server is None:
            return None
        from jupyter_colophon.elyra.remote import RemoteObjects

        return RemoteObjects(self.schemaspace, self._server)

    @property
    def _objects(self) -> InstanceObjects:
        return instances.get_or_create_instances_of_process().create_object_api(
            self.schemaspace, adapt_store(self.schemaspace, self.metadata_store)
        )


def _find_remote_server() -> "ServerAddress | None":
    """Return the server named by the environment; None without one, and inside a server process."""
    if not os.environ.get("COLOPHON_URL") or instances.is_server_process():
        return None
    from jupyter_colophon.elyra.remote import find_server_in_environment

    return find_server_in_environment()


def _require_metadata_interface(metadata: Any) -> None:
    if not metadata:
        raise ValueError("An instance of class 'Metadata' was not provided.")
    if not all(callable(getattr(metadata, name, None)) for name in _REQUIRED_METHODS):
        raise TypeError("'metadata' is not an instance of class 'Metadata'.")


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Convert our errors to the types that Elyra's users catch, with the same messages; others pass unchanged."""
    try:
        yield
    except InstanceInvalid as error:
        from jsonschema import ValidationError

        raise ValidationError(error.detail) from error
    except (InstanceUnreadable, InvalidInstanceName) as error:
        raise ValueError(error.detail) from error
    except RemovalNotPermitted as error:
        raise PermissionError(error.detail) from error
    except StorageError as error:
        if isinstance(error.__cause__, PermissionError):
            raise error.__cause__ from error
        raise
