"""Bulk loads: apply batches of proposals, one transaction per batch, each row independently (core/changes/bulk_load.py)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.bulk_load import Batch, BatchResult, Ending, Load, RowRejection, StoredRejection
from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import AccessDenied, MetadataError
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.read_budget import limit_items_to_page_bytes
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes import loads as rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext

_KIND = "load-refusals"
#: A parsed row: its proposal, or why it was refused.
ParsedRow = Proposal | RowRejection


@dataclass(frozen=True, slots=True)
class LoadService:
    """The loads of a catalog; users access only their own."""

    provider: StorageProvider
    write_path: WritePath
    cursors: CursorCodec
    now: Callable[[], int]

    def open_or_resume_load(self, name: str, principal: Principal) -> Load:
        """Open a load, or continue it. Raises AccessDenied, LoadEnded."""
        if not {"annotate", "emit"} & principal.scopes:
            raise AccessDenied("emit", "a load")
        return self.provider.tx_runner.run(lambda tx: rows.open_or_create_load(tx, principal.user, name, self.now()))

    def read_load_of_principal(self, name: str, principal: Principal) -> Load:
        """Return the state of a load. Raises NotFound."""
        return self.provider.tx_runner.run(lambda tx: rows.require_load(tx, principal.user, name), read_only=True)

    def end_load_of_principal(self, name: str, state: Ending, principal: Principal) -> Load:
        """Commit or abort a load: further batches are refused, applied rows stay. Raises NotFound, LoadEnded."""
        return self.provider.tx_runner.run(
            lambda tx: rows.end_load_and_delete_results(tx, principal.user, name, state, self.now())
        )

    def apply_batch_once(self, batch: Batch, parsed_rows: Sequence[ParsedRow], principal: Principal) -> BatchResult:
        """Apply the rows of a batch, once. Rows that cannot be applied are refused individually.

        Raises NotFound, LoadEnded, and IdempotencyKeyReused if a different batch had the same number.
        """
        positions = [at for at, row in enumerate(parsed_rows) if isinstance(row, Proposal)]
        unparsed = [row for row in parsed_rows if isinstance(row, RowRejection)]

        def in_transaction(
            tx: TableContext, apply_each: Callable[[], list[ProposalResult | MetadataError]]
        ) -> BatchResult:
            return rows.apply_batch_once_and_store_result(
                tx,
                principal.user,
                batch,
                self.now(),
                lambda: _build_batch_result(dict(zip(positions, apply_each(), strict=True)), unparsed, parsed_rows),
            )

        return self.write_path.apply_proposals_independently(
            [row for row in parsed_rows if isinstance(row, Proposal)], principal, in_transaction
        )

    def list_rejected_rows(
        self, name: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[StoredRejection], str | None]:
        """Return a page of refused rows, by position, and the next cursor. Raises NotFound."""
        after = tuple(self.cursors.decode_cursor(_KIND, cursor)) if cursor else ()
        refusals = self.provider.tx_runner.run(
            lambda tx: rows.list_rejected_rows(tx, principal.user, name, after, limit + 1), read_only=True
        )
        page = list(limit_items_to_page_bytes(refusals[:limit], _measure_rejection_bytes))
        if not page or len(page) == len(refusals):
            return page, None
        return page, self.cursors.encode_cursor(_KIND, [page[-1].partition, page[-1].number, page[-1].row.row])


def _measure_rejection_bytes(rejection: StoredRejection) -> int:
    """Return the approximate size of a refusal in a response."""
    refusal = rejection.row.refusal
    return measure_json_bytes(
        [rejection.row.urn, refusal.detail, [(problem.pointer, problem.message) for problem in refusal.problems]]
    )


def _build_batch_result(
    done: dict[int, ProposalResult | MetadataError], unparsed: Sequence[RowRejection], rows: Sequence[ParsedRow]
) -> BatchResult:
    refused = list(unparsed)
    written = 0
    for at, result in done.items():
        if isinstance(result, MetadataError):
            proposal = rows[at]
            refused.append(RowRejection(at, str(proposal.urn), Rejection.from_error(result)))
        else:
            written += result.has_changed
    refused.sort(key=lambda rejection: rejection.row)
    return BatchResult(written, len(rows) - written - len(refused), tuple(refused))
