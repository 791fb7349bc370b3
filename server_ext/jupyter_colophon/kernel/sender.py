"""Send the reports in the queue to the server from a background thread, so that no cell waits for the network."""

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.kernel.renames import build_rename_proposals, split_at_rename
from jupyter_colophon.spark.capture.report_documents import build_access_documents, build_written_data_proposals
from jupyter_colophon.spark.plans.observation import MissingDetail, merge_refs
from jupyter_colophon.system.worker import Backoff, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jupyter_colophon.client.caller import Document
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.kernel.messages import NoticeQueue
    from jupyter_colophon.kernel.outgoing_reports import ReportBatch, ReportQueue, RunReport
    from jupyter_colophon.spark.plans.observation import Observation

#: Seconds between two attempts while the server is unavailable: doubled from the first to the last.
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0

PROPOSALS_A_CALL = 1_000
#: Maximum number of intended outputs of failed statements that is reported per run.
INTENDED_MOST = 500

_OUTAGE_KEY = "server unavailable"
_logger = logging.getLogger("jupyter_colophon.kernel")


class ReportSender:
    """Sends the batches of the queue one by one; they stay queued while the server is unavailable."""

    def __init__(
        self,
        catalog: "Operations",
        queue: "ReportQueue",
        notices: "NoticeQueue",
        on_outage_changed: "Callable[[], None] | None" = None,
    ) -> None:
        self._catalog, self._queue, self._notices = catalog, queue, notices
        self._sent_values: dict[tuple[str, str], str] = {}
        self._failures = self._refused = 0
        self._outage = _ServerOutage(queue, notices, on_outage_changed)
        self._worker = Worker(
            "colophon-sender",
            self._send_queued_batches,
            _logger,
            "reports of the notebook",
            backoff=Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S),
            unavailable=(ServerUnavailable, RequestFailed),
            outage=self._outage,
        )

    @property
    def failure_count(self) -> int:
        """Return the number of attempts that failed because the server was unavailable or could not write."""
        return self._failures

    @property
    def outage_reason(self) -> str:
        """Return why the server is unavailable, "" if it is available."""
        return self._outage.reason

    @property
    def refused_count(self) -> int:
        """Return the number of reports that the server refused or that failed; their data are missing in lineage."""
        return self._refused

    def start(self) -> None:
        """Send the queue now, or after the pause if the server is unavailable."""
        self._worker.wake(ends_backoff=False)
        self._worker.start()

    def retry_now(self) -> None:
        """Send now, without waiting for the end of a pause."""
        self._worker.wake()

    def stop_and_join(self, timeout_s: float) -> None:
        """Stop the thread, and wait for it at most `timeout_s`."""
        self._worker.close(timeout_s)

    def _send_queued_batches(self) -> None:
        while (batch := self._queue.take_batch()) is not None:
            self._deliver_batch_or_requeue(batch)

    def _deliver_batch_or_requeue(self, batch: "ReportBatch") -> None:
        """Send one batch. Raises ServerUnavailable, RequestFailed; the batch is back in the queue then."""
        try:
            self._send_batch_or_restart_run(batch)
        except ServerUnavailable as error:
            self._requeue_batch(batch, str(error))
            raise
        except RequestFailed as refusal:
            if refusal.is_temporary:
                self._requeue_batch(batch, str(refusal))
                raise
            self._count_refused_and_notify(batch, refusal)
        except Exception as error:  # noqa: BLE001  an internal error must not end the thread: later cells count
            self._count_refused_and_notify(batch, error)
        self._queue.acknowledge_batch(batch)
        self._outage.end()

    def _send_batch_or_restart_run(self, batch: "ReportBatch") -> None:
        try:
            self._send_batch(batch)
        except RequestFailed as refusal:
            if refusal.status != 404 or not self._was_run_sent_before(batch.report):
                raise
            # The server has another store now: send the runs and the metadata of the data again.
            self._forget_run(batch.report)
            self._send_batch(batch)

    def _was_run_sent_before(self, report: "RunReport") -> bool:
        """Return whether this run or its parent was sent before."""
        return report.urn is not None or (report.parent is not None and report.parent.urn is not None)

    def _forget_run(self, report: "RunReport") -> None:
        self._sent_values.clear()
        report.urn = None
        report.not_seen, report.intended, report.renamed = [], [], []
        if report.parent is not None:
            report.parent.urn = None

    def _send_batch(self, batch: "ReportBatch") -> None:
        report = batch.report
        run = self._start_run_and_parent(report)
        self._write_new_aspects(_build_name_proposals(report, run), batch)
        while batch.observations:
            group = split_at_rename(batch.observations)
            self._record_observations(group, batch, run)
            # Sending these observations again would create the old name again.
            batch.observations = batch.observations[len(group) :]
        if batch.ending is not None:
            self._catalog.update_run(run, batch.ending)

    def _record_observations(self, group: "Sequence[Observation]", batch: "ReportBatch", run: str) -> None:
        """Record observations of which only the first may be a rename."""
        first, *others = group
        linked = None if first.renamed is None or self._rename_entity(*first.renamed, run) else first.renamed
        if first.renamed is not None and linked is None:
            # The entity was renamed: there is no data flow from the old name to the new one.
            first = replace(first, reads=(), columns=())
        self._write_new_aspects(_build_written_data_proposals([first, *others], run), batch)
        for document in build_access_documents([first, *others]):
            self._catalog.record_accesses(run, document)
        for proposal in () if linked is None else build_rename_proposals(self._catalog, *linked, run):
            # Write each separately: a refused aspect does not affect the others.
            self._write_new_aspects([proposal], batch)
        self._update_run(group, batch.report, run)

    def _rename_entity(self, old: str, new: str, run: str) -> bool:
        """Rename the entity in the catalog; return whether the catalog has only the new name now."""
        try:
            self._catalog.rename_entity(old, {"to": new, "run": run})
        except RequestFailed as refusal:
            if refusal.is_temporary:
                raise
            return refusal.is_absence
        self._sent_values = {
            place: content for place, content in self._sent_values.items() if place[0] not in (old, new)
        }
        return True

    def _start_run_and_parent(self, report: "RunReport") -> str:
        """Start the run on the server, after its parent, and return its URN."""
        if report.parent is not None:
            self._start_run_and_parent(report.parent)
        if report.urn is None:
            run = self._catalog.start_run(report.start_document)
            # The notebook may have been renamed since the kernel started.
            report.program, report.urn = str(run["program"]), str(run["urn"])
        return report.urn

    def _update_run(self, group: "Sequence[Observation]", report: "RunReport", run: str) -> None:
        """Update the run with missing lineage, renames, the error of a failed statement, and its intended outputs."""
        failed = [seen for seen in group if seen.failed]
        intended = list(dict.fromkeys([*report.intended, *(ref.urn for seen in failed for ref in seen.intended)]))
        missed = [MissingDetail.INTENDED] if len(intended) > INTENDED_MOST else []
        missing = (str(word) for seen in group for word in seen.missing)
        words = list(dict.fromkeys([*report.not_seen, *missing, *missed]))
        change: Document = {"facts": {"missingLineage": "; ".join(words)} if words != report.not_seen else {}}
        pairs = [" → ".join(seen.renamed) for seen in group if seen.renamed is not None]
        renamed = list(dict.fromkeys([*report.renamed, *pairs]))
        if renamed != report.renamed:
            change["facts"]["renamed"] = "; ".join(renamed)
        if failed and not report.error:
            change["facts"]["error"] = f"a {failed[-1].function} failed: {failed[-1].error}"
        if fresh := intended[:INTENDED_MOST][len(report.intended) :]:
            change["intendedOutputs"] = fresh
        if change["facts"] or fresh:
            self._catalog.update_run(run, change)
            report.not_seen, report.intended, report.renamed = words, intended[:INTENDED_MOST], renamed

    def _write_new_aspects(self, proposals: "list[Document]", batch: "ReportBatch") -> None:
        """Write the SYSTEM aspects that are new or changed in this session."""
        changed = [
            proposal
            for proposal in proposals
            if self._sent_values.get(_get_urn_and_aspect(proposal)) != _serialize_value(proposal)
        ]
        for start in range(0, len(changed), PROPOSALS_A_CALL):
            chunk = changed[start : start + PROPOSALS_A_CALL]
            try:
                self._catalog.submit_proposals({"proposals": chunk})
            except RequestFailed as refusal:
                if refusal.is_temporary or refusal.status == 404:
                    raise
                # The accesses are useful without the schema.
                self._notify_failure(batch, refusal)
                continue
            self._sent_values.update((_get_urn_and_aspect(proposal), _serialize_value(proposal)) for proposal in chunk)

    def _requeue_batch(self, batch: "ReportBatch", reason: str) -> None:
        # First add the notice: `requeue` wakes the cell that waits for the queue and shows it.
        self._outage.begin(reason)
        self._failures += 1
        self._queue.put_back_batch(batch)

    def _count_refused_and_notify(self, batch: "ReportBatch", reason: Exception) -> None:
        self._refused += 1
        self._notify_failure(batch, reason)

    def _notify_failure(self, batch: "ReportBatch", reason: Exception) -> None:
        cell = batch.report.facts.get("cellId", "the notebook")
        detail = str(reason) if isinstance(reason, ClientError) else type(reason).__name__
        # One line per kind of error, so that a loop over cells does not repeat it.
        kind = f"refused {reason.status}" if isinstance(reason, RequestFailed) else type(reason).__name__
        self._notices.add_line_once(kind, f"Colophon could not record what cell {cell} did: {detail}")


class _ServerOutage:
    """Notifies the user that the server is unavailable, and when it is back, how much was lost."""

    def __init__(
        self, queue: "ReportQueue", notices: "NoticeQueue", on_changed: "Callable[[], None] | None" = None
    ) -> None:
        self._queue, self._notices, self._on_changed = queue, notices, on_changed
        #: Why the server is unavailable, "" if it is available.
        self.reason = ""

    def begin(self, reason: str) -> None:
        """Show why the server is unavailable, once."""
        self._set_reason(reason)
        self._notices.add_line_once(
            _OUTAGE_KEY,
            f"Colophon: {reason}. The notebook continues; lineage of its cells is buffered in this kernel until the"
            " server is available again, and is lost if the kernel stops first.",
        )

    def end(self) -> None:
        """Show how many observations were lost, if any."""
        self._set_reason("")
        if not self._notices.forget_line(_OUTAGE_KEY):
            return
        lost = self._queue.take_dropped_count()
        if lost:
            text = f"{format_count_with_noun(lost, 'observation')} {'was' if lost == 1 else 'were'} lost"
            self._notices.add_line_once(f"lost {lost}", f"Colophon: the server is available again; {text}.")

    def _set_reason(self, reason: str) -> None:
        if reason != self.reason:
            self.reason = reason
            if self._on_changed is not None:
                self._on_changed()


def _build_written_data_proposals(observations: "Sequence[Observation]", run: str) -> "list[Document]":
    """Return proposals with the metadata of the written data."""
    written = merge_refs(ref for seen in observations for ref in seen.writes)
    return [proposal for ref in written for proposal in build_written_data_proposals(ref, run)]


def _build_name_proposals(report: "RunReport", run: str) -> "list[Document]":
    """Return the proposal that names the cell's program after its step or its first comment."""
    name = report.facts.get("step") or report.facts.get("comment")
    if not name:
        return []
    value = {"name": name, "type": {"string": "COMMAND"}}
    return [{"urn": report.program, "aspect": "dataJobInfo", "operation": "patch", "value": value, "run": run}]


def _get_urn_and_aspect(proposal: "Document") -> tuple[str, str]:
    return (proposal["urn"], proposal["aspect"])


def _serialize_value(proposal: "Document") -> str:
    return json.dumps(proposal["value"], sort_keys=True)
