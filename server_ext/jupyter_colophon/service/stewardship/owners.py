"""Owners of entities, as every aspect of the vocabulary records them."""

from collections.abc import Iterable
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.descriptors_of import list_entity_descriptors
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import Descriptor
from jupyter_colophon.service.entities.columns import is_column_urn
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.stewardship.teams import TeamReader
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class OwnerReader:
    """Reads owners in one transaction. An owner is a URN, or a text that users wrote."""

    tx: TableContext
    registry: Registry

    def list_owners(self, urn: Urn) -> list[str]:
        """Return the owners of an entity; a column without owners has those of its table."""
        own = self._list_values(urn, "owner")
        return own if own or not is_column_urn(urn) else self._list_values(urn.parse_part_as_urn(0), "owner")

    def list_owners_of_domains(self, urn: Urn) -> list[str]:
        """Return the owners of the domains of an entity, or of the table of a column."""
        described = urn.parse_part_as_urn(0) if is_column_urn(urn) else urn
        domains = [domain for domain in self._list_values(described, "domain") if domain.startswith("urn:")]
        return list(
            dict.fromkeys(owner for domain in domains for owner in self._list_values(Urn.parse(domain), "owner"))
        )

    def _list_values(self, urn: Urn, kind: str) -> list[str]:
        return list(dict.fromkeys(each.urn or each.text for each in self._list_descriptors(urn) if each.kind == kind))

    def _list_descriptors(self, urn: Urn) -> Iterable[Descriptor]:
        present = aspects.read_present_aspects(self.tx, self.registry, urn.type, str(urn))
        described = list_entity_descriptors(self.registry.get_type_or_unregistered(urn.type), present)
        return (descriptor for descriptor in described if not descriptor.column)


@dataclass(frozen=True, slots=True)
class OwnershipService:
    """Answers what a principal owns."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy

    def filter_owned_entities(self, urns: Iterable[Urn], principal: Principal) -> list[Urn]:
        """Return the entities that the principal, or a team of the principal, owns and may read."""
        visible = self.read_policy.filter_visible_entities(principal, urns)

        def filter_owned(tx: TableContext) -> list[Urn]:
            mine = TeamReader(tx, self.registry, self.read_policy).list_owner_texts(principal, teams=True)
            owners = OwnerReader(tx, self.registry)
            return [urn for urn in visible if not mine.isdisjoint(owners.list_owners(urn))]

        return self.provider.tx_runner.run(filter_owned, read_only=True)
