"""What instances need of schemaspaces: the part of `service/schemaspaces` that is asked while they are read and saved."""

from collections.abc import Mapping
from typing import Any, Protocol

from jupyter_colophon.service.schemaspaces.space import Fault, Space


class Schemas(Protocol):
    """The schemaspaces and their schemas, as `Spaces` has them."""

    def names(self, *, deprecated: bool = False) -> list[str]:
        """The names of all schemaspaces, in small letters."""

    def space(self, name_or_id: str) -> Space:
        """A schemaspace. Raises SchemaspaceNotFound."""

    def schema(self, space: str, name: str) -> Mapping[str, Any]:
        """A schema, the same object until it changes. Raises SchemaNotFound."""

    def check(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid, SchemaNotFound, or do nothing."""

    def find_fault(self, space: str, name: str, document: Mapping[str, Any]) -> Fault | None:
        """The same as a value."""

    def class_name(self, space: str, schema: str) -> str | None:
        """The class that a schema names for its instances."""
