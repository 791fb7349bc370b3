"""Read authorization, which every service checks before it returns anything (spec SEC-4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.access import Authorizer, Principal, ScopeAuthorizer
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.instances.instance_namespaces import is_instance_with_namespace, read_namespace_of_document
from jupyter_colophon.storage.changes.read_audit import ProgramReadAudit
from jupyter_colophon.storage.entities import instance_namespaces
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class ReadPolicy:
    """Decides what a principal may read in one catalog. What may not be read is reported as not found."""

    authorizer: Authorizer
    identity: IdentityRules
    provider: StorageProvider
    #: Records what programs read; None if reads are not audited.
    audit: ProgramReadAudit | None = None

    @property
    def has_site_policy(self) -> bool:
        """Return whether a policy decides besides scopes; without one, a principal with `read` may read everything."""
        return not isinstance(self.authorizer, ScopeAuthorizer)

    def may_read_namespace(self, principal: Principal, namespace: str) -> bool:
        """Return whether the entities of a namespace may be shown."""
        return self.authorizer.may(principal, "read", namespace)

    def may_see_entity(self, tx: TableContext, principal: Principal, urn: Urn) -> bool:
        """Return whether an entity may be shown; for a pipeline, the namespace in its document counts as well."""
        if not self.may_read_namespace(principal, self.identity.get_namespace(urn)):
            return False
        if not self.has_site_policy or not is_instance_with_namespace(urn):
            return True
        # An entity that never existed must look like a hidden one.
        if tx.get_table("entities").read((str(urn),)) is None:
            return False
        own_namespace = instance_namespaces.find_last_namespace_of_instance(tx, str(urn))
        return own_namespace is None or self.may_read_namespace(principal, own_namespace)

    def filter_visible_entities(self, principal: Principal, urns: Iterable[Urn]) -> list[Urn]:
        """Return the entities that may be shown. Opens its own transaction."""
        requested = list(urns)
        if not self.has_site_policy or not any(map(is_instance_with_namespace, requested)):
            return [urn for urn in requested if self.may_read_namespace(principal, self.identity.get_namespace(urn))]
        return self.provider.tx_runner.run(
            lambda tx: [urn for urn in requested if self.may_see_entity(tx, principal, urn)], read_only=True
        )

    def may_see_instance_version(self, principal: Principal, urn: Urn, value: Any) -> bool:
        """Return whether a version of an instance may be shown; its namespace may differ from the current one."""
        own_namespace = (
            read_namespace_of_document(value) if self.has_site_policy and is_instance_with_namespace(urn) else None
        )
        return own_namespace is None or self.may_read_namespace(principal, own_namespace)

    def require_readable_entity(self, principal: Principal, urn: Urn, kind: str = "entity") -> None:
        """Raise NotFound if the entity may not be read. Must not be called inside a transaction."""
        if not self.filter_visible_entities(principal, [urn]):
            raise NotFound(kind, str(urn))
        self.record_audited_reads(principal, [urn])

    def record_audited_reads(self, principal: Principal, urns: Iterable[Urn]) -> None:
        """Record that a principal reads the metadata of these entities, if reads are audited."""
        if self.audit is not None:
            for urn in urns:
                self.audit.record_read_by_program(principal, urn)
