"""Deliver one report of a notebook after the other to the server."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_colophon.capture.observation import MissingDetail, merge_refs
from jupyter_colophon.capture.report_documents import build_access_documents, build_written_data_proposals
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.kernel.dropped_data import build_drop_proposals
from jupyter_colophon.kernel.renames import build_rename_proposals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jupyter_colophon.capture.observation import Observation
    from jupyter_colophon.client.caller import Document
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.kernel.outgoing_reports import ReportBatch, RunReport

PROPOSALS_A_CALL = 1_000
#: Maximum number of intended outputs of failed statements that is reported per run.
INTENDED_MOST = 500


class ReportDelivery:
    """Delivers to one server. A batch that is delivered twice changes nothing the second time."""

    def __init__(
        self, catalog: "Operations", on_refused: "Callable[[ReportBatch, RequestFailed], None]" = lambda *_: None
    ) -> None:
        """Create it; `on_refused` is called with a batch whose metadata of written data the server refused."""
        self._catalog, self._on_refused = catalog, on_refused
        self._sent_values: dict[tuple[str, str], str] = {}

    def deliver_batch(self, batch: "ReportBatch") -> None:
        """Deliver a batch, with its run and the run's parent. Raises ServerUnavailable, RequestFailed."""
        try:
            self._send_batch(batch)
        except RequestFailed as refusal:
            if refusal.status != 404 or not self._was_run_sent_before(batch.report):
                raise
            # The server has another store now: send the runs and the metadata of the data again.
            self._forget_run(batch.report)
            self._send_batch(batch)

    def start_run_and_parent(self, report: "RunReport") -> str:
        """Start the run on the server, after its parent, and return its URN. Raises ServerUnavailable, RequestFailed."""
        if report.parent is not None:
            self.start_run_and_parent(report.parent)
        if report.urn is None:
            run = self._catalog.start_run(report.start_document)
            # The notebook may have been renamed since the kernel started.
            report.program, report.urn = str(run["program"]), str(run["urn"])
        return report.urn

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
        run = self.start_run_and_parent(report)
        self._write_new_aspects(_build_name_proposals(report, run), batch)
        if batch.observations:
            self._record_observations(batch, run)
        if batch.ending is not None:
            self._catalog.update_run(run, batch.ending)

    def _record_observations(self, batch: "ReportBatch", run: str) -> None:
        first, *others = batch.observations
        linked = None if first.renamed is None or self._rename_entity(*first.renamed, run) else first.renamed
        if first.renamed is not None and linked is None:
            # The entity was renamed: there is no data flow from the old name to the new one.
            first = replace(first, reads=(), columns=())
        self._write_new_aspects(_build_written_data_proposals([first, *others], run), batch)
        self._write_new_aspects(list(build_drop_proposals(self._catalog, batch.observations, run)), batch)
        for document in build_access_documents([first, *others]):
            self._catalog.record_accesses(run, document)
        for proposal in () if linked is None else build_rename_proposals(self._catalog, *linked, run):
            # Write each separately: a refused aspect does not affect the others.
            self._write_new_aspects([proposal], batch)
        self._update_run(batch.observations, batch.report, run)

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

    def _update_run(self, group: "Sequence[Observation]", report: "RunReport", run: str) -> None:
        """Update the run with missing lineage, renames, a failed statement's error and outputs, and a stream's progress."""
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
        for progress in (seen.stream for seen in group if seen.stream is not None and seen.stream.batch is not None):
            change["facts"] |= {"streamBatch": progress.batch, "inputRows": progress.input_rows}
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
                self._on_refused(batch, refusal)
                continue
            self._sent_values.update((_get_urn_and_aspect(proposal), _serialize_value(proposal)) for proposal in chunk)


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
