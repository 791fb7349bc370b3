"""Send the reports in the queue to the server from a background thread, so that no cell waits for the network."""

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.client.programs.outbox import list_outbox_files
from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.kernel.orphaned_reports import send_orphaned_reports
from jupyter_colophon.kernel.outgoing_reports import ReportQueue
from jupyter_colophon.kernel.report_delivery import ReportDelivery
from jupyter_colophon.kernel.report_file import ReportFile, find_report_folder
from jupyter_colophon.system.worker import Backoff, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.kernel.confidential_warnings import ConfidentialWarnings
    from jupyter_colophon.kernel.messages import NoticeQueue
    from jupyter_colophon.kernel.outgoing_reports import ReportBatch
    from jupyter_colophon.kernel.write_profiles import WriteProfiles

#: Seconds between two attempts while the server is unavailable: doubled from the first to the last.
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
#: How long observations are collected before they are stored, so that a loop of actions is not sent one by one.
_COLLECT_S = 0.05

_OUTAGE_KEY = "server unavailable"
_logger = logging.getLogger("jupyter_colophon.kernel")


class ReportSender:
    """Sends the batches of the queue one by one; they stay in the queue and its file while the server is unavailable."""

    def __init__(
        self,
        catalog: "Operations",
        notices: "NoticeQueue",
        server: str,
        on_outage_changed: "Callable[[], None] | None" = None,
        warnings: "ConfidentialWarnings | None" = None,
        profiles: "WriteProfiles | None" = None,
    ) -> None:
        self._warnings, self._profiles = warnings, profiles
        self._catalog, self._notices, self._server = catalog, notices, server
        self._file = ReportFile(server)
        self.queue = ReportQueue(self._file)
        self._delivery = ReportDelivery(catalog, self._notify_failure)
        self._failures = self._refused = 0
        self._outage = _ServerOutage(self.queue, self._file, notices, on_outage_changed)
        #: Whether files of kernels that have ended may wait for being sent.
        self._may_have_orphans = False
        # Two threads: what waits for the network must not delay what is written to the file.
        self._storing = Worker(
            "colophon-reports", self._store_and_wake, _logger, "storing reports of the notebook", settle_s=_COLLECT_S
        )
        self._worker = Worker(
            "colophon-sender",
            self._send_batches,
            _logger,
            "reports of the notebook",
            backoff=Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S),
            unavailable=(ServerUnavailable, RequestFailed),
            outage=self._outage,
            finish=self._file.release_or_remove,
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
        """Store and send the queue now, or send it after the pause if the server is unavailable."""
        self._storing.wake()
        self._storing.start()

    def send_orphaned(self) -> None:
        """Send the files of kernels that have ended, in the background, if there are any."""
        if list_outbox_files(find_report_folder()):
            self._may_have_orphans = True
            self._wake_worker(ends_backoff=False)

    def retry_now(self) -> None:
        """Store and send now, without waiting for the end of a pause."""
        self.queue.store_due_reports()
        self._wake_worker(ends_backoff=True)

    def stop_and_join(self, timeout_s: float) -> None:
        """Stop the threads, and wait for each at most `timeout_s`. What was not sent stays in the file."""
        self._storing.close(timeout_s)
        self.queue.store_due_reports()
        self._worker.close(timeout_s)
        # A thread that still waits for the server releases the file itself, or the end of the process does.
        if not self._worker.is_alive:
            self._file.release_or_remove()

    def _store_and_wake(self) -> None:
        self.queue.store_due_reports()
        self._wake_worker(ends_backoff=False)

    def _wake_worker(self, *, ends_backoff: bool) -> None:
        self._worker.wake(ends_backoff=ends_backoff)
        self._worker.start()

    def _send_batches(self) -> float | None:
        """Send what ended kernels left, and the queue; return when to try again. Raises ServerUnavailable, RequestFailed."""
        if self._may_have_orphans:
            left = send_orphaned_reports(self._catalog, self._server, lambda: not self._worker.is_stopped)
            self._may_have_orphans = bool(left.error)
        while (batch := self.queue.get_next_batch()) is not None and not self._worker.is_stopped:
            self._deliver_batch(batch)
        if self._warnings is not None:
            self._warnings.check_writes()
        if self._profiles is not None:
            self._profiles.send_profiles()
        return LONGEST_PAUSE_S if self._may_have_orphans else None

    def _deliver_batch(self, batch: "ReportBatch") -> None:
        """Deliver one batch. Raises ServerUnavailable, RequestFailed; the batch stays in the queue then."""
        try:
            self._delivery.deliver_batch(batch)
        except ServerUnavailable as error:
            self._record_failure(str(error))
            raise
        except RequestFailed as refusal:
            if refusal.is_temporary:
                self._record_failure(str(refusal))
                raise
            self._count_refused_and_notify(batch, refusal)
        except Exception as error:  # noqa: BLE001  an internal error must not end the thread: later cells count
            self._count_refused_and_notify(batch, error)
        self.queue.acknowledge_batch(batch)
        self._outage.end()

    def _record_failure(self, reason: str) -> None:
        # First add the notice: the cell that waits for the queue shows it.
        self._outage.begin(reason)
        self._may_have_orphans = True
        self._file.sync_to_disk()
        self._failures += 1
        self.queue.notify_of_failure()

    def _count_refused_and_notify(self, batch: "ReportBatch", reason: Exception) -> None:
        self._refused += 1
        self._notify_failure(batch, reason)

    def _notify_failure(self, batch: "ReportBatch", reason: Exception) -> None:
        cell = batch.report.facts.get("cellId", "the notebook")
        detail = str(reason) if isinstance(reason, ClientError) else type(reason).__name__
        if isinstance(reason, RequestFailed) and reason.status == HTTPStatus.NOT_FOUND:
            # A report creates what is missing, so a missing entity is one that the user may not read.
            detail += "; if the catalog has access policies, ask an administrator for access to the namespace of your notebooks"
        # One line per kind of error, so that a loop over cells does not repeat it.
        kind = f"refused {reason.status}" if isinstance(reason, RequestFailed) else type(reason).__name__
        self._notices.add_line_once(kind, f"Colophon could not record what cell {cell} did: {detail}")


class _ServerOutage:
    """Notifies the user that the server is unavailable, and when it is back, how much was lost."""

    def __init__(
        self,
        queue: "ReportQueue",
        file: ReportFile,
        notices: "NoticeQueue",
        on_changed: "Callable[[], None] | None" = None,
    ) -> None:
        self._queue, self._file, self._notices, self._on_changed = queue, file, notices, on_changed
        #: Why the server is unavailable, "" if it is available.
        self.reason = ""

    def begin(self, reason: str) -> None:
        """Show why the server is unavailable, once."""
        self._set_reason(reason)
        fate = (
            "waits in a file, and is sent when the server is available again"
            if self._file.is_durable
            else "is buffered in this kernel until the server is available again, and is lost if the kernel stops first"
        )
        self._notices.add_line_once(
            _OUTAGE_KEY, f"Colophon: {reason}. The notebook continues; lineage of its cells {fate}."
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
