"""Bulk loads: apply batches of proposals, one transaction per batch, each row independently (core/changes/bulk_load.py)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.bulk_load import Batch, BatchResult, Ending, Load, RowRejection, StoredRejection
from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import AccessDenied, MetadataError
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes import loads as rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext

_KIND = "load-refusals"
#: A parsed row: its proposal, or why it was refused.
ParsedRow = Proposal | RowRejection


@dataclass(frozen=True, slots=True)
class Loads:
    """The loads of a catalog; users access only their own."""

    provider: StorageProvider
    write_path: WritePath
    cursors: Cursors
    now: Callable[[], int]

    def open(self, name: str, principal: Principal) -> Load:
        """Open a load, or continue it. Raises AccessDenied, LoadEnded."""
        if not {"annotate", "emit"} & principal.scopes:
            raise AccessDenied("emit", "a load")
        return self.provider.tx_runner.run(lambda tx: rows.open_load(tx, principal.user, name, self.now()))

    def read(self, name: str, principal: Principal) -> Load:
        """Return the state of a load. Raises NotFound."""
        return self.provider.tx_runner.run(lambda tx: rows.read_load(tx, principal.user, name), read_only=True)

    def end(self, name: str, state: Ending, principal: Principal) -> Load:
        """Commit or abort a load: further batches are refused, applied rows stay. Raises NotFound, LoadEnded."""
        return self.provider.tx_runner.run(lambda tx: rows.end_load(tx, principal.user, name, state, self.now()))

    def apply(self, batch: Batch, read: Sequence[ParsedRow], principal: Principal) -> BatchResult:
        """Apply the rows of a batch, once. Rows that cannot be applied are refused individually.

        Raises NotFound, LoadEnded, and IdempotencyKeyReused if a different batch had the same number.
        """
        positions = [at for at, row in enumerate(read) if isinstance(row, Proposal)]
        unparsed = [row for row in read if isinstance(row, RowRejection)]

        def in_transaction(
            tx: TableContext, apply_each: Callable[[], list[ProposalResult | MetadataError]]
        ) -> BatchResult:
            return rows.apply_batch(
                tx,
                principal.user,
                batch,
                self.now(),
                lambda: _summarize(dict(zip(positions, apply_each(), strict=True)), unparsed, read),
            )

        return self.write_path.propose_each(
            [row for row in read if isinstance(row, Proposal)], principal, in_transaction
        )

    def list_refusals(
        self, name: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[StoredRejection], str | None]:
        """Return a page of refused rows, by position, and the next cursor. Raises NotFound."""
        after = tuple(self.cursors.read(_KIND, cursor)) if cursor else ()
        refusals = self.provider.tx_runner.run(
            lambda tx: rows.list_refusals(tx, principal.user, name, after, limit + 1), read_only=True
        )
        page = list(take_page(refusals[:limit], _measure))
        if len(page) == len(refusals):
            return page, None
        return page, self.cursors.write(_KIND, [page[-1].partition, page[-1].number, page[-1].row.row])


def _measure(rejection: StoredRejection) -> int:
    """Return the approximate size of a refusal in a response."""
    refusal = rejection.row.refusal
    return measure(
        [rejection.row.urn, refusal.detail, [(problem.pointer, problem.message) for problem in refusal.problems]]
    )


def _summarize(
    done: dict[int, ProposalResult | MetadataError], unparsed: Sequence[RowRejection], read: Sequence[ParsedRow]
) -> BatchResult:
    refused = list(unparsed)
    written = 0
    for at, result in done.items():
        if isinstance(result, MetadataError):
            proposal = read[at]
            refused.append(RowRejection(at, str(proposal.urn), Rejection.from_error(result)))
        else:
            written += result.changed
    refused.sort(key=lambda rejection: rejection.row)
    return BatchResult(written, len(read) - written - len(refused), tuple(refused))
