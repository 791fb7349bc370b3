"""Schemaspaces and schemas: the classes that packages register, and those that are loaded."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import deepcopy
from logging import Logger, getLogger
from typing import Any, ClassVar, final

from traitlets.config import LoggingConfigurable, SingletonConfigurable

from jupyter_colophon.service.schemaspaces.parse_registrations import TEST_SPACE
from jupyter_colophon.service.schemaspaces.registrations import SCHEMAS_PROVIDERS, SCHEMASPACES, STORED, installed
from jupyter_colophon.service.schemaspaces.spaces import Spaces

__all__ = [
    "METADATA_TEST_SCHEMASPACE",
    "METADATA_TEST_SCHEMASPACE_ID",
    "SchemaManager",
    "SchemasProvider",
    "Schemaspace",
]

METADATA_TEST_SCHEMASPACE_ID = "8182fc28-899a-4521-8342-1a0e218c3a4d"
#: It is there where METADATA_TESTING is set.
METADATA_TEST_SCHEMASPACE = TEST_SPACE


_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][0-9A-Za-z_-]*[0-9A-Za-z]")


class Schemaspace(LoggingConfigurable):
    """A named place for schemas and their instances. Packages register theirs in `metadata.schemaspaces`.

    Raises ValueError for an id that is no UUID, or a name of other things than letters, digits, `-` and `_`.
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
        """Its UUID."""
        return self._id

    @property
    def name(self) -> str:
        """Its name, in the letters of either case that it was given."""
        return self._name

    @property
    def display_name(self) -> str:
        """What people call it."""
        return self._display_name

    @property
    def description(self) -> str:
        """What it is for."""
        return self._description

    @property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """Its schemas by name."""
        return self._schemas

    @property
    def is_deprecated(self) -> bool:
        """Whether lists leave it out."""
        return self._deprecated

    @property
    def deprecated_schema_names(self) -> list[str]:
        """The names of its schemas that lists leave out."""
        return list(self._deprecated_schema_names)

    def filter_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """A schema as this schemaspace wants it; called before it is checked."""
        return schema

    def add_schema(self, schema: dict[str, Any]) -> None:
        """Make a schema one of this schemaspace's."""
        if not isinstance(schema, dict):
            raise AssertionError("Parameter 'schema' is not a dictionary!")
        self._schemas[schema["name"]] = schema
        if schema.get("deprecated", False):
            self._deprecated_schema_names.add(schema["name"])

    @final
    def migrate(self, *args: Any, **kwargs: Any) -> list[str]:
        """Have the providers of its schemas migrate its instances; returns the names of those that were."""
        return list(SchemaManager.instance().spaces.migrate(self.id).migrated)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Schemaspace":
        """A copy with schemas of its own. Whoever it belongs to, a server maybe, is not copied (spec INST-3)."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied._schemas = deepcopy(self._schemas, memo)
        copied._deprecated_schema_names = set(self._deprecated_schema_names)
        return copied


class SchemaManager(SingletonConfigurable):
    """The schemaspaces and schemas of this process. `SchemaManager.instance()` is the one; `spaces` is what it holds.

    What it returns are copies. All methods that take a schemaspace's name or id raise ValueError for an unknown one.
    """

    #: The packages that may register anything (`c.Colophon.schemaspace_packages`); none means all.
    _packages: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.spaces = Spaces(
            schemaspaces=lambda: type(self)._get_schemaspaces(),
            providers=lambda: [*type(self)._get_schemas_providers(), STORED],
            packages=self._packages,
            parent=self.parent,
        )

    @classmethod
    def instance(cls, *args: Any, **kwargs: Any) -> Any:
        """The one of this process, with everything loaded."""
        is_new = not cls.initialized()
        one = super().instance(*args, **kwargs)
        if is_new:
            one.spaces.names()
        return one

    @classmethod
    def allow(cls, packages: Iterable[str]) -> None:
        """Let only these packages register anything, besides us; none means all. Before anything is loaded."""
        cls._packages = tuple(packages)
        if cls.initialized():
            super().instance().spaces.allow(cls._packages)

    def get_schemaspace_names(self, include_deprecated: bool = False) -> list[str]:
        """The names of all schemaspaces, in small letters."""
        return self.spaces.names(deprecated=include_deprecated)

    def get_schemaspace_name(self, schemaspace_name_or_id: str) -> str:
        """The name of a schemaspace as it was registered."""
        return self.spaces.space(schemaspace_name_or_id).name

    def get_schemaspace(self, schemaspace_name_or_id: str) -> Any:
        """A copy of the registered object with its schemas, of Elyra's class or of ours."""
        space = self.spaces.space(schemaspace_name_or_id)
        return _with_schemas(space.object, [*space.schemas.values(), *space.deprecated_schemas.values()])

    def get_schemaspace_schemas(self, schemaspace_name_or_id: str) -> dict[str, Any]:
        """All schemas of a schemaspace by name, without deprecated ones."""
        return deepcopy(dict(self.spaces.space(schemaspace_name_or_id).schemas))

    def get_schema(self, schemaspace_name_or_id: str, schema_name: str) -> dict[str, Any]:
        """A schema, also a deprecated one. Raises SchemaNotFoundError."""
        return deepcopy(dict(self.spaces.schema(schemaspace_name_or_id, schema_name)))

    def get_schemasproviders(self, schemaspace_id: str) -> dict[str, Any]:
        """The providers of a schemaspace by the names of their schemas."""
        space = self.spaces.space(schemaspace_id)
        return {name: self.spaces.provider(space.key, name) for name in (*space.schemas, *space.deprecated_schemas)}

    def validate_instance(self, schemaspace_name_or_id: str, schema_name: str, instance: dict[str, Any]) -> None:
        """Raise jsonschema's ValidationError, in its words, unless the instance satisfies the schema."""
        if fault := self.spaces.first_message(schemaspace_name_or_id, schema_name, instance):
            from jsonschema import ValidationError

            raise ValidationError(fault)

    def clear_all(self) -> None:
        """Ask all providers for their schemas anew."""
        self.spaces.refresh()

    @staticmethod
    def _get_schemaspaces() -> Iterable[Any]:
        """The entry points of schemaspaces. Tests patch this."""
        return installed(SCHEMASPACES)

    @staticmethod
    def _get_schemas_providers() -> Iterable[Any]:
        """The entry points of schemas providers. Tests patch this."""
        return installed(SCHEMAS_PROVIDERS)


class SchemasProvider(ABC):
    """Provides schemas for one schemaspace or several. Packages register theirs in `metadata.schemas_providers`."""

    log: Logger

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.log = getLogger("jupyter_colophon.schemaspaces")

    @abstractmethod
    def get_schemas(self) -> list[dict[str, Any]]:
        """The schemas as they are now; each satisfies the meta-schema."""

    def changed(self) -> None:
        """Tell that the schemas are others now: they are asked for anew, in the background. Call it from any thread."""
        if SchemaManager.initialized():
            SchemaManager.instance().spaces.refresh_soon()

    def migrate(self, *args: Any, **kwargs: Any) -> list[str]:
        """Migrate the instances of `schema_name` in `schemaspace_name`; returns the names of those that were.

        A provider that takes `dry_run` as well is asked with it for what it would migrate.
        """
        return []

    def get_validator(self, schema: dict[str, Any]) -> Any:
        """What holds instances against a schema. One that is overridden is asked instead of ours."""
        from jsonschema import Draft7Validator

        return Draft7Validator(schema, format_checker=Draft7Validator.FORMAT_CHECKER)


def _with_schemas(registered: Any, schemas: list[Any]) -> Any:
    try:
        copied = deepcopy(registered)
    except Exception:  # noqa: BLE001  Elyra's hold on to the server where they were given it (spec INST-3)
        copied = registered
    for schema in schemas:
        copied.add_schema(deepcopy(dict(schema)))
    return copied
