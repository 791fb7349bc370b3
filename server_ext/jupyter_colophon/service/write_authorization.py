"""Authorise writes by what they change, before anything is validated or read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from jupyter_colophon.core.access import SCOPE_OF_PERMISSION, Authorizer, Permission, Principal, Resource
from jupyter_colophon.core.datahub.scope_union import is_removal_of_single_entries
from jupyter_colophon.core.errors import AccessDenied, InvalidInstance, MetadataError, NotFound, Problem
from jupyter_colophon.core.identity.names import DATA_TYPES, IdentityRules, Urn, make_namespace_urn
from jupyter_colophon.core.instances.instance_namespaces import is_instance_with_namespace
from jupyter_colophon.core.lineage.run import Access, ColumnEdge
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.service.access_control import (
    AccessControl,
    create_access_control,
    create_resource,
)
from jupyter_colophon.service.deletions import is_deleting_proposal
from jupyter_colophon.service.review_policy import ReviewPolicy
from jupyter_colophon.service.validation import (
    ProblemPointerPrefix,
    require_responsible_api,
    resolve_aspect,
    run_package_validators,
)
from jupyter_colophon.storage.entities import instance_namespaces
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The permissions that a rename requires for both names, since aspects of both scopes and runs are renamed.
_RENAME_PERMISSIONS: tuple[Permission, ...] = ("annotate", "emit")
#: Namespaces that always exist and cannot be deleted (spec ID-16).
BUILTIN_NAMESPACES = frozenset({"default", "system"})
#: The operations whose resulting value depends on the stored value.
DEPENDING_ON_STORED_VALUE = frozenset({"patch", "annotate"})
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
    now: Callable[[], int]
    access_control: AccessControl = field(init=False)
    review_policy: ReviewPolicy = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the access control."""
        object.__setattr__(self, "access_control", create_access_control(self.authorizer))
        object.__setattr__(self, "review_policy", ReviewPolicy(self.access_control, self.now))

    def require_may_act_on_entity(self, principal: Principal, permission: Permission, urn: Urn) -> None:
        """Raise NotFound, AccessDenied unless the principal may do this with an entity that another service changes."""
        self._require_allowed(principal, permission, urn)

    def may_act_on_entity(
        self, principal: Principal, permission: Permission, urn: Urn, tx: TableContext | None = None
    ) -> bool:
        """Return whether the principal may do this with an entity."""
        return all(
            self._may(principal, permission, resource, tx)
            for resource in self._list_resources_to_authorize(principal, urn, tx)
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

    def require_may_delete_namespace(self, name: str, principal: Principal) -> None:
        """Raise NotFound, AccessDenied unless the principal may delete a namespace."""
        self.require_may_delete(principal, make_namespace_urn(name))
        # Everything in the namespace is deleted.
        if not self.access_control.decide_all(principal, "delete", name):
            raise AccessDenied("delete", f"{make_namespace_urn(name)}: you may not delete everything in it")
        if name in BUILTIN_NAMESPACES:
            raise AccessDenied("delete", str(make_namespace_urn(name)))

    def require_may_roll_back(self, aspects: Mapping[Urn, Sequence[str]], principal: Principal, *, hard: bool) -> None:
        """Raise NotFound, AccessDenied, ManagedElsewhere unless the principal may roll back what a run wrote to these aspects."""
        for urn, names in aspects.items():
            kind = self.registry.get_type(urn.type)
            if hard and kind.key_aspect in names:
                self._authorize_proposal(Proposal(urn, None, "delete"), principal)
            for name in names:
                self._authorize_proposal(Proposal(urn, name, "delete"), principal)
                require_responsible_api(self.registry.get_aspect(urn.type, name).managed_by, "", str(urn))

    def authorize_and_validate(
        self,
        proposals: Sequence[Proposal],
        principal: Principal,
        pointer_prefix: str = "",
        api: str = "",
        *,
        may_be_held: bool = True,
    ) -> list[AspectSpec | None]:
        """Authorise and validate a batch, as far as possible without the stored state; return the aspect of each proposal.

        With `may_be_held`, changes that the principal may only propose are authorised, too.
        """
        for proposal in proposals:
            self._authorize_proposal(proposal, principal, api, may_be_held=may_be_held)
        specs = []
        for at, proposal in enumerate(proposals):
            with ProblemPointerPrefix(pointer_prefix, at):
                specs.append(resolve_aspect(self.registry, proposal, api))
                if proposal.operation not in DEPENDING_ON_STORED_VALUE:
                    run_package_validators(self.registry, proposal, proposal.value)
        return specs

    def validate_or_return_error(
        self, proposal: Proposal, principal: Principal, *, may_be_held: bool
    ) -> AspectSpec | MetadataError | None:
        """Authorise and validate a proposal; return its aspect or the error."""
        try:
            return self.authorize_and_validate([proposal], principal, may_be_held=may_be_held)[0]
        except MetadataError as error:
            return error

    def _authorize_proposal(
        self, proposal: Proposal, principal: Principal, api: str = "", *, may_be_held: bool = False
    ) -> None:
        """Raise NotFound, AccessDenied unless the principal may make a change; with `may_be_held`, or may propose it."""
        urn = proposal.urn
        if api and self.access_control.find_rights(principal) is not None:
            # The API that manages the entity has authorised the change, with the document.
            return
        resources = self._list_resources_to_authorize(principal, urn, api=api)
        # Check read access first: without it, not even the aspects of the type are revealed.
        self._require_allowed_on(resources, principal, "read", urn)
        needed = self._list_needed_permissions(proposal, principal)
        reviewed = self._list_reviewed_permissions(proposal, needed, resources, principal) if may_be_held else set()
        for permission in needed:
            if permission in reviewed:
                continue
            if permission == "delete":
                self.require_may_delete(principal, urn, proposal.aspect or "", api=api)
            else:
                self._require_allowed_on(resources, principal, permission, urn, is_readable=True)

    def is_review_required(self, proposal: Proposal, principal: Principal) -> bool:
        """Return whether a change waits for review; not if the principal may not read the entity."""
        if self.access_control.find_review_rules(principal) is None:
            return False
        resources = self._list_resources_to_authorize(principal, proposal.urn)
        if not all(self._may(principal, "read", resource, None) for resource in resources):
            return False
        needed = self._list_needed_permissions(proposal, principal)
        return bool(self._list_reviewed_permissions(proposal, needed, resources, principal))

    def _list_needed_permissions(self, proposal: Proposal, principal: Principal) -> list[Permission]:
        """Return the permissions that a change needs. Raises NotFound for an aspect that its type does not have."""
        urn = proposal.urn
        if proposal.aspect is None:
            return ["delete" if proposal.operation == "delete" else self._choose_permission("emit", urn)]
        spec = self.registry.get_aspect(urn.type, proposal.aspect)
        needed: list[Permission] = ["delete"] if is_deleting_proposal(proposal) else []
        if spec.managed_by:
            return [*needed, "admin"]
        is_of_user = spec.scope == "USER" or self._is_annotator_removal(proposal, principal)
        return [*needed, self._choose_permission("annotate" if is_of_user else "emit", urn, spec.name)]

    def _list_reviewed_permissions(
        self, proposal: Proposal, needed: Sequence[Permission], resources: Sequence[Resource], principal: Principal
    ) -> set[Permission]:
        """Return those of the permissions that a change needs whose use requires review; none for a steward."""
        if self.access_control.find_review_rules(principal) is None:
            return set()
        # What a run reports is recorded at once.
        reviewable = [item for item in needed if item != "emit" or proposal.run is None]
        find_rule = partial(self.review_policy.find_rule, principal=principal, urn=proposal.urn)
        return self.provider.tx_runner.run(
            lambda tx: {
                item
                for item in reviewable
                for resource in resources
                if find_rule(tx, permission=item, resource=resource) is not None
            },
            read_only=True,
        )

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
        *,
        is_readable: bool = False,
    ) -> None:
        """Raise NotFound, unless it is known that the principal may read the resources, and AccessDenied."""
        for resource in resources:
            if not is_readable and not self._may(principal, "read", resource, tx):
                self.access_control.record_denial(principal, permission, str(urn))
                raise NotFound("entity", str(urn))
            if permission != "read" and not self._may(principal, permission, resource, tx):
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
        if api or not is_instance_with_namespace(urn):
            return [own]
        is_decided_by_namespace = self.access_control.is_decided_by_namespace(principal)
        if not (is_decided_by_namespace or self.access_control.restricts):
            return [own]
        look = partial(instance_namespaces.find_last_namespace_of_instance, urn=str(urn))
        document_namespace = self.provider.tx_runner.run(look, read_only=True) if tx is None else look(tx)
        if document_namespace is None:
            return [own]
        in_namespace = create_resource(self.identity, urn, document_namespace)
        return [own, in_namespace] if is_decided_by_namespace else [in_namespace]

    def _require_may_emit(self, principal: Principal, urns: Iterable[Urn]) -> None:
        for urn in urns:
            self._require_allowed(principal, "emit", urn)

    def _require_may_start_run(self, principal: Principal, program: Urn) -> None:
        """Raise NotFound, AccessDenied, or InvalidInstance for an entity that cannot have runs."""
        self._require_allowed(principal, "emit", program)
        if program.type != "dataJob":
            raise InvalidInstance("the run", (Problem("/program", "a program must be a dataJob"),))

    def _require_may_write_run(self, principal: Principal, urn: str) -> Urn:
        """Return the program of a run. Raises NotFound, AccessDenied."""
        program = self.provider.tx_runner.run(lambda tx: stored_runs.find_program_of_run(tx, urn), read_only=True)
        if program is None:
            raise NotFound("run", urn)
        self._require_allowed(principal, "emit", program_urn := Urn.parse(program))
        return program_urn

    def _require_may_record_accesses(
        self, principal: Principal, urn: str, accesses: Iterable[Access], columns: Iterable[ColumnEdge]
    ) -> Urn:
        """Return the program of a run. Raises NotFound, AccessDenied, InvalidInstance."""
        program = self._require_may_write_run(principal, urn)
        ends = [end for edge in columns for end in (edge.source, edge.target)]
        for data in (*(access.data for access in accesses), *ends):
            self._require_allowed(principal, "emit", data)
            if data.type not in DATA_TYPES:
                raise InvalidInstance("the access", (Problem("/accesses", "is neither a dataset nor a model"),))
        return program

    def _require_may_rename(self, urn: Urn, new: Urn, principal: Principal) -> None:
        for name in (urn, new):
            for permission in _RENAME_PERMISSIONS:
                self._require_allowed(principal, permission, name)
        changed = (Proposal(urn, aspect, "annotate") for aspect in ("businessMetadata", "technicalMetadata"))
        if any(self.is_review_required(proposal, principal) for proposal in changed):
            raise AccessDenied("rename", f"{urn}: its changes require review, so only a steward may rename it")
