"""The seam of metadata classes: a document as an object of its schema's class, with hooks.

The classes are Elyra's, ours or anybody's: they are known by what they can do, not by what they inherit.
"""

from collections.abc import Mapping
from typing import Any, Protocol


class Shaped(Protocol):
    """An instance as an object of its schema's class."""

    name: Any
    resource: Any
    display_name: Any
    schema_name: Any
    metadata: Any
    reason: Any

    def on_load(self, **kwargs: Any) -> None:
        """After each load."""

    def pre_save(self, **kwargs: Any) -> None:
        """Before validation and storage; `for_update` is True for an update."""

    def post_save(self, **kwargs: Any) -> None:
        """After storage, on a new object of what was stored."""

    def pre_delete(self, **kwargs: Any) -> None:
        """Before a removal."""

    def post_delete(self, **kwargs: Any) -> None:
        """After a removal."""

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        """All members; without `resource` and `reason` where they are trimmed."""

    def prepare_write(self) -> dict[str, Any]:
        """What is stored, with or without `name`."""


class Shaper(Protocol):
    """Makes the object: its class is the one that the schema names."""

    def __call__(self, space: str, document: Mapping[str, Any], /) -> Shaped:
        """`document` has `name`, `display_name`, `schema_name`, `metadata`, maybe `resource`, and extra members."""
