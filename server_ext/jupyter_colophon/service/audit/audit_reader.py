"""Read, export and verify the audit. Callers are administrators."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_colophon.core.audit import AuditEntry, AuditSelection, AuditVerification
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.service.access_control import AccessControl
from jupyter_colophon.service.audit.recorder import AuditRecorder
from jupyter_colophon.storage import audit_log
from jupyter_colophon.storage.audit_log import AUDIT_LOG
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.privacy.person_logs import get_seal_of_next_rows
from jupyter_colophon.storage.spi import TableContext

#: How many entries of an export are read at once, and how many seals are verified for an answer.
_EXPORTED_AT_ONCE, _SEALS_AT_ONCE = 500, 40


@dataclass(frozen=True, slots=True)
class AuditReader:
    """The audit of a catalog. All methods raise StorageError."""

    access_control: AccessControl
    cursors: CursorCodec

    @property
    def recorder(self) -> AuditRecorder:
        """What records access. Raises StoreUnavailable after the catalog was closed."""
        recorder = self.access_control.audit
        if recorder is None:
            raise StoreUnavailable("the catalog is closed")
        return recorder

    def stop_thread(self) -> None:
        """Store what waits, and end the thread; do nothing after the catalog was closed."""
        if self.access_control.audit is not None:
            self.access_control.audit.close()

    def list_page(self, selection: AuditSelection, limit: int, cursor: str) -> tuple[list[AuditEntry], str | None]:
        """Return matching entries, newest first, and the next cursor; a short page may have a next one.

        Raises InvalidQuery.
        """
        before = int(self.cursors.decode_cursor("audit", cursor)) if cursor else None
        if before is None:
            self.recorder.store_now()
        entries, last = self._read_page(selection, before, limit)
        return entries, None if last is None else self.cursors.encode_cursor("audit", last)

    def export_lines(self, selection: AuditSelection) -> Iterator[str]:
        """Yield matching entries as JSON, newest first."""
        self.recorder.store_now()
        entries, last = self._read_page(selection, None, _EXPORTED_AT_ONCE)
        while True:
            yield from (json.dumps(to_api_document(entry), ensure_ascii=False) for entry in entries)
            if last is None:
                return
            entries, last = self._read_page(selection, last, _EXPORTED_AT_ONCE)

    def verify_next_seals(self, cursor: str) -> AuditVerification:
        """Compare the next entries with their seals. Raises InvalidQuery."""
        after = int(self.cursors.decode_cursor("audit verification", cursor)) if cursor else None
        if after is None:
            self.recorder.store_now()
        result, last = self.recorder.provider.tx_runner.run(lambda tx: self._verify(tx, after), read_only=True)
        if last is not None:
            return AuditVerification(*result, self.cursors.encode_cursor("audit verification", last))
        return AuditVerification(*result, None)

    def rename_person(self, name: str, new_name: str) -> int:
        """Replace the name of a person in all entries, which stay verifiable; return the number of replaced names."""
        self.recorder.store_now()
        return self.recorder.provider.tx_runner.run(lambda tx: audit_log.rename_person(tx, name, new_name))

    def _read_page(
        self, selection: AuditSelection, before: int | None, limit: int
    ) -> tuple[list[AuditEntry], int | None]:
        return self.recorder.provider.tx_runner.run(
            lambda tx: audit_log.list_entries(tx, selection, before, limit), read_only=True
        )

    def _verify(self, tx: TableContext, after: int | None) -> tuple[tuple[int, tuple[str, ...], int, str], int | None]:
        removed = signed_chain.get_last_removed_number(tx, AUDIT_LOG)
        before = None
        if after is not None and after >= removed:
            before = next(iter(signed_chain.list_seals_after(tx, after - 1, 1, AUDIT_LOG)), None)
        seals = signed_chain.list_seals_after(tx, before.seq if before else -1, _SEALS_AT_ONCE, AUDIT_LOG)
        problems, count = [], 0
        for seal in seals:
            before = get_seal_of_next_rows(tx, AUDIT_LOG, before)
            rows = signed_chain.read_rows_of_seal(tx, before, seal, AUDIT_LOG)
            count += len(rows)
            if problem := signed_chain.find_seal_problem(self.recorder.key, before, seal, rows, AUDIT_LOG):
                problems.append(problem)
            before = seal
        newest = before.seq if before is not None else 0
        hash_ = before.hash.hex() if before is not None else ""
        return (count, tuple(problems), newest, hash_), newest if len(seals) == _SEALS_AT_ONCE else None
