"""The part of `service/schemaspaces` that is used to read and save instances."""

from collections.abc import Mapping
from typing import Any, Protocol

from jupyter_colophon.service.schemaspaces.space import LoadedSchemaspace, ValidationFailure


class SchemaLookup(Protocol):
    """The schemaspaces and their schemas, implemented by `Schemaspaces`."""

    def list_names(self, *, deprecated: bool = False) -> list[str]:
        """Return the names of all schemaspaces, in lower case."""

    def get_space(self, name_or_id: str) -> LoadedSchemaspace:
        """Return a schemaspace. Raises SchemaspaceNotFound."""

    def get_schema(self, space: str, name: str) -> Mapping[str, Any]:
        """Return a schema, the same object until it changes. Raises SchemaNotFound."""

    def require_valid_document(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid or SchemaNotFound unless a document is valid."""

    def find_validation_failure(self, space: str, name: str, document: Mapping[str, Any]) -> ValidationFailure | None:
        """Return what `check` would raise, for lists."""

    def get_instance_class_name(self, space: str, schema: str) -> str | None:
        """Return the name of the class of a schema's instances, if any."""
