"""What may be read: the one question that every reader asks before it shows anything (spec SEC-4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.access import Authorizer, Principal, ScopeAuthorizer
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.instances.instance_namespaces import is_namespaced, namespace_in
from jupyter_colophon.storage.changes.read_audit import ReadAudit
from jupyter_colophon.storage.entities import instance_namespaces
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class Gate:
    """Answers for one catalog. What may not be read is not there."""

    authorizer: Authorizer
    identity: Identity
    provider: StorageProvider
    #: Records what programs read; None where nobody wants to know.
    audit: ReadAudit | None = None

    @property
    def has_policy(self) -> bool:
        """Whether more than the scopes of a token decides: else who may read something may read everything."""
        return not isinstance(self.authorizer, ScopeAuthorizer)

    def may_read(self, principal: Principal, namespace: str) -> bool:
        """Whether a namespace's entities may be shown."""
        return self.authorizer.may(principal, "read", namespace)

    def may_see(self, tx: TableContext, principal: Principal, urn: Urn) -> bool:
        """Whether an entity may be shown: by its name and, of a pipeline, by the namespace that its document names."""
        if not self.may_read(principal, self.identity.namespace_of(urn)):
            return False
        if not self.has_policy or not is_namespaced(urn):
            return True
        # One that never existed is answered as one that is hidden.
        if tx.table("entities").read((str(urn),)) is None:
            return False
        named = instance_namespaces.namespace_of(tx, str(urn))
        return named is None or self.may_read(principal, named)

    def filter_visible(self, principal: Principal, urns: Iterable[Urn]) -> list[Urn]:
        """Return those of the entities that may be shown, in a transaction of its own."""
        asked = list(urns)
        if not self.has_policy or not any(map(is_namespaced, asked)):
            return [urn for urn in asked if self.may_read(principal, self.identity.namespace_of(urn))]
        return self.provider.tx_runner.run(
            lambda tx: [urn for urn in asked if self.may_see(tx, principal, urn)], read_only=True
        )

    def may_see_value(self, principal: Principal, urn: Urn, value: Any) -> bool:
        """Whether a version of an instance may be shown: it may have been of another namespace than the present one."""
        named = namespace_in(value) if self.has_policy and is_namespaced(urn) else None
        return named is None or self.may_read(principal, named)

    def require(self, principal: Principal, urn: Urn, kind: str = "entity") -> None:
        """Raise NotFound for an entity that may not be read. Not inside a transaction."""
        if not self.filter_visible(principal, [urn]):
            raise NotFound(kind, str(urn))
        self.record_reads(principal, [urn])

    def record_reads(self, principal: Principal, urns: Iterable[Urn]) -> None:
        """Record that a principal reads the metadata of these entities, where reads by programs are audited."""
        if self.audit is not None:
            for urn in urns:
                self.audit.record(principal, urn)
