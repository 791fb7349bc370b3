"""What the platform knows of namespaces, for applications."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.entity import EntityListing, EntitySummary
from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.entities.metadata import MetadataReader

#: How many entities are read at once.
_PAGE = 200


@dataclass(frozen=True, slots=True)
class NamespaceDetails:
    """A namespace. `created_ms` is in milliseconds since 1970."""

    name: str
    description: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class SystemAdmin:
    """Reads the catalog with the rights of a principal: by default those of the platform, which may read everything.

    Its methods read in transactions of their own, and must not be called inside `execute`.
    """

    reader: EntityReader
    metadata: MetadataReader
    principal: Principal

    def namespace_exists(self, name: str) -> bool:
        """Return whether a namespace exists, and is not being deleted."""
        try:
            self.get_namespace(name)
        except (NotFound, InvalidName):
            return False
        return True

    def get_namespace(self, name: str) -> NamespaceDetails:
        """Return a namespace. Raises NotFound, and InvalidName for a name that no namespace can have."""
        scoped = self.metadata.read_scoped_metadata(make_namespace_urn(name), "", self.principal)
        if scoped.summary is None:
            raise NotFound("Namespace", name)
        return NamespaceDetails(name, scoped.system.properties.get("description", ""), scoped.summary.created.time)

    def list_namespaces(self) -> Iterator[str]:
        """Yield the names of all namespaces, in pages."""
        return (summary.name for summary in self._list_entities(EntityListing(type="namespace", limit=_PAGE)))

    def list_datasets(self, namespace: str) -> Iterator[EntitySummary]:
        """Yield the datasets of a namespace by name, in pages. Raises NotFound for an unknown namespace."""
        self.get_namespace(namespace)
        return self._list_entities(EntityListing(namespace, "dataset", limit=_PAGE))

    def _list_entities(self, listing: EntityListing) -> Iterator[EntitySummary]:
        cursor: str | None = ""
        while cursor is not None:
            page, cursor = self.reader.list_visible_entities(replace(listing, cursor=cursor), self.principal)
            yield from page
