"""Schemaspaces and schemas: the classes that packages register, and the loaded ones."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import deepcopy
from logging import Logger, getLogger
from typing import Any, ClassVar, final

from traitlets.config import LoggingConfigurable, SingletonConfigurable

from jupyter_colophon.service.schemaspaces.parse_registrations import TEST_SPACE
from jupyter_colophon.service.schemaspaces.registrations import (
    SCHEMAS_PROVIDERS,
    SCHEMASPACES,
    STORED,
    find_entry_points,
)
from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry

__all__ = [
    "METADATA_TEST_SCHEMASPACE",
    "METADATA_TEST_SCHEMASPACE_ID",
    "SchemaManager",
    "SchemasProvider",
    "Schemaspace",
]

METADATA_TEST_SCHEMASPACE_ID = "8182fc28-899a-4521-8342-1a0e218c3a4d"
#: The schemaspace exists if METADATA_TESTING is set.
METADATA_TEST_SCHEMASPACE = TEST_SPACE


_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][0-9A-Za-z_-]*[0-9A-Za-z]")


class Schemaspace(LoggingConfigurable):
    """A named set of schemas and their instances. Packages register theirs in `metadata.schemaspaces`.

    Raises ValueError for an id that is not a UUID, or a name with characters other than letters, digits, `-` and `_`.
    """

    def __init__(
        self,
        schemaspace_id: str,
        name: str,
        display_name: str | None = None,
        description: str | None = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not schemaspace_id:
            raise ValueError("Property 'id' requires a value!")
        if not _ID.fullmatch(schemaspace_id):
            raise ValueError(f"The value of property 'id' ({schemaspace_id}) does not conform to a UUID!")
        if not name:
            raise ValueError("Property 'name' requires a value!")
        if not _NAME.fullmatch(name):
            raise ValueError(f"The 'name' property ({name}) must be alphanumeric with dash or underscore only!")
        self._id, self._name = schemaspace_id, name
        self._display_name, self._description = display_name or name, description or ""
        self._schemas: dict[str, dict[str, Any]] = {}
        self._deprecated = False
        self._deprecated_schema_names: set[str] = set()

    @property
    def id(self) -> str:
        """Return its UUID."""
        return self._id

    @property
    def name(self) -> str:
        """Return its name with its original case."""
        return self._name

    @property
    def display_name(self) -> str:
        """Return its name for people."""
        return self._display_name

    @property
    def description(self) -> str:
        """Return its description."""
        return self._description

    @property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """Return its schemas by name."""
        return self._schemas

    @property
    def is_deprecated(self) -> bool:
        """Return whether lists omit it."""
        return self._deprecated

    @property
    def deprecated_schema_names(self) -> list[str]:
        """Return the names of its schemas that lists omit."""
        return list(self._deprecated_schema_names)

    def filter_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a schema as this schemaspace modifies it; called before the schema is checked."""
        return schema

    def add_schema(self, schema: dict[str, Any]) -> None:
        """Add a schema to this schemaspace."""
        if not isinstance(schema, dict):
            raise AssertionError("Parameter 'schema' is not a dictionary!")
        self._schemas[schema["name"]] = schema
        if schema.get("deprecated", False):
            self._deprecated_schema_names.add(schema["name"])

    @final
    def migrate(self, *args: Any, **kwargs: Any) -> list[str]:
        """Let the providers of its schemas migrate its instances; return the names of the migrated ones."""
        return list(SchemaManager.instance().spaces.migrate_instances(self.id).migrated)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Schemaspace":
        """Return a copy with its own schemas. Its parent, which may be a server, is not copied (spec INST-3)."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied._schemas = deepcopy(self._schemas, memo)
        copied._deprecated_schema_names = set(self._deprecated_schema_names)
        return copied


class SchemaManager(SingletonConfigurable):
    """The schemaspaces and schemas of this process.

    `SchemaManager.instance()` returns the only one; `spaces` has its schemaspaces. Methods return copies. All methods
    that take a schemaspace's name or id raise ValueError for an unknown one.
    """

    #: The packages that may register anything (`c.Colophon.schemaspace_packages`); none means all.
    _packages: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.spaces = SchemaspaceRegistry(
            schemaspaces=lambda: type(self)._get_schemaspaces(),
            providers=lambda: [*type(self)._get_schemas_providers(), STORED],
            packages=self._packages,
            parent=self.parent,
        )

    @classmethod
    def instance(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the instance of this process, with everything loaded."""
        is_new = not cls.initialized()
        manager = super().instance(*args, **kwargs)
        if is_new:
            manager.spaces.list_names()
        return manager

    @classmethod
    def allow(cls, packages: Iterable[str]) -> None:
        """Allow only these packages, besides ours, to register anything; none means all. Call it before anything is
        loaded.
        """
        cls._packages = tuple(packages)
        if cls.initialized():
            super().instance().spaces.allow_only_packages(cls._packages)

    def get_schemaspace_names(self, include_deprecated: bool = False) -> list[str]:
        """Return the names of all schemaspaces in lower case."""
        return self.spaces.list_names(deprecated=include_deprecated)

    def get_schemaspace_name(self, schemaspace_name_or_id: str) -> str:
        """Return the name of a schemaspace as it was registered."""
        return self.spaces.get_space(schemaspace_name_or_id).name

    def get_schemaspace(self, schemaspace_name_or_id: str) -> Any:
        """Return a copy of the registered object with its schemas, of Elyra's class or of ours."""
        space = self.spaces.get_space(schemaspace_name_or_id)
        return _copy_with_schemas(space.object, [*space.schemas.values(), *space.deprecated_schemas.values()])

    def get_schemaspace_schemas(self, schemaspace_name_or_id: str) -> dict[str, Any]:
        """Return all schemas of a schemaspace by name, without deprecated ones."""
        return deepcopy(dict(self.spaces.get_space(schemaspace_name_or_id).schemas))

    def get_schema(self, schemaspace_name_or_id: str, schema_name: str) -> dict[str, Any]:
        """Return a schema, which may be deprecated. Raises SchemaNotFoundError."""
        return deepcopy(dict(self.spaces.get_schema(schemaspace_name_or_id, schema_name)))

    def get_schemasproviders(self, schemaspace_id: str) -> dict[str, Any]:
        """Return the providers of a schemaspace by the names of their schemas."""
        space = self.spaces.get_space(schemaspace_id)
        return {
            name: self.spaces.get_schema_provider(space.key, name)
            for name in (*space.schemas, *space.deprecated_schemas)
        }

    def validate_instance(self, schemaspace_name_or_id: str, schema_name: str, instance: dict[str, Any]) -> None:
        """Raise jsonschema's ValidationError, with its message, if the instance is not valid."""
        if fault := self.spaces.format_first_message(schemaspace_name_or_id, schema_name, instance):
            from jsonschema import ValidationError

            raise ValidationError(fault)

    def clear_all(self) -> None:
        """Request the schemas of all providers again."""
        self.spaces.reload_schemas()

    @staticmethod
    def _get_schemaspaces() -> Iterable[Any]:
        """Return the entry points of schemaspaces. Tests patch this."""
        return find_entry_points(SCHEMASPACES)

    @staticmethod
    def _get_schemas_providers() -> Iterable[Any]:
        """Return the entry points of schemas providers. Tests patch this."""
        return find_entry_points(SCHEMAS_PROVIDERS)


class SchemasProvider(ABC):
    """Provides schemas for one or more schemaspaces. Packages register theirs in `metadata.schemas_providers`."""

    log: Logger

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.log = getLogger("jupyter_colophon.schemaspaces")

    @abstractmethod
    def get_schemas(self) -> list[dict[str, Any]]:
        """Return the current schemas; each must satisfy the meta-schema."""

    def notify_changed(self) -> None:
        """Report that the schemas changed: they are requested again, in the background. Call it from any thread."""
        if SchemaManager.initialized():
            SchemaManager.instance().spaces.reload_schemas_in_background()

    def migrate(self, *args: Any, **kwargs: Any) -> list[str]:
        """Migrate the instances of `schema_name` in `schemaspace_name`; return the names of the migrated ones.

        If the method also takes `dry_run`, it is called with it to list the instances that it would migrate.
        """
        return []

    def get_validator(self, schema: dict[str, Any]) -> Any:
        """Return the validator of instances. An override replaces ours."""
        from jsonschema import Draft7Validator

        return Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)


def _copy_with_schemas(registered: Any, schemas: list[Any]) -> Any:
    try:
        copied = deepcopy(registered)
    except Exception:  # noqa: BLE001  Elyra's hold on to the server where they were given it (spec INST-3)
        copied = registered
    for schema in schemas:
        copied.add_schema(deepcopy(dict(schema)))
    return copied
