"""Loads: what is proposed in bulk, a batch a transaction, each row by itself (core/changes/bulk_load.py)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.bulk_load import Applied, Batch, Ending, KeptRefusal, Load, RowRefusal
from jupyter_colophon.core.changes.inbox import Refusal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import AccessDenied, MetadataError
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes import loads as rows
from jupyter_colophon.storage.spi import StorageProvider, TableContext

_KIND = "load-refusals"
#: A row as it was read: what it proposes, or why it proposes nothing.
Read = Proposal | RowRefusal


@dataclass(frozen=True, slots=True)
class Loads:
    """The loads of a catalog. Each user has their own; nobody sees those of others."""

    provider: StorageProvider
    write_path: WritePath
    cursors: Cursors
    now: Callable[[], int]

    def open(self, name: str, principal: Principal) -> Load:
        """Open a load, or go on with it. Raises AccessDenied, LoadEnded."""
        if not {"annotate", "emit"} & principal.scopes:
            raise AccessDenied("emit", "a load")
        return self.provider.tx_runner.run(lambda tx: rows.opened(tx, principal.user, name, self.now()))

    def read(self, name: str, principal: Principal) -> Load:
        """How far a load came. Raises NotFound."""
        return self.provider.tx_runner.run(lambda tx: rows.existing(tx, principal.user, name), read_only=True)

    def end(self, name: str, state: Ending, principal: Principal) -> Load:
        """Commit or abort a load: no batch of it is taken from now on. What was applied stays. Raises NotFound, LoadEnded."""
        return self.provider.tx_runner.run(lambda tx: rows.ended(tx, principal.user, name, state, self.now()))

    def apply(self, batch: Batch, read: Sequence[Read], principal: Principal) -> Applied:
        """Apply the rows of a batch, once. A row that cannot be applied is refused alone.

        Raises NotFound, LoadEnded for its load, and IdempotencyKeyReused where another batch had its place.
        """
        places = [at for at, one in enumerate(read) if isinstance(one, Proposal)]
        unread = [one for one in read if isinstance(one, RowRefusal)]

        def around(tx: TableContext, act: Callable[[], list[Written | MetadataError]]) -> Applied:
            return rows.applied(
                tx,
                principal.user,
                batch,
                self.now(),
                lambda: _applied(dict(zip(places, act(), strict=True)), unread, read),
            )

        return self.write_path.propose_each([one for one in read if isinstance(one, Proposal)], principal, around)

    def refusals(
        self, name: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[KeptRefusal], str | None]:
        """Rows that were refused by their places, and where to read on. Raises NotFound."""
        after = tuple(self.cursors.read(_KIND, cursor)) if cursor else ()
        found = self.provider.tx_runner.run(
            lambda tx: rows.refusals(tx, principal.user, name, after, limit + 1), read_only=True
        )
        page = list(take_page(found[:limit], _measure))
        if len(page) == len(found):
            return page, None
        return page, self.cursors.write(_KIND, [page[-1].partition, page[-1].number, page[-1].row.row])


def _measure(one: KeptRefusal) -> int:
    """Return about how many bytes a refusal takes in an answer."""
    refusal = one.row.refusal
    return measure([one.row.urn, refusal.detail, [(problem.pointer, problem.message) for problem in refusal.problems]])


def _applied(done: dict[int, Written | MetadataError], unread: Sequence[RowRefusal], read: Sequence[Read]) -> Applied:
    refused = list(unread)
    written = 0
    for at, one in done.items():
        if isinstance(one, MetadataError):
            proposal = read[at]
            refused.append(RowRefusal(at, str(proposal.urn), Refusal.of(one)))
        else:
            written += one.changed
    refused.sort(key=lambda one: one.row)
    return Applied(written, len(read) - written - len(refused), tuple(refused))
