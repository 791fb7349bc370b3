"""Check a dataset where its data is, as a run of its own."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import DataUnreadable
from jupyter_colophon.core.identity.names import Urn, make_run_urn
from jupyter_colophon.core.quality.check_program import make_check_program_urn
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.spark.crawl.reading import read_dataset
from jupyter_colophon.spark.quality.checking import CheckReport, check_and_record, read_expectations
from jupyter_colophon.spark.quality.location import DataLocation
from jupyter_colophon.spark.silence_pyspark import silence_temporarily

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations


@dataclass(frozen=True, slots=True)
class DatasetCheck:
    """A check of a dataset in the catalog, on this machine."""

    catalog: "Operations"
    urn: Urn
    run_id: str

    def check_and_record(self, start_spark: Callable[[], Any]) -> CheckReport:
        """Read the data, and record the results and the run. Without expectations, nothing is read or recorded.

        Raises DataUnreadable, ClientError, and what Spark raises; KeyboardInterrupt, after the run is recorded as killed.
        """
        namespace = self.catalog.read_entity(str(self.urn), aspects="status")["namespace"]
        if not read_expectations(self.catalog, str(self.urn)):
            return CheckReport(str(self.urn), {}, {})
        location = DataLocation.parse(self.urn)
        program = make_check_program_urn(namespace)
        run, started = str(make_run_urn(program, self.run_id)), _read_time_ms()
        start = {"program": str(program), "runId": self.run_id, "status": "running"}
        self.catalog.start_run(
            {**start, "start": format_ms_as_iso_time(started), "arguments": {"dataset": str(self.urn)}}
        )
        status, report = "failed", None
        try:
            report = self._check_location(location, start_spark, run)
            status = "succeeded"
        except KeyboardInterrupt:
            status = "killed"
            raise
        finally:
            with suppress(ClientError):
                # The clock may have been set back; the end must not precede the start.
                end = format_ms_as_iso_time(max(_read_time_ms(), started))
                self.catalog.update_run(run, {"status": status, "end": end, "facts": _count_results(report)})
        return report

    def _check_location(self, location: DataLocation, start_spark: Callable[[], Any], run: str) -> CheckReport:
        spark = start_spark()
        with silence_temporarily():
            found = location.find_dataset(spark)
            if found.schema_only:
                raise DataUnreadable(f"{location.table} is a view: check it in a notebook")
            source = {"kind": "program", "run": run, "name": "check"}
            return check_and_record(self.catalog, str(self.urn), lambda: read_dataset(spark, found, {}), source)


def _count_results(report: CheckReport | None) -> dict[str, int]:
    if report is None:
        return {}
    counts = {"failed": len(report.failed_ids), "warnings": len(report.warning_ids)}
    return {"expectations": len(report.results), **counts}


def _read_time_ms() -> int:
    return time.time_ns() // 1_000_000
