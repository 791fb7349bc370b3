"""Instances as objects of their schema's class, with hooks, compatible with Elyra's class `Metadata`."""

import json
from collections.abc import Mapping
from typing import Any

from traitlets.utils.importstring import import_item

from jupyter_colophon.schemaspaces.schema import SchemaManager

#: The methods that an object of a schema's own class must have; it need not inherit ours.
_NEEDED = ("on_load", "pre_save", "post_save", "pre_delete", "post_delete", "to_dict", "prepare_write")


class InstanceMetadata:
    """An instance. A schema names its own class in `metadata_class_name`, which overrides the methods that it needs."""

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
        """Called after each load, before validation. Changes are shown, but not stored unless it saves them."""

    def pre_save(self, **kwargs: Any) -> None:
        """Called before defaults, validation and storage. `for_update` is True for an update."""

    def post_save(self, **kwargs: Any) -> None:
        """Called after storage, on a new object of the stored instance. An exception rolls the save back."""

    def pre_delete(self, **kwargs: Any) -> None:
        """Called before a removal. An exception prevents it."""

    def post_delete(self, **kwargs: Any) -> None:
        """Called after a removal. An exception rolls it back."""

    @classmethod
    def from_dict(cls, schemaspace: str, metadata_dict: Mapping[str, Any]) -> Any:
        """Create an object of the class that the schema names, else of this class.

        Raises SchemaNotFoundError for an unknown `schema_name`, ValueError for a class that no installed package
        registered or that lacks the methods, and ImportError for one that cannot be imported.
        """
        schema_name, spaces = metadata_dict.get("schema_name"), SchemaManager.instance().spaces
        named = spaces.get_instance_class_name(schemaspace, schema_name) if schema_name else None
        refused = f"The metadata_class_name ('{named}') for schema '{schema_name}' must be a subclass of 'Metadata'!"
        if named and not spaces.is_registered_instance_class(named):
            raise ValueError(f"{refused} No schema of an installed package names it.")
        made_by: Any = import_item(named) if named else InstanceMetadata
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
        """Return all members; `resource` and `reason` only if they are set, and not with `trim`."""
        members = {
            "name": self.name,
            "display_name": self.display_name,
            "metadata": self.metadata,
            "schema_name": self.schema_name,
        }
        optional = {} if trim else {"resource": self.resource, "reason": self.reason}
        return members | {name: value for name, value in optional.items() if value}

    def to_json(self, trim: bool = False) -> str:
        """Return the members as indented JSON."""
        return json.dumps(self.to_dict(trim=trim), indent=2)

    def prepare_write(self) -> dict[str, Any]:
        """Return the stored members: without the name, which is the file's, `resource` and `reason`."""
        return {name: value for name, value in self.to_dict(trim=True).items() if name != "name"}

    def __repr__(self) -> str:
        return self.to_json()


def _has_methods(subject: object) -> bool:
    """Return whether a class, or an object of one, has the methods of `Metadata`: Elyra's classes do not inherit ours."""
    return all(callable(getattr(subject, name, None)) for name in _NEEDED)
