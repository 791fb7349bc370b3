"""The part of `service/schemaspaces` that is used to read and save instances."""

from collections.abc import Mapping
from typing import Any, Protocol

from jupyter_colophon.service.schemaspaces.space import Fault, Space


class Schemas(Protocol):
    """The schemaspaces and their schemas, implemented by `Spaces`."""

    def names(self, *, deprecated: bool = False) -> list[str]:
        """Return the names of all schemaspaces, in lower case."""

    def space(self, name_or_id: str) -> Space:
        """Return a schemaspace. Raises SchemaspaceNotFound."""

    def schema(self, space: str, name: str) -> Mapping[str, Any]:
        """Return a schema, the same object until it changes. Raises SchemaNotFound."""

    def check(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid or SchemaNotFound unless a document is valid."""

    def find_fault(self, space: str, name: str, document: Mapping[str, Any]) -> Fault | None:
        """Return what `check` would raise, for lists."""

    def class_name(self, space: str, schema: str) -> str | None:
        """Return the name of the class of a schema's instances, if any."""
