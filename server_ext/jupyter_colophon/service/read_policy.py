"""Read authorization, which every service checks before it returns anything (spec SEC-4)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from jupyter_colophon.core.access import Authorizer, Principal, Resource
from jupyter_colophon.core.audit import AuditAction
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import NO_NAMESPACE, IdentityRules, Urn
from jupyter_colophon.core.instances.instance_namespaces import (
    INSTANCE,
    is_instance_with_namespace,
    read_namespace_of_document,
)
from jupyter_colophon.core.model.owner_request import REQUEST
from jupyter_colophon.service.access_control import AccessControl, create_access_control, create_resource, read_terms
from jupyter_colophon.storage.entities import instance_namespaces
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext

if TYPE_CHECKING:
    from jupyter_colophon.service.audit.recorder import AuditRecorder

#: The types whose entities are decided by the namespace in their document, or as other entities.
DECIDED_BY_OTHERS: Final = frozenset({INSTANCE, "schemaField", REQUEST})
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReadPolicy:
    """Decides what a principal may read in one catalog. What may not be read is reported as not found.

    A decision may depend on the metadata of an entity, which is read in the caller's transaction. Where a service can
    show only whole namespaces, it asks `may_read_namespace`, which denies a namespace of which a part may not be read.
    """

    authorizer: Authorizer
    identity: IdentityRules
    provider: StorageProvider
    access_control: AccessControl = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the access control."""
        object.__setattr__(self, "access_control", create_access_control(self.authorizer))

    @property
    def audit(self) -> "AuditRecorder | None":
        """What records reads; None without a store."""
        return self.access_control.audit

    def may_hide_from(self, principal: Principal) -> bool:
        """Return whether anything may be hidden from a principal with the scope `read`."""
        return self.access_control.may_hide_from(principal)

    def may_read_everything(self, principal: Principal) -> bool:
        """Return whether every entity may be shown to a principal, without reading it."""
        return "read" in principal.scopes and not self.may_hide_from(principal)

    def may_read_namespace(self, principal: Principal, namespace: str) -> bool:
        """Return whether all entities of a namespace may be shown."""
        return self.access_control.may(principal, "read", namespace)

    def may_read_part_of_namespace(self, principal: Principal, namespace: str) -> bool:
        """Return whether any entities of a namespace may be shown."""
        return bool(self.filter_partly_readable_namespaces(principal, [namespace]))

    def filter_partly_readable_namespaces(self, principal: Principal, namespaces: Iterable[str]) -> list[str]:
        """Return the namespaces of which any entities may be shown."""
        control = self.access_control
        rights = control.find_rights(principal)
        if rights is None:
            return [namespace for namespace in namespaces if control.site.may(principal, "read", namespace)]
        may_read = "read" in principal.scopes
        # A search asks this for all namespaces, so the site's class is called only if there is one.
        is_decided_by_namespace = control.is_decided_by_namespace(principal)
        return [
            namespace
            for namespace in namespaces
            # Instances are decided one by one.
            if (namespace == NO_NAMESPACE and may_read)
            or (
                (control.site.may(principal, "read", namespace) if is_decided_by_namespace else may_read)
                and rights.decide_all("read", namespace) is not False
            )
        ]

    def decide_all(self, principal: Principal, namespace: str, type_: str) -> bool | None:
        """Return whether all entities of a type in a namespace may be shown; None if it differs."""
        if type_ == INSTANCE and (
            self.access_control.is_decided_by_namespace(principal)
            or self.access_control.find_rights(principal) is not None
        ):
            # Instances are decided by the namespace in their document.
            return None if self.may_read_part_of_namespace(principal, namespace) else False
        # Columns and requests are decided as other entities, which may be of any type.
        return self.access_control.decide_all(
            principal, "read", namespace, None if type_ in DECIDED_BY_OTHERS else type_
        )

    def may_see_entity(self, tx: TableContext, principal: Principal, urn: Urn, namespace: str | None = None) -> bool:
        """Return whether an entity may be shown; for a pipeline, the namespace in its document counts as well.

        `namespace` is that of its row; without one, that of its URN counts.
        """
        return bool(self.filter_visible(tx, principal, [(urn, namespace)], lambda item: item))

    def may_see_row(self, tx: TableContext, principal: Principal, row: Row) -> bool:
        """Return whether the entity of a row may be shown."""
        return bool(self.filter_visible_rows(tx, principal, [row]))

    def filter_visible_rows(self, tx: TableContext, principal: Principal, rows: Iterable[Row]) -> list[Row]:
        """Return the rows whose entities may be shown."""
        return self.filter_visible_of_types(
            tx, principal, rows, lambda row: (row["urn"], row["type"], row["namespace"])
        )

    def filter_visible_of_types(
        self, tx: TableContext, principal: Principal, items: Iterable[T], describe: Callable[[T], tuple[str, str, str]]
    ) -> list[T]:
        """Return the items whose entities may be shown, given their URN, type and namespace.

        Most are decided by type and namespace, the others without parsing their URN.
        """
        if not self.may_hide_from(principal):
            return [*items] if "read" in principal.scopes else []
        rights = self.access_control.find_rights(principal)
        of_kinds: dict[tuple[str, str], bool | None] = {}
        #: The kinds of which the URN decides, without metadata.
        by_urn: set[tuple[str, str]] = set()
        decided: list[tuple[T, Resource | None, bool | None]] = []
        for item in items:
            urn, type_, namespace = describe(item)
            kind = (namespace, type_)
            if kind not in of_kinds:
                of_kinds[kind] = self.decide_all(principal, *kind)
                if rights is not None and not rights.may_depend_on_terms("read", Resource("", type_, namespace)):
                    by_urn.add(kind)
            decision, resource = of_kinds[kind], None
            if decision is None and type_ in DECIDED_BY_OTHERS:
                resource = self.find_resource(tx, principal, Urn.parse(urn), namespace)
                decision = None if resource is None else self.access_control.decide(principal, "read", resource)
            elif decision is None:
                resource = Resource(urn, type_, namespace)
                if rights is not None and kind in by_urn:
                    decision = rights.decide("read", resource)
            decided.append((item, resource, decision))
        return self._select_visible(tx, principal, decided)

    def filter_visible(
        self,
        tx: TableContext,
        principal: Principal,
        items: Iterable[T],
        get_entity: Callable[[T], tuple[Urn, str | None]],
    ) -> list[T]:
        """Return the items whose entities may be shown, given their URN and the namespace of their row."""
        requested = [*items]
        if not requested or not self.may_hide_from(principal):
            return requested if "read" in principal.scopes else []
        decided: list[tuple[T, Resource | None, bool | None]] = []
        for item in requested:
            resource = self.find_resource(tx, principal, *get_entity(item))
            decision = None if resource is None else self.access_control.decide(principal, "read", resource)
            decided.append((item, resource, decision))
        return self._select_visible(tx, principal, decided)

    def _select_visible(
        self, tx: TableContext, principal: Principal, decided: Sequence[tuple[T, Resource | None, bool | None]]
    ) -> list[T]:
        """Return the items that may be shown; where it depends on metadata, these are read. No resource is hidden."""
        unclear = [resource.urn for _, resource, decision in decided if decision is None and resource is not None]
        if not unclear:
            return [item for item, _, decision in decided if decision]
        terms, rights = read_terms(tx, unclear), self.access_control.find_rights(principal)
        return [
            item
            for item, resource, decision in decided
            if decision
            or (
                decision is None
                and resource is not None
                # Policies that are not in force any more hide nothing.
                and (rights is None or rights.decide("read", resource, terms[resource.urn]))
            )
        ]

    def find_resource(
        self, tx: TableContext, principal: Principal, urn: Urn, namespace: str | None = None
    ) -> Resource | None:
        """Return an entity as a resource; None if it must look like one that does not exist."""
        resource = create_resource(self.identity, urn, namespace)
        if not is_instance_with_namespace(urn):
            return resource
        # An entity that never existed must look like a hidden one.
        if tx.get_table("entities").read((str(urn),)) is None:
            return None
        own_namespace = instance_namespaces.find_last_namespace_of_instance(tx, str(urn))
        if own_namespace is None:
            return resource
        if not self.access_control.site.may(principal, "read", resource.namespace):
            return None
        return create_resource(self.identity, urn, own_namespace)

    def filter_visible_entities(self, principal: Principal, urns: Iterable[Urn]) -> list[Urn]:
        """Return the entities that may be shown. Opens its own transaction if metadata decide."""
        requested = list(urns)
        if not self.may_hide_from(principal):
            return requested if "read" in principal.scopes else []
        if not any(map(is_instance_with_namespace, requested)):
            decisions = [
                self.access_control.decide(principal, "read", create_resource(self.identity, urn)) for urn in requested
            ]
            if None not in decisions:
                return [urn for urn, decision in zip(requested, decisions, strict=True) if decision]
        return self.provider.tx_runner.run(
            lambda tx: self.filter_visible(tx, principal, requested, lambda urn: (urn, None)), read_only=True
        )

    def may_see_instance_version(self, principal: Principal, urn: Urn, value: Any) -> bool:
        """Return whether a version of an instance may be shown; its namespace may differ from the current one."""
        own_namespace = (
            read_namespace_of_document(value)
            if self.may_hide_from(principal) and is_instance_with_namespace(urn)
            else None
        )
        if own_namespace is None:
            return True
        return self.access_control.decide(principal, "read", create_resource(self.identity, urn, own_namespace)) is True

    def require_readable_entity(self, principal: Principal, urn: Urn, kind: str = "entity") -> None:
        """Raise NotFound if the entity may not be read. Must not be called inside a transaction."""
        self._require_visible(bool(self.filter_visible_entities(principal, [urn])), principal, urn, kind)

    def require_readable_in_transaction(self, tx: TableContext, principal: Principal, urn: Urn) -> None:
        """Raise NotFound if the entity may not be read, reading its metadata in this transaction if they decide."""
        self._require_visible(self.may_see_entity(tx, principal, urn), principal, urn, "entity")

    def _require_visible(self, is_visible: bool, principal: Principal, urn: Urn, kind: str) -> None:
        if not is_visible:
            self.access_control.record_denial(principal, "read", str(urn))
            raise NotFound(kind, str(urn))
        self.record_audited_reads(principal, [urn])

    def record_audited_reads(
        self, principal: Principal, urns: Iterable[Urn | str], action: AuditAction = "read"
    ) -> None:
        """Record in the audit that a principal reads the metadata of these entities."""
        if self.audit is not None:
            self.audit.record_reads(principal, action, map(str, urns))
