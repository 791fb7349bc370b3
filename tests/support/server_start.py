"""Quicker starts of Jupyter servers: what libraries compute again for each server is computed once a process."""

import functools
from pathlib import PurePath
from typing import Any

from jupyter_events.schema import EventSchema
from jupyter_events.schema_registry import SchemaRegistry
from jupyter_server import serverapp
from traitlets import HasTraits


def make_server_starts_quick() -> None:
    """Remember the schemas of Jupyter's events, the traits of each class, and the version of Jupyter Server."""
    # It starts git each time.
    serverapp.get_sys_info = functools.cache(serverapp.get_sys_info)
    _remember_event_schemas()
    _remember_traits_of_classes()


def _remember_event_schemas() -> None:
    read_schema = functools.cache(EventSchema)
    register = SchemaRegistry.register

    def register_remembered(registry: SchemaRegistry, schema: Any) -> EventSchema:
        return register(registry, read_schema(schema) if isinstance(schema, PurePath) else schema)

    SchemaRegistry.register = register_remembered  # type: ignore[method-assign]


def _remember_traits_of_classes() -> None:
    find_traits = HasTraits.class_traits.__func__  # type: ignore[attr-defined]

    @functools.cache
    def find_remembered_traits(kind: type[HasTraits], **metadata: Any) -> dict[str, Any]:
        return dict(find_traits(kind, **metadata))

    def class_traits(kind: type[HasTraits], **metadata: Any) -> dict[str, Any]:
        return find_remembered_traits(kind, **metadata).copy()

    def traits(self: HasTraits, **metadata: Any) -> dict[str, Any]:
        # An object may have traits of its own: then `add_traits` has given it a class of its own.
        return class_traits(type(self), **metadata)

    HasTraits.class_traits = classmethod(class_traits)  # type: ignore[method-assign,assignment]
    HasTraits.traits = traits  # type: ignore[method-assign]
