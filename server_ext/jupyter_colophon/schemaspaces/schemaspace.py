"""What packages register as a schemaspace: Elyra's class of that name."""

import re
from copy import deepcopy
from typing import Any, final

from traitlets.config import LoggingConfigurable

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
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        return list(SchemaManager.instance().spaces.migrate(self.id).migrated)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Schemaspace":
        """A copy with schemas of its own. Whoever it belongs to, a server maybe, is not copied (spec INST-3)."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied._schemas = deepcopy(self._schemas, memo)
        copied._deprecated_schema_names = set(self._deprecated_schema_names)
        return copied
