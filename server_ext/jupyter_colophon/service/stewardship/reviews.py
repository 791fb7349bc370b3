"""Proposals that wait for review: shown with their differences, applied, rejected, withdrawn or brought up to date."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from jupyter_colophon.core.access import ALL_ACTIONS, INTERNAL, Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.changes.inbox import Rejection, State
from jupyter_colophon.core.datahub.scope_union import UNION_RULES
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.documents.merge import MergeConflict, merge_three_way
from jupyter_colophon.core.errors import AccessDenied, ConditionFailed, NotFound, ReviewConflict
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.owner_request import Decision, RequestState
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, ProposalResult
from jupyter_colophon.core.model.review import Review, ReviewedChange
from jupyter_colophon.core.time_format import DAY_MS
from jupyter_colophon.service.changes.inbox import PROPOSALS_POINTER
from jupyter_colophon.service.changes.independent_proposals import IndependentProposalService
from jupyter_colophon.service.held_changes import (
    EXPIRE_DAYS,
    REQUESTS_API,
    can_have_version_condition,
    make_request_urn,
)
from jupyter_colophon.service.stewardship.requests import RequestResponse, RequestService, build_response_proposal
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import inbox as rows
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import Row, TableContext

#: How many expired proposals are rejected at once.
_EXPIRED_AT_ONCE: Final = 100
#: The state of the request after each decision that ends the review.
_STATE_AFTER: Final[Mapping[Decision, RequestState]] = {
    "apply": "answered",
    "reject": "declined",
    "withdraw": "declined",
}


@dataclass(frozen=True, slots=True)
class _HeldBatch:
    """A batch that waits for review, as it is stored."""

    number: int
    author: Principal
    proposals: tuple[Proposal, ...]
    #: When it was proposed, or decided.
    time: int
    state: State

    @classmethod
    def from_row(cls, row: Row) -> "_HeldBatch":
        """Parse a row of the inbox."""
        return cls(
            row["id"],
            codecs.PRINCIPAL.read(parse_stored_json(row["principal"])),
            codecs.PROPOSALS.read(parse_stored_json(row["proposals"])),
            row["time"],
            row["state"],
        )

    @property
    def is_waiting(self) -> bool:
        """Whether no one has decided yet."""
        return self.state == "review"


@dataclass(frozen=True, slots=True)
class ReviewService:
    """Reviews of proposals. A proposal with an entity that may not be read is not found.

    Stewards of all its entities decide on a proposal, and its author may withdraw it.
    """

    write_path: WritePath
    requests: RequestService
    previews: IndependentProposalService
    now: Callable[[], int]

    def read(self, number: int, principal: Principal) -> Review:
        """Return a proposal that waits for review, or was reviewed within a day. Raises NotFound."""
        batch = self._require_visible_batch(number, principal)
        changes = self._preview_changes(batch, principal) if batch.is_waiting else ()
        return Review(
            id=number,
            state="applied" if batch.state == "applied" else "waiting" if batch.is_waiting else "rejected",
            request=self.requests.read(self._find_request(batch), principal),
            expires=batch.time + EXPIRE_DAYS * DAY_MS if batch.is_waiting else None,
            may_decide=batch.is_waiting and self._may_decide(batch, principal),
            may_withdraw=batch.is_waiting and batch.author.user == principal.user,
            is_outdated=any(
                change.problem is not None and change.problem.cause == ConditionFailed.__name__ for change in changes
            ),
            changes=changes,
        )

    def decide(
        self, number: int, decision: Decision, text: str | None, principal: Principal, key: IdempotencyKey | None
    ) -> Urn:
        """Apply, reject, withdraw or bring up to date a proposal; return the URN of its request.

        Raises NotFound, AccessDenied, ConditionFailed if it is outdated, ReviewConflict if it cannot be brought up to
        date, and what applying it raises.
        """
        batch = self._require_visible_batch(number, principal)
        is_author = batch.author.user == principal.user
        may_as_author = is_author and decision in ("withdraw", "rebase")
        if not (may_as_author or (decision != "withdraw" and self._may_decide(batch, principal))):
            raise AccessDenied(decision, f"the proposal {number}")
        request = self._find_request(batch)
        if decision == "rebase":
            self._rebase_batch(batch)
            return request
        response = RequestResponse(text, _STATE_AFTER[decision])
        if decision == "apply":
            self._apply(batch, request, response, principal, key)
        else:
            why = f"{'withdrawn' if decision == 'withdraw' else 'rejected'} by {principal.user}"
            self._reject(batch.number, request, why, response, principal)
        return request

    def reject_expired(self) -> None:
        """Reject the proposals that no one has decided in time."""
        before = self.now() - EXPIRE_DAYS * DAY_MS
        run = self.write_path.provider.tx_runner.run
        for row in run(lambda tx: rows.list_held_rows_before(tx, before, _EXPIRED_AT_ONCE), read_only=True):
            batch = _HeldBatch.from_row(row)
            why = f"no one decided within {EXPIRE_DAYS} days"
            response = RequestResponse(f"Expired: {why}.", "declined")
            self._reject(batch.number, self._find_request(batch), why, response, INTERNAL)

    def _apply(
        self,
        batch: _HeldBatch,
        request: Urn,
        response: RequestResponse,
        principal: Principal,
        key: IdempotencyKey | None,
    ) -> None:
        def apply_once(tx: TableContext, apply: Callable[[], list[ProposalResult]]) -> list[ProposalResult]:
            self._require_held(tx, batch.number)
            done = apply()
            rows.finish_review(tx, batch.number, done, self.now())
            self._respond(tx, request, response, principal)
            return done

        try:
            self.write_path.apply_proposals_atomically(
                batch.proposals,
                principal,
                PROPOSALS_POINTER,
                idempotency_key=key,
                in_transaction=apply_once,
                author=batch.author.user,
            )
        except ConditionFailed as error:
            error.detail += f"; the proposal {batch.number} is outdated: bring it up to date (rebase)"
            raise

    def _reject(self, number: int, request: Urn, why: str, response: RequestResponse, principal: Principal) -> None:
        def reject(tx: TableContext) -> None:
            self._require_held(tx, number)
            rows.finish_review(tx, number, Rejection(AccessDenied.__name__, why), self.now())
            self._respond(tx, request, response, principal)

        self.write_path.provider.tx_runner.run(reject)

    def _respond(self, tx: TableContext, request: Urn, response: RequestResponse, principal: Principal) -> None:
        proposal = build_response_proposal(request, response, principal, self.now())
        self.write_path.write_in_transaction(tx, [proposal], principal, REQUESTS_API)

    def _rebase_batch(self, batch: _HeldBatch) -> None:
        """Merge the changes with what was changed since. Raises ReviewConflict."""

        def rebase(tx: TableContext) -> None:
            self._require_held(tx, batch.number)
            versions = self.write_path.read_versions_of_conditions(tx, batch.proposals, batch.author)
            rebased = [
                self._rebase_proposal(tx, proposal, version)
                for proposal, version in zip(batch.proposals, versions, strict=True)
            ]
            rows.write_held_proposals(tx, batch.number, rebased)

        self.write_path.provider.tx_runner.run(rebase)

    def _rebase_proposal(self, tx: TableContext, proposal: Proposal, version: int) -> Proposal:
        """Return a proposal for the present version of its aspect. Raises ReviewConflict."""
        base = proposal.condition.version
        if (
            base is None
            or str(base) == str(version)
            or not can_have_version_condition(self.write_path.registry, proposal)
        ):
            return proposal
        rebased = replace(proposal, condition=replace(proposal.condition, version=version))
        if proposal.operation in ("patch", "annotate", "delete"):
            # It changes or removes what is there: the reviewer sees the difference from the present value.
            return rebased
        urn, name = str(proposal.urn), str(proposal.aspect)
        present = aspects.find_aspect(tx, self.write_path.registry, proposal.urn.type, urn, name)
        earlier = tx.get_table("aspect_versions").read((urn, name, int(base))) if int(base) != ABSENT else None
        if present is None or earlier is None or (proposal.united and name in UNION_RULES):
            raise ReviewConflict(f"{name} of {urn} has changed since, and cannot be merged: propose the change again")
        try:
            merged = merge_three_way(parse_stored_json(earlier["value"] or "null"), proposal.value, present.value)
        except MergeConflict as error:
            raise ReviewConflict(
                f"{name} of {urn} was changed at the same place since: propose the change again"
            ) from error
        return replace(rebased, value=merged)

    def _preview_changes(self, batch: _HeldBatch, principal: Principal) -> tuple[ReviewedChange, ...]:
        applying = replace(batch.author, internal=True, scopes=ALL_ACTIONS, namespaces=None)
        previews = self.previews.preview_batch(batch.proposals, applying, principal)
        return tuple(
            ReviewedChange(proposal, preview.before, preview.after, preview.rejection)
            for proposal, preview in zip(batch.proposals, previews, strict=True)
        )

    def _require_visible_batch(self, number: int, principal: Principal) -> _HeldBatch:
        row = self.write_path.provider.tx_runner.run(lambda tx: rows.find_reviewed_row(tx, number), read_only=True)
        if row is not None:
            batch = _HeldBatch.from_row(row)
            urns = list({proposal.urn for proposal in batch.proposals})
            read_policy = self.previews.read_policy
            if len(read_policy.filter_visible_entities(principal, urns)) == len(urns):
                read_policy.record_audited_reads(principal, urns)
                return batch
        raise NotFound("proposal", str(number), "a proposal is kept for a day after it was decided")

    def _find_request(self, batch: _HeldBatch) -> Urn:
        """Return the request to apply a batch: it is about one of its entities. Raises NotFound if it was deleted."""
        requests = {str(make_request_urn(item.urn, batch.number)): item.urn for item in batch.proposals}

        def find(tx: TableContext) -> str | None:
            existing = tx.get_table("entities").read_many([(urn,) for urn in requests])
            return next((row["urn"] for row in existing), None)

        found = self.write_path.provider.tx_runner.run(find, read_only=True)
        if found is None:
            raise NotFound("request of proposal", str(batch.number))
        return make_request_urn(requests[found], batch.number)

    def _require_held(self, tx: TableContext, number: int) -> None:
        if rows.find_held_row(tx, number) is None:
            raise NotFound("proposal", str(number), "it does not wait for review any more")

    def _may_decide(self, batch: _HeldBatch, principal: Principal) -> bool:
        return all(
            self.write_path.may_act_on_entity(principal, "govern", urn)
            for urn in {proposal.urn for proposal in batch.proposals}
        )
