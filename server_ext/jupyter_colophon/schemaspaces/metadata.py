"""An instance as an object of its schema's class, with hooks: Elyra's class of that name."""

import json
from collections.abc import Mapping
from typing import Any

from traitlets.utils.importstring import import_item

from jupyter_colophon.schemaspaces.schema import SchemaManager

#: What an object of a schema's own class must be able to do; whose class it inherits does not matter.
_NEEDED = ("on_load", "pre_save", "post_save", "pre_delete", "post_delete", "to_dict", "prepare_write")


class Metadata:
    """An instance. A schema names a class of its own in `metadata_class_name`, which overrides what it needs of this."""

    name: Any = None
    resource: Any = None
    display_name: Any = None
    schema_name: Any = None
    metadata: Any = None
    reason: Any = None

    def __init__(self, **kwargs: Any) -> None:
        self.name = kwargs.get("name")
        self.display_name = kwargs.get("display_name")
        self.schema_name = kwargs.get("schema_name")
        self.metadata = kwargs.get("metadata", {})
        self.resource = kwargs.get("resource")
        self.reason = kwargs.get("reason")

    def on_load(self, **kwargs: Any) -> None:
        """Called after each load, before validation. What it changes is shown, and not stored unless it saves it."""

    def pre_save(self, **kwargs: Any) -> None:
        """Called before defaults, validation and storage. `for_update` is True for an update."""

    def post_save(self, **kwargs: Any) -> None:
        """Called after storage, on a new object of what was stored. What it raises undoes the save."""

    def pre_delete(self, **kwargs: Any) -> None:
        """Called before a removal. What it raises prevents it."""

    def post_delete(self, **kwargs: Any) -> None:
        """Called after a removal. What it raises undoes it."""

    @classmethod
    def from_dict(cls, schemaspace: str, metadata_dict: Mapping[str, Any]) -> Any:
        """An object of the class that the schema names, else of `Metadata`.

        Raises SchemaNotFoundError for a `schema_name` that is not there, ValueError for a class that no installed package
        registered and for one that is not of this kind, ImportError for one that cannot be imported.
        """
        schema_name, spaces = metadata_dict.get("schema_name"), SchemaManager.instance().spaces
        named = spaces.class_name(schemaspace, schema_name) if schema_name else None
        refused = f"The metadata_class_name ('{named}') for schema '{schema_name}' must be a subclass of 'Metadata'!"
        if named and not spaces.is_registered(named):
            raise ValueError(f"{refused} No schema of an installed package names it.")
        made_by: Any = import_item(named) if named else Metadata
        if not (isinstance(made_by, type) and _has_methods(made_by)):
            raise ValueError(refused)
        try:
            instance = made_by(**metadata_dict)
        except TypeError as error:
            raise ValueError(refused) from error
        if not _has_methods(instance):
            raise ValueError(refused)
        return instance

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        """All members; `resource` and `reason` only where they are set, and not where they are trimmed."""
        members = {
            "name": self.name,
            "display_name": self.display_name,
            "metadata": self.metadata,
            "schema_name": self.schema_name,
        }
        told = {} if trim else {"resource": self.resource, "reason": self.reason}
        return members | {name: value for name, value in told.items() if value}

    def to_json(self, trim: bool = False) -> str:
        """The members as indented JSON."""
        return json.dumps(self.to_dict(trim=trim), indent=2)

    def prepare_write(self) -> dict[str, Any]:
        """What is stored: neither the name, which is the file's, nor `resource` and `reason`."""
        return {name: value for name, value in self.to_dict(trim=True).items() if name != "name"}

    def __repr__(self) -> str:
        return self.to_json()


def _has_methods(found: object) -> bool:
    """Whether a class, or an object of one, has the methods of `Metadata`: Elyra's classes do not inherit ours."""
    return all(callable(getattr(found, name, None)) for name in _NEEDED)
