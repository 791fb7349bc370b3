"""The file of reports that the server has not received: they survive the kernel, and another process sends them then."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.capture.observation_documents import build_observation_document, parse_observation
from jupyter_colophon.client.programs.outbox import OutboxEntry, OutboxFile, find_outbox_folder
from jupyter_colophon.kernel.outgoing_reports import ReportBatch, RunReport

_logger = logging.getLogger("jupyter_colophon.kernel")
_FOLDER: Final = "reports"
#: The members of a report that are stored; its observations and its ending are those of batches.
_MEMBERS: Final = ("program", "run_id", "start_ms", "facts", "not_seen", "error", "is_failure", "intended", "renamed")
#: Members that files of earlier versions do not have.
_NEWER_MEMBERS: Final = ("arguments", "parent_id")


def find_report_folder() -> Path:
    """Return the folder of the files of all kernels of this account."""
    return find_outbox_folder() / _FOLDER


class ReportFile:
    """The file of this process. It is created with the first report; without it, reports are in memory only."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._file: OutboxFile | None = None
        #: Whether every report could be stored so far.
        self.is_durable = True

    def append_batch(self, batch: ReportBatch) -> None:
        """Store a batch. If that is not possible, it is logged once."""
        try:
            if self._file is None:
                self._file = OutboxFile.create(find_report_folder(), self._server)
            self._file.append_entry(OutboxEntry(batch.key, "report", "", build_batch_document(batch)))
        except OSError as error:
            if self.is_durable:
                _logger.warning("reports of the notebook wait in memory only: %s", error.strerror)
            self.is_durable = False

    def remove_batch(self, batch: ReportBatch) -> None:
        """Remove a batch that was delivered or dropped."""
        if self._file is not None:
            self._file.remove_entry(batch.key)

    def sync_to_disk(self) -> None:
        """Sync the file to disk."""
        if self._file is not None:
            self._file.sync_to_disk()

    def release_or_remove(self) -> None:
        """Remove the file if it has no reports; otherwise another process may send them."""
        file, self._file = self._file, None
        if file is not None:
            file.release_or_remove()


def build_batch_document(batch: ReportBatch) -> dict[str, Any]:
    """Return a batch as a document, with its run and the run's parent."""
    return {
        "run": _build_report_document(batch.report),
        "observations": [build_observation_document(seen) for seen in batch.observations],
        "ending": batch.ending,
    }


def parse_batch(document: Mapping[str, Any], key: str, reports: dict[str, RunReport]) -> ReportBatch:
    """Return the batch of a document. `reports` are the runs of the file by id, to which those of the batch are added.

    Raises LookupError, TypeError, ValueError.
    """
    observations = tuple(parse_observation(seen) for seen in document["observations"])
    return ReportBatch(_parse_report(document["run"], reports), observations, document["ending"], key)


def _build_report_document(report: RunReport) -> dict[str, Any]:
    parent = None if report.parent is None else _build_report_document(report.parent)
    return {name: getattr(report, name) for name in (*_MEMBERS, *_NEWER_MEMBERS)} | {"parent": parent}


def _parse_report(document: Mapping[str, Any], reports: dict[str, RunReport]) -> RunReport:
    known = reports.get(document["run_id"])
    if known is not None:
        return known
    parent = None if document["parent"] is None else _parse_report(document["parent"], reports)
    newer = {name: document[name] for name in _NEWER_MEMBERS if name in document}
    report = RunReport(parent=parent, **{name: document[name] for name in _MEMBERS}, **newer)
    reports[report.run_id] = report
    return report
