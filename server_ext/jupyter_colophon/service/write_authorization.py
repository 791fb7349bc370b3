"""Authorise writes by what they change, before anything is validated or read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from jupyter_colophon.core.access import SCOPE_OF_PERMISSION, Authorizer, Permission, Principal, Resource
from jupyter_colophon.core.datahub.scope_union import is_removal_of_single_entries
from jupyter_colophon.core.errors import AccessDenied, NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.instances.instance_namespaces import is_instance_with_namespace
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.access_control import AccessControl, create_access_control, create_resource
from jupyter_colophon.service.deletions import is_deleting_proposal
from jupyter_colophon.storage.entities import instance_namespaces
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The permissions that a rename requires for both names, since aspects of both scopes and runs are renamed.
_RENAME_PERMISSIONS: tuple[Permission, ...] = ("annotate", "emit")
#: The aspects and the entities that only a steward changes where policies are in force.
_GOVERNED_ASPECTS: Final = frozenset({"globalTags", "glossaryTerms", "ownership", "domains", "certification"})
_GOVERNED_TYPES: Final = frozenset({"tag", "glossaryTerm", "glossaryNode", "domain"})


@dataclass(frozen=True, slots=True)
class WriteAuthorization:
    """Raises NotFound where a principal may not read, and AccessDenied where it may not write."""

    provider: StorageProvider
    registry: Registry
    identity: IdentityRules
    authorizer: Authorizer
    access_control: AccessControl = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the access control."""
        object.__setattr__(self, "access_control", create_access_control(self.authorizer))

    def require_may_act_on_entity(self, principal: Principal, permission: Permission, urn: Urn) -> None:
        """Raise NotFound, AccessDenied unless the principal may do this with an entity that another service changes."""
        self._require_allowed(principal, permission, urn)

    def may_act_on_entity(self, principal: Principal, permission: Permission, urn: Urn) -> bool:
        """Return whether the principal may do this with an entity."""
        return all(
            self._may(principal, permission, resource, None)
            for resource in self._list_resources_to_authorize(principal, urn)
        )

    def require_may_delete(
        self, principal: Principal, urn: Urn, aspect: str = "", *, tx: TableContext | None = None, api: str = ""
    ) -> None:
        """Raise NotFound, AccessDenied unless the principal may delete an entity, or an aspect of it."""
        self._require_allowed(principal, "read", urn, tx, api)
        try:
            self._require_allowed(principal, "delete", urn, tx, api)
        except AccessDenied as error:
            why = "" if "admin" in principal.scopes else ": deleting needs the scope admin, and this token lacks it"
            raise AccessDenied("delete", (f"{aspect} of {urn}" if aspect else str(urn)) + why) from error

    def _authorize_proposal(self, proposal: Proposal, principal: Principal, api: str = "") -> None:
        urn = proposal.urn
        if api and self.access_control.find_rights(principal) is not None:
            # The API that manages the entity has authorised the change, with the document.
            return
        if proposal.aspect is None:
            if proposal.operation == "delete":
                self.require_may_delete(principal, urn, api=api)
            else:
                self._require_allowed(principal, self._choose_permission("emit", urn), urn, api=api)
            return
        resources = self._list_resources_to_authorize(principal, urn, api=api)
        # Check read access first: without it, not even the aspects of the type are revealed.
        self._require_allowed_on(resources, principal, "read", urn)
        spec = self.registry.get_aspect(urn.type, proposal.aspect)
        if is_deleting_proposal(proposal):
            self.require_may_delete(principal, urn, spec.name, api=api)
        own: Permission
        if spec.managed_by:
            own = "admin"
        elif spec.scope == "USER" or self._is_annotator_removal(proposal, principal):
            own = self._choose_permission("annotate", urn, spec.name)
        else:
            own = self._choose_permission("emit", urn, spec.name)
        self._require_allowed_on(resources, principal, own, urn)

    def _choose_permission(self, permission: Permission, urn: Urn, aspect: str = "") -> Permission:
        """Return `govern` for a change of what stewards govern while policies are in force, else the permission."""
        is_governed = aspect in _GOVERNED_ASPECTS or urn.type in _GOVERNED_TYPES
        return (
            "govern"
            if is_governed and self.access_control.restricts and not self.access_control.has_site_class
            else permission
        )

    def _is_annotator_removal(self, proposal: Proposal, principal: Principal) -> bool:
        """Return whether the proposal only removes entries of a union and the principal may annotate."""
        if not (
            proposal.united
            and proposal.operation == "patch"
            and is_removal_of_single_entries(str(proposal.aspect), proposal.value)
        ):
            return False
        if self.access_control.find_rights(principal) is not None:
            # It may remove an entry that a steward has set.
            return False
        return self.access_control.may(principal, "annotate", self.identity.get_namespace(proposal.urn))

    def _require_allowed(
        self, principal: Principal, permission: Permission, urn: Urn, tx: TableContext | None = None, api: str = ""
    ) -> None:
        self._require_allowed_on(
            self._list_resources_to_authorize(principal, urn, tx, api), principal, permission, urn, tx
        )

    def _require_allowed_on(
        self,
        resources: Sequence[Resource],
        principal: Principal,
        permission: Permission,
        urn: Urn,
        tx: TableContext | None = None,
    ) -> None:
        for resource in resources:
            if not self._may(principal, "read", resource, tx):
                self.access_control.record_denial(principal, permission, str(urn))
                raise NotFound("entity", str(urn))
            if not self._may(principal, permission, resource, tx):
                self.access_control.record_denial(principal, permission, str(urn))
                raise AccessDenied(SCOPE_OF_PERMISSION[permission], str(urn))

    def _may(self, principal: Principal, permission: Permission, resource: Resource, tx: TableContext | None) -> bool:
        """Return the decision; metadata are read in the transaction, or in one of their own."""
        decision = self.access_control.decide(principal, permission, resource)
        if decision is not None:
            return decision
        if tx is not None:
            return self.access_control.decide_in_transaction(tx, principal, permission, resource)
        return self.provider.tx_runner.run(
            lambda own_tx: self.access_control.decide_in_transaction(own_tx, principal, permission, resource),
            read_only=True,
        )

    def _list_resources_to_authorize(
        self, principal: Principal, urn: Urn, tx: TableContext | None = None, api: str = ""
    ) -> list[Resource]:
        """Return the resources to authorise: that of the URN and, for a pipeline, that of its document's namespace."""
        own = create_resource(self.identity, urn)
        # The instances API has already authorised the namespace in the document.
        if api or not is_instance_with_namespace(urn) or not self.access_control.may_hide_from(principal):
            return [own]
        look = partial(instance_namespaces.find_last_namespace_of_instance, urn=str(urn))
        document_namespace = self.provider.tx_runner.run(look, read_only=True) if tx is None else look(tx)
        if document_namespace is None:
            return [own]
        in_namespace = create_resource(self.identity, urn, document_namespace)
        return [own, in_namespace] if self.access_control.is_decided_by_namespace(principal) else [in_namespace]

    def _require_may_write_run(self, principal: Principal, urn: str) -> None:
        program = self.provider.tx_runner.run(lambda tx: stored_runs.find_program_of_run(tx, urn), read_only=True)
        if program is None:
            raise NotFound("run", urn)
        self._require_allowed(principal, "emit", Urn.parse(program))

    def _require_may_rename(self, urn: Urn, new: Urn, principal: Principal) -> None:
        for name in (urn, new):
            for permission in _RENAME_PERMISSIONS:
                self._require_allowed(principal, permission, name)
