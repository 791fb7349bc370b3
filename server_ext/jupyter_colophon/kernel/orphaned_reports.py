"""Send the reports that kernels left in their files when they ended: of cells, and of runs that were not ended."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.client.programs.outbox import OutboxFile, claim_orphaned_files, is_same_server
from jupyter_colophon.client.programs.outbox_delivery import is_final_refusal
from jupyter_colophon.kernel.documents import build_run_end
from jupyter_colophon.kernel.report_delivery import ReportDelivery
from jupyter_colophon.kernel.report_file import find_report_folder, parse_batch

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.kernel.outgoing_reports import ReportBatch, RunReport

_logger = logging.getLogger("jupyter_colophon.kernel")


@dataclass(slots=True)
class OrphanResult:
    """How many reports were sent, were refused or unreadable, have to wait, and are for other servers."""

    sent: int = 0
    dropped: int = 0
    pending: int = 0
    other_servers: int = 0
    #: Why reports have to wait.
    error: str = ""


def send_orphaned_reports(
    catalog: "Operations", server: str, may_continue: Callable[[], bool] = lambda: True, *, all_servers: bool = False
) -> OrphanResult:
    """Send the files that no running kernel holds, until the server is unavailable or does not accept the token."""
    result = OrphanResult()
    for file in claim_orphaned_files(find_report_folder()):
        try:
            if not (all_servers or is_same_server(file.server, server)):
                result.other_servers += len(file)
            elif not result.error and may_continue():
                _OrphanedFile(file, ReportDelivery(catalog), catalog, result).send(may_continue)
        except (ServerUnavailable, RequestFailed) as error:
            result.error = str(error)
        finally:
            if result.error and (all_servers or is_same_server(file.server, server)):
                result.pending += len(file)
            file.release_or_remove()
    return result


class _OrphanedFile:
    """A file of an ended kernel, and the runs in it."""

    def __init__(self, file: OutboxFile, delivery: ReportDelivery, catalog: "Operations", result: OrphanResult) -> None:
        self._file, self._delivery, self._catalog, self._result = file, delivery, catalog, result
        self._runs: dict[str, RunReport] = {}
        #: When the last thing in each run that was not ended happened.
        self._unfinished: dict[str, int] = {}

    def send(self, may_continue: Callable[[], bool]) -> None:
        """Send all batches, and end the runs that their kernel could not end. Raises ServerUnavailable, RequestFailed."""
        batches = self._read_batches()
        for at, batch in enumerate(batches, 1):
            if not may_continue():
                return
            self._send_batch(batch)
            if at == len(batches):
                # Before the last batch is removed, so that this is done again if it fails.
                self._end_unfinished_runs()
            self._file.remove_entry(batch.key)

    def _read_batches(self) -> "list[ReportBatch]":
        """Return the batches; those that cannot be read are dropped."""
        self._result.dropped += self._file.unreadable
        batches = []
        for entry in self._file.list_pending_entries():
            try:
                batch = parse_batch(entry.body, entry.key, self._runs)
            except (LookupError, TypeError, ValueError, AttributeError):
                self._drop(entry.key, "it cannot be read")
                continue
            batches.append(batch)
            self._record_end(batch)
        return batches

    def _record_end(self, batch: "ReportBatch") -> None:
        report = batch.report
        if batch.ending is not None:
            self._unfinished[report.run_id] = -1
        times = [report.start_ms, *(seen.finished_ms for seen in batch.observations)]
        for run in (report, report.parent):
            if run is not None and self._unfinished.get(run.run_id) != -1:
                self._unfinished[run.run_id] = max(self._unfinished.get(run.run_id, 0), *times, run.start_ms)

    def _send_batch(self, batch: "ReportBatch") -> None:
        try:
            self._delivery.deliver_batch(batch)
            self._result.sent += 1
        except ServerUnavailable:
            raise
        except RequestFailed as refusal:
            if refusal.is_temporary or not is_final_refusal(refusal):
                raise
            self._drop(batch.key, str(refusal.problem.get("detail")))

    def _end_unfinished_runs(self) -> None:
        for run_id, last_ms in self._unfinished.items():
            report = self._runs[run_id]
            if last_ms != -1 and report.urn is not None:
                self._end_run(report.urn, build_run_end(last_ms, "killed"))

    def _end_run(self, urn: str, ending: Mapping[str, object]) -> None:
        try:
            # It may have been ended meanwhile, with the reason.
            if self._catalog.read_run(urn)["status"] == "running":
                self._catalog.update_run(urn, ending)
        except RequestFailed as refusal:
            if refusal.is_temporary or not is_final_refusal(refusal):
                raise

    def _drop(self, key: str, reason: str) -> None:
        self._result.dropped += 1
        self._file.remove_entry(key)
        _logger.warning("dropped a report of a notebook whose kernel has ended: %s", reason)
