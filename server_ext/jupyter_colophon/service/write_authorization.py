"""Authorise writes by the namespaces of what they change, before anything is validated or read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from jupyter_colophon.core.access import Action, Authorizer, Principal, ScopeAuthorizer
from jupyter_colophon.core.datahub.scope_union import is_removal_of_single_entries
from jupyter_colophon.core.errors import AccessDenied, NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.instances.instance_namespaces import is_instance_with_namespace
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.deletions import is_deleting_proposal
from jupyter_colophon.storage.entities import instance_namespaces
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The actions that a rename requires for both names, since aspects of both scopes and runs are renamed.
_RENAME_ACTIONS: tuple[Action, ...] = ("annotate", "emit")


@dataclass(frozen=True, slots=True)
class WriteAuthorization:
    """Raises NotFound where a principal may not read, and AccessDenied where it may not write."""

    provider: StorageProvider
    registry: Registry
    identity: IdentityRules
    authorizer: Authorizer

    def require_may_act_on_entity(self, principal: Principal, action: Action, urn: Urn) -> None:
        """Raise NotFound, AccessDenied unless the principal may do this with an entity that another service changes."""
        self._require_allowed(principal, action, urn)

    def require_may_delete(
        self, principal: Principal, urn: Urn, aspect: str = "", *, tx: TableContext | None = None, api: str = ""
    ) -> None:
        """Raise NotFound, AccessDenied unless the principal may delete an entity, or an aspect of it."""
        self._require_allowed(principal, "read", urn, tx, api)
        try:
            self._require_allowed(principal, "admin", urn, tx, api)
        except AccessDenied as error:
            why = "" if "admin" in principal.scopes else ": deleting needs the scope admin, and this token lacks it"
            raise AccessDenied("delete", (f"{aspect} of {urn}" if aspect else str(urn)) + why) from error

    def _authorize_proposal(self, proposal: Proposal, principal: Principal, api: str = "") -> None:
        if proposal.aspect is None:
            if proposal.operation == "delete":
                self.require_may_delete(principal, proposal.urn, api=api)
            else:
                self._require_allowed(principal, "emit", proposal.urn, api=api)
            return
        spaces = self._list_namespaces_to_authorize(proposal.urn, api=api)
        # Check read access first: without it, not even the aspects of the type are revealed.
        self._require_allowed_in(spaces, principal, "read", proposal.urn)
        spec = self.registry.get_aspect(proposal.urn.type, proposal.aspect)
        if is_deleting_proposal(proposal):
            self.require_may_delete(principal, proposal.urn, spec.name, api=api)
        own: Action = "annotate" if spec.scope == "USER" or self._is_annotator_removal(proposal, principal) else "emit"
        self._require_allowed_in(spaces, principal, "admin" if spec.managed_by else own, proposal.urn)

    def _is_annotator_removal(self, proposal: Proposal, principal: Principal) -> bool:
        """Return whether the proposal only removes entries of a union and the principal may annotate."""
        if not (
            proposal.united
            and proposal.operation == "patch"
            and is_removal_of_single_entries(str(proposal.aspect), proposal.value)
        ):
            return False
        return self.authorizer.may(principal, "annotate", self.identity.get_namespace(proposal.urn))

    def _require_allowed(
        self, principal: Principal, action: Action, urn: Urn, tx: TableContext | None = None, api: str = ""
    ) -> None:
        self._require_allowed_in(self._list_namespaces_to_authorize(urn, tx, api), principal, action, urn)

    def _require_allowed_in(self, spaces: Sequence[str], principal: Principal, action: Action, urn: Urn) -> None:
        for space in spaces:
            if not self.authorizer.may(principal, "read", space):
                raise NotFound("entity", str(urn))
            if not self.authorizer.may(principal, action, space):
                raise AccessDenied(action, str(urn))

    def _list_namespaces_to_authorize(self, urn: Urn, tx: TableContext | None = None, api: str = "") -> list[str]:
        """Return the namespaces to authorise: that of the URN and, for a pipeline, that of its document."""
        own = self.identity.get_namespace(urn)
        # The instances API has already authorised the namespace in the document.
        if api or not is_instance_with_namespace(urn) or isinstance(self.authorizer, ScopeAuthorizer):
            return [own]
        look = partial(instance_namespaces.find_last_namespace_of_instance, urn=str(urn))
        document_namespace = self.provider.tx_runner.run(look, read_only=True) if tx is None else look(tx)
        return [own] if document_namespace is None else [own, document_namespace]

    def _require_may_write_run(self, principal: Principal, urn: str) -> None:
        program = self.provider.tx_runner.run(lambda tx: stored_runs.find_program_of_run(tx, urn), read_only=True)
        if program is None:
            raise NotFound("run", urn)
        self._require_allowed(principal, "emit", Urn.parse(program))

    def _require_may_rename(self, urn: Urn, new: Urn, principal: Principal) -> None:
        for name in (urn, new):
            for action in _RENAME_ACTIONS:
                self._require_allowed(principal, action, name)
