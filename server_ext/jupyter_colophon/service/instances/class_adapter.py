"""The protocol of metadata classes: a document as an object of its schema's class, with hooks.

Classes may be Elyra's, ours or third-party ones: they are identified by their methods, not by inheritance.
"""

from collections.abc import Mapping
from typing import Any, Protocol


class InstanceObject(Protocol):
    """An instance as an object of its schema's class."""

    name: Any
    resource: Any
    display_name: Any
    schema_name: Any
    metadata: Any
    reason: Any

    def on_load(self, **kwargs: Any) -> None:
        """Run after each load."""

    def pre_save(self, **kwargs: Any) -> None:
        """Run before validation and storage; `for_update` is True for an update."""

    def post_save(self, **kwargs: Any) -> None:
        """Run after storage, on a new object of the stored document."""

    def pre_delete(self, **kwargs: Any) -> None:
        """Run before a removal."""

    def post_delete(self, **kwargs: Any) -> None:
        """Run after a removal."""

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        """Return all members, without `resource` and `reason` if `trim`."""

    def prepare_write(self) -> dict[str, Any]:
        """Return the document to store, with or without `name`."""


class ObjectFactory(Protocol):
    """Creates the object of the class that the schema names."""

    def __call__(self, space: str, document: Mapping[str, Any], /) -> InstanceObject:
        """`document` has `name`, `display_name`, `schema_name`, `metadata`, maybe `resource`, and extra members."""
