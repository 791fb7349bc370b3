"""The run of the catalog that a crawl is."""

import os
import socket
import sys
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.identity.names import program, run_urn
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.spark.crawl.report import Report

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

APPLICATION, TYPE, NAME = "colophon", "spark", "crawl"


@dataclass(frozen=True, slots=True)
class CrawlRun:
    """A run that has begun."""

    urn: str
    id: str
    _catalog: "Operations"
    _started_ms: int

    @classmethod
    def begun(cls, catalog: "Operations", place: str, namespace: str) -> "CrawlRun":
        """Begin one; those that killed processes of this machine left are ended. Raises ClientError, InvalidName."""
        of = program(namespace, APPLICATION, TYPE, NAME)
        with suppress(ClientError):
            _bury(catalog, str(of))
        id_, now = str(uuid.uuid4()), _now_ms()
        arguments = {"place": place, **_here()}
        start = {"program": str(of), "runId": id_, "status": "running", "arguments": arguments}
        catalog.start_run(start | {"start": format_time(now)})
        return cls(str(run_urn(of, id_)), id_, catalog, now)

    def end(self, report: Report) -> None:
        """Say how it ended, and the counts. Raises ClientError."""
        facts: dict[str, int] = {"left": report.left, "rows": report.rows, **report.counts}
        # The clock may have been put back meanwhile, and nothing ends before it began.
        end = format_time(max(_now_ms(), self._started_ms))
        self._catalog.update_run(self.urn, {"status": report.status, "end": end, "facts": facts})

    def mark_jobs(self, spark: Any) -> None:
        """Let this thread's jobs be stopped by `stop_jobs`."""
        if hasattr(spark, "_jsparkSession"):
            spark.sparkContext.setJobGroup(self.id, "colophon crawl", interruptOnCancel=False)

    def stop_jobs(self, spark: Any) -> None:
        """Stop the jobs that were marked. Spark may be gone already."""
        with suppress(Exception):
            spark.sparkContext.cancelJobGroup(self.id)


def _bury(catalog: "Operations", of: str) -> None:
    """End the runs that no process does any more. Raises ClientError."""
    for one in catalog.list_runs(program=of, status="running")["runs"]:
        told = catalog.read_run(one["urn"]).get("arguments", {})
        if told.get("host") == _here()["host"] and not _lives(str(told.get("process", ""))):
            catalog.update_run(one["urn"], {"status": "killed", "end": format_time(_now_ms())})


def _lives(process: str) -> bool:
    if sys.platform == "win32" or not process.isdecimal():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _here() -> dict[str, str]:
    return {"host": socket.gethostname(), "process": str(os.getpid())}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
