"""The run that represents a crawl in the catalog."""

import os
import socket
import sys
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.identity.names import make_program_urn, make_run_urn
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.spark.crawl.report import CrawlReport

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

APPLICATION, TYPE, NAME = "colophon", "spark", "crawl"


@dataclass(frozen=True, slots=True)
class CrawlRun:
    """A running crawl."""

    urn: str
    id: str
    _catalog: "Operations"
    _started_ms: int

    @classmethod
    def begin_and_end_orphaned(cls, catalog: "Operations", place: str, namespace: str) -> "CrawlRun":
        """Start a run, and end those of killed processes of this machine. Raises ClientError, InvalidName."""
        of = make_program_urn(namespace, APPLICATION, TYPE, NAME)
        with suppress(ClientError):
            _end_orphaned_runs(catalog, str(of))
        id_, now = str(uuid.uuid4()), _read_time_ms()
        arguments = {"place": place, **_describe_process()}
        start = {"program": str(of), "runId": id_, "status": "running", "arguments": arguments}
        catalog.start_run(start | {"start": format_ms_as_iso_time(now)})
        return cls(str(make_run_urn(of, id_)), id_, catalog, now)

    def end(self, report: CrawlReport) -> None:
        """Record the final status and the counts. Raises ClientError."""
        facts: dict[str, int] = {"left": report.left, "rows": report.rows, **report.counts}
        # The clock may have been set back; the end must not precede the start.
        end = format_ms_as_iso_time(max(_read_time_ms(), self._started_ms))
        self._catalog.update_run(self.urn, {"status": report.status, "end": end, "facts": facts})

    def assign_jobs_to_group(self, spark: Any) -> None:
        """Assign the current thread's jobs to the group that `cancel_jobs` cancels."""
        if hasattr(spark, "_jsparkSession"):
            spark.sparkContext.setJobGroup(self.id, "colophon crawl", interruptOnCancel=False)

    def cancel_jobs(self, spark: Any) -> None:
        """Cancel the marked jobs. Spark may have stopped already."""
        with suppress(Exception):
            spark.sparkContext.cancelJobGroup(self.id)


def _end_orphaned_runs(catalog: "Operations", program_urn: str) -> None:
    """End the runs whose processes no longer exist. Raises ClientError."""
    for run in catalog.list_runs(program=program_urn, status="running")["runs"]:
        arguments = catalog.read_run(run["urn"]).get("arguments", {})
        if arguments.get("host") == _describe_process()["host"] and not _is_process_alive(
            str(arguments.get("process", ""))
        ):
            catalog.update_run(run["urn"], {"status": "killed", "end": format_ms_as_iso_time(_read_time_ms())})


def _is_process_alive(process: str) -> bool:
    if sys.platform == "win32" or not process.isdecimal():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _describe_process() -> dict[str, str]:
    return {"host": socket.gethostname(), "process": str(os.getpid())}


def _read_time_ms() -> int:
    return time.time_ns() // 1_000_000
