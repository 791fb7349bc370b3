"""Apply the proposals of a batch independently, or preview what they would change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.changes.independent_batch import ProposalOutcome, ProposalPreview
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, ProposalResult
from jupyter_colophon.service.aspect_redaction import AspectRedactor
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import idempotency_results
from jupyter_colophon.storage.spi import TableContext

#: The results and errors of a batch, in its order.
_Applied = list[ProposalResult | MetadataError]
#: The version and the value of an aspect.
_VersionAndValue = tuple[int, Any | None]


class _RolledBack(Exception):
    """Ends the transaction of a preview, so that nothing is committed."""

    def __init__(self, previews: list[ProposalPreview]) -> None:
        super().__init__()
        self.previews = previews


@dataclass(frozen=True, slots=True)
class IndependentProposalService:
    """Batches whose proposals fail independently: a rejected one does not affect the others."""

    write_path: WritePath
    read_policy: ReadPolicy

    def apply_batch(
        self, proposals: Sequence[Proposal], principal: Principal, once: IdempotencyKey | None = None
    ) -> list[ProposalOutcome]:
        """Apply the proposals in order, in one transaction. Raises IdempotencyKeyReused."""

        def in_transaction(tx: TableContext, apply_each: Callable[[], _Applied]) -> list[ProposalOutcome]:
            return idempotency_results.run_once_and_store_result(
                tx, once, codecs.OUTCOMES, self.write_path.now(), lambda: list(map(_build_outcome, apply_each()))
            )

        return self.write_path.apply_proposals_independently(proposals, principal, in_transaction)

    def preview_batch(
        self, proposals: Sequence[Proposal], principal: Principal, reader: Principal | None = None
    ) -> list[ProposalPreview]:
        """Return what the batch would change, without changing anything; with `reader`, only what that one may read."""

        def in_transaction(tx: TableContext, apply_each: Callable[[], _Applied]) -> NoReturn:
            redactor = AspectRedactor(tx, self.write_path.registry, self.read_policy, reader or principal)
            before = [_read_version_and_value(tx, redactor, proposal) for proposal in proposals]
            applied = apply_each()
            after = [_read_version_and_value(tx, redactor, proposal) for proposal in proposals]
            raise _RolledBack(list(map(_build_preview, applied, before, after)))

        try:
            self.write_path.apply_proposals_independently(proposals, principal, in_transaction, is_preview=True)
        except _RolledBack as rolled_back:
            shown = zip(proposals, rolled_back.previews, strict=True)
            self.read_policy.record_audited_reads(
                reader or principal, (proposal.urn for proposal, preview in shown if preview.rejection is None)
            )
            return rolled_back.previews


def _build_outcome(applied: ProposalResult | MetadataError) -> ProposalOutcome:
    if isinstance(applied, MetadataError):
        return ProposalOutcome(None, Rejection.from_error(applied))
    return ProposalOutcome(applied, None)


def _build_preview(
    applied: ProposalResult | MetadataError, before: _VersionAndValue, after: _VersionAndValue
) -> ProposalPreview:
    if isinstance(applied, MetadataError):
        # A rejected proposal reveals nothing about the aspect: the principal may not be allowed to read it.
        return ProposalPreview(ABSENT, None, None, Rejection.from_error(applied))
    return ProposalPreview(before[0], before[1], after[1], None)


def _read_version_and_value(tx: TableContext, redactor: AspectRedactor, proposal: Proposal) -> _VersionAndValue:
    if proposal.aspect is None:
        return ABSENT, None
    row = tx.get_table("aspects").read((str(proposal.urn), proposal.aspect))
    if row is None or row["value"] is None:
        return ABSENT, None
    return row["version"], redactor.redact_value(str(proposal.urn), proposal.aspect, parse_stored_json(row["value"]))
